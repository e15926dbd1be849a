/**
 * From the newest record of a tree of records back to its root: the line that the conversation
 * took. Records that are not on it belong to branches that were abandoned.
 *
 * The links come from outside, so they may be missing, point at themselves or go in a circle. The
 * walk visits every record at most once, and where the links end too early it goes on with the
 * record written before the earliest one visited so far, so it always ends and takes linear time.
 */

export interface TreeNode {
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

/** Index at which each id occurs first; copies of a record do not move it. */
export function firstIndexes(nodes: readonly TreeNode[]): ReadonlyMap<string, number> {
  const indexOf = new Map<string, number>();
  nodes.forEach(({ id }, index) => {
    if (id !== undefined && !indexOf.has(id)) indexOf.set(id, index);
  });
  return indexOf;
}
