/**
 * Entries are numbered without a gap, so an append that does not begin behind the last stored entry
 * comes from a writer who does not know what somebody else has appended.
 */
import { StoreError } from "../../base/errors.ts";
import type { Entry } from "../../transcript/entries.ts";

/** @throws `SESSION_TAKEN` unless `entries` go on by one from `lastSeq`, which is 0 in an empty log. */
export function assertGoesOn(
  entries: readonly Pick<Entry, "seq">[],
  lastSeq: number,
  sessionId: string,
): void {
  const index = entries.findIndex(({ seq }, place) => seq !== lastSeq + 1 + place);
  if (index === -1) return;
  const before = lastSeq + index;
  throw sessionTaken(
    `Entry ${entries[index]!.seq} does not go on where session ${sessionId} ends: ` +
      (before === 0
        ? "it has no entries, so the first is 1."
        : `its last entry is ${before}, so the next is ${before + 1}.`),
  );
}

/** Another writer has appended to the session. */
export function sessionTaken(message: string): StoreError {
  return new StoreError("SESSION_TAKEN", {
    message,
    hint: "Another writer has appended to it: open the session again, and let one writer at a time go on with it.",
  });
}
