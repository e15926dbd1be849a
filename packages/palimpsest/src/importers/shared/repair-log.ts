/**
 * Collects repairs while a file is read. A damaged file can need one on every line, so per kind
 * only the first ones are listed and the rest is a number.
 */
import type { ImportRepair, ImportRepairKind, NotRead } from "./imported-session.ts";

/** Repairs listed one by one per kind and file; the rest is one line with a count. Our choice. */
const LISTED_REPAIRS_PER_KIND = 100;

const NOTHING_MISSED: NotRead = { records: 0, bytes: 0, isCutOff: false };

/** Both together. */
export function addNotRead(left: NotRead = NOTHING_MISSED, right: NotRead = NOTHING_MISSED): NotRead {
  return {
    records: left.records + right.records,
    bytes: left.bytes + right.bytes,
    isCutOff: left.isCutOff || right.isCutOff,
  };
}

export class RepairLog {
  readonly #listed: ImportRepair[] = [];
  readonly #counts = new Map<ImportRepairKind, number>();
  #notRead: NotRead = NOTHING_MISSED;

  add(kind: ImportRepairKind, detail: string, line?: number): void {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    if (count > LISTED_REPAIRS_PER_KIND) return;
    this.#listed.push({ kind, detail, line });
  }

  /** Counts a record that could not be read, by its size where that is known. */
  countNotRead(bytes: number): void {
    this.#notRead = {
      ...this.#notRead,
      records: this.#notRead.records + 1,
      bytes: this.#notRead.bytes + bytes,
    };
  }

  /** An element of a list that is not what the list is of. */
  leftOutElement(
    list: string,
    what: string,
    at: { readonly index: number; readonly line?: number | undefined },
  ): void {
    this.add("bad-record", `element ${at.index} of the ${list} is no ${what}; left out`, at.line);
  }

  /** Counts a value that could not be read, by the size of its JSON. */
  countValueNotRead(value: unknown): void {
    this.countNotRead(JSON.stringify(value)?.length ?? 0);
  }

  /** The file ended before its end: how much is missing, no one knows. */
  cutOff(): void {
    this.#notRead = { ...this.#notRead, isCutOff: true };
  }

  get notRead(): NotRead {
    return this.#notRead;
  }

  /** Reports blocks that had to be mended, in the record on `line`. */
  blockDamage(line: number | undefined): (what: string) => void {
    return (what) => this.add("bad-record", `a block ${what}`, line);
  }

  list(): readonly ImportRepair[] {
    const rest: ImportRepair[] = [];
    for (const [kind, count] of this.#counts) {
      const unlisted = count - LISTED_REPAIRS_PER_KIND;
      if (unlisted > 0) rest.push({ kind, detail: `and ${unlisted} more of this kind` });
    }
    return [...this.#listed, ...rest];
  }
}
