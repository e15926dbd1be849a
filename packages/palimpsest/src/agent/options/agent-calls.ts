/**
 * What the calls of a session with a model are asked for, and what a compaction by hand returns.
 */
import type { CallRequest, PreparedCall } from "../../session/options/prepared-call.ts";

/** The part of a request that is the host's; the model is the session's own where it is left out. */
export type AgentRequest = Omit<CallRequest, "model"> & { readonly model?: string };

/** How a call is prepared. */
export interface PrepareOptions {
  /** Stops a summary that is being written: nothing is changed then. */
  readonly signal?: AbortSignal | undefined;
}

/** A compaction by hand. Everything may be left out. */
export interface CompactOptions extends PrepareOptions {
  /** What the summary is to keep or leave out, beside its nine sections. */
  readonly instructions?: string;
  /** Only the entry of this number and what follows it; what stands before it stays as it is. */
  readonly from?: number;
  /** Only what stands before the entry of this number. */
  readonly upTo?: number;
}

/** What a compaction by hand did: the edits, and the model that wrote the summary, if one did. */
export interface CompactResult {
  readonly edits: PreparedCall["edits"];
  readonly writtenBy?: string;
  readonly freedTokens: number;
}
