/**
 * One compression: plan, ask the host's model, fall back to the heuristic, carry it out.
 */

import { KnownSecrets } from "../base/redaction/known-secrets.ts";
import type { Clock, Deadline, IdSource } from "../ports/runtime.ts";
import { askWithin } from "../session/model/ask-within.ts";
import type { MemoryConfig } from "./compression/compression-config.ts";
import { heuristicSummary, isHeuristic } from "./compression/heuristic-summary.ts";
import {
  type CompressionPlan,
  type CompressionTrigger,
  countEligible,
  planCompression,
  summaryOf,
} from "./compression/plan-compression.ts";
import { summaryPrompt } from "./compression/summary-prompt.ts";
import type { ConversationStore } from "./conversation-store.ts";
import { copySummary, countMemoryTokens, type MemorySummary } from "./entries/conversation-entry.ts";

/**
 * Writes a summary from a prompt: a call of your model. `signal` is aborted at the time limit; pass it on
 * to your SDK, so that it stops a call whose answer would not be used.
 */
export type SummarizeCallback = (
  prompt: string,
  options: { readonly signal: AbortSignal },
) => Promise<string>;

/** Why a callback's summary was not used. */
interface SummarizeProblem {
  /**
   * `failed`: it threw. `timed-out`: nothing came within `summarizeTimeoutMs`. `not-text`, `empty`: the result is not
   * a string, or is blank. `not-smaller`: it has no fewer tokens than the messages it would replace.
   */
  readonly reason: "failed" | "timed-out" | "not-text" | "empty" | "not-smaller";
  /** The error it threw. */
  readonly error?: unknown;
}

/** A compression that was carried out. */
export interface CompressionReport {
  /** Tokens that the context takes less. */
  readonly tokensSaved: number;
  /** Entries that were compressed. */
  readonly entriesCompressed: number;
  /** Earlier summaries that the new one takes the place of. */
  readonly summariesFolded: number;
  readonly summary: MemorySummary;
  readonly trigger: CompressionTrigger;
  /** The author of the summary: the callback, or the heuristic. */
  readonly writtenBy: "callback" | "heuristic";
  /** Why the callback's summary was not used, where it was asked. */
  readonly problem?: SummarizeProblem;
}

/** Ports and settings of a compression. */
interface Compressor {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly deadline: Deadline;
  readonly timeoutMs: number;
  readonly config: MemoryConfig;
  readonly callback: SummarizeCallback | undefined;
}

/** The reason why nothing was compressed. It has none of a summary's fields, so that code that reads those still works. */
export type CompressionRefused = { readonly [Field in keyof MemorySummary]?: undefined } & {
  /**
   * `too-few-entries`: fewer than `minEntriesToCompress` are older than the recent window. `not-smaller`: no summary
   * would be smaller than what it replaces. `replaced`: the session was cleared or imported meanwhile.
   */
  readonly refused: "too-few-entries" | "not-smaller" | "replaced";
  /** The same in words, with the figures. */
  readonly reason: string;
};

/** Compresses the eligible entries, or gives the reason for not doing so. */
export async function compressMemory(
  conversation: ConversationStore,
  trigger: CompressionTrigger,
  { clock, ids, config, ...model }: Compressor,
): Promise<CompressionReport | CompressionRefused> {
  const generation = await conversation.run((_session, current) => current);
  const { mirror } = generation;
  const count = countEligible(mirror, config);
  let plan = planCompression(mirror, config);
  if (plan === undefined) {
    const reason = `${count} ${count === 1 ? "entry is" : "entries are"} older than the recent window of ${config.recentWindow}; a summary replaces at least ${Math.max(1, config.minEntriesToCompress)}.`;
    return { refused: "too-few-entries", reason };
  }
  const asked = await ask(plan, model);
  let content = asked?.content;
  const writtenBy = content === undefined ? "heuristic" : "callback";
  if (content === undefined) {
    const reason = `No summary would be smaller than the ${plan.replacedTokens} tokens of the ${plan.entries.length} entries that it would replace.`;
    // A model's summary says more than the heuristic could, so it is left where it is.
    plan = planCompression(mirror, config, isHeuristic);
    content = plan && heuristicSummary(plan);
    if (plan === undefined || content === undefined) {
      generation.refusedAtCount = countEligible(mirror, config);
      return { refused: "not-smaller", reason };
    }
  }
  const made = { id: ids.entryId(), content, tokenCount: countMemoryTokens(content), atMs: clock.nowMs() };
  const summary = summaryOf(plan, made);
  if (!(await conversation.compress(plan, summary, { generation, reason: trigger })))
    return { refused: "replaced", reason: "The session was cleared or imported while it was summarised." };
  generation.refusedAtCount = 0;
  return {
    tokensSaved: plan.replacedTokens - summary.tokenCount,
    entriesCompressed: plan.entries.length,
    summariesFolded: plan.folded.length,
    summary: copySummary(summary),
    trigger,
    writtenBy,
    ...(asked?.problem === undefined ? {} : { problem: asked.problem }),
  };
}

/** Asks the callback; never throws and never hangs. `undefined` without a callback. */
async function ask(
  plan: CompressionPlan,
  { callback, ...limits }: Pick<Compressor, "callback" | "deadline" | "timeoutMs">,
): Promise<{ readonly content?: string; readonly problem?: SummarizeProblem } | undefined> {
  if (callback === undefined) return undefined;
  let signal: AbortSignal | undefined;
  let text: unknown;
  try {
    text = await askWithin(async (inner) => {
      signal = inner;
      return callback(summaryPrompt(plan), { signal: inner });
    }, limits);
  } catch (error) {
    // What ended it is the reason of the signal only where the time was up.
    const isTimeUp = signal?.aborted === true && signal.reason === error;
    return { problem: isTimeUp ? { reason: "timed-out" } : { reason: "failed", error } };
  }
  if (typeof text !== "string") return { problem: { reason: "not-text" } };
  if (text.trim() === "") return { problem: { reason: "empty" } };
  // The log keeps what was said; what is derived from it carries no keys on.
  const secrets = new KnownSecrets();
  for (const original of plan.originals) secrets.learn(original.content);
  const content = secrets.redact(text.trim()).text;
  return countMemoryTokens(content) < plan.replacedTokens
    ? { content }
    : { problem: { reason: "not-smaller" } };
}
