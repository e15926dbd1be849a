/**
 * Two rules that every store applies to an append: its entries continue the log, and an append that is repeated is
 * stored once.
 *
 * Entries are numbered without gaps. An append that does not start after the last stored entry comes from a writer
 * that has missed the appends of another one.
 */
import { StoreError } from "../../base/errors.ts";
import type { Entry } from "../../transcript/entries.ts";

/** @throws `SESSION_TAKEN` unless `entries` continue by one from `lastSeq`, which is 0 in an empty log. */
export function assertGoesOn(
  entries: readonly Pick<Entry, "seq">[],
  lastSeq: number,
  sessionId: string,
): void {
  const index = entries.findIndex(({ seq }, place) => seq !== lastSeq + 1 + place);
  if (index === -1) return;
  const before = lastSeq + index;
  throw sessionTaken(
    `Entry ${entries[index]!.seq} does not continue session ${sessionId}: ` +
      (before === 0
        ? "it has no entries, so the first is 1."
        : `its last entry is ${before}, so the next is ${before + 1}.`),
  );
}

/** The error for a session that another writer has appended to. */
export function sessionTaken(message: string): StoreError {
  return new StoreError("SESSION_TAKEN", {
    message,
    hint: "Another writer has appended to it: open the session again, and let only one writer continue it.",
  });
}

type Identity = Pick<Entry, "seq" | "id">;

/**
 * The last acknowledged append. A caller that did not get the acknowledgement appends the same entries again: they
 * are acknowledged again and stored once. Entries are the same if number and id are.
 */
export class RepeatedAppend {
  #entries: readonly Identity[] = [];
  #positions: readonly number[] = [];

  /** The positions of the entries, if they are those of the last append. */
  find(entries: readonly Identity[]): readonly number[] | undefined {
    if (entries.length === 0 || entries.length !== this.#entries.length) return undefined;
    const isSame = entries.every(({ seq, id }, index) => {
      const known = this.#entries[index]!;
      return known.seq === seq && known.id === id;
    });
    return isSame ? this.#positions : undefined;
  }

  /** Remembers an acknowledged append. */
  keep(entries: readonly Identity[], positions: readonly number[]): readonly number[] {
    this.#entries = entries.map(({ seq, id }) => ({ seq, id }));
    this.#positions = positions;
    return positions;
  }
}
