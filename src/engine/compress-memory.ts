/**
 * One compression: plan, ask the host's model, fall back to the heuristic, carry it out.
 */

import { redactSecrets } from "../base/secret-patterns.ts";
import { heuristicSummary, isHeuristic } from "../compaction/conversation/heuristic-summary.ts";
import type { MemoryConfig } from "../compaction/conversation/memory-config.ts";
import { copySummary, countMemoryTokens } from "../compaction/conversation/memory-entry.ts";
import {
  type CompressionPlan,
  type CompressionTrigger,
  countEligible,
  planCompression,
  summaryOf,
} from "../compaction/conversation/plan-compression.ts";
import { summaryPrompt } from "../compaction/conversation/summary-prompt.ts";
import type { Clock } from "../ports/clock.ts";
import type { Deadline } from "../ports/deadline.ts";
import type { IdSource } from "../ports/id-source.ts";
import { askForSummary, type SummarizeCallback, type SummarizeProblem } from "./ask-for-summary.ts";
import type { ConversationKeeper, Generation } from "./conversation-keeper.ts";
import type { CompressionReport } from "./memory-events.ts";

/** What a compression works with. */
export interface Compressor {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly deadline: Deadline;
  readonly timeoutMs: number;
  readonly config: MemoryConfig;
  readonly callback: SummarizeCallback | undefined;
}

interface Written {
  readonly plan: CompressionPlan;
  readonly content: string;
  readonly writtenBy: "callback" | "heuristic";
}

/** Compresses what is eligible; `undefined` where nothing is, or no summary would be smaller. */
export async function compressMemory(
  keeper: ConversationKeeper,
  trigger: CompressionTrigger,
  work: Compressor,
): Promise<CompressionReport | undefined> {
  const { plan, generation } = await keeper.run((_session, current) => ({
    plan: planCompression(current.mirror, work.config),
    generation: current,
  }));
  if (plan === undefined) return undefined;
  const asked = await ask(plan, work);
  const written = asked?.written ?? writeWithoutModel(generation, work.config);
  if (written === undefined) {
    generation.refusedAtCount = countEligible(generation.mirror, work.config);
    return undefined;
  }
  const { content, writtenBy } = written;
  const made = {
    id: work.ids.entryId(),
    content,
    tokenCount: countMemoryTokens(content),
    atMs: work.clock.nowMs(),
  };
  const summary = summaryOf(written.plan, made);
  if (!(await keeper.compress(written.plan, summary, { generation, reason: trigger }))) return undefined;
  generation.refusedAtCount = 0;
  return {
    tokensSaved: written.plan.replacedTokens - summary.tokenCount,
    entriesCompressed: written.plan.entries.length,
    summariesFolded: written.plan.folded.length,
    summary: copySummary(summary),
    trigger,
    writtenBy,
    ...(asked?.problem === undefined ? {} : { problem: asked.problem }),
  };
}

async function ask(
  plan: CompressionPlan,
  { callback, deadline, timeoutMs }: Compressor,
): Promise<{ readonly written?: Written; readonly problem?: SummarizeProblem } | undefined> {
  if (callback === undefined) return undefined;
  const asked = await askForSummary(callback, summaryPrompt(plan), { deadline, timeoutMs });
  if (!asked.ok) return { problem: asked.problem };
  // The log keeps what was said; what is derived from it carries no keys on.
  const content = redactSecrets(asked.content).text;
  if (countMemoryTokens(content) >= plan.replacedTokens) return { problem: { reason: "not-smaller" } };
  return { written: { plan, content, writtenBy: "callback" } };
}

/** A model's summary says more than the heuristic could, so it is left where it is. */
function writeWithoutModel({ mirror }: Generation, config: MemoryConfig): Written | undefined {
  const plan = planCompression(mirror, config, isHeuristic);
  const content = plan === undefined ? undefined : heuristicSummary(plan);
  return plan === undefined || content === undefined ? undefined : { plan, content, writtenBy: "heuristic" };
}
