/**
 * Hooks: where a host looks at what a session does, and has a say in it.
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
  /** `compacted`: the start is no longer in the window. */
  readonly source: "new" | "resumed" | "compacted";
}

/** Input of `preCompact`. */
export interface PreCompactContext {
  readonly sessionId: string;
  readonly trigger: CompactionTrigger;
  /** Why now, in the planner's word: `threshold`, `rent` … */
  readonly reason: string;
  /** Size of the request, padded. */
  readonly usedTokens: number;
  readonly windowTokens: number;
  /** Instructions for the summary beside its nine sections. */
  readonly instructions?: string | undefined;
}

/** Answer of a `preCompact` hook: nothing, other instructions, or that there shall be no compaction. */
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
  /** At the first call of a new or resumed session, and after each compaction: a text that the model is to see. */
  readonly sessionStart?: (context: SessionStartContext) => Awaitable<string | undefined>;
  /** Before a compaction: look, change the instructions, or veto. */
  readonly preCompact?: (context: PreCompactContext) => Awaitable<PreCompactAnswer>;
  readonly postCompact?: (context: PostCompactContext) => Awaitable<void>;
  readonly postSampling?: (context: PostSamplingContext) => Awaitable<void>;
  readonly failed?: (context: FailedContext) => Awaitable<void>;
}

/** A hook that threw, or did not answer in time. */
export interface HookFailure {
  readonly hook: keyof SessionHooks;
  readonly error: unknown;
}
