/**
 * The events of a streamed response → the response that they make.
 *
 * The last event holds all of it; items are reported as they come, and fill in where a server
 * leaves the last event's list empty. Unknown events are passed over.
 */
import { asNumber, asString, isObject } from "../../base/json/json.ts";
import type { ModelEvent } from "../../ports/model-client.ts";
import type { Assembly } from "../shared/answer-assembly.ts";
import { failedResponse, responsesContent } from "./answer.ts";

type Fields = Readonly<Record<string, unknown>>;

const LAST_EVENTS: ReadonlySet<unknown> = new Set(["response.completed", "response.incomplete"]);
const THINKING_DELTAS: ReadonlySet<unknown> = new Set([
  "response.reasoning_summary_text.delta",
  "response.reasoning_text.delta",
]);

/** Puts a response together. @internal */
export class ResponsesAssembly implements Assembly {
  readonly #tell: (event: ModelEvent) => void;
  readonly #items = new Map<number, Fields>();
  #response: Fields | undefined;

  constructor({ tell }: { readonly tell: (event: ModelEvent) => void }) {
    this.#tell = tell;
  }

  get isComplete(): boolean {
    return this.#response !== undefined;
  }

  /** The whole response, once it is complete. */
  response(): Fields | undefined {
    if (this.#response === undefined) return undefined;
    const { output } = this.#response;
    if (Array.isArray(output) && output.length > 0) return this.#response;
    const items = [...this.#items.entries()].sort(([one], [other]) => one - other).map(([, item]) => item);
    return { ...this.#response, output: items };
  }

  /** @throws ModelError where the stream tells that the answer failed. */
  take(event: unknown): void {
    if (!isObject(event)) return;
    const { type } = event;
    if (LAST_EVENTS.has(type) && isObject(event["response"])) this.#response = event["response"];
    else if (type === "response.failed")
      throw failedResponse(isObject(event["response"]) ? event["response"]["error"] : undefined);
    else if (type === "error") throw failedResponse(event);
    else if (type === "response.output_item.added") this.#begin(event["item"]);
    else if (type === "response.output_item.done") this.#finish(event);
    else if (type === "response.output_text.delta") this.#emitText("text", event["delta"]);
    else if (THINKING_DELTAS.has(type)) this.#emitText("thinking", event["delta"]);
  }

  #begin(item: unknown): void {
    if (!isObject(item)) return;
    const [id, name] = [asString(item["call_id"]), asString(item["name"])];
    const isCall = item["type"] === "function_call" || item["type"] === "custom_tool_call";
    if (isCall && id !== undefined && name !== undefined) this.#tell({ type: "tool-call", id, name });
  }

  #finish(event: Fields): void {
    const { item } = event;
    if (!isObject(item)) return;
    this.#items.set(asNumber(event["output_index"]) ?? this.#items.size, item);
    for (const block of responsesContent([item])) this.#tell({ type: "block", block });
  }

  #emitText(type: "text" | "thinking", piece: unknown): void {
    if (typeof piece === "string" && piece !== "") this.#tell({ type, text: piece });
  }
}
