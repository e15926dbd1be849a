/**
 * Finds the files that recorded agents read again after a compaction. A boundary is one compaction: the messages that
 * it hid, the summary in their place, and the known files that the agent read again in its next calls.
 *
 * A file is known if the session read or wrote it before. No rule can restore other files, so they do not count.
 */

import type { Message } from "palimpsest";
import { addToDigest, createDigest, type Digest } from "palimpsest/experimental";
import type { ImportedSession } from "palimpsest/formats";
import type { ImportedBoundary } from "palimpsest/internal";
import { type FileUse, findFileUses, type UsedMessage, visibleMessage } from "palimpsest/internal";
import { estimateText } from "palimpsest/tokens";
import type { VisibleMessage } from "palimpsest/transcript";
import { type ToolResultBlock, toolResultText } from "palimpsest/transcript";

/** Tool calls after a compaction that are looked at. Source: where-the-numbers-come-from.md, "Restoration". */
const CALLS_AFTER = 40;
/** Characters of the shortest line that is compared. Our choice: shorter ones, such as brackets, are in every file. */
const LINE_CHARACTERS = 4;

/** One reading after the compaction. */
interface NeededRead {
  /** Tokens that the reading showed; of a result that shows several files together, an equal share. */
  readonly tokens: number;
  /** Lines that it showed, without numbers and white space at their ends. */
  readonly lines: readonly string[];
  /** The files that the result shows. */
  readonly paths: readonly string[];
}

/** A file that was read again. */
export interface NeededFile {
  readonly path: string;
  /** Tokens of all its reads together. */
  readonly tokens: number;
  readonly reads: readonly NeededRead[];
}

/** One recorded compaction, with what a planner of restorations would have known, and what was needed after it. */
export interface RecordedBoundary {
  readonly session: string;
  /** Number of the boundary in its session, from 0. */
  readonly number: number;
  /** Every message since the boundary before that was visible and is hidden now. */
  readonly hidden: readonly VisibleMessage[];
  /** Every message of the log before those. */
  readonly earlier: readonly VisibleMessage[];
  /** The digest of the session since its beginning. */
  readonly digest: Digest;
  readonly summary: string;
  readonly callsAfter: number;
  readonly knownCount: number;
  readonly needed: readonly NeededFile[];
  /** Uses of files after the boundary, up to the end of the session: they show what lay on the disk. */
  readonly usesAfter: readonly FileUse[];
}

/**
 * Returns the recorded compactions of a session after which the agent made calls, without those that only cleared
 * results.
 */
export function recordedBoundaries(session: ImportedSession, name: string): readonly RecordedBoundary[] {
  const { messages, places } = readSession(session);
  const all = findFileUses(messages);
  const answers = answersOf(messages);
  const firstCalls = places.map(({ at }) => callsBefore(messages.slice(0, at)));
  return places.flatMap(({ boundary, at }, index): readonly RecordedBoundary[] => {
    const start = firstCalls[index]!;
    const end = Math.min(start + CALLS_AFTER, firstCalls[index + 1] ?? all.callsCount);
    if (start >= end) return [];
    const known = new Set(
      all.uses.filter((use) => use.call < start && isKnowing(use)).map(({ path }) => path),
    );
    const after = all.uses.filter(({ call }) => call >= start && call < end);
    const earlier = places[index - 1]?.at ?? 0;
    return [
      {
        session: name,
        number: index,
        hidden: messages.slice(earlier, at),
        earlier: messages.slice(0, earlier),
        digest: digestOf(messages.slice(0, at)),
        summary: boundary.summary ?? "",
        callsAfter: end - start,
        knownCount: known.size,
        needed: neededOf(after, known, answers),
        usesAfter: all.uses.filter(({ call }) => call >= start),
      },
    ];
  });
}

/** True if the log has the file's content after this use. A mention in other output does not count. */
function isKnowing({ how, hasWorked, text }: FileUse): boolean {
  return hasWorked && (how !== "read" || text !== undefined);
}

