/**
 * Which memories a message calls for: ranked by how well they fit and what they are worth, without what the
 * model has seen already, what is history or quarantined, and what a tool in use says by itself.
 */
import { MEMORY_RECALL_DEFAULTS } from "../../base/defaults/memory/recall.ts";
import { type Memory, trustOf } from "../files/memory.ts";
import { putNewerFirst } from "../subject/newer-first.ts";
import { relevanceScoreOf } from "./relevance-score.ts";

/** A memory and how well it fits the words of a message. */
export interface RecallCandidate {
  readonly memory: Memory;
  /** Of the search: larger is better, comparable within one search. */
  readonly score: number;
  /** The part of the score that is its whole session's. @defaultValue 0 */
  readonly groupScore?: number;
}

interface RecallSituation {
  readonly nowMs: number;
  /** Paths of what the model sees already. */
  readonly shown: ReadonlySet<string>;
  /** Tools that were called lately: how they are used is seen, what goes wrong with them may not be. */
  readonly recentTools: readonly string[];
  /** In how many sessions each memory was of use. */
  readonly usedCounts?: ReadonlyMap<string, number>;
}

export interface RankedMemory extends RecallCandidate {
  /** The score, weighed with the worth. */
  readonly rank: number;
  readonly relevanceScore: number;
}

/** Whether a model may see it at all, whatever it fits. */
export function isRecallable(memory: Memory): boolean {
  return !memory.isQuarantined && memory.supersededBy === undefined;
}

/** Those that may be shown, the best first; of those about the same matter, the newer one. */
export function rankMemories(
  candidates: readonly RecallCandidate[],
  situation: RecallSituation,
): readonly RankedMemory[] {
  const { nowMs, shown, usedCounts } = situation;
  const { agelessShare } = MEMORY_RECALL_DEFAULTS;
  const tools = situation.recentTools.map((tool) => tool.toLowerCase()).filter((tool) => tool !== "");
  const ranked = candidates
    .filter(({ memory }) => isRecallable(memory) && !shown.has(memory.path) && !isUsageOf(memory, tools))
    .map((candidate) => {
      const relevanceScore = relevanceScoreOf(
        candidate.memory,
        nowMs,
        usedCounts?.get(candidate.memory.path),
      );
      const rank = candidate.score * (agelessShare + (1 - agelessShare) * Math.min(1, relevanceScore));
      return { ...candidate, relevanceScore, rank };
    })
    .sort(
      (one, other) =>
        other.rank - one.rank ||
        trustOf(other.memory) - trustOf(one.memory) ||
        other.relevanceScore - one.relevanceScore ||
        (one.memory.path < other.memory.path ? -1 : 1),
    );
  return putNewerFirst(ranked, ({ memory, rank }) => ({
    text: memory.body.trim() === "" ? memory.description : memory.body,
    score: rank,
    timeMs: memory.updatedAtMs ?? memory.createdAtMs,
    trust: trustOf(memory),
  }));
}

/**
 * Without a model: the best ones that are not far behind the first. That others of its session fit puts a memory
 * before one that fits as well; it is no reason to show it.
 */
export function chooseByRank(ranked: readonly RankedMemory[], count: number): readonly RankedMemory[] {
  const [first] = ranked;
  if (first === undefined) return [];
  const least = ownRank(first) * MEMORY_RECALL_DEFAULTS.leastScoreShare;
  return ranked.slice(0, count).filter((one) => one.rank > 0 && ownRank(one) >= least);
}

function ownRank({ rank, score, groupScore = 0 }: RankedMemory): number {
  return score === 0 ? 0 : (rank * (score - groupScore)) / score;
}

const WARNING =
  /\b(?:warning|caution|careful|gotcha|pitfall|caveat|beware|never|don'?t|do not|avoid|fails?|broken|breaks|bug|known issue|instead)\b/i;

/** How a tool is used, for somebody who is using it: of no use, unless it warns. */
function isUsageOf(memory: Memory, tools: readonly string[]): boolean {
  if (memory.type !== "reference" || tools.length === 0) return false;
  const title = ` ${`${memory.name} ${memory.description}`.toLowerCase().replace(/[^\p{L}\p{N}_]+/gu, " ")} `;
  const isAboutTool = tools.some((tool) =>
    title.includes(` ${tool.replace(/[^\p{L}\p{N}_]+/gu, " ").trim()} `),
  );
  return isAboutTool && !WARNING.test(`${memory.name} ${memory.description} ${memory.body}`);
}
