/**
 * Converts entries, compressions and whole states of `MemoryManager` to entries of the log.
 *
 * A compression becomes an edit: it hides the messages of its entries and inserts the summary. So a session that is
 * opened on the same log shows a model the same as `getContextForLLM`.
 */
import type { JsonObject, JsonValue } from "../../base/json/json.ts";
import type { Message } from "../../transcript/blocks.ts";
import type { BlockForm, LayerEdit, SeqRange } from "../../transcript/edits.ts";
import { type ConversationEntry, callIdOf, type MemorySummary } from "../entries/conversation-entry.ts";
import { type MirroredState, sumTokens } from "../entries/conversation-mirror.ts";
import { messageOf, noteKey, summaryNoteKey, toolUseOf } from "../entries/entry-messages.ts";
import { renderEntry } from "../entries/entry-text.ts";

/** Fields of an entry or a summary that its message or edit cannot hold, as metadata of the log. */
interface Note {
  readonly type: "metadata";
  readonly key: string;
  readonly value: JsonValue;
}

/** Messages, and the notes to append before them. */
interface LogParts {
  readonly messages: readonly Message[];
  readonly notes: readonly Note[];
}

/** Converts a new entry. `active` are the entries before it, with the calls that a result may answer. */
export function toLogParts(entry: ConversationEntry, active: readonly ConversationEntry[]): LogParts {
  const openCallIds = new Set<string>();
  // Only a result depends on earlier calls.
  if (entry.type === "tool_result") for (const one of active) followCall(openCallIds, one);
  return logPartsOf(entry, openCallIds);
}

function logPartsOf(entry: ConversationEntry, openCallIds: ReadonlySet<string>): LogParts {
  const { message, note } = messageOf(entry, openCallIds);
  return { messages: [message], notes: note === undefined ? [] : [noteOf(noteKey(entry.id), note)] };
}

const noteOf = (key: string, value: JsonObject): Note => ({ type: "metadata", key, value });

/** Updates the set of calls without a result. */
function followCall(openCallIds: Set<string>, entry: ConversationEntry): void {
  const callId = callIdOf(entry);
  if (callId === undefined) return;
  if (entry.type === "tool_result") openCallIds.delete(callId);
  else if (toolUseOf(entry) !== undefined) openCallIds.add(callId);
}

/** Numbers in the log: `seqs` of entries by their ids, `editSeqs` of edits by the ids of their summaries. */
export interface LogPlaces {
  readonly seqs: ReadonlyMap<string, number>;
  readonly editSeqs: ReadonlyMap<string, number>;
}

/** What a summary replaces, and the entries that stay active. */
interface Replaced extends MirroredState {
  readonly active: readonly ConversationEntry[];
}

/** Makes the edit that shows a summary in place of its entries and of earlier summaries. */
export function compressionToLogParts(
  summary: MemorySummary,
  { entries, summaries, active }: Replaced,
  { seqs, editSeqs }: LogPlaces,
  reason: string,
): LayerEdit {
  const message: Message = {
    role: "user",
    origin: "summary",
    hostId: summary.id,
    at: summary.createdAt.getTime(),
    content: [{ type: "text", text: summary.content }],
  };
  const hiddenSeqs = entries.flatMap(({ id }) => seqs.get(id) ?? []).sort((one, other) => one - other);
  const foldedSeqs = summaries.flatMap(({ id }) => editSeqs.get(id) ?? []);
  const hiddenCalls = new Set(
    entries.filter(({ type }) => type === "tool_call").flatMap((call) => callIdOf(call) ?? []),
  );
  // No provider takes a visible result whose call is hidden: it is shown as text.
  const forms = active.flatMap((entry): readonly BlockForm[] => {
    const seq = seqs.get(entry.id);
    const isOrphan = entry.type === "tool_result" && hiddenCalls.has(callIdOf(entry) ?? "");
    if (!isOrphan || seq === undefined) return [];
    return [{ seq, block: 0, shown: { type: "text", text: renderEntry(entry) } }];
  });
  const effect = {
    hide: rangesOf(hiddenSeqs),
    ...(foldedSeqs.length === 0 ? {} : { hideInserted: foldedSeqs }),
    ...(forms.length === 0 ? {} : { forms }),
    insert: [{ afterSeq: hiddenSeqs.at(-1) ?? 0, messages: [message] }],
  };
  const freedTokens = sumTokens(entries) + sumTokens(summaries) - summary.tokenCount;
  return { kind: "full", effect, reason, freedTokens, isBoundary: true };
}

/** @param seqs - ascending */
function rangesOf(seqs: readonly number[]): readonly SeqRange[] {
  const ranges: { from: number; to: number }[] = [];
  for (const seq of seqs) {
    const last = ranges.at(-1);
    if (last !== undefined && seq <= last.to + 1) last.to = seq;
    else ranges.push({ from: seq, to: seq });
  }
  return ranges;
}

/**
 * Converts an imported state. Its edits need the numbers of its messages, so `edits` makes them when those are known.
 */
export function stateToLogParts({ entries, summaries }: MirroredState): LogParts & {
  readonly edits: (seqs: ReadonlyMap<string, number>) => readonly LayerEdit[];
} {
  const openCallIds = new Set<string>();
  const parts = entries.map((entry) => {
    const part = logPartsOf(entry, openCallIds);
    followCall(openCallIds, entry);
    return part;
  });
  const bySummary = new Map<string | undefined, ConversationEntry[]>();
  for (const entry of entries) {
    const known = bySummary.get(entry.summaryId);
    if (known === undefined) bySummary.set(entry.summaryId, [entry]);
    else known.push(entry);
  }
  const active = bySummary.get(undefined) ?? [];
  const editOf = (summary: MemorySummary, seqs: ReadonlyMap<string, number>): LayerEdit => {
    const replaced = { entries: bySummary.get(summary.id) ?? [], summaries: [], active };
    return compressionToLogParts(summary, replaced, { seqs, editSeqs: new Map() }, "imported");
  };
  return {
    messages: parts.flatMap(({ messages }) => messages),
    notes: [
      ...parts.flatMap(({ notes }) => notes),
      ...summaries.map((summary) => noteOf(summaryNoteKey(summary.id), figuresOf(summary))),
    ],
    edits: (seqs) => summaries.map((summary) => editOf(summary, seqs)),
  };
}

/** Returns the figures of an imported summary that its edit does not contain. */
function figuresOf(summary: MemorySummary): JsonObject {
  const { originalEntryIds, tokenCount, originalTokenCount, compressionRatio, timeRange } = summary;
  const [start, end] = [timeRange.start.getTime(), timeRange.end.getTime()];
  return { originalEntryIds, tokenCount, originalTokenCount, compressionRatio, start, end };
}
