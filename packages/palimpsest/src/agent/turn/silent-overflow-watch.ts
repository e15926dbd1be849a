/**
 * Watches the answers of a session for overflows that no error tells, and has the next request made smaller.
 */
import type { StopReason } from "../../ports/model-client.ts";
import type { SessionEvent } from "../../session/events/events.ts";
import type { PreparedCall } from "../../session/options/prepared-call.ts";
import { internalsOf, type Session } from "../../session/session.ts";
import { promptTokens, type Usage } from "../../transcript/blocks.ts";
import { findSilentOverflow, PromptCeiling } from "../../wire/errors/silent-overflow.ts";

export class SilentWatch {
  readonly #session: Session;
  readonly #ceiling = new PromptCeiling();
  /** The request that was prepared last. */
  #prepared: PreparedCall | undefined;
  /** It by estimate alone, whatever was reported before. */
  #sent = { estimatedTokens: 0, generation: 0 };

  constructor(session: Session) {
    this.#session = session;
  }

  left(prepared: PreparedCall): void {
    const { ledger } = internalsOf(this.#session).parts.tracker;
    this.#prepared = prepared;
    this.#sent = { estimatedTokens: ledger.estimateKnown().tokens, generation: ledger.generation };
  }

  /** The request was answered; returns what to tell if the answer hides an overflow. */
  answered(
    callSeq: number,
    answer: { readonly usage: Usage; readonly stopReason: StopReason },
  ): SessionEvent | undefined {
    const prepared = this.#prepared;
    if (prepared?.callSeq !== callSeq) return undefined;
    const { builder, parts } = internalsOf(this.#session);
    const { windowTokens } = builder.budget();
    const reportedTokens = promptTokens(answer.usage);
    const ceilingTokens =
      reportedTokens > 0 ? this.#ceiling.observe({ ...this.#sent, reportedTokens }) : undefined;
    const estimatedTokens = Math.max(prepared.tokens.total, this.#sent.estimatedTokens);
    const failure = findSilentOverflow({ ...answer, windowTokens, estimatedTokens, ceilingTokens });
    if (failure === undefined) return undefined;
    // The report is about a prompt that was cut: it says nothing of the window.
    parts.tracker.ledger.distrustReport();
    builder.budgets.refused(
      callSeq,
      { limitTokens: failure.limitTokens, isWindow: false },
      "silent-overflow",
    );
    return { type: "model-failed", seq: callSeq, failure, isRecovered: true };
  }
}
