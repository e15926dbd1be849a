/**
 * Reading what a stored session remembers: its log folded into entries and summaries.
 */

import { shownOf } from "../session/history/hydrate.ts";
import type { SessionParts } from "../session/window/session-parts.ts";
import { hasEffect, type SeqRange } from "../transcript/edits.ts";
import type { Entry, MessageEntry } from "../transcript/entries.ts";
import { isWithin } from "../transcript/line.ts";
import { type Projection, project } from "../transcript/projection.ts";
import { type FoldedMemory, foldMemory, type ReadLog } from "./log/conversation-log.ts";

/** Reads the whole log, also of a session that somebody else wrote. */
export async function readMemory({
  log,
  reader,
}: Pick<SessionParts, "log" | "reader">): Promise<FoldedMemory> {
  const entries: Entry[] = [];
  const metadata = new Map<string, unknown>();
  for await (const batch of log.readAll()) {
    for (const { entry } of batch.entries) {
      if (entry.type === "metadata") metadata.set(entry.key, entry.value);
      else entries.push(entry);
    }
  }
  const projection = project(entries);
  const messages: ReadLog["messages"][number][] = [];
  for (const entry of entries.filter(isMessage)) {
    if (!isRemembered(entry.seq, projection)) continue;
    const isWhole = !entry.content.some(({ type }) => type === "blob");
    const content = isWhole ? entry.content.map(shownOf) : await reader.wholeContent(entry);
    const { seq, role, origin, saidAt, at } = entry;
    messages.push({
      seq,
      id: entry.hostId ?? entry.id,
      atMs: saidAt ?? at,
      message: { role, origin, content },
    });
  }
  const times = new Map(entries.map(({ seq, at }) => [seq, at]));
  return foldMemory({ messages, edits: summariesOf(projection, times), metadata });
}

const isMessage = (entry: Entry): entry is MessageEntry => entry.type === "message";

/** On the line, and not taken out by its host. */
function isRemembered(seq: number, { lineRanges, activeEdits }: Projection): boolean {
  const hides = (ranges: readonly SeqRange[] = []): boolean =>
    ranges.some(({ from, to }) => seq >= from && seq <= to);
  return (
    isWithin(lineRanges, seq) &&
    !activeEdits.some(({ edit }) => edit.kind === "host" && hides(edit.effect.hide))
  );
}

/** Edits that tell in a summary what they hide, whoever made them. */
function summariesOf({ activeEdits }: Projection, times: ReadonlyMap<number, number>): ReadLog["edits"] {
  return activeEdits.flatMap(({ seq, edit }) => {
    const isSummary = hasEffect(edit) && "isBoundary" in edit && edit.isBoundary === true;
    return isSummary && (edit.effect.insert ?? []).length > 0
      ? [{ seq, at: times.get(seq)!, effect: edit.effect }]
      : [];
  });
}
