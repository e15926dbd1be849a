/**
 * Has a model write a summary: within the time limit there is one, or none.
 *
 * DESIGN. While the provider's cache is warm, a forked call goes first: the request of the conversation to the byte,
 * with one instruction behind it. If the cache is cold, or the provider says that the prompt is too long, the
 * conversation goes as a transcript, without as many of its oldest rounds as needed. One summary is one call and at
 * most `tooLongRetriesCount` retries, each for a prompt that was too long. After any other failure the summary is made
 * without a model. Nothing is written to the log here, so an abort leaves nothing behind.
 */
import { abortedError } from "../../base/stop-if-aborted.ts";
import { measureText } from "../../compaction/shared/measure.ts";
import {
  countOverBudget,
  countToDrop,
  TRANSCRIPT_SHARE,
  type WrittenRound,
  writeRounds,
} from "../../compaction/summary/cold-transcript.ts";
import { readSummaryAnswer } from "../../compaction/summary/summary-answer.ts";
import {
  COLD_SYSTEM,
  composeColdPrompt,
  composeForkInstruction,
  type WrittenFor,
  type WrittenSummary,
} from "../../compaction/summary/summary-prompt.ts";
import type { ModelClient, ModelRequest } from "../../ports/model-client.ts";
import type { ModelFailure, ModelFailureKind } from "../../ports/model-failure.ts";
import type { Deadline } from "../../ports/runtime.ts";
import type { CompactionTrigger } from "../../ports/session-hooks.ts";
import { findModel, resolveModelLimits } from "../../tokens/models/model-catalogue.ts";
import { sumUsage, type Usage } from "../../transcript/blocks.ts";
import type { SummaryAttempt, SummaryCall } from "../events/events.ts";
import { askModel, failureOf, modelRequest, withInstruction, withOutputLimit } from "../model/model-call.ts";
import type { SummaryAsk } from "./summary-request.ts";

/** Share of the room for the inserted message that the model's own text may take: the rest is for words and strings from the log. Our choice. */
const WRITTEN_SHARE = 0.6;

interface SummaryWriterOptions {
  readonly main: ModelClient;
  /** Writes cold summaries; main does, by default. */
  readonly summary?: ModelClient | undefined;
  readonly deadline: Deadline;
  readonly timeoutMs: number;
  readonly now: () => number;
  /** Called before a model is asked, with the size of the conversation. */
  readonly onStart: (attempt: SummaryAttempt, tokens: number) => void;
  readonly onCall: (call: SummaryCall) => void;
}

interface Attempt {
  readonly trigger: CompactionTrigger;
  readonly client: ModelClient;
  readonly form: SummaryCall["form"];
  readonly request: ModelRequest;
  /** The request with the host's own output limit. */
  readonly unlimited?: ModelRequest;
}

export class SummaryWriter {
  readonly #options: SummaryWriterOptions;

  constructor(options: SummaryWriterOptions) {
    this.#options = options;
  }

  /**
   * The summary, or `undefined` where none could be had.
   * @throws `ABORTED` where `signal` came; nothing else.
   */
  async write(ask: SummaryAsk, signal?: AbortSignal): Promise<WrittenSummary | undefined> {
    const asked: WrittenFor = {
      summaryTokens: summaryTokens(ask),
      instructions: ask.instructions,
      side: ask.span?.side,
    };
    const usages: Usage[] = [];
    let rounds: readonly WrittenRound[] | undefined;
    let dropped = 0;
    let isForked = this.#mayFork(ask);
    for (let attempt = 0; attempt <= ask.limits.tooLongRetriesCount; attempt++) {
      if (!isForked && rounds === undefined) {
        rounds = writeRounds(visibleOf(ask), ask.measure);
        dropped = countOverBudget(rounds, this.#transcriptTokens(ask, asked));
      }
      const next = isForked
        ? this.#forked(ask, asked)
        : this.#cold(ask, asked, (rounds ?? []).slice(dropped), dropped);
      const result = await this.#call(next, { attempt, signal, tokens: ask.usedTokens });
      if (result.type === "answer") {
        if (result.usage !== undefined) usages.push(result.usage);
        if (result.text === undefined) return undefined;
        return {
          text: result.text,
          throughSeq: ask.throughSeq,
          model: next.request.model,
          leftOutRounds: dropped,
          besideTexts: [ask.request.system ?? "", JSON.stringify(ask.request.tools ?? [])],
          ...(usages.length === 0 ? {} : { usage: sumUsage(usages) }),
        };
      }
      if (!TOO_LONG.has(result.failure.kind)) return undefined;
      if (isForked) isForked = false;
      else if (rounds !== undefined) {
        const before = dropped;
        dropped = countToDrop(rounds, {
          ...{ dropped, gapTokens: gapOf(result.failure) },
          droppedShare: ask.limits.droppedShare,
        });
        if (dropped === before) return undefined;
      }
    }
    return undefined;
  }

  /** The cache holds the conversation, it fits with the instruction behind it, and nothing in it was refused. */
  #mayFork({ isWarm, usedTokens, budget, span, reason }: SummaryAsk): boolean {
    const isRefused = reason === "thinking" || reason === "media";
    return isWarm && span === undefined && !isRefused && usedTokens <= budget.effectiveTokens;
  }

