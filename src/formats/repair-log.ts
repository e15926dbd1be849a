/**
 * Collects repairs while a file is read. A damaged file can need one on every line, so per kind
 * only the first ones are listed and the rest is told as a number.
 */
import { FORMATS_DEFAULTS } from "../base/defaults/formats.ts";
import type { ImportRepair, ImportRepairKind } from "./imported-session.ts";

/** @internal */
export class RepairLog {
  readonly #listed: ImportRepair[] = [];
  readonly #counts = new Map<ImportRepairKind, number>();

  add(kind: ImportRepairKind, detail: string, line?: number): void {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    if (count > FORMATS_DEFAULTS.listedRepairsPerKind) return;
    this.#listed.push({ kind, detail, ...(line === undefined ? {} : { line }) });
  }

  list(): readonly ImportRepair[] {
    const rest: ImportRepair[] = [];
    for (const [kind, count] of this.#counts) {
      const unlisted = count - FORMATS_DEFAULTS.listedRepairsPerKind;
      if (unlisted > 0) rest.push({ kind, detail: `and ${unlisted} more of this kind` });
    }
    return [...this.#listed, ...rest];
  }
}

/** Counts records that have no part in a conversation, by type. @internal */
export class SkippedLog {
  readonly #counts = new Map<string, number>();

  add(recordType: string): void {
    this.#counts.set(recordType, (this.#counts.get(recordType) ?? 0) + 1);
  }

  list(): readonly { readonly recordType: string; readonly count: number }[] {
    return [...this.#counts].map(([recordType, count]) => ({ recordType, count }));
  }
}
