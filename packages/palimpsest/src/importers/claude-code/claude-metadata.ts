/**
 * Records of Claude Code that describe the session rather than say something in it. They are
 * written again and again; the last one counts.
 */
import { asString, type JsonValue } from "../../base/json/json.ts";
import type { ImportedMetadata } from "../shared/imported-session.ts";
import type { ClaudeRecord } from "./claude-record.ts";

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

/** Whether records of this kind are known to have no part in a conversation. @internal */
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

  /** What people called the session, or what the tool did. */
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
