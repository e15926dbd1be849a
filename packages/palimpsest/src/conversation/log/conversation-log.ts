/**
 * The log of a session of `MemoryManager`: compressions as edits, and the way from the log back to
 * entries and summaries.
 *
 * A compression is an edit like those of the layers: it hides the messages of its entries and
 * inserts the summary, so what the engine shows of the session is what `getContextForLLM` tells.
 * Entries and summaries are a fold over the messages and the edits in force: undo such an edit, and
 * its entries are active again; rewind the session, and it remembers what it remembered then.
 */
import { isObject, type JsonObject } from "../../base/json/json.ts";
import type { Message } from "../../transcript/blocks.ts";
import type { BlockForm, EditEffect, LayerEdit, SeqRange } from "../../transcript/edits.ts";
import { ratioOf, timeRangeOf } from "../compression/plan-compression.ts";
import {
  type ConversationEntry,
  countMemoryTokens,
  type MemorySummary,
  toolOf,
} from "../entries/conversation-entry.ts";
import { sumTokens } from "../entries/conversation-mirror.ts";
import { entryOf, type MessageOfEntry, noteKey } from "../entries/entry-messages.ts";

/** Key of the metadata that tells more of the summary with this id. */
export const summaryNoteKey = (id: string): string => `memory.summary.${id}`;

/** A compression as the log takes it. */
interface CompressionEditInput {
  readonly summary: MemorySummary;
  /** Numbers of the messages that it hides, in any order. */
  readonly hiddenSeqs: readonly number[];
  /** Edits whose summaries it takes the place of. */
  readonly foldedEditSeqs: readonly number[];
  /** Results that stay visible while their calls are hidden: no provider takes them as they are. */
  readonly orphans: readonly { readonly seq: number; readonly text: string }[];
  /** The last entry that it replaces. */
  readonly afterSeq: number;
  readonly reason: string;
  readonly freedTokens: number;
}

/** The edit that shows a summary in the place of its entries. */
export function compressionEdit(input: CompressionEditInput): LayerEdit {
  const { summary, hiddenSeqs, foldedEditSeqs, orphans, afterSeq, reason, freedTokens } = input;
  const message: Message = {
    role: "user",
    origin: "summary",
    hostId: summary.id,
    at: summary.createdAt.getTime(),
    content: [{ type: "text", text: summary.content }],
  };
  const forms = orphans.map(({ seq, text }): BlockForm => ({ seq, block: 0, shown: { type: "text", text } }));
  const effect: EditEffect = {
    hide: rangesOf(hiddenSeqs),
    ...(foldedEditSeqs.length === 0 ? {} : { hideInserted: foldedEditSeqs }),
    ...(forms.length === 0 ? {} : { forms }),
    insert: [{ afterSeq, messages: [message] }],
  };
  return { kind: "full", effect, reason, freedTokens, isBoundary: true };
}

function rangesOf(seqs: readonly number[]): readonly SeqRange[] {
  const ranges: { from: number; to: number }[] = [];
  for (const seq of seqs.toSorted((one, other) => one - other)) {
    const last = ranges.at(-1);
    if (last !== undefined && seq <= last.to + 1) last.to = seq;
    else ranges.push({ from: seq, to: seq });
  }
  return ranges;
}

/** The content of a log: the messages of its line as they were said, and the edits in force. */
export interface ReadLog {
  /** In the order of the log, those that the host took out not among them. */
  readonly messages: readonly (MessageOfEntry & { readonly seq: number })[];
  /** Edits that carry a summary, oldest first. */
  readonly edits: readonly { readonly seq: number; readonly at: number; readonly effect: EditEffect }[];
  readonly metadata: ReadonlyMap<string, unknown>;
}

/** Entries and summaries of a log, and where they lie in it. */
export interface FoldedMemory {
  readonly entries: readonly ConversationEntry[];
  readonly summaries: readonly MemorySummary[];
  /** Entry of the log by id of the entry. */
  readonly seqs: ReadonlyMap<string, number>;
  /** Edit of the log by id of the summary. */
  readonly editSeqs: ReadonlyMap<string, number>;
}

interface FoldedSummary {
  readonly seq: number;
  readonly summary: MemorySummary;
  /** Its entries. */
  readonly seqs: readonly number[];
}

