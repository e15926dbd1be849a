/**
 * The events of a streamed message ⇄ the answer.
 *
 * Events and deltas that are unknown are passed over, as the API's versioning asks. A message is complete
 * with `message_stop` and not before: a connection that is closed in the middle looks like an end.
 */
import { asNumber, asString, isObject, type JsonObject } from "../../base/json/json.ts";
import { parseBounded } from "../../base/json/parse-bounded.ts";
import type { ModelAnswer } from "../../ports/model-client.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import { failedAnswer } from "../errors/model-failure.ts";
import { AnswerAssembly, type AnswerFields } from "../shared/answer-assembly.ts";
import { AnswerWriter } from "../shared/answer-writer.ts";
import { namedEvent } from "../shared/sse.ts";
import { anthropicAnswer, anthropicUsage, writtenBlock } from "./answer.ts";
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
export class AnthropicAssembly extends AnswerAssembly {
  readonly #partials = new Map<number, PartialBlock>();
  #message: Fields = {};
  #isComplete = false;

  get isComplete(): boolean {
    return this.#isComplete;
  }

  protected wholeAnswer(requestId: string | undefined): ModelAnswer {
    const content = [...this.#partials.entries()]
      .sort(([one], [other]) => one - other)
      .map(([, partial]) => partial.fields);
    return anthropicAnswer({ ...this.#message, content }, requestId);
  }

  protected knownFields(): Pick<AnswerFields, "responseId" | "model" | "usage"> {
    const { id, model, usage } = this.#message;
    return { responseId: asString(id), model: asString(model), usage: anthropicUsage(usage) };
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
      case "error":
        throw failedAnswer(event);
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
      this.emit({ type: "tool-call", id, name });
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
    if (piece !== "") this.emit({ type, text: piece });
  }

  #finish(partial: PartialBlock | undefined): void {
    if (partial === undefined || partial.isFinished) return;
    partial.isFinished = true;
    if (partial.inputText !== "") {
      const parsed = parseBounded(partial.inputText);
      // Arguments that were cut by the output limit stay as the text they are.
      partial.fields["input"] = parsed.ok ? parsed.value : partial.inputText;
    }
    for (const block of anthropicContent([partial.fields])) this.emit({ type: "block", block });
  }

  #end(event: Fields): void {
    if (isObject(event["delta"])) Object.assign(this.#message, event["delta"]);
    if (isObject(event["context_management"]))
      this.#message["context_management"] = event["context_management"];
    if (!isObject(event["usage"])) return;
    const known = isObject(this.#message["usage"]) ? this.#message["usage"] : {};
    const given = Object.entries(event["usage"]).filter(([, value]) => value !== null && value !== undefined);
    this.#message["usage"] = { ...known, ...Object.fromEntries(given) };
  }
}

/** Fields of a message that are known at its end. */
const END_FIELDS = ["stop_reason", "stop_sequence", "stop_details", "container"];

/** Writes a message as its events. @internal */
export class AnthropicWriter extends AnswerWriter {
  #index = -1;
  #open: "text" | "thinking" | undefined;

  begin(message: JsonObject): readonly string[] {
    const ends = END_FIELDS.flatMap((field) => (field in message ? [[field, null] as const] : []));
    const { output_tokens_details: _, ...usage } = (message["usage"] ?? {}) as JsonObject;
    const head = { ...message, content: [], ...Object.fromEntries(ends) };
    return [
      namedEvent({ type: "message_start", message: { ...head, usage: { ...usage, output_tokens: 1 } } }),
    ];
  }

  end(message: JsonObject): readonly string[] {
    const ends = END_FIELDS.flatMap((field) => (field in message ? [[field, message[field]] as const] : []));
    const {
      cache_creation: _creation,
      service_tier: _tier,
      ...usage
    } = (message["usage"] ?? {}) as JsonObject;
    return [
      ...this.#close(),
      namedEvent({
        type: "message_delta",
        delta: Object.fromEntries(ends),
        usage,
        ...("context_management" in message ? { context_management: message["context_management"] } : {}),
      }),
      namedEvent({ type: "message_stop" }),
    ];
  }

  protected piece(type: "text" | "thinking", text: string): readonly string[] {
    return [...this.#openText({ type }), this.#delta({ type: `${type}_delta`, [type]: text })];
  }

  protected block(block: ContentBlock): readonly string[] {
    return writtenBlock(block).flatMap((written) => {
      if (block.type === "compaction" && written["signature"] === undefined) {
        // What was made on the way comes in one delta; what was asked for alone, whole.
        const { type, ...summary } = written;
        return [
          ...this.#close(),
          this.#start({ type: type!, content: null, encrypted_content: null }),
          this.#delta({ type: "compaction_delta", ...summary }),
          this.#stop(),
        ];
      }
      if (block.type === "text" || block.type === "thinking") return this.#endText(written, block.type);
      const isCall = "input" in written;
      return [
        ...this.#close(),
        this.#start(isCall ? { ...written, input: {} } : written),
        ...(isCall ? ["", ...this.pieces(JSON.stringify(written["input"]))] : []).map((partial_json) =>
          this.#delta({ type: "input_json_delta", partial_json }),
        ),
        this.#stop(),
      ];
    });
  }

  /** Opens a text or a thinking, unless it is open. */
  #openText(fields: JsonObject & { readonly type: "text" | "thinking" }): readonly string[] {
    const { type } = fields;
    if (this.#open === type) return [];
    const before = this.#close();
    this.#open = type;
    const signed = type === "thinking" ? { signature: "" } : {};
    return [...before, this.#start({ ...fields, [type]: "", ...signed })];
  }

  #endText(block: JsonObject, type: "text" | "thinking"): readonly string[] {
    const { citations, ...fields } = block;
    const cited = Array.isArray(citations) ? citations : [];
    const noted = citations === undefined ? {} : { citations: cited.length === 0 ? citations : [] };
    return [
      ...this.#openText({ ...fields, ...noted, type }),
      ...this.restOf(type, asString(block[type]) ?? "").map((text) =>
        this.#delta({ type: `${type}_delta`, [type]: text }),
      ),
      ...cited.map((citation) => this.#delta({ type: "citations_delta", citation })),
      ...(type === "thinking"
        ? [this.#delta({ type: "signature_delta", signature: block["signature"]! })]
        : []),
      ...this.#close(),
    ];
  }

  #close(): readonly string[] {
    if (this.#open === undefined) return [];
    this.#open = undefined;
    return [this.#stop()];
  }

  #start(content_block: JsonObject): string {
    this.#index += 1;
    return namedEvent({ type: "content_block_start", index: this.#index, content_block });
  }

  #delta(delta: JsonObject): string {
    return namedEvent({ type: "content_block_delta", index: this.#index, delta });
  }

  #stop(): string {
    return namedEvent({ type: "content_block_stop", index: this.#index });
  }
}
