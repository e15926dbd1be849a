/**
 * The events of a streamed response ⇄ the answer.
 *
 * The last event holds all of it; items are reported as they come, and fill in where a server
 * leaves the last event's list empty. Unknown events are passed over.
 */
import { asNumber, asString, isObject, type JsonObject } from "../../base/json/json.ts";
import type { ModelAnswer } from "../../ports/model-client.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import { failedAnswer } from "../errors/model-failure.ts";
import { AnswerAssembly, type AnswerFields, openaiUsage } from "../shared/answer-assembly.ts";
import { AnswerWriter } from "../shared/answer-writer.ts";
import { namedEvent } from "../shared/sse.ts";
import {
  beginsMessage,
  type ResponsesHead,
  responsesAnswer,
  responsesContent,
  textPart,
  writtenItem,
  writtenMessage,
  writtenPart,
} from "./answer.ts";

type Fields = Readonly<Record<string, unknown>>;

const LAST_EVENTS: ReadonlySet<unknown> = new Set(["response.completed", "response.incomplete"]);
const THINKING_DELTAS: ReadonlySet<unknown> = new Set([
  "response.reasoning_summary_text.delta",
  "response.reasoning_text.delta",
]);

/** Puts a response together. @internal */
export class ResponsesAssembly extends AnswerAssembly {
  readonly #items = new Map<number, Fields>();
  #begun: Fields = {};
  #response: Fields | undefined;

  get isComplete(): boolean {
    return this.#response !== undefined;
  }

  protected wholeAnswer(requestId: string | undefined): ModelAnswer {
    const { output } = this.#response ?? {};
    if (Array.isArray(output) && output.length > 0) return responsesAnswer(this.#response, requestId);
    const items = [...this.#items.entries()].sort(([one], [other]) => one - other).map(([, item]) => item);
    return responsesAnswer({ ...this.#response, output: items }, requestId);
  }

  protected knownFields(): Pick<AnswerFields, "responseId" | "model" | "usage"> {
    const { id, model, usage } = this.#begun;
    return { responseId: asString(id), model: asString(model), usage: openaiUsage(usage) };
  }

  /** @throws ModelError where the stream tells that the answer failed. */
  take(event: unknown): void {
    if (!isObject(event)) return;
    const { type } = event;
    if (LAST_EVENTS.has(type) && isObject(event["response"])) this.#response = event["response"];
    else if (type === "response.failed")
      throw failedAnswer(isObject(event["response"]) ? event["response"]["error"] : undefined);
    else if (type === "error") throw failedAnswer(event);
    else if (type === "response.created" && isObject(event["response"])) this.#begun = event["response"];
    else if (type === "response.output_item.added") this.#begin(event["item"]);
    else if (type === "response.output_item.done") this.#finish(event);
    else if (type === "response.output_text.delta") this.#emitText("text", event["delta"]);
    else if (THINKING_DELTAS.has(type)) this.#emitText("thinking", event["delta"]);
  }

  #begin(item: unknown): void {
    if (!isObject(item)) return;
    const [id, name] = [asString(item["call_id"]), asString(item["name"])];
    const isCall = item["type"] === "function_call" || item["type"] === "custom_tool_call";
    if (isCall && id !== undefined && name !== undefined) this.emit({ type: "tool-call", id, name });
  }

  #finish(event: Fields): void {
    const { item } = event;
    if (!isObject(item)) return;
    this.#items.set(asNumber(event["output_index"]) ?? this.#items.size, item);
    for (const block of responsesContent([item])) this.emit({ type: "block", block });
  }

  #emitText(type: "text" | "thinking", piece: unknown): void {
    if (typeof piece === "string" && piece !== "") this.emit({ type, text: piece });
  }
}

interface OpenMessage {
  readonly item: JsonObject;
  readonly parts: JsonObject[];
  /** A text of it is under way. */
  isTextOpen: boolean;
}

/** Writes a response as its numbered events. Thinking is written when it is finished: its id comes with its end. @internal */
export class ResponsesWriter extends AnswerWriter {
  readonly #ids: Pick<ResponsesHead, "newId">;
  readonly #items: JsonObject[] = [];
  #open: OpenMessage | undefined;
  #begun: JsonObject = {};
  #number = 0;

  constructor(options: Pick<ResponsesHead, "newId"> & { readonly pieceLength?: number }) {
    super(options);
    this.#ids = options;
  }

  begin(response: JsonObject): readonly string[] {
    const nothing = { output: [], usage: null, incomplete_details: null };
    this.#begun = { ...response, ...nothing, status: "in_progress" };
    return ["response.created", "response.in_progress"].map((type) =>
      this.#event(type, { response: this.#begun }),
    );
  }

