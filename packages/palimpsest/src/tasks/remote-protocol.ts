/**
 * Protocol between `remote_agent` and `palimpsest worker`: one task at a time, its output from an offset on, a mailbox.
 *
 * Both sides read with the same functions, and neither trusts the other: every field is checked.
 */
import { asString, isObject } from "../base/json/json.ts";
import { parseBounded } from "../base/json/parse-bounded.ts";
import type { Usage } from "../transcript/blocks.ts";
import { isTaskId } from "./fold-tasks.ts";
import type { TaskOutcome } from "./task-record.ts";

/** Limits that both sides keep to. */
export const REMOTE_LIMITS = {
  /** A request or an answer, in bytes of UTF-8. */
  messageBytes: 1_048_576,
  /** Output in one answer, in bytes; as JSON it can be six times as long. */
  outputBytes: 65_536,
  /** A result or a reason, in characters. */
  textChars: 65_536,
  /** A key, which tells a repeated request from a new one, in characters. */
  keyChars: 100,
} as const;

/** A request to a worker. `key`: a request that is sent again has the same one, and has its effect once. */
export type RemoteRequest =
  | { readonly type: "start"; readonly key: string; readonly prompt: string }
  | { readonly type: "read"; readonly id: string; readonly offset: number }
  | { readonly type: "input"; readonly id: string; readonly key: string; readonly text: string }
  | { readonly type: "stop" | "resume"; readonly id: string };

/** A task as its worker describes it. */
export interface RemoteView {
  readonly id: string;
  readonly status: "running" | TaskOutcome;
  /** The offset that was asked for; 0 where none was. */
  readonly offset: number;
  /** Where to read on. Terminal escapes are left out of the text, so the difference can be more than its length. */
  readonly nextOffset: number;
  readonly text: string;
  /** True if the task has ended and the text reaches its end. */
  readonly isEnd: boolean;
  readonly result?: string;
  readonly reason?: string;
  readonly usage?: Usage;
}

const TASKS_PATH = "/v1/tasks";
const STATUSES: ReadonlySet<unknown> = new Set([
  "running",
  "done",
  "failed",
  "stopped",
  "interrupted",
] satisfies RemoteView["status"][]);

/** The method, path and body of a request. */
export function writeRemoteRequest(request: RemoteRequest): {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
} {
  if (request.type === "start") {
    const { key, prompt } = request;
    return { method: "POST", path: TASKS_PATH, body: JSON.stringify({ key, prompt }) };
  }
  const path = `${TASKS_PATH}/${request.id}`;
  if (request.type === "read") return { method: "GET", path: `${path}?offset=${request.offset}` };
  const { key, text } = request.type === "input" ? request : { key: undefined, text: undefined };
  return { method: "POST", path: `${path}/${request.type}`, body: JSON.stringify({ key, text }) };
}

/** Reads a request, which may be anything; `undefined` unless it is one. `path` has the query. */
export function parseRemoteRequest(method: string, path: string, body: string): RemoteRequest | undefined {
  const matched = /^\/v1\/tasks(?:\/(t\d+)(?:\/(input|stop|resume)|\?offset=(\d{1,15}))?)?$/.exec(path);
  if (matched === null) return undefined;
  const [, id, verb, offset = "0"] = matched;
  if (id !== undefined && !isTaskId(id)) return undefined;
  if (method === "GET")
    return id === undefined || verb !== undefined ? undefined : { type: "read", id, offset: Number(offset) };
  if (method !== "POST") return undefined;
  if (id !== undefined && (verb === "stop" || verb === "resume")) return { type: verb, id };
  const { key, prompt, text } = fieldsOf(body) ?? {};
  if (typeof key !== "string" || key === "" || key.length > REMOTE_LIMITS.keyChars) return undefined;
  if (id === undefined)
    return typeof prompt === "string" && prompt.trim() !== "" ? { type: "start", key, prompt } : undefined;
  return verb === "input" && typeof text === "string" ? { type: "input", id, key, text } : undefined;
}

/** Writes an answer; long texts are cut. */
export function writeRemoteView(view: RemoteView): string {
  const cut = (text: string | undefined): string | undefined => text?.slice(0, REMOTE_LIMITS.textChars);
  return JSON.stringify({ ...view, result: cut(view.result), reason: cut(view.reason) });
}

/**
 * Reads an answer of a worker, which may be anything.
 * @param asked the task and the offset that were asked for; without an id, any will do
 * @returns the view, or why it is not an answer to this
 */
export function parseRemoteView(
  answer: string,
  asked: { readonly id?: string | undefined; readonly offset: number },
): RemoteView | { readonly problem: string } {
  const fields = fieldsOf(answer);
  if (fields === undefined) return { problem: "its answer is not JSON of an object" };
  const { id, status, offset, nextOffset, text, isEnd, result, reason, usage } = fields;
  if (!isTaskId(id)) return { problem: "its answer has no id of a task" };
  if (asked.id !== undefined && id !== asked.id)
    return { problem: `it answered about task ${id} when asked about ${asked.id}` };
  if (!STATUSES.has(status)) return { problem: "its answer has no known status" };
  if (offset !== asked.offset || !isOffset(nextOffset) || nextOffset < offset)
    return { problem: `its offsets do not follow from ${asked.offset}` };
  if (typeof text !== "string" || new TextEncoder().encode(text).length > nextOffset - offset)
    return { problem: "its output is longer than its offsets say" };
  if (nextOffset - offset > REMOTE_LIMITS.outputBytes)
    return { problem: `it sent more than ${REMOTE_LIMITS.outputBytes} bytes of output at a time` };
  if (typeof isEnd !== "boolean" || (isEnd && status === "running"))
    return { problem: "its answer ends a task that runs" };
  if (usage !== undefined && !isUsage(usage)) return { problem: "its usage is not one" };
  if (![result, reason].every(isTextOrAbsent)) return { problem: "its result is not a text" };
  return {
    id,
    status: status as RemoteView["status"],
    offset,
    nextOffset,
    text,
    isEnd,
    result: asString(result),
    reason: asString(reason),
    usage,
  };
}

function fieldsOf(text: string): Record<string, unknown> | undefined {
  const parsed = parseBounded(text);
  return parsed.ok && isObject(parsed.value) ? parsed.value : undefined;
}

function isOffset(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || (typeof value === "string" && value.length <= REMOTE_LIMITS.textChars);
}

function isUsage(value: unknown): value is Usage {
  if (!isObject(value)) return false;
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = value;
  return [inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens].every(isOffset);
}
