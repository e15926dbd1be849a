/**
 * Which events of a Copilot session happened and were not taken back.
 */
import type { RepairLog } from "../shared/repair-log.ts";
import { walkLine } from "../shared/walk-line.ts";
import type { CopilotRecord } from "./copilot-record.ts";

/** An event whose id was there before is a copy if it says the same; otherwise it is kept, without the id. @internal */
export function withoutCopies(
  records: readonly CopilotRecord[],
  repairs: RepairLog,
): readonly CopilotRecord[] {
  const firstOf = new Map<string, CopilotRecord>();
  return records.flatMap((record): readonly CopilotRecord[] => {
    if (record.id === undefined) return [record];
    const first = firstOf.get(record.id);
    if (first === undefined) {
      firstOf.set(record.id, record);
      return [record];
    }
    const isCopy = JSON.stringify(first.raw) === JSON.stringify(record.raw);
    repairs.add(
      "duplicate-id",
      `the id ${record.id} was used before; ${isCopy ? "the copy is left out" : "the record is kept without it"}`,
      record.line,
    );
    return isCopy ? [] : [{ ...record, isIdTaken: true }];
  });
}

/** Events that were rewound hang beside the chain of the newest one. @internal */
export function liveRecords(
  records: readonly CopilotRecord[],
  repairs: RepairLog,
): (index: number) => boolean {
  const hasId = (index: number): boolean =>
    records[index]!.id !== undefined && records[index]!.isIdTaken !== true;
  let leaf = records.length - 1;
  while (leaf >= 0 && !hasId(leaf)) leaf--;
  const line = walkLine({
    nodes: records,
    leaf,
    isStep: hasId,
    // A session that is resumed may begin a new chain in the same file.
    continuesBefore: () => true,
    report: (problem, index) => {
      repairs.add(
        problem,
        "the parent of this record cannot be followed; it is taken to follow the record before it",
        records[index]!.line,
      );
    },
  });
  return (index) => !hasId(index) || line.has(index);
}
