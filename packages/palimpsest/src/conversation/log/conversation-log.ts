/**
 * Reads the log of a session as entries and summaries of `MemoryManager`: a fold over its messages and the edits in
 * force. Undo an edit, and its entries are active again; rewind the session, and it remembers what it remembered then.
 */
import { isObject } from "../../base/json/json.ts";
import type { EditEffect } from "../../transcript/edits.ts";
import { isWithin } from "../../transcript/line.ts";
import { ratioOf, timeRangeOf } from "../compression/plan-compression.ts";
import {
  type ConversationEntry,
  countMemoryTokens,
  type MemorySummary,
} from "../entries/conversation-entry.ts";
import { type MirroredState, sumTokens } from "../entries/conversation-mirror.ts";
import { entryOf, type MessageOfEntry, noteKey, summaryNoteKey } from "../entries/entry-messages.ts";
import type { LogPlaces } from "./entries-to-append.ts";

/** The content of a log: the messages of its line as they were said, and the edits in force. */
export interface ReadLog {
  /** In the order of the log, those that the host took out not among them. */
  readonly messages: readonly (MessageOfEntry & { readonly seq: number })[];
  /** Edits that carry a summary, oldest first. */
  readonly edits: readonly SummaryEdit[];
  readonly metadata: ReadonlyMap<string, unknown>;
}

interface SummaryEdit {
  readonly seq: number;
  readonly at: number;
  readonly effect: EditEffect;
}

/** Entries and summaries of a log, and where they lie in it. */
export type FoldedMemory = MirroredState & LogPlaces;

/** Folds a log into what is remembered. Any log can be folded: an unknown message becomes text. */
export function foldMemory({ messages, edits, metadata }: ReadLog): FoldedMemory {
  const seqs = new Map<string, number>();
  const bySeq = readEntries(messages, metadata, seqs);
  let active = [...bySeq.keys()];
  let folds: { readonly seq: number; readonly summary: MemorySummary; readonly seqs: readonly number[] }[] =
    [];
  for (const edit of edits) {
    const replaced = new Set(edit.effect.hideInserted ?? []);
    const hidden = active.filter((seq) => isWithin(edit.effect.hide ?? [], seq));
    const hiddenSeqs = new Set(hidden);
    active = active.filter((seq) => !hiddenSeqs.has(seq));
    const folded = folds.filter(({ seq }) => replaced.has(seq));
    const read = readSummary(edit, {
      entries: hidden.map((seq) => bySeq.get(seq)!),
      summaries: folded.map(({ summary }) => summary),
    });
    const summary = withNote(read, metadata.get(summaryNoteKey(read.id)));
    const taken = [...folded.flatMap((one) => one.seqs), ...hidden];
    for (const seq of taken) bySeq.set(seq, { ...bySeq.get(seq)!, compressed: true, summaryId: summary.id });
    folds = [...folds.filter(({ seq }) => !replaced.has(seq)), { seq: edit.seq, summary, seqs: taken }];
  }
  return {
    entries: [...bySeq.values()],
    summaries: folds.map(({ summary }) => summary),
    seqs,
    editSeqs: new Map(folds.map(({ seq, summary }) => [summary.id, seq])),
  };
}

/** By number, in the order of the log. An id that is there already belongs to the first that has it. */
function readEntries(
  messages: ReadLog["messages"],
  metadata: ReadonlyMap<string, unknown>,
  seqs: Map<string, number>,
): Map<number, ConversationEntry> {
  const bySeq = new Map<number, ConversationEntry>();
  const tools = new Map<string, string>();
  for (const { seq, ...message } of messages) {
    const id = seqs.has(message.id) ? `${message.id}-${seq}` : message.id;
    const note = metadata.get(noteKey(id));
    const entry = entryOf({ ...message, id }, note, (callId) => tools.get(callId));
    for (const block of message.message.content)
      if (block.type === "tool_use") tools.set(block.id, block.name);
    seqs.set(id, seq);
    bySeq.set(seq, entry);
  }
  return bySeq;
}

function readSummary({ seq, at, effect }: SummaryEdit, { entries, summaries }: MirroredState): MemorySummary {
  const inserted = (effect.insert ?? []).flatMap(({ messages }) => messages);
  const content = inserted
    .flatMap((message) => message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])))
    .join("\n\n");
  const first = inserted[0];
  const createdAt = new Date(isTime(first?.at) ? first.at : at);
  const tokenCount = countMemoryTokens(content);
  const originalTokenCount =
    summaries.reduce((sum, one) => sum + one.originalTokenCount, 0) + sumTokens(entries);
  const times = [
    ...summaries.flatMap(({ timeRange }) => [timeRange.start, timeRange.end]),
    ...entries.map(({ timestamp }) => timestamp),
  ];
  return {
    id: typeof first?.hostId === "string" ? first.hostId : `summary-${seq}`,
    content,
    originalEntryIds: [...summaries.flatMap((one) => one.originalEntryIds), ...entries.map(({ id }) => id)],
    tokenCount,
    originalTokenCount,
    compressionRatio: ratioOf(originalTokenCount, tokenCount),
    createdAt,
    timeRange: timeRangeOf(times.length === 0 ? [createdAt] : times),
  };
}

/** The summary with the figures of an imported one. */
function withNote(summary: MemorySummary, note: unknown): MemorySummary {
  if (!isObject(note)) return summary;
  const { originalEntryIds: ids, tokenCount, originalTokenCount, compressionRatio, start, end } = note;
  return {
    ...summary,
    ...(isIds(ids) ? { originalEntryIds: ids } : {}),
    ...(isFigure(tokenCount) ? { tokenCount } : {}),
    ...(isFigure(originalTokenCount) ? { originalTokenCount } : {}),
    ...(isFigure(compressionRatio) ? { compressionRatio } : {}),
    ...(isTime(start) && isTime(end) ? { timeRange: { start: new Date(start), end: new Date(end) } } : {}),
  };
}

const isIds = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");
const isFigure = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value) && value >= 0;
const isTime = (value: unknown): value is number =>
  typeof value === "number" && !Number.isNaN(new Date(value).getTime());
