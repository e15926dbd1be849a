/**
 * One line of a Claude Code transcript, with the fields that every version shares already checked.
 *
 * Some records say that Claude Code compacted or cleared something; others describe the session, are written again
 * and again, and the last one counts.
 */
import { asNumber, asString, isObject } from "../../base/json/json.ts";
import type { ConversationBuilder } from "../shared/conversation-builder.ts";
import { type Fields, fieldsOf, listOf, parseTimestamp } from "../shared/fields.ts";
import type { ImportedBoundary, ImportedMicrocompact } from "../shared/imported-session.ts";
import type { SourceRecord } from "../shared/read-records.ts";
import type { TreeRecord } from "../shared/walk-line.ts";

/** @internal */
export interface ClaudeRecord extends TreeRecord {
  /** `type`, or `type/subtype`, as it is called in reports. */
  readonly kind: string;
  readonly isSidechain: boolean;
  /** A user or assistant line, whether or not it turns out to be part of the conversation. */
  readonly isMessage: boolean;
  /** A line of the output of a run (`--output-format stream-json`, the Agent SDK): in order, without links. */
  readonly isStreamed: boolean;
  /** Milliseconds since the epoch. */
  readonly at?: number;
  /** The message of a user or assistant line, if it has one. */
  readonly message?: Fields | undefined;
}

/** Record type → our key and the field that holds the value. */
const KEYS: Readonly<Record<string, { readonly key: string; readonly field: string }>> = {
  "custom-title": { key: "title", field: "customTitle" },
  "ai-title": { key: "generated-title", field: "aiTitle" },
  summary: { key: "summary-title", field: "summary" },
  "agent-name": { key: "agent-name", field: "agentName" },
  "last-prompt": { key: "last-prompt", field: "lastPrompt" },
  mode: { key: "mode", field: "mode" },
  "permission-mode": { key: "permission-mode", field: "permissionMode" },
  tag: { key: "tag", field: "tag" },
  "pr-link": { key: "pull-request", field: "prUrl" },
};

/** Fields that are read after the whole file was; half of a file is others: results written again for the screen, backups. */
const KEPT_FIELDS: ReadonlySet<string> = new Set([
  ...["content", "attachment", "rendered", "renderedRole", "planContent"],
  ...["compactMetadata", "microcompactMetadata"],
  ...["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage"],
  ...["agentId", "sessionId", "cwd"],
  ...Object.values(KEYS).map(({ field }) => field),
]);

/** Reads what a record says about itself; never throws. `before` is the record before it. @internal */
export function claudeRecord({ value: raw, line }: SourceRecord, before?: ClaudeRecord): ClaudeRecord {
  const type = asString(raw["type"]) ?? "(no type)";
  const subtype = type === "system" ? asString(raw["subtype"]) : undefined;
  const message = raw["message"];
  const isStreamed = typeof raw["session_id"] === "string" && !Object.hasOwn(raw, "parentUuid");
  return {
    raw: keptFields(isStreamed ? { ...raw, ...namesOfTranscript(raw, before) } : raw, before?.raw ?? {}),
    kind: subtype === undefined ? type : `${type}/${subtype}`,
    isSidechain: raw["isSidechain"] === true || typeof raw["parent_tool_use_id"] === "string",
    isMessage: type === "user" || type === "assistant",
    isStreamed,
    line,
    id: asString(raw["uuid"]),
    // A boundary begins a new tree; its logical parent tells where the conversation came from.
    parentId: asString(raw["parentUuid"]) ?? asString(raw["logicalParentUuid"]),
    at: parseTimestamp(raw["timestamp"]),
    message: isObject(message) ? message : undefined,
  };
}

/** The fields of a streamed line under the names that a transcript has for them. */
function namesOfTranscript(raw: Fields, before: ClaudeRecord | undefined): Fields {
  const { trigger, pre_tokens: preTokens } = fieldsOf(raw["compact_metadata"]);
  const isSummary = raw["isSynthetic"] === true && before?.kind === "system/compact_boundary";
  return {
    sessionId: raw["session_id"],
    ...(trigger === undefined && preTokens === undefined ? {} : { compactMetadata: { trigger, preTokens } }),
    ...(isSummary ? { isCompactSummary: true } : {}),
  };
}

/** The fields that are needed later. Texts that each record repeats are held once. */
function keptFields(raw: Fields, before: Fields): Fields {
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(raw)) {
    if (KEPT_FIELDS.has(key)) kept[key] = raw[key] === before[key] ? before[key] : raw[key];
  }
  const data = raw["data"];
  if (isObject(data) && data["hookName"] !== undefined) kept["data"] = { hookName: data["hookName"] };
  return kept;
}

/** A `compact_boundary` record. @internal */
export function claudeBoundary({ raw, id, at, line }: ClaudeRecord): ImportedBoundary {
  const metadata = fieldsOf(raw["compactMetadata"]);
  const preserved = strings(fieldsOf(metadata["preservedMessages"])["uuids"]);
  return {
    type: "boundary",
    trigger: trigger(metadata["trigger"]),
    preTokens: asNumber(metadata["preTokens"]),
    postTokens: asNumber(metadata["postTokens"]),
    ...(preserved.length === 0 ? {} : { preserved }),
    hostId: id,
    at,
    line,
  };
}

/** A `microcompact_boundary` record. @internal */
export function claudeMicrocompact({ raw, at, line }: ClaudeRecord): ImportedMicrocompact {
  const metadata = fieldsOf(raw["microcompactMetadata"]);
  return {
    type: "microcompact",
    trigger: trigger(metadata["trigger"]),
    toolUseIds: strings(metadata["compactedToolIds"]),
    preTokens: asNumber(metadata["preTokens"]),
    freedTokens: asNumber(metadata["tokensSaved"]),
    at,
    line,
  };
}

function trigger(value: unknown): "auto" | "manual" | "unknown" {
  return value === "auto" || value === "manual" ? value : "unknown";
}

function strings(value: unknown): readonly string[] {
  return listOf(value).filter((item) => typeof item === "string");
}

/** Types that are known, have no part in the conversation, and are counted only. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  "progress",
  "queue-operation",
  "file-history-snapshot",
  "file-history-delta",
  "frame-link",
  "tools-used",
  "atis-latch",
  "cost-state",
  "agent-color",
  "worktree-state",
  "content-replacement",
  "api-request",
  "api-request-shape",
  "api-request-blob",
  "attachment",
  // Of the output of a run.
  "result",
  "stream_event",
  "rate_limit_event",
  "tool_progress",
]);

/** True if records of this kind are known to have no part in a conversation. @internal */
export function isWithoutEffect(kind: string): boolean {
  return WITHOUT_EFFECT.has(kind) || kind.startsWith("system/");
}

/** Takes a record in that describes the session; `false` where its type does not. @internal */
export function takeMetadata({ kind, raw, line }: ClaudeRecord, builder: ConversationBuilder): boolean {
  const known = Object.hasOwn(KEYS, kind) ? KEYS[kind] : undefined;
  if (known !== undefined) builder.setMetadata(known.key, raw[known.field], line);
  return known !== undefined;
}

/** The title by people or by the tool. @internal */
export function titleOf(builder: ConversationBuilder): string | undefined {
  const titles = ["title", "generated-title", "summary-title"].map((key) => builder.metadataText(key));
  return titles.find((title) => title !== undefined && title !== "");
}
