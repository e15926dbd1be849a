/**
 * Hooks: callbacks by which a host observes a session and influences it, for example by a veto of a compaction.
 */
import type { LayerEdit } from "../transcript/edits.ts";
import type { ModelAnswer } from "./model-client.ts";

/** A value, at once or later. */
type Awaitable<Value> = Value | Promise<Value>;

/** Why a summary is written: the window is full or has paid for one, the provider refused, or someone asked. */
export type CompactionTrigger = "auto" | "reactive" | "manual";

/** Input of `sessionStart`. */
export interface SessionStartContext {
  readonly sessionId: string;
  /** `compacted`: a compaction removed the text of the last `sessionStart` from the window. */
  readonly source: "new" | "resumed" | "compacted";
}

/** Input of `preCompact`. */
export interface PreCompactContext {
  readonly sessionId: string;
  readonly trigger: CompactionTrigger;
  /** The planner's reason for compacting now: `threshold`, `rent` … */
  readonly reason: string;
  /** Estimated size of the request, with a safety margin. */
  readonly usedTokens: number;
  readonly windowTokens: number;
  /** Instructions for the summary in addition to its nine sections. */
  readonly instructions?: string | undefined;
}

/** Answer of a `preCompact` hook: nothing, other instructions, or a veto with its reason. */
export type PreCompactAnswer = undefined | { readonly instructions: string } | { readonly veto: string };

/** Input of `postCompact`. */
export interface PostCompactContext {
  readonly sessionId: string;
  readonly trigger: CompactionTrigger;
  /** The edits of the compaction; the one with `isBoundary` holds the summary. */
  readonly edits: readonly { readonly seq: number; readonly edit: LayerEdit }[];
}

/** Input of `postSampling`, after an answer was recorded. */
export interface PostSamplingContext {
  readonly sessionId: string;
  readonly callSeq: number | undefined;
  readonly answer: ModelAnswer;
}

/** Input of `failed`: a turn is about to end with this error. */
export interface FailedContext {
  readonly sessionId: string;
  readonly error: unknown;
}

/** A host's hooks; all of them may be left out. Each has `hookTimeoutMs` to answer. */
export interface SessionHooks {
  /** At the first call of a new or resumed session, and after each compaction. Returns a text to show the model. */
  readonly sessionStart?: (context: SessionStartContext) => Awaitable<string | undefined>;
  /** Before a compaction. May change the instructions or veto. */
  readonly preCompact?: (context: PreCompactContext) => Awaitable<PreCompactAnswer>;
  /** As for those below, what it returns is not used, but a promise is awaited. */
  readonly postCompact?: (context: PostCompactContext) => unknown;
  readonly postSampling?: (context: PostSamplingContext) => unknown;
  readonly failed?: (context: FailedContext) => unknown;
}

/** A hook that threw, or did not answer in time. */
export interface HookFailure {
  readonly hook: keyof SessionHooks;
  readonly error: unknown;
}
