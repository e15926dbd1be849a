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
import type { ConversationStore, Generation } from "./conversation-store.ts";
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

interface Written {
  readonly plan: CompressionPlan;
  readonly content: string;
  readonly writtenBy: "callback" | "heuristic";
}

/** Compresses the eligible entries, or gives the reason for not doing so. */
export async function compressMemory(
  conversation: ConversationStore,
  trigger: CompressionTrigger,
  work: Compressor,
): Promise<CompressionReport | CompressionRefused> {
  const { plan, generation } = await conversation.run((_session, current) => ({
    plan: planCompression(current.mirror, work.config),
    generation: current,
  }));
  if (plan === undefined) return tooFew(generation, work.config);
  const asked = await ask(plan, work);
  const written = asked?.written ?? writeWithoutModel(generation, work.config);
  if (written === undefined) {
    generation.refusedAtCount = countEligible(generation.mirror, work.config);
    return {
      refused: "not-smaller",
      reason: `No summary would be smaller than the ${plan.replacedTokens} tokens of the ${plan.entries.length} entries that it would replace.`,
    };
  }
  const { content, writtenBy } = written;
  const made = {
    id: work.ids.entryId(),
    content,
    tokenCount: countMemoryTokens(content),
    atMs: work.clock.nowMs(),
  };
  const summary = summaryOf(written.plan, made);
  if (!(await conversation.compress(written.plan, summary, { generation, reason: trigger })))
    return { refused: "replaced", reason: "The session was cleared or imported while it was summarised." };
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

function tooFew({ mirror }: Generation, config: MemoryConfig): CompressionRefused {
  const count = countEligible(mirror, config);
  const reason = `${count} ${count === 1 ? "entry is" : "entries are"} older than the recent window of ${config.recentWindow}; a summary replaces at least ${Math.max(1, config.minEntriesToCompress)}.`;
  return { refused: "too-few-entries", reason };
}

async function ask(
  plan: CompressionPlan,
  { callback, deadline, timeoutMs }: Compressor,
): Promise<{ readonly written?: Written; readonly problem?: SummarizeProblem } | undefined> {
  if (callback === undefined) return undefined;
  const asked = await askForSummary(callback, summaryPrompt(plan), { deadline, timeoutMs });
  if (!asked.ok) return { problem: asked.problem };
  // The log keeps what was said; what is derived from it carries no keys on.
  const secrets = new KnownSecrets();
  for (const original of plan.originals) secrets.learn(original.content);
  const content = secrets.redact(asked.content).text;
  if (countMemoryTokens(content) >= plan.replacedTokens) return { problem: { reason: "not-smaller" } };
  return { written: { plan, content, writtenBy: "callback" } };
}

/** A model's summary says more than the heuristic could, so it is left where it is. */
function writeWithoutModel({ mirror }: Generation, config: MemoryConfig): Written | undefined {
  const plan = planCompression(mirror, config, isHeuristic);
  const content = plan === undefined ? undefined : heuristicSummary(plan);
  return plan === undefined || content === undefined ? undefined : { plan, content, writtenBy: "heuristic" };
}

/** A summary, or why there is none. */
type AskedSummary =
  | { readonly ok: true; readonly content: string }
  | { readonly ok: false; readonly problem: SummarizeProblem };

/** Never throws and never hangs. */
async function askForSummary(
  callback: SummarizeCallback,
  prompt: string,
  limits: { readonly deadline: Deadline; readonly timeoutMs: number },
): Promise<AskedSummary> {
  let signal: AbortSignal | undefined;
  try {
    const text: unknown = await askWithin(async (inner) => {
      signal = inner;
      return callback(prompt, { signal: inner });
    }, limits);
    return judge(text);
  } catch (error) {
    // What ended it is the reason of the signal only where the time was up.
    if (signal?.aborted === true && signal.reason === error)
      return { ok: false, problem: { reason: "timed-out" } };
    return { ok: false, problem: { reason: "failed", error } };
  }
}

function judge(text: unknown): AskedSummary {
  if (typeof text !== "string") return { ok: false, problem: { reason: "not-text" } };
  const content = text.trim();
  return content === "" ? { ok: false, problem: { reason: "empty" } } : { ok: true, content };
}