  end(response: JsonObject): readonly string[] {
    const frames = this.#close();
    const type = response["status"] === "completed" ? "response.completed" : "response.incomplete";
    return [...frames, this.#event(type, { response: { ...response, output: this.#items } })];
  }

  /** Frames of an answer that failed, for the `error` of a body. */
  fail(error: JsonObject): readonly string[] {
    const response = { ...this.#begun, output: this.#items, status: "failed", error };
    return [this.#event("error", { error }), this.#event("response.failed", { response })];
  }

  protected piece(type: "text" | "thinking", text: string): readonly string[] {
    if (type === "thinking") return [];
    return [...this.#openText({ type, text: "" }), this.#textDelta(text)];
  }

  protected block(block: ContentBlock): readonly string[] {
    const part = writtenPart(block);
    if (part === undefined)
      return [...this.#close(), ...writtenItem(block, this.#ids).flatMap((item) => this.#item(item))];
    if (block.type !== "text") return [...this.#openMessage(block), ...this.#part(part)];
    return [
      ...this.#openText(block),
      ...this.restOf("text", block.text).map((text) => this.#textDelta(text)),
      ...this.#endText(part),
    ];
  }

  /** Opens the message that a block is in, unless it is open. */
  #openMessage(block: ContentBlock): readonly string[] {
    if (this.#open !== undefined && !beginsMessage(block)) return [];
    const frames = this.#close();
    const parts: JsonObject[] = [];
    const item = writtenMessage(block, parts, this.#ids);
    this.#open = { item, parts, isTextOpen: false };
    const begun = { ...item, status: "in_progress", content: [] };
    return [
      ...frames,
      this.#event("response.output_item.added", { output_index: this.#items.length, item: begun }),
    ];
  }

  #openText(block: ContentBlock): readonly string[] {
    if (this.#open?.isTextOpen === true) return [];
    const frames = this.#openMessage(block);
    this.#open!.isTextOpen = true;
    return [...frames, this.#event("response.content_part.added", { ...this.#place(), part: textPart("") })];
  }

  #textDelta(delta: string): string {
    return this.#event("response.output_text.delta", { ...this.#place(), delta, logprobs: [] });
  }

  #endText(part: JsonObject): readonly string[] {
    const done = { ...this.#place(), text: part["text"], logprobs: [] };
    const frames = [
      this.#event("response.output_text.done", done),
      this.#event("response.content_part.done", { ...this.#place(), part }),
    ];
    this.#open!.parts.push(part);
    this.#open!.isTextOpen = false;
    return frames;
  }

  /** A refusal, whole. */
  #part(part: JsonObject): readonly string[] {
    const place = this.#place();
    this.#open!.parts.push(part);
    return this.#partEvents({ part, place, prefix: "content_part", name: "refusal" });
  }

  #partEvents({
    part,
    place,
    prefix,
    name,
  }: Record<"prefix" | "name", string> & Record<"part" | "place", JsonObject>): readonly string[] {
    const field = name === "refusal" ? "refusal" : "text";
    const text = asString(part[field]) ?? "";
    return [
      this.#event(`response.${prefix}.added`, { ...place, part: { ...part, [field]: "" } }),
      ...this.pieces(text).map((delta) => this.#event(`response.${name}.delta`, { ...place, delta })),
      this.#event(`response.${name}.done`, { ...place, [field]: text }),
      this.#event(`response.${prefix}.done`, { ...place, part }),
    ];
  }

  /** Place of the next part of the open message. */
  #place(): JsonObject {
    const { item, parts } = this.#open!;
    return { item_id: item["id"], output_index: this.#items.length, content_index: parts.length };
  }

  #close(): readonly string[] {
    if (this.#open === undefined) return [];
    const { item, isTextOpen } = this.#open;
    const text = isTextOpen ? this.takeWritten("text") : "";
    const ended = isTextOpen ? this.#endText(textPart(text)) : [];
    this.#open = undefined;
    return [...ended, ...this.#done(item)];
  }

  #done(item: JsonObject): readonly string[] {
    const output_index = this.#items.length;
    this.#items.push(item);
    return [this.#event("response.output_item.done", { output_index, item })];
  }

  /** An item other than a message, whole. */
  #item(item: JsonObject): readonly string[] {
    const place = { item_id: item["id"], output_index: this.#items.length };
    const isFunction = item["type"] === "function_call";
    const summary = item["type"] === "reasoning" && Array.isArray(item["summary"]) ? item["summary"] : [];
    const emptied = isFunction
      ? { arguments: "", status: "in_progress" }
      : summary.length > 0
        ? { summary: [] }
        : {};
    const begun = { output_index: this.#items.length, item: { ...item, ...emptied } };
    const added = this.#event("response.output_item.added", begun);
    const inner = isFunction
      ? this.#callEvents(item, place)
      : summary.flatMap((part: JsonObject, summary_index) =>
          this.#partEvents({
            part,
            place: { ...place, summary_index },
            prefix: "reasoning_summary_part",
            name: "reasoning_summary_text",
          }),
        );
    return [added, ...inner, ...this.#done(item)];
  }

  #callEvents(item: JsonObject, place: JsonObject): readonly string[] {
    const text = asString(item["arguments"]) ?? "";
    const name = "response.function_call_arguments";
    return [
      ...this.pieces(text).map((delta) => this.#event(`${name}.delta`, { ...place, delta })),
      this.#event(`${name}.done`, { ...place, name: item["name"], arguments: text }),
    ];
  }

  #event(type: string, fields: JsonObject): string {
    return namedEvent({ type, ...fields, sequence_number: this.#number++ });
  }
}
