/**
 * Repairs of stored entries that cannot be shown as they are, with the reason for each. The log keeps an entry as it
 * came, and `session.history` reads it back.
 */

import { type ContentBlock, isMedia, withSource } from "../../transcript/blocks.ts";
import type { EditEntry, Entry, MessageEntry, StoredBlock } from "../../transcript/entries.ts";
import { isUnknownEntry } from "../../transcript/entry-line.ts";
import { isPossibleRewind } from "../../transcript/projection.ts";
import { EMPTY_RESULT_TEXT, shownBlock } from "../../transcript/shown-block.ts";
import { isKnownToAnthropic } from "../../wire/anthropic/sendable-blocks.ts";
import { isResponsesItem } from "../../wire/openai-responses/responses-items.ts";
import { hasReadableSource } from "../../wire/shared/media-source.ts";
import type { ContentRepairReason } from "../events/events.ts";

export interface ContentRepair {
  readonly seq: number;
  readonly block?: number;
  readonly reason: ContentRepairReason;
}

/** The repairs of an entry for the projection. */
export function findRepairs(entry: Entry): readonly ContentRepair[] {
  const { seq } = entry;
  if (entry.type === "message") return findMessageRepairs(entry);
  if (entry.type === "edit") return ofEdit(entry).map((reason) => ({ seq, reason }));
  return isUnknownEntry(entry) ? [{ seq, reason: "unknown-entry" }] : [];
}

interface BlockAuthor extends Pick<MessageEntry, "role"> {
  readonly interrupted?: boolean | undefined;
}

/** The repairs of a message. */
export function findMessageRepairs(
  entry: BlockAuthor & { readonly seq: number; readonly content: readonly StoredBlock[] },
): readonly ContentRepair[] {
  const found: ContentRepair[] = [];
  for (const [block, stored] of entry.content.entries()) {
    const reason = ofBlock(stored, entry);
    if (reason !== undefined) found.push({ seq: entry.seq, block, reason });
  }
  return found;
}

/** Blocks shown by an edit are made here and sound; those of a damaged log may be of any kind. */
function ofEdit(entry: EditEntry): readonly ContentRepairReason[] {
  const { edit } = entry;
  if (edit.kind === "rewind") return isPossibleRewind(entry) ? [] : ["impossible-edit"];
  if (!("effect" in edit)) return [];
  const { forms = [], insert = [] } = edit.effect;
  const inserted = insert.flatMap(({ messages }) => messages).flatMap(({ content }) => content);
  const shown = [...forms.flatMap((form) => form.shown ?? []), ...inserted];
  const reasons = shown.map((block) => ofShown(block)).filter((reason) => reason !== undefined);
  return [...new Set(reasons)];
}

function ofShown(block: ContentBlock): ContentRepairReason | undefined {
  const by = { role: block.type === "tool_result" ? "user" : "assistant" } as const;
  return ofBlock(block, by);
}

function ofBlock(stored: StoredBlock, by: BlockAuthor): ContentRepairReason | undefined {
  if (stored.type === "blob") return stored.view === "whole" ? "missing-blob" : undefined;
  const shown = shownBlock(stored, { role: by.role, isInterrupted: by.interrupted === true });
  if (shown === undefined) return whyNotShown(stored, by);
  if (shown.type !== stored.type) return "misplaced-block";
  if (shown.type === "opaque") return isKnownOpaque(shown) ? undefined : "unknown-block";
  if (isMedia(shown)) return hasReadableSource(shown.source, shown.type) ? undefined : "unreadable-media";
  if (shown.type === "tool_result") {
    if (shown.content === EMPTY_RESULT_TEXT && stored !== shown) return "empty-result";
    if (hasUnreadablePart(shown)) return "unreadable-media";
  }
  return shown === stored ? undefined : "broken-text";
}

function whyNotShown(block: ContentBlock, { role }: BlockAuthor): ContentRepairReason {
  if (block.type === "text") return "empty-text";
  if (block.type === "opaque") return "unknown-block";
  if (role !== "assistant") return "misplaced-block";
  return block.type === "tool_use" ? "unfinished-call" : "broken-thinking";
}

/** Providers without a list of accepted blocks are trusted: their blocks go to no other provider. */
function isKnownOpaque(block: ContentBlock & { readonly type: "opaque" }): boolean {
  if (block.provider === "") return false;
  if (block.provider === "anthropic") return isKnownToAnthropic(block);
  return block.provider !== "openai-responses" || isResponsesItem(block.value) || isPartLike(block.value);
}

function isPartLike(value: unknown): boolean {
  const type = (value as { readonly type?: unknown } | null)?.type;
  return typeof type === "string" && (/^(?:input|output)_/.test(type) || type === "refusal");
}

function hasUnreadablePart(block: ContentBlock & { readonly type: "tool_result" }): boolean {
  if (!Array.isArray(block.content)) return false;
  return block.content.some(
    (part) =>
      (part.type === "image" || part.type === "document") &&
      !hasReadableSource(withSource(part)["source"], part.type),
  );
}
