/**
 * One line of a Codex rollout, and what its token counts say.
 *
 * Codex also writes messages in the user's role: instructions, the environment, notices. It marks them only by the
 * words they begin and end with, and tells them from the user's by these words when it compacts.
 * Source: openai/codex, `core/src/context`, the registered fragments of the role `user`.
 */
import { asNumber, asString, isObject } from "../../base/json/json.ts";
import type { Usage } from "../../transcript/blocks.ts";
import { type Fields, fieldsOf, parseTimestamp, usageOfTotal } from "../shared/fields.ts";
import type { SourceRecord } from "../shared/read-records.ts";

/** @internal */
export interface CodexRecord {
  readonly type: string;
  readonly payload: Fields;
  /** `type`, or `type/subtype`, as it is called in reports. */
  readonly kind: string;
  /** Codex numbers no messages; the place in the file stays the same while the file grows. */
  readonly hostId: string;
  readonly line?: number;
  readonly at?: number;
}

/** Reads what a record says about itself; never throws. @internal */
export function codexRecord({ value, line }: SourceRecord, index: number): CodexRecord {
  const { type, payload } = typeAndPayload(value);
  const subtype = type === "event_msg" || type === "response_item" ? asString(payload["type"]) : undefined;
  return {
    type,
    payload,
    kind: subtype === undefined ? type : `${type}/${subtype}`,
    hostId: line === undefined ? `record-${index + 1}` : `line-${line}`,
    line,
    at: parseTimestamp(value["timestamp"]),
  };
}

/** In 2025 the file held the items themselves, after a header without a type and between marks. */
function typeAndPayload(value: Fields): { readonly type: string; readonly payload: Fields } {
  const type = asString(value["type"]);
  if (isObject(value["payload"])) return { type: type ?? "(no type)", payload: value["payload"] };
  if (isBareHeader(value)) return { type: "session_meta", payload: value };
  if (value["record_type"] !== undefined) return { type: "state", payload: value };
  if (type !== undefined && BARE_ITEMS.has(type)) return { type: "response_item", payload: value };
  return { type: type ?? "(no type)", payload: {} };
}

const BARE_ITEMS: ReadonlySet<string> = new Set([
  "message",
  "reasoning",
  "function_call",
  "function_call_output",
  "local_shell_call",
  "custom_tool_call",
  "custom_tool_call_output",
  "web_search_call",
]);

/** True if a record is the first line of a rollout from before records had a payload. @internal */
export function isBareHeader(value: Fields): boolean {
  const isNamed = typeof value["id"] === "string" && typeof value["timestamp"] === "string";
  return isNamed && value["type"] === undefined && Object.hasOwn(value, "instructions");
}

/** Contents of one `token_count` event. @internal */
interface CodexTokenCount {
  /** Usage of the response that was just billed; `undefined` where none was, as after a compaction. */
  readonly usage?: Usage;
  /** Size of the context as Codex knows it now. */
  readonly contextTokens?: number;
  /** Same for two events that report the same response. */
  readonly fingerprint: string;
}

/** Reads the `info` of a `token_count` event; `undefined` where it has none. @internal */
export function codexTokenCount({ payload }: CodexRecord): CodexTokenCount | undefined {
  const info = payload["info"];
  if (!isObject(info) || !isObject(info["last_token_usage"])) return undefined;
  const last = info["last_token_usage"];
  const contextTokens = asNumber(last["total_tokens"]);
  return {
    usage: codexUsage(last),
    contextTokens: (contextTokens ?? 0) > 0 ? contextTokens : undefined,
    fingerprint: JSON.stringify(info["total_token_usage"] ?? null),
  };
}

/** Usage as Codex writes it: the input includes what was read from the cache and written to it. @internal */
export function codexUsage(value: unknown): Usage | undefined {
  const usage = fieldsOf(value);
  return usageOfTotal({
    input: usage["input_tokens"],
    cacheRead: usage["cached_input_tokens"],
    cacheWrite: usage["cache_write_input_tokens"],
    output: usage["output_tokens"],
  });
}

/** Tags around what Codex puts in. An opening tag may have attributes. */
const TAGS = [
  "user_instructions",
  "environment_context",
  "skill",
  "turn_aborted",
  "user_shell_command",
  "user_action",
  "subagent_notification",
  "hook_prompt",
  "goal_context",
  "codex_internal_context",
  "extension_context",
  "recommended_plugins",
  "permissions instructions",
] as const;

/** Beginnings of texts that Codex puts in without a tag. */
const BEGINNINGS = [
  "# AGENTS.md instructions",
  "Warning: The maximum number of unified exec processes",
  "Warning: apply_patch was requested via",
] as const;

/** True if all these texts of one message are Codex's own. @internal */
export function isCodexContext(texts: readonly string[]): boolean {
  return texts.length > 0 && texts.every(isFragment);
}

function isFragment(given: string): boolean {
  const text = given.trim();
  if (BEGINNINGS.some((beginning) => text.startsWith(beginning))) return true;
  // What a program around Codex adds is tagged by a separate name.
  if (text.startsWith("<external_") && text.endsWith(">")) return true;
  return TAGS.some((tag) => startsWithTag(text, tag) && text.toLowerCase().endsWith(`</${tag}>`));
}

function startsWithTag(text: string, tag: string): boolean {
  const opening = text.slice(0, tag.length + 2).toLowerCase();
  return opening === `<${tag}>` || opening === `<${tag} `;
}
