/**
 * The files of a recorded session, as a rule that restores the newest would find them on the disk at any moment: every
 * use that the recording shows, folded. Worked out once for each session.
 */

import type { FileBudget } from "palimpsest/compaction";
import {
  asCandidate,
  type FileUse,
  findFileUses,
  planFiles,
  restoredFileText,
  visibleMessage,
} from "palimpsest/internal";
import { estimateBlock, tokenizerRatio } from "palimpsest/tokens";
import type { Trajectory } from "palimpsest-testing/internal";

const known = new WeakMap<Trajectory["messages"], ReadonlyMap<string, readonly FileUse[]>>();

function usesOf({ messages }: Trajectory): ReadonlyMap<string, readonly FileUse[]> {
  const before = known.get(messages);
  if (before !== undefined) return before;
  const uses = new Map<string, FileUse[]>();
  const visible = messages.map(({ message, atMs }, index) =>
    visibleMessage({
      type: "message",
      v: 1,
      id: String(index),
      seq: index,
      at: atMs,
      role: message.role,
      origin: message.origin ?? "host",
      content: message.content,
    }),
  );
  for (const use of findFileUses(visible).uses) {
    const own = uses.get(use.path);
    if (own === undefined) uses.set(use.path, [use]);
    else own.push(use);
  }
  known.set(messages, uses);
  return uses;
}

/** Files looked at before the budget is given out: some have no content. */
const CANDIDATES_COUNT = 10;

/** The texts of the files that were used last before message `index`; `undefined` if the session used none so far. */
export function newestFiles(
  trajectory: Trajectory,
  index: number,
  budget: FileBudget,
): readonly string[] | undefined {
  const used = [...usesOf(trajectory).values()]
    .map((uses) => uses.filter(({ seq }) => seq < index))
    .filter(({ length }) => length > 0)
    .toSorted((one, other) => other.at(-1)!.seq - one.at(-1)!.seq);
  if (used.length === 0) return undefined;
  const ratio = tokenizerRatio(trajectory.model);
  const candidates = used
    .slice(0, CANDIDATES_COUNT)
    .map((uses) => asCandidate({ path: uses[0]!.path, uses, visibleUses: [], ageCalls: 0, score: 0 }));
  const { files } = planFiles(candidates, budget, (block) => estimateBlock(block, trajectory.model) * ratio);
  return files.map(restoredFileText);
}
