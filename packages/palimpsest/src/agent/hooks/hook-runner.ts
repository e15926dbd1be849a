/**
 * Asks the hooks of a host. A hook never breaks a turn: one that throws or takes too long is reported to the observer and skipped.
 */
import { AGENT_DEFAULTS } from "../../base/defaults/agent.ts";
import { ModelError } from "../../base/errors.ts";
import { asString, isObject } from "../../base/json/json.ts";
import type { Deadline } from "../../ports/runtime.ts";
import type {
  FailedContext,
  HookFailure,
  PostCompactContext,
  PostSamplingContext,
  PreCompactAnswer,
  PreCompactContext,
  SessionHooks,
  SessionStartContext,
} from "../../ports/session-hooks.ts";
import { askWithin } from "../../session/model/ask-within.ts";

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
    const timeoutMs = AGENT_DEFAULTS.hookTimeoutMs;
    try {
      return await askWithin(async () => ask(context), {
        deadline: this.#deadline,
        timeoutMs,
        timeoutError: new ModelError(
          { kind: "timeout" },
          {
            message: `The hook ${hook} did not return within ${timeoutMs} ms.`,
            hint: "Let it start what takes longer, and return.",
          },
        ),
      });
    } catch (error) {
      this.#onFailure({ hook, error });
      return undefined;
    }
  }
}
