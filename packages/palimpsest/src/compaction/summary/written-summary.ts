/**
 * A summary that a model wrote, and what it was asked for.
 */
import type { Usage } from "../../transcript/blocks.ts";

/** The limits that a summary is written for. */
export interface WrittenFor {
  /** The largest size of the summary, in tokens of the model that writes it. */
  readonly summaryTokens: number;
  /** The user's or the host's own wishes for it. */
  readonly instructions?: string | undefined;
  /** Which side of a pivot is summarised; the whole conversation, where it is left out. */
  readonly side?: "from" | "up-to" | undefined;
}

/** A summary that passed the check of its form. */
export interface WrittenSummary {
  /** Its nine sections. */
  readonly text: string;
  /** The last entry that its writer saw. */
  readonly throughSeq: number;
  /** The model that wrote it. */
  readonly model: string;
  /** Rounds that its writer did not see, because they did not fit. */
  readonly leftOutRounds: number;
  /** The usage that the provider reported for the calls. */
  readonly usage?: Usage | undefined;
}
