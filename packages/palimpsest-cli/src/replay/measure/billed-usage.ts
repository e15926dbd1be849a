/**
 * Compares the usage that the recorded tool's provider reported with our prediction of it.
 *
 * The recorded context is not our window: the tool compacted it at other places. So a separate ledger
 * follows it, as that tool would have kept one. It yields the error of each prediction, and the growth
 * from call to call, from which our session's estimator learns how many tokens the model counts for a text.
 */

import type { CalibrationSample } from "palimpsest/experimental";
import { UsageLedger } from "palimpsest/experimental";
import type { ImportedMessage } from "palimpsest/formats";
import { isSealedReasoning } from "palimpsest/internal";
import { estimateBlock, estimateMessage } from "palimpsest/tokens";
import { promptTokens } from "palimpsest/transcript";
import { quantile } from "../../terminal/figures.ts";
import type { ReplayedSession } from "./replay-json.ts";

interface ReportedPrompt {
  readonly coveredTokens: number;
  readonly promptTokens: number;
}

export class RecordedUsage {
  readonly #ledger: UsageLedger;
  readonly #errors: number[] = [];
  #previous: ReportedPrompt | undefined;

  constructor({ model }: { readonly model: string }) {
    this.#ledger = new UsageLedger({ model });
  }

  /** Something was said between two answers. */
  added({ message, isAttachment }: ImportedMessage): void {
    this.#ledger.messageAdded(estimateMessage(message, this.#ledger.model));
    if (message.role === "user" && message.origin === "user") this.#ledger.turnBegan();
    // What the tool put in is often recorded in another form than it was sent: it teaches nothing.
    if (isAttachment === true) this.#previous = undefined;
  }

  /** The tool replaced or cleared its context: its content is unknown now. */
  contextReplaced(): void {
    this.#ledger.windowReplaced(0);
    this.#previous = undefined;
  }

  /** An answer came; returns what the growth since the answer before teaches, if anything. */
  answered(answer: readonly ImportedMessage[]): CalibrationSample | undefined {
    const usage = answer.find((item) => item.usage !== undefined)?.usage;
    const model = answer.find((item) => item.message.model !== undefined)?.message.model;
    if (model !== undefined && usage !== undefined) this.#switchTo(model);
    const replyTokens = answer.reduce(
      (sum, { message }) => sum + estimateMessage(message, this.#ledger.model),
      0,
    );
    const sealed = answer.flatMap(({ message }) => message.content.filter(isSealedReasoning));
    const sealedTokens = sealed.reduce((sum, block) => sum + estimateBlock(block, this.#ledger.model), 0);
    const sent = this.#ledger.requestSent();
    const prompt = usage === undefined ? 0 : promptTokens(usage);
    const sample =
      prompt > 0 ? this.#compare({ coveredTokens: sent.coveredTokens, promptTokens: prompt }) : undefined;
    this.#ledger.messageAdded(replyTokens);
    if (usage !== undefined) this.#ledger.usageReported({ sent, usage, replyTokens, sealedTokens });
    return sample;
  }

  /** Relative errors of the predictions, without sign, call by call. */
  get errors(): readonly number[] {
    return this.#errors;
  }

  /** Errors of the predictions; `undefined` where none could be compared. */
  figures(): ReplayedSession["estimator"] {
    if (this.#errors.length === 0) return undefined;
    return {
      calls: this.#errors.length,
      medianError: rounded(quantile(this.#errors, 0.5)),
      p95Error: rounded(quantile(this.#errors, 0.95)),
    };
  }

  #switchTo(model: string): void {
    if (model !== this.#ledger.model) this.#previous = undefined;
    this.#ledger.modelSwitched(model);
  }

  #compare(reported: ReportedPrompt): CalibrationSample | undefined {
    const { tokens, source } = this.#ledger.figure();
    // Without an earlier report of the same context there is nothing to predict from.
    if (source !== "estimate")
      this.#errors.push(Math.abs(tokens - reported.promptTokens) / reported.promptTokens);
    const before = this.#previous;
    this.#previous = reported;
    if (before === undefined) return undefined;
    return {
      estimatedTokens: reported.coveredTokens - before.coveredTokens,
      reportedTokens: reported.promptTokens - before.promptTokens,
    };
  }
}

/** Errors to a hundredth of a per cent. */
function rounded(share: number): number {
  return Math.round(share * 10_000) / 10_000;
}
