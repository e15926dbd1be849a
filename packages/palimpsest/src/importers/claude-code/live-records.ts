/**
 * Which records of a Claude Code transcript belong to the conversation that went on.
 *
 * Records form a tree; a rewind makes the next record a sibling of an earlier one. The line goes
 * from the newest user or assistant record back to the root, with three corrections: parallel calls
 * hang side by side, so all lines of a response on the line and all results of its calls belong to
 * it; a boundary has no parent but a logical one; and a conversation that was cleared goes on in
 * the same file under a new root. The output of a run has no links: each record follows the one before it.
 */
import { asString, isObject } from "../../base/json/json.ts";
import type { RepairLog } from "../shared/repair-log.ts";
import { firstIndexes, walkLine } from "../shared/walk-line.ts";
import type { ClaudeRecord } from "./claude-record.ts";

/** @internal */
export interface LiveRecords {
  isLive(index: number): boolean;
  /** Roots at which the context was cleared and the conversation went on. */
  readonly clearedAt: ReadonlySet<number>;
}

/** Finds the live records. `isOwn` tells the conversation's records from those of side chains. @internal */
export function findLiveRecords(
  records: readonly ClaudeRecord[],
  isOwn: (record: ClaudeRecord) => boolean,
  repairs: RepairLog,
): LiveRecords {
  const isStep = (index: number): boolean => records[index]!.isMessage && isOwn(records[index]!);
  // A damaged record at the end, without its message, does not say where the conversation is.
  const whole = records.findLastIndex((record, index) => isStep(index) && record.message !== undefined);
  const leaf = whole === -1 ? records.findLastIndex((_, index) => isStep(index)) : whole;

  const clearedAt = new Set<number>();
  const line = walkLine({
    nodes: records,
    leaf,
    isStep,
    continuesBefore: (root) => {
      if (records[root]!.isStreamed) return true;
      const start = howItStarts(records[root]!);
      if (start === "cleared") clearedAt.add(root);
      return start !== "anew" || records[root]!.kind === "system/compact_boundary";
    },
    report: (problem, index) => {
      // A copied or shortened file starts with a boundary whose past is elsewhere.
      if (problem === "missing-parent" && records[index]!.kind === "system/compact_boundary") return;
      const what = problem === "missing-parent" ? "is not in the file" : "leads back to the record itself";
      repairs.add(
        problem,
        `the parent of this record ${what}; it is taken to follow the record before it`,
        records[index]!.line,
      );
    },
  });
  const live = [...line, ...sameResponses(records, line, isOwn)];
  return { isLive: liveByParent(records, live), clearedAt };
}

/**
 * A new root in the middle of a file: the conversation went on with a cleared context if it begins
 * with the hooks of a session's start or with the plan to carry out; otherwise its first message was
 * written again, and what stood before is an abandoned branch.
 */
function howItStarts({ raw }: ClaudeRecord): "cleared" | "resumed" | "anew" {
  const hook = isObject(raw["data"]) ? raw["data"] : isObject(raw["attachment"]) ? raw["attachment"] : {};
  const name = asString(hook["hookName"]);
  if (name === "SessionStart:resume") return "resumed";
  return name?.startsWith("SessionStart") === true || raw["planContent"] !== undefined ? "cleared" : "anew";
}

/** All lines of the responses on the line, and the results of all their calls. */
function sameResponses(
  records: readonly ClaudeRecord[],
  line: ReadonlySet<number>,
  isOwn: (record: ClaudeRecord) => boolean,
): readonly number[] {
  const responses = new Set<string>();
  for (const index of line) {
    const id = responseId(records[index]!);
    if (id !== undefined) responses.add(id);
  }
  const found: number[] = [];
  const calls = new Set<string>();
  records.forEach((record, index) => {
    const id = responseId(record);
    if (id === undefined || !responses.has(id) || !isOwn(record)) return;
    found.push(index);
    for (const call of idsOf(record, "tool_use", "id")) calls.add(call);
  });
  records.forEach((record, index) => {
    if (record.kind !== "user" || !isOwn(record)) return;
    if (idsOf(record, "tool_result", "tool_use_id").some((id) => calls.has(id))) found.push(index);
  });
  return found;
}

function responseId(record: ClaudeRecord): string | undefined {
  return record.kind === "assistant" ? asString(record.message?.["id"]) : undefined;
}

function idsOf(record: ClaudeRecord, type: string, key: string): readonly string[] {
  const content = record.message?.["content"];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown) => {
    const id = isObject(block) && block["type"] === type ? block[key] : undefined;
    return typeof id === "string" ? [id] : [];
  });
}

/** A record between messages (an attachment, a notice) goes with the message it hangs on. */
function liveByParent(
  records: readonly ClaudeRecord[],
  liveIndexes: readonly number[],
): (index: number) => boolean {
  const indexOf = firstIndexes(records);
  // Records that share an id share their fate: it is the first one that others hang on.
  const live = new Set(liveIndexes.map((index) => originalIndex(records, indexOf, index)));
  const known = new Map<number, boolean>();
  return (start) => {
    const path: number[] = [];
    const seen = new Set<number>();
    let index: number | undefined = originalIndex(records, indexOf, start);
    let isLive = true;
    while (index !== undefined && !seen.has(index)) {
      const settled: boolean | undefined =
        live.has(index) || (records[index]!.isMessage ? false : known.get(index));
      if (settled !== undefined) {
        isLive = settled;
        break;
      }
      seen.add(index);
      path.push(index);
      const parentId: string | undefined = records[index]!.parentId;
      index = parentId === undefined ? undefined : indexOf.get(parentId);
    }
    for (const visited of path) known.set(visited, isLive);
    return isLive;
  };
}

function originalIndex(
  records: readonly ClaudeRecord[],
  indexOf: ReadonlyMap<string, number>,
  index: number,
): number {
  const id = records[index]!.id;
  return id === undefined ? index : (indexOf.get(id) ?? index);
}
