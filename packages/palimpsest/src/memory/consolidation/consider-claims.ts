/**
 * Carries out what a model proposed for memories, as far as each proposal bears being judged on what is there now.
 *
 * The answer was given on an earlier look: what it names must still say what it said then. What is in the way of a
 * proposal may be gone by another one, so those that could not be done are tried again as long as any is.
 */
import type { Steps } from "../../base/steps.ts";
import type { Memory } from "../files/memory.ts";
import type { ConsolidationActions } from "./consolidation-actions.ts";
import {
  byFoundation,
  type DreamClaims,
  type DreamProposal,
  judgeMerge,
  judgeMergedText,
  judgeSupersede,
} from "./dream-claims.ts";

/** Proposals of a model that one dream carries out. Our choice: as many as it may archive, so that a person still reads what was done. */
const CLAIMED_COUNT = 20;

const MERGED = {
  why: "A model says that they belong together; the better founded one stays, with what the other says.",
  by: "model",
} as const;
const SUPERSEDED = {
  why: "A model says that they contradict each other; the newer one wins.",
  by: "model",
} as const;

/**
 * Does what may be done, and `settle` after each round of it.
 * @returns why the others were not
 */
export function* considerClaims(
  consolidation: ConsolidationActions,
  claims: DreamClaims,
  settle: () => Steps,
): Steps<readonly string[]> {
  /** Texts of the memories that may be named. */
  const shown = new Map(claims.shown);
  let doneCount = 0;
  let open = claims.proposals;
  for (;;) {
    const actionsCount = consolidation.actions.length;
    const reasons = new Set<string>();
    open = open.filter((proposal) => {
      const why = reasonAgainst(proposal);
      if (why !== undefined) reasons.add(why);
      return why !== undefined;
    });
    if (consolidation.actions.length === actionsCount) return [...reasons];
    yield* settle();
  }

  /** Does it, where nothing speaks against it. */
  function reasonAgainst(proposal: DreamProposal): string | undefined {
    const paths = proposal.kind === "merge" ? proposal.paths : [proposal.newer, proposal.older];
    if (!paths.every((path) => shown.has(path))) return "It names a memory that it was not shown.";
    const memories = paths.flatMap((path) => {
      const memory = consolidation.activeAt(path);
      return memory === undefined || memory.body !== shown.get(path) ? [] : [memory];
    });
    if (memories.length < 2) return "A memory that it names has changed since it was shown.";
    if (doneCount >= CLAIMED_COUNT) return `One dream does at most ${CLAIMED_COUNT} of a model's proposals.`;
    return proposal.kind === "merge"
      ? merge(memories.toSorted(byFoundation), proposal.text)
      : supersede(memories[0]!, memories[1]!);
  }

  function supersede(newer: Memory, older: Memory): string | undefined {
    const verdict = judgeSupersede(newer, older);
    if (!verdict.isAllowed) return `${verdict.why} (${newer.path}, ${older.path})`;
    doneCount++;
    consolidation.supersede(newer.path, older, SUPERSEDED);
    return undefined;
  }

  /** @param memories - the best founded first */
  function merge(memories: readonly Memory[], proposed: string | undefined): string | undefined {
    const [kept, ...others] = memories as [Memory, ...Memory[]];
    const { path } = kept;
    const begun = judgeMergedText(memories, proposed);
    if (!begun.isAllowed) return `${begun.why} (${path})`;
    let reason: string | undefined;
    let text = begun.value;
    const gone: Memory[] = [];
    for (const other of others) {
      const verdict = judgeMerge({ kept, text }, other);
      if (!verdict.isAllowed) reason = `${verdict.why} (${path}, ${other.path})`;
      else if (consolidation.hasSpace(gone.length, other.path)) {
        text = verdict.value;
        gone.push(other);
      }
    }
    if (gone.length === 0) return reason ?? "The archive takes no more in this dream.";
    doneCount++;
    for (const one of gone) consolidation.merge(path, one, MERGED);
    consolidation.rewrite(path, text, [kept, ...gone]);
    shown.set(path, consolidation.activeAt(path)!.body);
    return reason;
  }
}
