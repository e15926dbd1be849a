/**
 * Hooks: where a host looks at what the session does, and has a say in it.
 *
 * A hook never breaks a turn: one that throws or takes too long is told to the observer and passed over.
 */
import { AGENT_DEFAULTS } from "../base/defaults/agent.ts";
import { asString, isObject } from "../base/json.ts";
import type { Deadline } from "../ports/deadline.ts";
import type { ModelAnswer } from "../ports/model-client.ts";
import type { LayerEdit } from "../transcript/edits.ts";
import { askWithin } from "./ask-within.ts";
import type { CompactionTrigger } from "./summary-ask.ts";

/** A value, at once or later. */
type Awaitable<Value> = Value | Promise<Value>;

/** What `sessionStart` is told. */
export interface SessionStartContext {
  readonly sessionId: string;
  /** `compacted`: what was said at the start is not in the window any more. */
  readonly source: "new" | "resumed" | "compacted";
}

/** What `preCompact` is told. */
export interface PreCompactContext {
  readonly sessionId: string;
  readonly trigger: CompactionTrigger;
  /** Why now, in the planner's word: `threshold`, `rent` … */
  readonly reason: string;
  /** Size of the request, padded. */
  readonly usedTokens: number;
  readonly windowTokens: number;
  /** What the summary is asked for beside its nine sections. */
  readonly instructions?: string | undefined;
}

/** What a `preCompact` hook may answer: nothing, other instructions, or that there shall be no compaction. */
export type PreCompactAnswer = undefined | { readonly instructions: string } | { readonly veto: string };

/** What `postCompact` is told. */
export interface PostCompactContext {
  readonly sessionId: string;
  readonly trigger: CompactionTrigger;
  /** The edits of the compaction; the one with `isBoundary` holds the summary. */
  readonly edits: readonly { readonly seq: number; readonly edit: LayerEdit }[];
}

/** What `postSampling` is told, after an answer was recorded. */
export interface PostSamplingContext {
  readonly sessionId: string;
  readonly callSeq: number | undefined;
  readonly answer: ModelAnswer;
}

/** What `failed` is told: a turn is about to end with this error. */
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

/** Asks hooks; never throws. */
export class HookRunner {
  readonly #hooks: SessionHooks;
  readonly #deadline: Deadline;
  readonly #onFailure: (failure: HookFailure) => void;

  constructor(options: {
    readonly hooks: SessionHooks;
    readonly deadline: Deadline;
    readonly onFailure: (failure: HookFailure) => void;
  }) {
    this.#hooks = options.hooks;
    this.#deadline = options.deadline;
    this.#onFailure = options.onFailure;
  }

  has(hook: keyof SessionHooks): boolean {
    return this.#hooks[hook] !== undefined;
  }

  /** The text that the model is to see at a start; `undefined` where there is none. */
  async sessionStart(context: SessionStartContext): Promise<string | undefined> {
    const text = asString(await this.#ask("sessionStart", this.#hooks.sessionStart, context));
    return text === undefined || text.trim() === "" ? undefined : text;
  }

  async preCompact(context: PreCompactContext): Promise<PreCompactAnswer> {
    const answer = await this.#ask("preCompact", this.#hooks.preCompact, context);
    if (!isObject(answer)) return undefined;
    const veto = asString(answer["veto"]);
    if (veto !== undefined) return { veto };
    const instructions = asString(answer["instructions"]);
    return instructions === undefined ? undefined : { instructions };
  }

  async postCompact(context: PostCompactContext): Promise<void> {
    await this.#ask("postCompact", this.#hooks.postCompact, context);
  }

  async postSampling(context: PostSamplingContext): Promise<void> {
    await this.#ask("postSampling", this.#hooks.postSampling, context);
  }

  async failed(context: FailedContext): Promise<void> {
    await this.#ask("failed", this.#hooks.failed, context);
  }

  async #ask<Context>(
    hook: keyof SessionHooks,
    ask: ((context: Context) => unknown) | undefined,
    context: Context,
  ): Promise<unknown> {
    if (ask === undefined) return undefined;
    try {
      return await askWithin(async () => ask(context), {
        deadline: this.#deadline,
        timeoutMs: AGENT_DEFAULTS.hookTimeoutMs,
      });
    } catch (error) {
      this.#onFailure({ hook, error });
      return undefined;
    }
  }
}