  #forked(ask: SummaryAsk, asked: WrittenFor): Attempt {
    const instruction = composeForkInstruction(asked);
    const messages = withInstruction(ask.messages, instruction);
    const { request, cacheMarks, cacheLifetimes, budget, usedTokens, padding, maxOutputTokens } = ask;
    const { providerEdits } = ask;
    const unlimited = modelRequest(request, { messages, cacheMarks, providerEdits }, cacheLifetimes);
    return {
      trigger: ask.trigger,
      client: this.#options.main,
      form: "forked",
      unlimited,
      request: withOutputLimit(unlimited, {
        wantedTokens: budget.summaryReserveTokens + asked.summaryTokens,
        freeTokens: budget.windowTokens - usedTokens - measureText(instruction, ask.measure) * padding,
        maxOutputTokens,
      }),
    };
  }

  #cold(ask: SummaryAsk, asked: WrittenFor, rounds: readonly WrittenRound[], leftOutRounds: number): Attempt {
    const transcript = rounds.map(({ text }) => text).join("\n\n");
    const text = composeColdPrompt(transcript, { ...asked, leftOutRounds });
    return {
      trigger: ask.trigger,
      client: this.#coldClient,
      form: "cold",
      request: {
        model: this.#coldModel(ask),
        system: COLD_SYSTEM,
        maxOutputTokens: this.#coldOutputTokens(ask, asked),
        messages: [{ role: "user", content: [{ type: "text", text }] }],
      },
    };
  }

  get #coldClient(): ModelClient {
    return this.#options.summary ?? this.#options.main;
  }

  #coldModel(ask: SummaryAsk): string {
    return this.#options.summary?.model ?? ask.request.model;
  }

  /** The summary and the scratchpad before it, as far as the model that writes them can. */
  #coldOutputTokens(ask: SummaryAsk, asked: WrittenFor): number {
    const isMain = this.#options.summary?.model === undefined;
    const most = isMain ? ask.maxOutputTokens : findModel(this.#coldModel(ask))?.maxOutputTokens;
    return Math.min(ask.budget.summaryReserveTokens + asked.summaryTokens, most ?? Number.POSITIVE_INFINITY);
  }

  /** The tokens that a transcript may take in the window of its reader. */
  #transcriptTokens(ask: SummaryAsk, asked: WrittenFor): number {
    const { budget, measure } = ask;
    const isMain = this.#options.summary?.model === undefined;
    const windowTokens = isMain
      ? budget.windowTokens
      : resolveModelLimits({ model: this.#coldModel(ask) }).windowTokens;
    const frame = measureText(
      `${COLD_SYSTEM}\n${composeColdPrompt("", { ...asked, leftOutRounds: 0 })}`,
      measure,
    );
    return Math.floor((windowTokens - this.#coldOutputTokens(ask, asked) - frame) * TRANSCRIPT_SHARE);
  }

  async #call(
    { trigger, client, form, request, unlimited }: Attempt,
    {
      attempt,
      signal,
      tokens,
    }: { readonly attempt: number; readonly signal: AbortSignal | undefined; readonly tokens: number },
  ): Promise<
    | { readonly type: "answer"; readonly text?: string; readonly usage?: Usage | undefined }
    | { readonly type: "failed"; readonly failure: ModelFailure }
  > {
    const { deadline, timeoutMs, now, onStart, onCall } = this.#options;
    const startMs = now();
    const asked: SummaryAttempt = { trigger, model: request.model, form, attempt };
    const tell = (outcome: SummaryCall["outcome"], usage?: Usage): void =>
      onCall({ ...asked, outcome, tookMs: now() - startMs, usage });
    onStart(asked, tokens);
    try {
      const { content, stopReason, usage } = await askModel(client, request, {
        ...{ deadline, timeoutMs, signal },
        unlimited,
      });
      const read = readSummaryAnswer({ content, stopReason });
      tell(read.ok ? "written" : read.problem, usage);
      return { type: "answer", ...(read.ok ? { text: read.text } : {}), usage };
    } catch (error) {
      if (signal?.aborted === true)
        throw abortedError({
          what: "The compaction",
          hint: "Nothing was changed; prepare the call again.",
          cause: error,
        });
      const failure = failureOf(client, error);
      tell(failure.kind);
      return { type: "failed", failure };
    }
  }
}

const TOO_LONG: ReadonlySet<ModelFailureKind> = new Set([
  "prompt-too-long",
  "output-too-long",
  "body-too-large",
  "media-too-large",
  "over-rate-limit",
]);

/** The side of the pivot that is summarised. */
function visibleOf({ visible, span }: SummaryAsk): SummaryAsk["visible"] {
  if (span === undefined) return visible;
  return visible.filter(({ seq }) => (span.side === "up-to" ? seq < span.pivotSeq : seq >= span.pivotSeq));
}

/** The size that the model is asked to keep to: the reserve, or its share of the compaction's target. */
function summaryTokens({ budget }: SummaryAsk): number {
  return Math.floor(Math.min(budget.summaryReserveTokens, budget.fullTargetTokens * WRITTEN_SHARE));
}

function gapOf({ promptTokens: prompt, limitTokens }: ModelFailure): number | undefined {
  return prompt === undefined || limitTokens === undefined ? undefined : prompt - limitTokens;
}