/** Folds a log into what is remembered. Any log can be folded: an unknown message becomes text. */
export function foldMemory({ messages, edits, metadata }: ReadLog): FoldedMemory {
  const seqs = new Map<string, number>();
  const bySeq = readEntries(messages, metadata, seqs);
  let active = [...bySeq.keys()];
  let summaries: FoldedSummary[] = [];
  for (const { seq, at, effect } of edits) {
    const replaced = new Set(effect.hideInserted ?? []);
    const hidden = active.filter((entrySeq) => isHidden(entrySeq, effect.hide ?? []));
    if (hidden.length > 0) active = active.filter((entrySeq) => !isHidden(entrySeq, effect.hide ?? []));
    const folded = summaries.filter((one) => replaced.has(one.seq));
    const summary = readSummary({
      seq,
      at,
      effect,
      metadata,
      hidden: hidden.map((entrySeq) => bySeq.get(entrySeq)!),
      folded: folded.map((one) => one.summary),
    });
    const taken = [...folded.flatMap((one) => one.seqs), ...hidden];
    for (const entrySeq of taken)
      bySeq.set(entrySeq, { ...bySeq.get(entrySeq)!, compressed: true, summaryId: summary.id });
    summaries = [...summaries.filter((one) => !replaced.has(one.seq)), { seq, summary, seqs: taken }];
  }
  return {
    entries: [...bySeq.values()],
    summaries: summaries.map(({ summary }) => summary),
    seqs,
    editSeqs: new Map(summaries.map(({ seq, summary }) => [summary.id, seq])),
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

function isHidden(seq: number, ranges: readonly SeqRange[]): boolean {
  return ranges.some(({ from, to }) => seq >= from && seq <= to);
}

interface ReadSummaryInput {
  readonly seq: number;
  readonly at: number;
  readonly effect: EditEffect;
  readonly metadata: ReadonlyMap<string, unknown>;
  readonly hidden: readonly ConversationEntry[];
  readonly folded: readonly MemorySummary[];
}

function readSummary({ seq, at, effect, metadata, hidden, folded }: ReadSummaryInput): MemorySummary {
  const inserted = (effect.insert ?? []).flatMap(({ messages }) => messages);
  const content = inserted
    .flatMap((message) => message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])))
    .join("\n\n");
  const first = inserted[0];
  const id = typeof first?.hostId === "string" ? first.hostId : `summary-${seq}`;
  const createdAt = isTime(first?.at) ? first.at : at;
  const tokenCount = countMemoryTokens(content);
  const originalTokenCount = folded.reduce((sum, one) => sum + one.originalTokenCount, 0) + sumTokens(hidden);
  const times = [
    ...folded.flatMap(({ timeRange }) => [timeRange.start, timeRange.end]),
    ...hidden.map(({ timestamp }) => timestamp),
  ];
  const derived: MemorySummary = {
    id,
    content,
    originalEntryIds: [...folded.flatMap((one) => one.originalEntryIds), ...hidden.map((entry) => entry.id)],
    tokenCount,
    originalTokenCount,
    compressionRatio: ratioOf(originalTokenCount, tokenCount),
    createdAt: new Date(createdAt),
    timeRange: timeRangeOf(times.length === 0 ? [new Date(createdAt)] : times),
  };
  return withNote(derived, metadata.get(summaryNoteKey(id)));
}

/** The note of an imported summary, whose figures its edit does not give. */
export function summaryNote(summary: MemorySummary): JsonObject {
  const { originalEntryIds, tokenCount, originalTokenCount, compressionRatio, timeRange } = summary;
  const { start, end } = timeRange;
  return {
    originalEntryIds,
    tokenCount,
    originalTokenCount,
    compressionRatio,
    start: start.getTime(),
    end: end.getTime(),
  };
}

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

/** Results among `entries` whose calls are hidden. */
export function findOrphans(
  entries: readonly ConversationEntry[],
  hidden: readonly ConversationEntry[],
): readonly ConversationEntry[] {
  const hiddenCalls = new Set(hidden.filter(({ type }) => type === "tool_call").map(callIdOf));
  return entries.filter(
    (entry) =>
      entry.type === "tool_result" && hiddenCalls.has(callIdOf(entry)) && callIdOf(entry) !== undefined,
  );
}

/** The oldest call of `tool` among `entries` that no result answers; `undefined` where there is none. */
export function findOpenCall(entries: readonly ConversationEntry[], tool: string): string | undefined {
  const answered = new Set(entries.filter(({ type }) => type === "tool_result").map(callIdOf));
  const call = entries.find(
    (entry) => entry.type === "tool_call" && toolOf(entry) === tool && !answered.has(callIdOf(entry)),
  );
  return call === undefined ? undefined : callIdOf(call);
}

/** The id that a call and its result share. */
export function callIdOf({ metadata }: Pick<ConversationEntry, "metadata">): string | undefined {
  const callId = metadata?.["callId"];
  return typeof callId === "string" ? callId : undefined;
}
