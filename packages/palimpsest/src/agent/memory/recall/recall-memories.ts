/**
 * Recalls memories for a message: searched, ranked, chosen by a light model where there is one, and written so
 * that a prompt can hold them.
 *
 * A model that fails, takes too long or answers something else costs nothing but its time: then the ranking
 * decides. It sees names and descriptions only, and can choose nothing that the ranking did not offer.
 */

import { MEMORY_RECALL_DEFAULTS } from "../../../base/defaults/memory/recall.ts";
import { checkText } from "../../../base/options/check-options.ts";
import { redactBroken } from "../../../base/redaction/broken-secrets.ts";
import type { HitReason } from "../../../base/search/memory-search.ts";
import { stopIfAborted } from "../../../base/stop-if-aborted.ts";
import type { KnownMemory, Memory, MemorySource, MemoryType } from "../../../memory/files/memory.ts";
import { composeChoice, readChoice } from "../../../memory/recall/recall-choice.ts";
import {
  aboveRecallThreshold,
  ageDays,
  chooseByRank,
  type RankedMemory,
  rankMemories,
} from "../../../memory/recall/recall-plan.ts";
import { composeRecall } from "../../../memory/recall/recall-text.ts";
import { cleanErrorMessage } from "../../../memory/trust/clean-memory.ts";
import type { ModelClient } from "../../../ports/model-client.ts";
import type { Deadline } from "../../../ports/runtime.ts";
import { askModel } from "../../../session/model/model-call.ts";
import { blockText } from "../../../transcript/blocks.ts";
import type { MemoryCache } from "../store/memory-cache.ts";
import { type FoundMemories, findMemories } from "./find-memories.ts";
import type { MemoryVectors } from "./memory-vectors.ts";
import { checkRecall, type RecallOptions } from "./recall-options.ts";

/** One memory that was recalled, and why. */
export interface RecalledMemory {
  readonly path: string;
  readonly name: string;
  /** Its whole text, without secrets, and without the fence and the notes of `Recall.text`: data, not instructions. */
  readonly body: string;
  readonly type: MemoryType | undefined;
  readonly source: MemorySource;
  readonly isConfirmed: boolean;
  /** Since it was last written; `undefined` where its file does not say. */
  readonly ageDays: number | undefined;
  /** The match, weighed with its relevance; comparable within one recall only. */
  readonly score: number;
  /** Its relevance with its age: see `relevance`. */
  readonly relevanceScore: number;
  /** The words that it has in common with the query, and what each part of the score is; none where neither found it. */
  readonly why: HitReason;
  /** `model`: it has no word of the query, and who chose saw it among the others. */
  readonly foundBy: "words" | "meaning" | "both" | "model";
  /** Only its beginning is in the text. */
  readonly isCut: boolean;
  /** The version of the shown file. */
  readonly version: string;
}

/** The memories recalled for a message. */
export interface Recall {
  /** Ready for a prompt: fenced as data, with where each memory comes from and how old it is. Empty where none fits. */
  readonly text: string;
  readonly tokens: number;
  /** The best first. */
  readonly memories: readonly RecalledMemory[];
  /** Set by the chooser among the found memories. */
  readonly chosenBy: "model" | "rank";
  /** Why a model did not choose, or meanings were not compared, although they were to be. */
  readonly fellBack?: string;
}

interface RecallWorld {
  readonly cache: MemoryCache;
  readonly now: () => number;
  readonly deadline: Deadline;
  readonly lightModel: ModelClient | undefined;
  readonly vectors: MemoryVectors | undefined;
  /** In how many sessions each memory was of use. */
  readonly usedCounts: () => Promise<ReadonlyMap<string, number>>;
}

interface Chosen {
  readonly memories: readonly RankedMemory[];
  readonly by: "model" | "rank";
  readonly fellBack?: string;
}

