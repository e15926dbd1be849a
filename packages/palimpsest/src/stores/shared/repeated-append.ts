/**
 * An append that is made again, because its first acknowledgement was lost on the way, is
 * acknowledged again and stored once. Entries are the same when number and id are.
 */
import type { Entry } from "../../transcript/entries.ts";

type Identity = Pick<Entry, "seq" | "id">;

export class RepeatedAppend {
  #entries: readonly Identity[] = [];
  #positions: readonly number[] = [];

  /** Where the entries lie already, if they are those of the last append. */
  find(entries: readonly Identity[]): readonly number[] | undefined {
    if (entries.length === 0 || entries.length !== this.#entries.length) return undefined;
    const isSame = entries.every(({ seq, id }, index) => {
      const known = this.#entries[index]!;
      return known.seq === seq && known.id === id;
    });
    return isSame ? this.#positions : undefined;
  }

  /** Remembers an append that was acknowledged. */
  keep(entries: readonly Identity[], positions: readonly number[]): readonly number[] {
    this.#entries = entries.map(({ seq, id }) => ({ seq, id }));
    this.#positions = positions;
    return positions;
  }
}
