/**
 * Converts entries, compressions and whole states of `MemoryManager` to entries of the log.
 */
import type { JsonValue } from "../../base/json/json.ts";
import type { Message } from "../../transcript/blocks.ts";
import type { LayerEdit } from "../../transcript/edits.ts";
import type { ConversationEntry, MemorySummary } from "../entries/conversation-entry.ts";
import { type MirroredState, sumTokens } from "../entries/conversation-mirror.ts";
import { messageOf, noteKey, toolUseOf } from "../entries/entry-messages.ts";
import { renderEntry } from "../entries/entry-text.ts";
import { callIdOf, compressionEdit, findOrphans, summaryNote, summaryNoteKey } from "./conversation-log.ts";

/** Metadata of the log. */
export interface Note {
  readonly type: "metadata";
  readonly key: string;
  readonly value: JsonValue;
}

/** Messages, and the notes that stand before them. */
interface EntryLogParts {
  readonly messages: readonly Message[];
  readonly notes: readonly Note[];
}

/** One more entry, behind those that are active. */
export function toLogParts(entry: ConversationEntry, active: readonly ConversationEntry[]): EntryLogParts {
  const openCallIds = new Set<string>();
  // Only a result has to know them.
  if (entry.type === "tool_result") for (const one of active) followCall(openCallIds, one);
  return logPartsOf(entry, openCallIds);
}

function logPartsOf(entry: ConversationEntry, openCallIds: ReadonlySet<string>): EntryLogParts {
  const { message, note } = messageOf(entry, openCallIds);
  return {
    messages: [message],
    notes: note === undefined ? [] : [{ type: "metadata", key: noteKey(entry.id), value: note }],
  };
}

/** Updates the visible calls without an answer. */
function followCall(openCallIds: Set<string>, entry: ConversationEntry): void {
  const callId = callIdOf(entry);
  if (callId === undefined) return;
  if (entry.type === "tool_result") openCallIds.delete(callId);
  else if (toolUseOf(entry) !== undefined) openCallIds.add(callId);
}

/** Entries and summaries by their numbers in the log. */
export interface Places {
  readonly seqs: ReadonlyMap<string, number>;
  readonly editSeqs: ReadonlyMap<string, number>;
}

/** Entries and summaries that a summary replaces. */
interface Replaced {
  /** Entries that are hidden by it. */
  readonly entries: readonly ConversationEntry[];
  /** Earlier summaries. */
  readonly folded: readonly MemorySummary[];
  /** Entries that stay active. */
  readonly active: readonly ConversationEntry[];
}

/** The edit of a summary. */
export function compressionToLogParts(
  summary: MemorySummary,
  { entries, folded, active }: Replaced,
  { seqs, editSeqs }: Places,
  reason: string,
): LayerEdit {
  const hiddenSeqs = entries.flatMap(({ id }) => seqs.get(id) ?? []);
  const orphans = findOrphans(active, entries).flatMap((entry) => {
    const seq = seqs.get(entry.id);
    return seq === undefined ? [] : [{ seq, text: renderEntry(entry) }];
  });
  return compressionEdit({
    summary,
    hiddenSeqs,
    foldedEditSeqs: folded.flatMap(({ id }) => editSeqs.get(id) ?? []),
    orphans,
    afterSeq: hiddenSeqs.reduce((last, seq) => Math.max(last, seq), 0),
    reason,
    freedTokens: sumTokens(entries) + sumTokens(folded) - summary.tokenCount,
  });
}

/** A whole state: its messages and notes, and with the places of the messages known, its edits. */
interface StateLogParts extends EntryLogParts {
  readonly edits: (seqs: ReadonlyMap<string, number>) => readonly LayerEdit[];
}

/** Everything of a state that is imported. */
export function stateToLogParts({ entries, summaries }: MirroredState): StateLogParts {
  const openCallIds = new Set<string>();
  const parts = entries.map((entry) => {
    const part = logPartsOf(entry, openCallIds);
    followCall(openCallIds, entry);
    return part;
  });
  const notes = summaries.map(
    (summary): Note => ({ type: "metadata", key: summaryNoteKey(summary.id), value: summaryNote(summary) }),
  );
  const bySummary = new Map<string | undefined, ConversationEntry[]>();
  for (const entry of entries) {
    const known = bySummary.get(entry.summaryId);
    if (known === undefined) bySummary.set(entry.summaryId, [entry]);
    else known.push(entry);
  }
  const active = bySummary.get(undefined) ?? [];
  return {
    messages: parts.flatMap(({ messages }) => messages),
    notes: [...parts.flatMap((part) => part.notes), ...notes],
    edits: (seqs) =>
      summaries.map((summary) => {
        const replaced = { entries: bySummary.get(summary.id) ?? [], folded: [], active };
        return compressionToLogParts(summary, replaced, { seqs, editSeqs: new Map() }, "imported");
      }),
  };
}