/** @throws `ABORTED`, `OPTION_INVALID`, `STORE_FAILED` */
export async function recallMemories(
  world: RecallWorld,
  query: string,
  options: RecallOptions,
): Promise<Recall> {
  checkText("recall", "message", query);
  checkRecall(options);
  const { cache } = world;
  const nowMs = world.now();
  // Meanings are compared with those of all memories.
  const snapshot = world.vectors === undefined ? await cache.look() : await cache.lookWhole();
  const { memories } = snapshot;
  stopIfAborted(options.signal, "The recall");
  const situation = { snapshot, alsoOthers: chooserOf(world, options) !== undefined, signal: options.signal };
  const found = await findMemories(world, query, situation);
  const ranked = rankMemories(found.candidates, {
    nowMs,
    shown: new Set(options.shown),
    recentTools: options.recentTools ?? [],
    usedCounts: await world.usedCounts(),
  });
  // A model that chooses sees whatever has a word, and so does who wants that.
  const isAll = options.onlyClear === false || (options.onlyClear === undefined && situation.alsoOthers);
  const clear = isAll ? undefined : fittingOf(found, options.onlyClear === true);
  const chosen = await choose(world, query, { ranked, clear }, options);
  const { text, tokens, shown } = composeRecall(
    chosen.memories.map(({ memory }) => memory),
    { nowMs, budgetTokens: options.budgetTokens ?? MEMORY_RECALL_DEFAULTS.recallTokens },
  );
  const fellBack = [found.fellBack, chosen.fellBack].filter((reason) => reason !== undefined).join(" ");
  const ranks = new Map(chosen.memories.map((one) => [one.memory.path, one]));
  return {
    text,
    tokens,
    memories: shown.map(({ memory, isCut }) => ({
      ...describe(memory, nowMs),
      score: ranks.get(memory.path)!.rank,
      relevanceScore: ranks.get(memory.path)!.relevanceScore,
      ...reasonOf(found, memory.path),
      isCut,
      version: memories.get(memory.path)!.version,
    })),
    chosenBy: chosen.by,
    ...(fellBack === "" ? {} : { fellBack }),
  };
}

function reasonOf({ reasons }: FoundMemories, path: string) {
  const { why, foundBy } = reasons.get(path)!;
  return { why, foundBy };
}

/** The paths that fit; `undefined` where all do, as one fits roughly. A match by meaning is sufficient by itself. */
function fittingOf({ reasons }: FoundMemories, onlyClear: boolean): ReadonlySet<string> | undefined {
  const found = [...reasons];
  const hits = found.map(([path, { why, matchedShare }]) => ({ path, matchedShare, words: why.words }));
  const byMeaning = found.flatMap(([path, { foundBy }]) =>
    foundBy === "meaning" || foundBy === "both" ? [path] : [],
  );
  const fitting = new Set([...byMeaning, ...aboveRecallThreshold(hits, onlyClear ? "clear" : "asked")]);
  return onlyClear || fitting.size === 0 ? fitting : undefined;
}

/** The model that chooses; `undefined` where the ranking does. */
function chooserOf({ lightModel }: RecallWorld, { model, chooseBy }: RecallOptions): ModelClient | undefined {
  return chooseBy === "rank" ? undefined : (model ?? lightModel);
}

function describe(memory: KnownMemory["memory"], nowMs: number) {
  const { path, type, source, isConfirmed } = memory;
  const [name, body] = [redactBroken(memory.name).text, redactBroken(memory.body).text];
  return { path, name, body, type, source, isConfirmed, ageDays: ageDays(memory, nowMs) };
}

async function choose(
  world: RecallWorld,
  query: string,
  {
    ranked,
    clear,
  }: { readonly ranked: readonly RankedMemory[]; readonly clear: ReadonlySet<string> | undefined },
  options: RecallOptions,
): Promise<Chosen> {
  const limit = Math.max(0, options.limit ?? MEMORY_RECALL_DEFAULTS.recalledCount);
  const byRank = chooseByRank(
    ranked.filter(({ memory }) => clear?.has(memory.path) !== false),
    limit,
  );
  const chooser = chooserOf(world, options);
  if (chooser === undefined || ranked.length === 0) return { memories: byRank, by: "rank" };
  try {
    const paths = await askToChoose(world, chooser, query, ranked, options);
    if (paths === undefined)
      return { memories: byRank, by: "rank", fellBack: "The model's answer names no memories." };
    const chosen = paths.flatMap((path) => ranked.find(({ memory }) => memory.path === path) ?? []);
    return { memories: chosen.slice(0, limit), by: "model" };
  } catch (error) {
    stopIfAborted(options.signal, "The recall");
    const fellBack = cleanErrorMessage(error);
    return { memories: byRank, by: "rank", fellBack };
  }
}

async function askToChoose(
  { deadline }: RecallWorld,
  client: ModelClient,
  query: string,
  ranked: readonly RankedMemory[],
  { recentTools = [], signal }: RecallOptions,
): Promise<readonly string[] | undefined> {
  const candidates = ranked
    .slice(0, MEMORY_RECALL_DEFAULTS.candidatesCount)
    .map(({ memory }): Memory => memory);
  const { system, text } = composeChoice(query, candidates, recentTools);
  const request = {
    model: client.model ?? "",
    system,
    messages: [{ role: "user" as const, content: [{ type: "text" as const, text }] }],
    cacheMarks: [],
  };
  const timeoutMs = MEMORY_RECALL_DEFAULTS.choiceTimeoutMs;
  const { content } = await askModel(client, request, { deadline, timeoutMs, signal });
  // What a model thinks is not what it answers.
  const replies = content.filter(({ type }) => type === "text").map(blockText);
  return readChoice(replies.join("\n"), candidates)?.map(({ path }) => path);
}
