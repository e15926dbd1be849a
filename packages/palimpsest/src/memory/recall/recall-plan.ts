/**
 * Which memories a message calls for: ranked by how well they fit and what they are worth, without what the
 * model has seen already, what is history or quarantined, and what a tool in use says by itself.
 */
import { MEMORY_RECALL_DEFAULTS } from "../../base/defaults/memory/recall.ts";
import { DAY_MS, daysSince } from "../../base/durations.ts";
import type { HitReason } from "../../base/search/memory-search.ts";
import { doesFade, type Memory, trustOf } from "../files/memory.ts";
import { isTelling, putNewerFirst } from "../subject/newer-first.ts";

/** Part of a hit's score that no age takes away. Our choice: an old memory that fits goes before a new one that does not. */
const AGELESS_SHARE = 0.5;

/** A memory and how well it fits the words of a message. */
export interface RecallCandidate {
  readonly memory: Memory;
  /** The search's score: larger is better, comparable within one search. */
  readonly score: number;
  /** The part of the score that is its whole session's. @defaultValue 0 */
  readonly groupScore?: number;
  /** The words of the message that it has. @defaultValue none */
  readonly words?: readonly string[];
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

/** True if a model may see it at all. */
export function isRecallable(memory: Pick<Memory, "isQuarantined" | "supersededBy">): boolean {
  return !memory.isQuarantined && memory.supersededBy === undefined;
}

/** Those that may be shown, the best first; of those about the same matter, the newer one. */
export function rankMemories(
  candidates: readonly RecallCandidate[],
  situation: RecallSituation,
): readonly RankedMemory[] {
  const { nowMs, shown, usedCounts } = situation;
  const tools = situation.recentTools.map((tool) => tool.toLowerCase()).filter((tool) => tool !== "");
  const ranked = candidates
    .filter(({ memory }) => isRecallable(memory) && !shown.has(memory.path) && !isUsageOf(memory, tools))
    .map((candidate) => {
      const relevanceScore = relevanceScoreOf(
        candidate.memory,
        nowMs,
        usedCounts?.get(candidate.memory.path),
      );
      const rank = candidate.score * (AGELESS_SHARE + (1 - AGELESS_SHARE) * Math.min(1, relevanceScore));
      return { ...candidate, relevanceScore, rank };
    })
    .sort(
      (one, other) =>
        other.rank - one.rank ||
        trustOf(other.memory) - trustOf(one.memory) ||
        other.relevanceScore - one.relevanceScore ||
        (one.memory.path < other.memory.path ? -1 : 1),
    );
  return putNewerFirst(ranked, ({ memory, rank, words = [] }) => ({
    // A turn of a conversation answers one before it; it does not correct it.
    words: memory.follows === undefined ? words : [],
    text: memory.body.trim() === "" ? memory.description : memory.body,
    score: rank,
    timeMs: memory.updatedAtMs ?? memory.createdAtMs,
    trust: trustOf(memory),
  }));
}

/** Found memories that share a word of the message, up to which the word says what they are about. Our choice: a fact, its correction, and one more. */
const SUBJECT_COUNT = 3;

/** Part of the words of the message that a memory has, from which on another one that has them is about the same. Our choice: of a question that repeats a whole memory, one word of many is in others by chance. */
const SUBJECT_SHARE = 1 / 3;

/**
 * Chooses without a model: the best ones that are not far behind the first, and what was said later of their subjects. A
 * matching session raises a memory's rank, but does not justify showing it.
 */
export function chooseByRank(ranked: readonly RankedMemory[], count: number): readonly RankedMemory[] {
  const [first] = ranked;
  if (first === undefined) return [];
  const least = ownRank(first) * MEMORY_RECALL_DEFAULTS.leastScoreShare;
  const chosen = ranked.slice(0, count).filter((one) => one.rank > 0 && ownRank(one) >= least);
  return [...chosen, ...laterOfSubjects(chosen, ranked)].slice(0, count);
}

/**
 * Newer memories that are far behind, and have a word of the message that only they and a chosen one have. A correction
 * may have little else of the question, and the old fact alone would mislead.
 */
function laterOfSubjects(
  chosen: readonly RankedMemory[],
  ranked: readonly RankedMemory[],
): readonly RankedMemory[] {
  const counts = new Map<string, number>();
  for (const { words = [] } of ranked)
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const isSubject = (word: string): boolean => counts.get(word)! <= SUBJECT_COUNT && isTelling(word);
  const isOf = (later: RankedMemory, { memory, words = [] }: RankedMemory): boolean =>
    writtenMs(later.memory) > writtenMs(memory) &&
    trustOf(later.memory) >= trustOf(memory) &&
    words.some((word) => later.words?.includes(word) === true && isSubject(word)) &&
    sharedCount(words, later.words) >= words.filter(isTelling).length * SUBJECT_SHARE;
  const others = ranked.filter((one) => one.memory.follows === undefined && !chosen.includes(one));
  return others.filter((one) => chosen.some((other) => isOf(one, other)));
}

const sharedCount = (words: readonly string[], others: readonly string[] = []): number =>
  words.filter((word) => isTelling(word) && others.includes(word)).length;

const writtenMs = ({ createdAtMs, updatedAtMs }: Memory): number =>
  updatedAtMs ?? createdAtMs ?? Number.NEGATIVE_INFINITY;

function ownRank({ rank, score, groupScore = 0 }: RankedMemory): number {
  return score === 0 ? 0 : (rank * (score - groupScore)) / score;
}

const WARNING =
  /\b(?:warning|caution|careful|gotcha|pitfall|caveat|beware|never|don'?t|do not|avoid|fails?|broken|breaks|bug|known issue|instead)\b/i;

/** True for instructions about a tool in use; the agent needs only warnings about it. */
function isUsageOf(memory: Memory, tools: readonly string[]): boolean {
  if (memory.type !== "reference" || tools.length === 0) return false;
  const title = ` ${`${memory.name} ${memory.description}`.toLowerCase().replace(/[^\p{L}\p{N}_]+/gu, " ")} `;
  const isAboutTool = tools.some((tool) =>
    title.includes(` ${tool.replace(/[^\p{L}\p{N}_]+/gu, " ").trim()} `),
  );
  return isAboutTool && !WARNING.test(`${memory.name} ${memory.description} ${memory.body}`);
}

/** One memory that was found, and the words of the message that it has. */
export interface WordHit {
  readonly path: string;
  /** Share of the message's weight that these words make up. */
  readonly matchedShare: number;
  readonly words: HitReason["words"];
}

/** The same floor for a caller who asks. Source: packages/evaluation/bench/memory: of messages about something else 1 to 8 in a hundred are given one of 60 to 120 facts (without it 42 to 85), and questions about facts and turns of conversations find as much; of preferences that a question does not name 12 of 100 are found instead of 46, the rest is left to the vectors. */
const ASKED = { matchedShare: 0.2, aloneShare: 0.25 };

/** Share of a message's weight that is nearly all of it. */
const NEARLY_ALL = 0.9;

/** The paths of those that fit a message: by a good part of its words, or by the name that someone gave them. */
export function aboveRecallThreshold(
  hits: readonly WordHit[],
  floor: "clear" | "asked" = "clear",
): ReadonlySet<string> {
  const { clear } = MEMORY_RECALL_DEFAULTS;
  const { matchedShare, aloneShare, wordsCount } = floor === "clear" ? clear : { ...clear, ...ASKED };
  // A message may ask for several things, each in one word: then these words are nearly all of it.
  const alone = new Map(
    hits.flatMap(({ words, matchedShare: share }) =>
      words.length === 1 ? [[words[0]!.word, share] as const] : [],
    ),
  );
  const isOnlyThese = [...alone.values()].reduce((sum, share) => sum + share, 0) >= NEARLY_ALL;
  const isClear = (hit: WordHit): boolean => {
    const telling = hit.words.filter(({ fields }) => fields.some((field) => field !== "body")).length;
    if (telling >= wordsCount) return true;
    return (
      hit.matchedShare >= (hit.words.length > 1 || telling > 0 || isOnlyThese ? matchedShare : aloneShare)
    );
  };
  return new Set(hits.filter(isClear).map(({ path }) => path));
}

/** Whole days since it was last written; `undefined` where the file does not say. */
export function ageDays(
  { createdAtMs, updatedAtMs }: Pick<Memory, "createdAtMs" | "updatedAtMs">,
  nowMs: number,
): number | undefined {
  const writtenMs = updatedAtMs ?? createdAtMs;
  return writtenMs === undefined ? undefined : daysSince(writtenMs, nowMs);
}

type Valued = Pick<
  Memory,
  "relevance" | "decays" | "type" | "source" | "isConfirmed" | "createdAtMs" | "updatedAtMs" | "keptAtMs"
>;

/**
 * Its age counts from when a person last said it or confirmed it. A memory without a creation date has no known age.
 * @param usedCount - in how many sessions it was recalled and used
 */
export function relevanceScoreOf(memory: Omit<Valued, "keptAtMs">, nowMs: number, usedCount = 0): number {
  return scoreSince(memory, memory.updatedAtMs ?? 0, { nowMs, usedCount });
}

/**
 * The worth by which it is decided whether a memory goes to the archive: its age counts from when it was last kept on
 * purpose, too. An import, or the winner of a contradiction, has a full life here before it fades.
 */
export function standingOf(memory: Valued, nowMs: number, usedCount = 0): number {
  const { updatedAtMs = 0, keptAtMs = 0 } = memory;
  return scoreSince(memory, Math.max(updatedAtMs, keptAtMs), { nowMs, usedCount });
}

function scoreSince(
  memory: Omit<Valued, "keptAtMs">,
  sinceMs: number,
  { nowMs, usedCount }: { readonly nowMs: number; readonly usedCount: number },
): number {
  const { halfLifeDays, usedBonus } = MEMORY_RECALL_DEFAULTS;
  const relevance = memory.relevance + Math.min(usedBonus.most, usedBonus.each * usedCount);
  if (!doesFade(memory) || memory.createdAtMs === undefined) return relevance;
  const days = Math.max(0, nowMs - Math.max(memory.createdAtMs, sinceMs)) / DAY_MS;
  return relevance * 0.5 ** (days / halfLifeDays);
}
