/**
 * Counts the calls of an iteration: how often a model was asked for an answer and for a summary, and how often
 * it had failed before.
 */
import type { SessionEvent } from "../../src/engine/events.ts";

/** The limits of one iteration: a call and one resend; one summary, and its retries. */
const MOST = { answers: 2, summaries: 1, attempts: 4 } as const;
const BREAKER_FAILURES = 3;

export class CallLedger {
  readonly problems: string[] = [];
  #answers = 0;
  #summaries = 0;
  #attempts = 0;
  #failures = 0;
  #isFailedByHand = false;
  /** What was told, for whoever reads a failure. */
  readonly #story: string[] = [];

  /** A step of the host begins, and with it an iteration. */
  began(): void {
    this.#answers = 0;
    this.#summaries = 0;
    this.#story.push("---");
  }

  answered(): void {
    this.began();
  }

  byHand(): void {
    this.#failures = 0;
  }

  reopened(): void {
    this.#failures = 0;
  }

  called(isSummary: boolean, isByHand: boolean): void {
    this.#story.push(`${isSummary ? "summary" : "answer"}${isByHand ? " by hand" : ""}`);
    if (!isSummary && ++this.#answers > MOST.answers) this.#problem(`${this.#answers} calls for one answer`);
    if (isSummary && !isByHand) this.#isFailedByHand = false;
    if (isSummary && isByHand) this.#isFailedByHand = true;
  }

  told(event: SessionEvent): void {
    if (event.type === "layer") {
      this.#story.push(`${event.layer} ${event.edit.reason}`);
      if (event.edit.writtenBy !== undefined) this.#failures = 0;
    } else if (event.type === "summary-call") {
      this.#story.push(`${event.form} ${event.attempt} ${event.outcome}`);
      if (event.attempt > 0) this.#attempts++;
      else {
        this.#attempts = 1;
        if (!this.#isFailedByHand && ++this.#summaries > MOST.summaries)
          this.#problem(`${this.#summaries} summaries in one iteration`);
        if (this.#failures >= BREAKER_FAILURES) this.#problem("a summary is asked for behind the breaker");
      }
      if (this.#attempts > MOST.attempts) this.#problem(`${this.#attempts} attempts of one summary`);
    } else if (event.type !== "call" && event.type !== "cache-miss") this.#story.push(event.type);
  }

  #problem(what: string): void {
    this.problems.push(`${what}: ${this.#story.slice(-14).join(", ")}`);
  }
}
