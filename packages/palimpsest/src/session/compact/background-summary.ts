/**
 * A summary that a model writes in the background while the turn goes on.
 *
 * DESIGN. There is one at a time. It is *wished* for when a summary would pay; *known* once the request that it shares
 * its prefix with has left; *running* once that was answered, because the provider's cache holds the prefix then; and
 * *ready* when it was written. It applies to the line that it was written for: an edit in between makes it void.
 * Messages that come meanwhile stay after it. Nothing here throws: after a failure the summary is made without a model.
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

/** Resolves with the summary, with `later` where it may not be written now, or with nothing where it failed. */
type WriteAhead = (ask: SummaryAsk, signal: AbortSignal) => Promise<WrittenSummary | "later" | undefined>;

export class BackgroundSummary {
  readonly #write: WriteAhead;
  readonly #abort = new AbortController();
  #state: State = { type: "idle" };

  constructor(write: WriteAhead) {
    this.#write = write;
  }

  /** True if a summary is wished for and not begun; until then newer messages may join it. */
  get isWished(): boolean {
    return this.#state.type === "wished" || this.#state.type === "known";
  }

  /** Waits until it is written or has failed; at once, where none is being written. */
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

  /** A summary would pay. */
  wish(): void {
    if (this.#state.type === "idle") this.#state = { type: "wished" };
  }

  /** The request that it shares its prefix with has left. */
  known(ask: SummaryAsk): void {
    if (this.isWished) this.#state = { type: "known", ask };
  }

  /** That request was answered. */
  begin(): void {
    if (this.#state.type !== "known") return;
    const { ask } = this.#state;
    const done = this.#write(ask, this.#abort.signal).then(
      (written) => this.#ended(ask, written),
      () => this.#ended(ask, undefined),
    );
    this.#state = { type: "running", ask, done };
  }

  /** The summary of the current line; drops a summary of another line. */
  ready(revision: number): WrittenSummary | undefined {
    const state = this.#state;
    if (state.type !== "ready") return undefined;
    if (state.ask.revision === revision) return state.written;
    this.#state = { type: "idle" };
    return undefined;
  }

  /** The window was summarised, by this or otherwise. */
  used(): void {
    if (this.#state.type !== "running") this.#state = { type: "idle" };
  }

  /** Gives it up. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.settled();
  }

  #ended(ask: SummaryAsk, written: WrittenSummary | "later" | undefined): void {
    if (written === undefined) this.#state = { type: "failed" };
    else this.#state = written === "later" ? { type: "idle" } : { type: "ready", ask, written };
  }
}
