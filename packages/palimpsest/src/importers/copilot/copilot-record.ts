/**
 * One event of a Copilot CLI session, with the fields that all of them share already checked.
 *
 * Some events say that Copilot compacted, shortened or cleared its context, others that it took events back.
 */
import { asNumber, asString, isObject } from "../../base/json/json.ts";
import { parseTimestamp, present } from "../shared/fields.ts";
import type { ImportedBoundary } from "../shared/imported-session.ts";
import type { SourceRecord } from "../shared/read-records.ts";
import type { RepairLog } from "../shared/repair-log.ts";
import { type TreeNode, walkLine } from "../shared/walk-line.ts";

/** @internal */
export interface CopilotRecord extends TreeNode {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly line?: number;
  readonly at?: number;
  /** Said by or to a sub-agent. */
  readonly isSidechain: boolean;
  /** The id belongs to an earlier event that says something else. */
  readonly isIdTaken?: boolean;
  readonly raw: Readonly<Record<string, unknown>>;
}

/** Reads what an event says about itself; never throws. @internal */
export function copilotRecord({ value: raw, line }: SourceRecord): CopilotRecord {
  const data = isObject(raw["data"]) ? raw["data"] : {};
  return {
    raw,
    type: asString(raw["type"]) ?? "(no type)",
    data,
    isSidechain: typeof raw["agentId"] === "string" || typeof data["parentToolCallId"] === "string",
    id: asString(raw["id"]),
    parentId: asString(raw["parentId"]),
    line,
    at: parseTimestamp(raw["timestamp"]),
  };
}

/** The boundary; `undefined` where nothing was changed after all. @internal */
export function copilotBoundary({ type, data, id, at, line }: CopilotRecord): ImportedBoundary | undefined {
  const place = present({ hostId: id, at, line });
  if (type === "session.context_cleared") return { type: "boundary", trigger: "clear", ...place };
  if (type === "session.truncation") {
    // It is written for every request; only where something was dropped is it a boundary.
    if ((asNumber(data["messagesRemovedDuringTruncation"]) ?? 0) <= 0) return undefined;
    const preTokens = asNumber(data["preTruncationTokensInMessages"]);
    const postTokens = asNumber(data["postTruncationTokensInMessages"]);
    return { type: "boundary", trigger: "auto", preTokens, postTokens, ...place };
  }
  if (data["success"] !== true) return undefined;
  const summary = asString(data["summaryContent"]);
  const trigger = data["trigger"];
  return {
    type: "boundary",
    trigger: trigger === "manual" ? "manual" : typeof trigger === "string" ? "auto" : "unknown",
    preTokens: asNumber(data["preCompactionTokens"]),
    postTokens: asNumber(data["postCompactionTokens"]),
    summary: summary === "" ? undefined : summary,
    ...place,
  };
}

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
