/**
 * One compression: plan, ask the host's model, fall back to the heuristic, carry it out.
 */

import { KnownSecrets } from "../base/redaction/known-secrets.ts";
import type { Clock, Deadline, IdSource } from "../ports/runtime.ts";
import { askWithin } from "../session/model/ask-within.ts";
import type { MemoryConfig } from "./compression/compression-config.ts";
import type {
  CompressionRefused,
  CompressionReport,
  CompressionTrigger,
  SummarizeCallback,
  SummarizeProblem,
} from "./compression/compression-report.ts";
import { heuristicSummary, isHeuristic } from "./compression/heuristic-summary.ts";
import {
  type CompressionPlan,
  countEligible,
  planCompression,
  summaryOf,
} from "./compression/plan-compression.ts";
import { summaryPrompt } from "./compression/summary-prompt.ts";
import type { ConversationStore } from "./conversation-store.ts";
import { copySummary, countMemoryTokens } from "./entries/conversation-entry.ts";

/** Ports and settings of a compression. */
interface Compressor {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly deadline: Deadline;
  readonly timeoutMs: number;
  readonly config: MemoryConfig;
  readonly callback: SummarizeCallback | undefined;
}

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
