/**
 * A summary that a model writes in the background while the turn goes on.
 *
 * DESIGN. There is one summary at a time, in one of these states:
 *
 * - `wished`: a summary would pay, but is not written yet.
 * - `known`: the next request has left. The summary's request will share its prefix (`ask`).
 * - `running`: that request was answered, so the provider's cache holds the prefix, and a model writes the summary.
 * - `ready`: it is written. It is valid only for the revision of the line that it was written for; later messages stay
 *   after it, and an edit makes it void.
 * - `failed`: the summary is made without a model from then on, until `forgetFailure`.
 *
 * Nothing here throws.
 */
import type { WrittenSummary } from "../../compaction/summary/summary-prompt.ts";
import type { SummaryAsk } from "./summary-request.ts";

type State =
  | { readonly type: "idle" }
  | { readonly type: "wished" }
  | { readonly type: "known"; readonly ask: SummaryAsk }
  | { readonly type: "running"; readonly ask: SummaryAsk; readonly done: Promise<void> }
  | { readonly type: "ready"; readonly ask: SummaryAsk; readonly written: WrittenSummary }
  | { readonly type: "failed" };

/** Resolves with the summary, with `later` if it may not be written now, or with `undefined` if it failed. */
type WriteAhead = (ask: SummaryAsk, signal: AbortSignal) => Promise<WrittenSummary | "later" | undefined>;

export class BackgroundSummary {
  readonly #write: WriteAhead;
  readonly #abort = new AbortController();
  #state: State = { type: "idle" };

  constructor(write: WriteAhead) {
    this.#write = write;
  }

  /** True if a summary is wished for but not begun. Until then it can still cover newer messages. */
  get isWished(): boolean {
    return this.#state.type === "wished" || this.#state.type === "known";
  }

  /** Waits until a running summary is written or has failed. */
  async settled(): Promise<void> {
    if (this.#state.type === "running") await this.#state.done;
  }

  get isRunning(): boolean {
    return this.#state.type === "running";
  }

  get hasFailed(): boolean {
    return this.#state.type === "failed";
  }

  forgetFailure(): void {
    if (this.#state.type === "failed") this.#state = { type: "idle" };
  }

  /** Call it when a summary would pay. */
  wish(): void {
    if (this.#state.type === "idle") this.#state = { type: "wished" };
  }

  /** Call it when a request has left whose prefix the summary's request can share. */
  known(ask: SummaryAsk): void {
    if (this.isWished) this.#state = { type: "known", ask };
  }

  /** Starts writing. Call it when the request of `known` was answered. */
  begin(): void {
    if (this.#state.type !== "known") return;
    const { ask } = this.#state;
    const done = this.#write(ask, this.#abort.signal).then(
      (written) => this.#ended(ask, written),
      () => this.#ended(ask, undefined),
    );
    this.#state = { type: "running", ask, done };
  }

  /** Returns the summary if it is ready and valid for `revision`; drops one of another revision. */
  ready(revision: number): WrittenSummary | undefined {
    const state = this.#state;
    if (state.type !== "ready") return undefined;
    if (state.ask.revision === revision) return state.written;
    this.#state = { type: "idle" };
    return undefined;
  }

  /** Call it when the window was summarised, by this summary or another. */
  used(): void {
    if (this.#state.type !== "running") this.#state = { type: "idle" };
  }

  /** Aborts a running summary, and waits for its end. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.settled();
  }

  #ended(ask: SummaryAsk, written: WrittenSummary | "later" | undefined): void {
    if (written === undefined) this.#state = { type: "failed" };
    else this.#state = written === "later" ? { type: "idle" } : { type: "ready", ask, written };
  }
}
