/**
 * Items as the OpenAI Agents SDK stores them: an item is then the same when a model has just made it, later in the same
 * run, and when a session returns it in the next.
 *
 * Source: `normalizeItemsForSessionPersistence` of `@openai/agents-core` 0.3 and 0.20.
 */
import { isObject } from "../../base/json/json.ts";

/** Items whose ids are only good for one response. */
const TRANSIENT = /^(?:function_call(?:_result)?|tool_search_(?:call|output))$/;
/** Lists of a text that 0.3 takes out of a stream, and leaves in a whole answer; empty ones say nothing. */
const NOT_STREAMED: ReadonlySet<string> = new Set(["annotations", "logprobs"]);

/** The items without such ids and lists, and with bytes as data URLs. */
export function lastingItems(items: readonly object[]): object[] {
  return items.map((item) => lasting(item) as object);
}

function lasting(value: unknown, mediaType = "text/plain"): unknown {
  if (value instanceof Uint8Array) return `data:${mediaType};base64,${Buffer.from(value).toString("base64")}`;
  if (Array.isArray(value)) return value.map((entry) => lasting(entry, mediaType));
  if (!isObject(value)) return value;
  const { type, mediaType: named, callId = value["call_id"] } = value;
  const isSearch = String(type).startsWith("tool_search") && typeof callId !== "string";
  const isTransient = TRANSIENT.test(String(type)) && !isSearch;
  const isEmpty = (entry: unknown): boolean => Array.isArray(entry) && entry.length === 0;
  const kept = Object.entries(value).filter(
    ([name, entry]) => !(isTransient && name === "id") && !(NOT_STREAMED.has(name) && isEmpty(entry)),
  );
  const own = typeof named === "string" ? named : mediaType;
  return Object.fromEntries(kept.map(([name, entry]) => [name, lasting(entry, own)]));
}
