/**
 * Matches a host's full list of messages against the log.
 *
 * Some hosts own their list and pass all of it before each call. Its messages are matched with those of the
 * log by the host's ids, else by content. Messages that the host left out are hidden. From the first message that
 * does not match, all messages are appended in the host's order. The log records both as the host's edit, and
 * loses nothing.
 *
 * One difference does not count as an edit. Many hosts keep a model's answer without its reasoning. The stored
 * answer with the reasoning stays, because only that one can be sent back.
 */

import type { Message } from "../../transcript/blocks.ts";
import type { SeqRange } from "../../transcript/edits.ts";
import type { MessageKeys } from "./message-keys.ts";

/** A message of the log's current line, with what identifies it in the host's list. */
export interface KnownMessage extends MessageKeys {
  readonly seq: number;
  readonly hostId?: string;
  /** The library inserted this message itself, so the host does not have it in its list. */
  readonly isOurs?: boolean;
}

export interface ReconcilePlan {
  /** Messages of the line that the host's list no longer has. */
  readonly hide: readonly SeqRange[];
  readonly hiddenMessages: number;
  readonly append: readonly Message[];
}

/** Plans the changes that make the line equal to `list`. `keysOf` returns equal keys for equal contents. */
export function planReconcile(
  known: readonly KnownMessage[],
  list: readonly Message[],
  keysOf: (message: Message, index: number) => MessageKeys,
): ReconcilePlan {
  // A list that goes on with a later known message skips some: the host dropped or changed those.
  const isKept = new Array<boolean>(known.length).fill(false);
  let next = 0;
  let matched = 0;
  for (; matched < list.length && next < known.length; matched++) {
    const message = list[matched]!;
    const keys = keysOf(message, matched);
    const found = findFrom(known, next, (entry) => isSame(entry, message, keys));
    if (found === -1) break;
    isKept[found] = true;
    next = found + 1;
  }
  known.forEach(({ isOurs }, index) => {
    if (isOurs === true) isKept[index] = true;
  });
  keepReasoning(known, isKept);
  return { ...toRanges(known, isKept), append: list.slice(matched) };
}

function isSame(entry: KnownMessage, message: Message, keys: MessageKeys): boolean {
  const haveIds = entry.hostId !== undefined && message.hostId !== undefined;
  if (haveIds && entry.hostId !== message.hostId) return false;
  if (entry.key === keys.key) return true;
  // The host may have dropped the reasoning of an answer that the log has with it.
  const hasReasoning = entry.spokenKey !== entry.key && !entry.isReasoningOnly;
  return hasReasoning && !keys.hasSignedReasoning && entry.spokenKey === keys.spokenKey;
}

function findFrom(
  known: readonly KnownMessage[],
  start: number,
  matches: (entry: KnownMessage) => boolean,
): number {
  for (let index = start; index < known.length; index++) if (matches(known[index]!)) return index;
  return -1;
}

/** Keeps a message of reasoning only, if the message after it is kept: they are parts of one answer. */
function keepReasoning(known: readonly KnownMessage[], isKept: boolean[]): void {
  for (let index = known.length - 2; index >= 0; index--)
    if (known[index]!.isReasoningOnly && isKept[index + 1] === true) isKept[index] = true;
}

/** Joins hidden neighbours into one range: no visible message is between them. */
function toRanges(
  known: readonly KnownMessage[],
  isKept: readonly boolean[],
): Pick<ReconcilePlan, "hide" | "hiddenMessages"> {
  const hide: SeqRange[] = [];
  let hiddenMessages = 0;
  for (const [index, { seq }] of known.entries()) {
    if (isKept[index] === true) continue;
    hiddenMessages++;
    const isNeighbour = index > 0 && isKept[index - 1] === false;
    if (isNeighbour) hide[hide.length - 1] = { from: hide.at(-1)!.from, to: seq };
    else hide.push({ from: seq, to: seq });
  }
  return { hide, hiddenMessages };
}
