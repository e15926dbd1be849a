/**
 * Hiding a stretch of the window: as ranges of entries, and as edits whose inserted messages go.
 *
 * One edit may have inserted messages on both sides of the stretch's end (a repair answers all calls
 * that were left open), and what it inserted is hidden altogether or not at all. What would go with
 * it but stands elsewhere is inserted again, as it is shown.
 */

import type { Message } from "../../transcript/blocks.ts";
import type { EditEffect, Insertion, SeqRange } from "../../transcript/edits.ts";
import type { VisibleMessage } from "../../transcript/window.ts";

/** Returns the effect that hides exactly `hidden`, which are messages of `visible` in its order. */
export function hidingEffect(
  visible: readonly VisibleMessage[],
  hidden: ReadonlySet<VisibleMessage>,
): Required<Pick<EditEffect, "hide" | "hideInserted" | "insert">> {
  const hideInserted = new Set<number>();
  for (const { insertedBy } of hidden) if (insertedBy !== undefined) hideInserted.add(insertedBy);
  const insert = visible.flatMap((message): readonly Insertion[] => {
    const goesAlong = message.insertedBy !== undefined && hideInserted.has(message.insertedBy);
    return goesAlong && !hidden.has(message)
      ? [{ afterSeq: message.seq, messages: [asMessage(message)] }]
      : [];
  });
  return { hide: hiddenRanges(visible, hidden), hideInserted: [...hideInserted], insert };
}

/** Runs of hidden entries: what lies between two of them is not shown anyway. Answers may stand before lower numbers. */
function hiddenRanges(
  visible: readonly VisibleMessage[],
  hidden: ReadonlySet<VisibleMessage>,
): readonly SeqRange[] {
  const entries = visible
    .filter(({ insertedBy }) => insertedBy === undefined)
    .toSorted((one, other) => one.seq - other.seq);
  const ranges: SeqRange[] = [];
  entries.forEach((message, index) => {
    if (!hidden.has(message)) return;
    const { seq } = message;
    const before = entries[index - 1];
    if (before !== undefined && hidden.has(before))
      ranges[ranges.length - 1] = { from: ranges.at(-1)!.from, to: seq };
    else ranges.push({ from: seq, to: seq });
  });
  return ranges;
}

function asMessage({ role, origin, responseId, at, blocks }: VisibleMessage): Message {
  return {
    role,
    origin,
    responseId,
    at,
    content: blocks.map(({ block }) => block),
  };
}