interface ReadSession {
  readonly messages: readonly VisibleMessage[];
  readonly places: readonly { readonly boundary: ImportedBoundary; readonly at: number }[];
}

function readSession({ items }: ImportedSession): ReadSession {
  const messages: VisibleMessage[] = [];
  const places: { boundary: ImportedBoundary; at: number }[] = [];
  for (const item of items)
    if (item.type === "message") messages.push(asVisible(item.message, messages.length + 1));
    else if (item.type === "boundary" && item.trigger !== "clear")
      places.push({ boundary: item, at: messages.length });
  return { messages, places };
}

function asVisible(message: Message, seq: number): VisibleMessage {
  const at = message.at ?? 0;
  return visibleMessage({
    type: "message",
    v: 1,
    id: String(seq),
    seq,
    at,
    role: message.role,
    origin: message.origin ?? "host",
    content: message.content,
  });
}

function digestOf(messages: readonly VisibleMessage[]): Digest {
  const digest = createDigest();
  for (const { seq, role, origin, blocks } of messages)
    addToDigest(digest, seq, { role, origin, content: blocks.map(({ block }) => block) });
  return digest;
}

function callsBefore(messages: readonly UsedMessage[]): number {
  let calls = 0;
  for (const { blocks } of messages) for (const { block } of blocks) if (block.type === "tool_use") calls++;
  return calls;
}

function answersOf(messages: readonly UsedMessage[]): ReadonlyMap<string, ToolResultBlock> {
  const answers = new Map<string, ToolResultBlock>();
  for (const { seq, blocks } of messages)
    for (const { index, block } of blocks)
      if (block.type === "tool_result") answers.set(`${seq}.${index}`, block);
  return answers;
}

function neededOf(
  after: readonly FileUse[],
  known: ReadonlySet<string>,
  answers: ReadonlyMap<string, ToolResultBlock>,
): readonly NeededFile[] {
  const reads = after.filter(({ how, hasWorked }) => how === "read" && hasWorked);
  const pathsOf = new Map<string, string[]>();
  for (const { path, resultSeq, resultBlock } of reads) {
    const place = `${resultSeq}.${resultBlock}`;
    pathsOf.set(place, [...(pathsOf.get(place) ?? []), path]);
  }
  const needed = new Map<string, NeededRead[]>();
  for (const use of reads) {
    if (!known.has(use.path)) continue;
    const place = `${use.resultSeq}.${use.resultBlock}`;
    const answer = answers.get(place);
    // The text of one file, if the output of several has a known place for each.
    const text = contentOf(use.text ?? (answer === undefined ? "" : textOnly(answer)));
    if (text === "") continue;
    const paths = use.text === undefined ? pathsOf.get(place)! : [use.path];
    const read = { tokens: estimateText(text) / paths.length, lines: comparableLines(text), paths };
    needed.set(use.path, [...(needed.get(use.path) ?? []), read]);
  }
  return [...needed].map(([path, own]) => ({
    path,
    reads: own,
    tokens: own.reduce((sum, { tokens }) => sum + tokens, 0),
  }));
}

/** Returns the text of a result; empty if it has images, which cannot be restored as text. */
function textOnly(block: ToolResultBlock): string {
  const isText = typeof block.content === "string" || block.content?.every(({ type }) => type === "text");
  return isText === true ? toolResultText(block) : "";
}

/** A reminder for the model, which the recorded program adds to each reading of a file. */
const REMINDER = /<system-reminder>[\s\S]*?<\/system-reminder>/g;

function contentOf(text: string): string {
  return text.replace(REMINDER, "").trimEnd();
}

const LINE_NUMBER = /^\s*\d{1,9}[→\t:]/;

/** Returns the lines to compare: without line numbers and outer white space, and without very short lines. */
export function comparableLines(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.replace(LINE_NUMBER, "").trim())
    .filter((line) => line.length >= LINE_CHARACTERS);
}
