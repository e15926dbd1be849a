/**
 * What a host gives to a compression of `MemoryManager`, and what it learns of one: its own types, so that the
 * declarations of the public names lead no further.
 */
import type { MemorySummary } from "../entries/conversation-entry.ts";

/** The reason of a compression: tokens, number of entries, or a call of `compress`. */
export type CompressionTrigger = "tokens" | "entries" | "manual";

/**
 * Writes a summary from a prompt: a call of your model. `signal` is aborted at the time limit; pass it on
 * to your SDK, so that it stops a call whose answer would not be used.
 */
export type SummarizeCallback = (
  prompt: string,
  options: { readonly signal: AbortSignal },
) => Promise<string>;

/** Why a callback's summary was not used. */
export interface SummarizeProblem {
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
