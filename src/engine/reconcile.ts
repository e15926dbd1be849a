/**
 * Matching a host's full list of messages against the log.
 *
 * Some hosts own their list and hand all of it over before each call. What it shares with the log
 * is found by the host's ids, else by content. What the host left out is hidden; from the first
 * message on that the log does not have in this place, everything is appended in the host's order.
 * Both are recorded as the host's edit: nothing is guessed, and nothing is lost.
 */
import type { SeqRange } from "../transcript/edits.ts";
import type { Message } from "../transcript/messages.ts";

/** A message of the line as the host would know it again. */
export interface KnownMessage {
  readonly seq: number;
  readonly key: string;
  readonly hostId?: string;
}

export interface ReconcilePlan {
  /** Messages of the line that the host's list does not have any more. */
  readonly hide: readonly SeqRange[];
  readonly hiddenMessages: number;
  readonly append: readonly Message[];
}

/** Plans what makes the line equal to `list`. `keyOf` tells equal contents by equal keys. */
export function planReconcile(
  known: readonly KnownMessage[],
  list: readonly Message[],
  keyOf: (message: Message) => string,
): ReconcilePlan {
  const isSame = (entry: KnownMessage, message: Message): boolean =>
    entry.hostId !== undefined && message.hostId !== undefined
      ? entry.hostId === message.hostId && entry.key === keyOf(message)
      : entry.key === keyOf(message);

  // The host dropped messages from the middle (or changed them) where the list goes on with a later known one.
  const hidden: KnownMessage[] = [];
  let next = 0;
  let matched = 0;
  while (matched < list.length && next < known.length) {
    const found = findFrom(known, next, (entry) => isSame(entry, list[matched]!));
    if (found === -1) break;
    hidden.push(...known.slice(next, found));
    next = found + 1;
    matched++;
  }
  hidden.push(...known.slice(next));
  return { hide: toRanges(hidden), hiddenMessages: hidden.length, append: list.slice(matched) };
}

function findFrom(
  known: readonly KnownMessage[],
  start: number,
  matches: (entry: KnownMessage) => boolean,
): number {
  for (let index = start; index < known.length; index++) if (matches(known[index]!)) return index;
  return -1;
}

function toRanges(messages: readonly KnownMessage[]): readonly SeqRange[] {
  return messages.map(({ seq }) => ({ from: seq, to: seq }));
}
