/**
 * One line of a Claude Code transcript, with the fields that every version shares already checked.
 *
 * Some records say that Claude Code compacted or cleared something; others describe the session, are written again
 * and again, and the last one counts.
 */
import { asNumber, asString, isObject, type JsonValue } from "../../base/json/json.ts";
import { parseTimestamp } from "../shared/fields.ts";
import type { ImportedBoundary, ImportedMetadata, ImportedMicrocompact } from "../shared/imported-session.ts";
import type { SourceRecord } from "../shared/read-records.ts";
import type { TreeNode } from "../shared/walk-line.ts";

/** @internal */
export interface ClaudeRecord extends TreeNode {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly line?: number;
  /** `type`, or `type/subtype`, as it is called in reports. */
  readonly kind: string;
  readonly isSidechain: boolean;
  /** A user or assistant line, whether or not it turns out to be part of the conversation. */
  readonly isMessage: boolean;
  /** The id belongs to an earlier record that says something else. */
  readonly isIdTaken?: boolean;
  /** Milliseconds since the epoch. */
  readonly at?: number;
  /** The message of a user or assistant line, if it has one. */
  readonly message?: Readonly<Record<string, unknown>>;
}

/** Reads what a record says about itself; never throws. @internal */
export function claudeRecord({ value: raw, line }: SourceRecord): ClaudeRecord {
  const type = asString(raw["type"]) ?? "(no type)";
  const subtype = type === "system" ? asString(raw["subtype"]) : undefined;
  const id = asString(raw["uuid"]);
  // A boundary begins a new tree; its logical parent tells where the conversation came from.
  const parentId = asString(raw["parentUuid"]) ?? asString(raw["logicalParentUuid"]);
  const at = parseTimestamp(raw["timestamp"]);
  const message = raw["message"];
  return {
    raw,
    kind: subtype === undefined ? type : `${type}/${subtype}`,
    isSidechain: raw["isSidechain"] === true,
    isMessage: type === "user" || type === "assistant",
    line,
    id,
    parentId,
    at,
    ...(isObject(message) ? { message } : {}),
  };
}

/** A `compact_boundary` record. @internal */
export function claudeBoundary(record: ClaudeRecord): ImportedBoundary {
  const { raw } = record;
  const metadata = isObject(raw["compactMetadata"]) ? raw["compactMetadata"] : {};
  const preTokens = asNumber(metadata["preTokens"]);
  const postTokens = asNumber(metadata["postTokens"]);
  const kept = isObject(metadata["preservedMessages"]) ? metadata["preservedMessages"] : {};
  const preserved = strings(kept["uuids"]);
  return {
    type: "boundary",
    trigger: trigger(metadata["trigger"]),
    preTokens,
    postTokens,
    ...(preserved.length === 0 ? {} : { preserved }),
    ...place(record),
  };
}

/** A `microcompact_boundary` record. @internal */
export function claudeMicrocompact(record: ClaudeRecord): ImportedMicrocompact {
  const { raw } = record;
  const metadata = isObject(raw["microcompactMetadata"]) ? raw["microcompactMetadata"] : {};
  const preTokens = asNumber(metadata["preTokens"]);
  const freedTokens = asNumber(metadata["tokensSaved"]);
  return {
    type: "microcompact",
    trigger: trigger(metadata["trigger"]),
    toolUseIds: strings(metadata["compactedToolIds"]),
    preTokens,
    freedTokens,
    at: record.at,
    line: record.line,
  };
}

function place({
  id,
  at,
  line,
}: Pick<ClaudeRecord, "id" | "at" | "line">): Pick<ImportedBoundary, "hostId" | "at" | "line"> {
  return {
    hostId: id,
    at,
    line,
  };
}

function trigger(value: unknown): "auto" | "manual" | "unknown" {
  return value === "auto" || value === "manual" ? value : "unknown";
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
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
]);

/** True if records of this kind are known to have no part in a conversation. @internal */
export function isWithoutEffect(kind: string): boolean {
  return WITHOUT_EFFECT.has(kind) || kind.startsWith("system/");
}

/** Gathers metadata while records are read. @internal */
export class ClaudeMetadata {
  readonly #latest = new Map<string, ImportedMetadata>();

  /** Takes a record in; `false` where its type is not metadata. */
  take({ kind, raw, line }: ClaudeRecord): boolean {
    const known = Object.hasOwn(KEYS, kind) ? KEYS[kind] : undefined;
    if (known === undefined) return false;
    const value = raw[known.field];
    if (value !== undefined) {
      this.#latest.set(known.key, {
        type: "metadata",
        key: known.key,
        value: value as JsonValue,
        line,
      });
    }
    return true;
  }

  /** The title by people or by the tool. */
  title(): string | undefined {
    for (const key of ["title", "generated-title", "summary-title"]) {
      const title = asString(this.#latest.get(key)?.value);
      if (title !== undefined && title !== "") return title;
    }
    return undefined;
  }

  list(): readonly ImportedMetadata[] {
    return [...this.#latest.values()];
  }
}
