/**
 * Counts the calls of an iteration: how often a model was asked for an answer and for a summary, and how often
 * it had failed before.
 */
import type { SessionEvent } from "#session/events/events.ts";

/** The limits of one iteration: a call and one resend, and one more after old rounds gave way; one summary, and its retries. */
const MOST = { answers: 2, summaries: 1, retries: 3 } as const;
const BREAKER_FAILURES = 3;
/** Failures that a summary is tried again after. */
const TOO_LONG = new Set(["prompt-too-long", "output-too-long", "body-too-large", "over-rate-limit"]);

export class CallLedger {
  readonly problems: string[] = [];
  #answers = 0;
  #collapses = 0;
  #summaries = 0;
  #failures = 0;
  /** Failures there were when the engine last asked for a summary: others may fail while it is written. */
  #failuresWhenAsked = 0;
  /** Calls for summaries that were made and not reported yet; an aborted one is never reported. */
  readonly #untold = { engine: 0, user: 0 };
  /** Updates of the notes that were requested and not reported yet. */
  #updates = 0;
  /** The reported events, for the reader of a failed test. */
  readonly #story: string[] = [];

  /** A step of the host begins, and with it an iteration. */
  began(): void {
    this.#answers = 0;
    this.#collapses = 0;
    this.#summaries = 0;
    this.#story.push("---");
  }

  answered(): void {
    this.began();
  }

  byHand(): void {
    this.#failures = 0;
  }

  /** A process that was killed may not have written down the last failure. */
  reopened(isClean: boolean): void {
    if (!isClean) this.#failures = Math.max(0, this.#failures - 1);
    this.#updates = 0;
  }

  /** A model is asked to bring the notes up to date: beside everything else, and one at a time. */
  noted(): void {
    this.#story.push("notes");
    if (++this.#updates > 1) this.#problem(`${this.#updates} updates of the notes at once`);
  }

  called(isSummary: boolean, isByHand: boolean): void {
    this.#story.push(`${isSummary ? "summary" : "answer"}${isByHand ? " by hand" : ""}`);
    if (!isSummary && ++this.#answers > MOST.answers + Math.min(1, this.#collapses))
      this.#problem(`${this.#answers} calls for one answer`);
    if (!isSummary) return;
    this.#untold[isByHand ? "user" : "engine"]++;
    if (!isByHand) this.#failuresWhenAsked = this.#failures;
  }

  observe(event: SessionEvent): void {
    if (event.type === "call" || event.type === "cache-miss") return;
    this.#story.push(event.type);
    if (event.type === "notes-update") this.#updates = 0;
    if (event.type === "summary-refused") this.#failures++;
    if (event.type === "layer" && event.layer === "collapse") this.#collapses++;
    if (event.type === "layer" && event.edit.writtenBy !== undefined) this.#failures = 0;
    if (event.type !== "summary-call") return;
    const { attempt, outcome, trigger } = event;
    const by = trigger === "manual" ? "user" : "engine";
    this.#story.push(`${by} ${attempt} ${outcome}`);
    if (--this.#untold[by] < 0) this.#problem(`more summaries of the ${by} are told of than were asked for`);
    if (attempt > MOST.retries) this.#problem(`${attempt} retries of one summary`);
    if (attempt === 0 && by === "engine") this.#engineAsked();
    if (outcome !== "written" && (attempt === MOST.retries || !TOO_LONG.has(outcome))) this.#failures++;
  }

  /** A compaction by hand may come at any time, also during one by the engine. */
  #engineAsked(): void {
    if (this.#failuresWhenAsked >= BREAKER_FAILURES)
      this.#problem("a summary is asked for behind the breaker");
    if (++this.#summaries > MOST.summaries) this.#problem(`${this.#summaries} summaries in one iteration`);
  }

  #problem(what: string): void {
    this.problems.push(`${what}: ${this.#story.slice(-14).join(", ")}`);
  }
}
