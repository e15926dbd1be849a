/**
 * Candidates of a recall: memories that share words with the message, memories close to it by meaning if there are
 * embeddings, and, if a model chooses, other ones as far as it reads.
 */
import { MEMORY_RECALL_DEFAULTS } from "../../../base/defaults/memory/recall.ts";
import { checkOptions, checkText, number } from "../../../base/options/check-options.ts";
import type { HitReason, MemoryHit } from "../../../base/search/memory-search.ts";
import { stopIfAborted } from "../../../base/stop-if-aborted.ts";
import { isRecallable, type RecallCandidate } from "../../../memory/recall/recall-plan.ts";
import { fuseFound } from "../../../memory/recall/vector-search.ts";
import { cleanErrorMessage } from "../../../memory/trust/clean-memory.ts";
import { type FoundMemory, withState } from "../store/listed-memory.ts";
import type { MemoryCache, MemorySnapshot } from "../store/memory-cache.ts";
import type { MemoryVectors } from "./memory-vectors.ts";

/** Memories without a word of the message that a model may choose from. Our choice: many times what it reads; of more than so many, those that were written last. */
const OTHERS_COUNT = 1_000;

/** Found memories, before the choice. */
export interface FoundMemories {
  readonly candidates: readonly RecallCandidate[];
  /** By path, of every candidate. */
  readonly reasons: ReadonlyMap<string, FoundReason>;
  readonly fellBack?: string;
}

interface FoundReason {
  /** Share of the message's weight that its words make up. */
  readonly matchedShare: number;
  readonly why: HitReason;
  readonly foundBy: "words" | "meaning" | "both" | "model";
}

interface Situation {
  readonly snapshot: MemorySnapshot;
  /** True if a model chooses, which may see memories without a word of the message. */
  readonly alsoOthers: boolean;
  readonly signal: AbortSignal | undefined;
}

/** @throws `ABORTED` */
export async function findMemories(
  { cache, vectors }: { readonly cache: MemoryCache; readonly vectors: MemoryVectors | undefined },
  query: string,
  { snapshot, alsoOthers, signal }: Situation,
): Promise<FoundMemories> {
  const { memories } = snapshot;
  const limit = MEMORY_RECALL_DEFAULTS.candidatesCount;
  const alsoAlike = alsoOthers && vectors === undefined;
  const hits = cache.searchCurrent(query, { limit, alsoAlike });
  const byWords: FoundMemories = {
    candidates: candidatesOf(hits, memories),
    reasons: new Map(
      hits.map((hit) => [
        hit.id,
        { why: hit.why, matchedShare: hit.matchedShare, foundBy: isAlike(hit) ? "model" : "words" },
      ]),
    ),
  };
  if (vectors === undefined)
    return alsoAlike && hits.length > 0 && hits.length < limit ? withOthers(byWords, snapshot) : byWords;
  try {
    const all = [...memories.values()];
    const recallable = all.filter(({ memory }) => isRecallable(memory));
    const { paths: near, withoutCount } = await vectors.closest(query, recallable, {
      // A model that chooses looks at what may belong to a message, too.
      nearness: alsoOthers ? "found" : "shown",
      present: all.map(({ version }) => version),
      signal,
    });
    const reasons = new Map(byWords.reasons);
    for (const id of near) {
      const known = reasons.get(id);
      reasons.set(
        id,
        known === undefined
          ? { why: NO_WORDS, matchedShare: 0, foundBy: "meaning" }
          : { ...known, foundBy: "both" },
      );
    }
    const fused = fuseFound(hits, near);
    const fellBack =
      withoutCount === undefined
        ? {}
        : {
            fellBack: `${withoutCount} of ${recallable.length} memories have no vector: those were searched by their words.`,
          };
    return { candidates: candidatesOf(fused, memories), reasons, ...fellBack };
  } catch (error) {
    stopIfAborted(signal, "The recall");
    return { ...byWords, fellBack: cleanErrorMessage(error) };
  }
}

/**
 * Memories in any state that match a text best: by their words, and by meaning if there are embeddings. If those fail,
 * by words alone.
 */
export async function searchMemories(
  { cache, vectors }: { readonly cache: MemoryCache; readonly vectors: MemoryVectors | undefined },
  text: string,
  options: { readonly limit?: number },
): Promise<readonly FoundMemory[]> {
  checkText("search", "text", text);
  checkOptions("search", options, { limit: number });
  const { limit = MEMORY_RECALL_DEFAULTS.searchedCount } = options;
  const { memories } = vectors === undefined ? await cache.look() : await cache.lookWhole();
  const hits = cache.search(text, { limit, accepts: () => true });
  const all = vectors === undefined ? [] : [...memories.values()];
  const near = await vectors
    ?.closest(text, all, { nearness: "found", present: all.map(({ version }) => version) })
    .catch(() => undefined);
  const reasons = new Map(hits.map(({ id, why }) => [id, why]));
  const found = near === undefined ? hits : fuseFound(hits, near.paths);
  return found.slice(0, limit).flatMap(({ id, score }) => {
    const known = memories.get(id);
    return known === undefined
      ? []
      : [{ ...withState(known.memory), score, why: reasons.get(id) ?? NO_WORDS }];
  });
}

/**
 * Behind what fits, the others: what belongs to a message need not share a word with it. They come by whom to believe
 * and by their worth, and are never shown where no model chooses.
 */
function withOthers({ candidates, reasons }: FoundMemories, { where }: MemorySnapshot): FoundMemories {
  const others = where((one) => isRecallable(one) && !reasons.has(one.path), OTHERS_COUNT).map(
    ({ memory }) => memory,
  );
  const byModel: FoundReason = { why: NO_WORDS, matchedShare: 0, foundBy: "model" };
  return {
    candidates: [...candidates, ...others.map((memory) => ({ memory, score: 0 }))],
    reasons: new Map([...reasons, ...others.map(({ path }) => [path, byModel] as const)]),
  };
}

const NO_WORDS: HitReason = { words: [], ownScore: 0, neighbourScore: 0, groupScore: 0 };

/** A document with a score and no word of the query was found by the words of matching ones. */
function isAlike({ why }: MemoryHit): boolean {
  return why.words.length === 0 && why.ownScore > 0;
}

function candidatesOf(
  hits: readonly { readonly id: string; readonly score: number; readonly why?: HitReason }[],
  memories: MemorySnapshot["memories"],
): readonly RecallCandidate[] {
  return hits.flatMap(({ id, score, why }) => {
    const memory = memories.get(id)?.memory;
    return memory === undefined
      ? []
      : [
          {
            memory,
            score,
            groupScore: why?.groupScore ?? 0,
            words: why?.words.map(({ word }) => word) ?? [],
          },
        ];
  });
}
