/**
 * Entries as they are written down: without what the rest of the same entry says already.
 *
 * DESIGN. Every rule looks at one entry and at nothing beside it, so that no neighbour that is damaged,
 * moved or gone can make it read wrong: a number is left out where it is a fixed distance from the entry's
 * own, never where it is what another entry says. Each rule is part of the format and never changes. What is
 * written in full, as it was before, is read as it stands.
 */
import { isObject } from "../base/json/json.ts";
import type { Entry } from "./entries.ts";
import type { Origin, Usage } from "./messages.ts";

/** The version of an entry that names none. */
const DEFAULT_VERSION = 1;
/** A request's window ends right before its call, unless the entry says otherwise. */
const CALL_BEHIND_WINDOW = 1;
/** An answer is mostly one message, which stands between the call and what came back for it. */
const ANSWER_BEHIND_CALL = 2;

type Fields = Record<string, unknown>;

/** The entry's fields in the order in which they are written, without what {@link completeEntry} fills in again. */
export function shortenEntry(entry: Entry): object {
  const { type, seq, id, parentId, v, at, ...rest } = entry;
  const fields: Fields = rest;
  if (entry.type === "message") {
    if (entry.origin === originOf(entry.role, entry.content)) fields["origin"] = undefined;
  } else if (entry.type === "call") {
    if (entry.throughSeq === seq - CALL_BEHIND_WINDOW) fields["throughSeq"] = undefined;
  } else if (entry.type === "answer") {
    if (entry.callSeq === seq - ANSWER_BEHIND_CALL) fields["callSeq"] = undefined;
    if (entry.usage !== undefined) fields["usage"] = shortUsage(entry.usage);
  }
  return { type, seq, id, parentId, v: v === DEFAULT_VERSION ? undefined : v, at, ...fields };
}

/** Fills in what an entry leaves out, in place. What is there stays as it is, whether it fits or not. */
export function completeEntry(value: Fields): void {
  const { type, seq } = value;
  if (value["v"] === undefined) value["v"] = DEFAULT_VERSION;
  if (type === "message") {
    if (value["origin"] === undefined) value["origin"] = originOf(value["role"], value["content"]);
  } else if (type === "call" && typeof seq === "number") {
    if (value["throughSeq"] === undefined) value["throughSeq"] = seq - CALL_BEHIND_WINDOW;
  } else if (type === "answer" && typeof seq === "number") {
    if (value["callSeq"] === undefined) value["callSeq"] = seq - ANSWER_BEHIND_CALL;
    if (Array.isArray(value["usage"])) value["usage"] = completeUsage(value["usage"]);
  }
}

/** Who is behind a message that does not say: from its role and its blocks, as they lie in the log. */
export function originOf(role: unknown, content: unknown): Origin {
  if (role === "assistant") return "assistant";
  if (role === "system") return "host";
  return Array.isArray(content) && content.some(isResult) ? "tool" : "user";
}

function isResult(block: unknown): boolean {
  if (!isObject(block)) return false;
  if (block["type"] !== "blob") return block["type"] === "tool_result";
  return isObject(block["shown"]) && block["shown"]["type"] === "tool_result";
}

const USAGE_FIELDS = ["inputTokens", "cacheReadTokens", "cacheWriteTokens", "outputTokens"] as const;

/** As a list, unless it says more than a list can. */
function shortUsage(usage: Usage): Usage | readonly number[] {
  const isPlain = Object.keys(usage).length === USAGE_FIELDS.length;
  return isPlain ? USAGE_FIELDS.map((field) => usage[field]) : usage;
}

/** A list of another length is left as it is: it fits nothing, and is told. */
function completeUsage(list: readonly unknown[]): unknown {
  if (list.length !== USAGE_FIELDS.length) return list;
  return Object.fromEntries(USAGE_FIELDS.map((field, index) => [field, list[index]]));
}
