/**
 * From the newest record of a tree of records back to its root: the line that the conversation
 * took. Records that are not on it belong to branches that were abandoned.
 *
 * The links come from outside, so they may be missing, point at themselves or go in a circle. The
 * walk visits every record at most once, and where the links end too early it goes on with the
 * record written before the earliest one visited so far, so it always ends and takes linear time.
 */
import type { RepairLog } from "./repair-log.ts";

interface TreeNode {
  readonly id?: string;
  readonly parentId?: string;
}

interface WalkOptions {
  readonly nodes: readonly TreeNode[];
  /** Index of the newest record of the conversation; -1 where there is none. */
  readonly leaf: number;
  /** True if the walk may go on with this record where a link is missing. */
  isStep(index: number): boolean;
  /** True if the conversation goes on before this root, which names no parent. */
  continuesBefore(root: number): boolean;
  report(problem: "missing-parent" | "cyclic-parent", index: number): void;
}

/** Indexes of the records on the line. */
export function walkLine({ nodes, leaf, isStep, continuesBefore, report }: WalkOptions): ReadonlySet<number> {
  const indexOf = firstIndexes(nodes);
  const line = new Set<number>();
  let earliest = leaf;
  const previousStep = (): number => {
    let index = earliest - 1;
    while (index >= 0 && !isStep(index)) index--;
    return index;
  };
  for (let index = leaf; index >= 0; ) {
    line.add(index);
    earliest = Math.min(earliest, index);
    const parentId = nodes[index]?.parentId;
    const parent = parentId === undefined ? undefined : indexOf.get(parentId);
    if (parent !== undefined && !line.has(parent)) {
      index = parent;
      continue;
    }
    if (parent !== undefined) report("cyclic-parent", index);
    else if (parentId !== undefined) report("missing-parent", index);
    else if (!continuesBefore(index)) break;
    index = previousStep();
  }
  return line;
}

/** A record of a tree, in its file. */
export interface TreeRecord extends TreeNode {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly line?: number;
  /** The id belongs to an earlier record that says something else. */
  readonly isIdTaken?: boolean;
}

/**
 * Leaves out copies: records whose id was there before and that say the same. A record that says something else
 * is kept, without the id.
 */
export function withoutCopies<Node extends TreeRecord>(
  records: readonly Node[],
  repairs: RepairLog,
  comparedParts: (record: Node) => unknown = ({ raw }) => raw,
): readonly Node[] {
  const firstOf = new Map<string, Node>();
  return records.flatMap((record): readonly Node[] => {
    const { id, line } = record;
    const first = id === undefined ? undefined : firstOf.get(id);
    if (id === undefined) return [record];
    if (first === undefined) {
      firstOf.set(id, record);
      return [record];
    }
    const isCopy = JSON.stringify(comparedParts(first)) === JSON.stringify(comparedParts(record));
    const outcome = isCopy ? "the copy is left out" : "the record is kept without it";
    repairs.add("duplicate-id", `the id ${id} was used before; ${outcome}`, line);
    return isCopy ? [] : [{ ...record, isIdTaken: true }];
  });
}

/** The test for records on the line of the newest one. Records without an id, or with a taken one, are on it. */
export function liveRecords(
  records: readonly TreeRecord[],
  repairs: RepairLog,
  continuesBefore: boolean,
): (index: number) => boolean {
  const hasId = (index: number): boolean =>
    records[index]!.id !== undefined && records[index]!.isIdTaken !== true;
  let leaf = records.length - 1;
  while (leaf >= 0 && !hasId(leaf)) leaf--;
  const line = walkLine({
    nodes: records,
    leaf,
    isStep: hasId,
    continuesBefore: () => continuesBefore,
    report: (problem, index) => {
      const words =
        "the parent of this record cannot be followed; it is taken to follow the record before it";
      repairs.add(problem, words, records[index]!.line);
    },
  });
  return (index) => !hasId(index) || line.has(index);
}

/** Index at which each id occurs first; copies of a record do not move it. */
export function firstIndexes(nodes: readonly TreeNode[]): ReadonlyMap<string, number> {
  const indexOf = new Map<string, number>();
  nodes.forEach(({ id }, index) => {
    if (id !== undefined && !indexOf.has(id)) indexOf.set(id, index);
  });
  return indexOf;
}
