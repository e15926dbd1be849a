/**
 * The events of a streamed message → the message that they make.
 *
 * Events and deltas that are unknown are passed over, as the API's versioning asks. A message is complete
 * with `message_stop` and not before: a connection that is closed in the middle looks like an end.
 */
import { asNumber, asString, isObject } from "../../base/json/json.ts";
import { parseBounded } from "../../base/json/parse-bounded.ts";
import type { ModelEvent } from "../../ports/model-client.ts";
import type { Assembly } from "../shared/answer-assembly.ts";
import { anthropicContent } from "./from-anthropic.ts";

type Fields = Record<string, unknown>;

/** A block that is being written. */
interface PartialBlock {
  readonly fields: Fields;
  /** The input of a call, in pieces of JSON. */
  inputText: string;
  isFinished: boolean;
}

/** Puts a message together. @internal */
export class AnthropicAssembly implements Assembly {
  readonly #tell: (event: ModelEvent) => void;
  readonly #partials = new Map<number, PartialBlock>();
  #message: Fields = {};
  #isComplete = false;

  constructor({ tell }: { readonly tell: (event: ModelEvent) => void }) {
    this.#tell = tell;
  }

  /** True if the message ended. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** The message so far, with its finished blocks in order. */
  message(): Fields {
    const content = [...this.#partials.entries()]
      .sort(([one], [other]) => one - other)
      .filter(([, partial]) => partial.isFinished)
      .map(([, partial]) => partial.fields);
    return { ...this.#message, content };
  }

  take(event: unknown): void {
    if (!isObject(event)) return;
    const index = asNumber(event["index"]) ?? 0;
    switch (event["type"]) {
      case "message_start":
        if (isObject(event["message"])) this.#message = { ...event["message"] };
        return;
      case "content_block_start":
        this.#start(index, event["content_block"]);
        return;
      case "content_block_delta":
        this.#grow(this.#partials.get(index), event["delta"]);
        return;
      case "content_block_stop":
        this.#finish(this.#partials.get(index));
        return;
      case "message_delta":
        this.#end(event);
        return;
      case "message_stop":
        for (const partial of this.#partials.values()) this.#finish(partial);
        this.#isComplete = true;
    }
  }

  #start(index: number, block: unknown): void {
    if (!isObject(block)) return;
    this.#partials.set(index, { fields: { ...block }, inputText: "", isFinished: false });
    const [id, name] = [asString(block["id"]), asString(block["name"])];
    if (block["type"] === "tool_use" && id !== undefined && name !== undefined)
      this.#tell({ type: "tool-call", id, name });
  }

  #grow(partial: PartialBlock | undefined, delta: unknown): void {
    if (partial === undefined || partial.isFinished || !isObject(delta)) return;
    const { fields } = partial;
    switch (delta["type"]) {
      case "text_delta":
        this.#append(fields, "text", delta["text"]);
        return;
      case "thinking_delta":
        this.#append(fields, "thinking", delta["thinking"]);
        return;
      case "signature_delta":
        fields["signature"] = asString(delta["signature"]) ?? fields["signature"];
        return;
      case "citations_delta":
        fields["citations"] = [
          ...(Array.isArray(fields["citations"]) ? fields["citations"] : []),
          delta["citation"],
        ];
        return;
      case "input_json_delta":
        partial.inputText += asString(delta["partial_json"]) ?? "";
        return;
      case "compaction_delta": {
        // The whole of it comes at once, with what signs it.
        const { type: _, ...content } = delta;
        Object.assign(fields, content);
      }
    }
  }

  #append(fields: Fields, type: "text" | "thinking", piece: unknown): void {
    if (typeof piece !== "string") return;
    fields[type] = (asString(fields[type]) ?? "") + piece;
    if (piece !== "") this.#tell({ type, text: piece });
  }

  #finish(partial: PartialBlock | undefined): void {
    if (partial === undefined || partial.isFinished) return;
    partial.isFinished = true;
    if (partial.inputText !== "") {
      const parsed = parseBounded(partial.inputText);
      // Arguments that were cut by the output limit stay as the text they are.
      partial.fields["input"] = parsed.ok ? parsed.value : partial.inputText;
    }
    for (const block of anthropicContent([partial.fields])) this.#tell({ type: "block", block });
  }

  #end(event: Fields): void {
    if (isObject(event["delta"])) Object.assign(this.#message, event["delta"]);
    if (!isObject(event["usage"])) return;
    const known = isObject(this.#message["usage"]) ? this.#message["usage"] : {};
    const given = Object.entries(event["usage"]).filter(([, value]) => value !== null && value !== undefined);
    this.#message["usage"] = { ...known, ...Object.fromEntries(given) };
  }
}
