/**
 * What a session with a model is made with.
 */
import type { Deadline } from "../ports/deadline.ts";
import type { ModelClient } from "../ports/model-client.ts";
import type { TokenCounter } from "../ports/token-counter.ts";
import type { SessionHooks } from "./hooks.ts";

/** The models of a session, by what they are asked for. */
export interface AgentModels {
  /** Answers the user, and writes summaries while its cache is warm. */
  readonly model: ModelClient;
  /** Writes summaries where the cache is cold; may be cheaper. @defaultValue `model` */
  readonly summaryModel?: ModelClient;
  /** For small decisions: which memories to recall, and such. @defaultValue `model` */
  readonly lightModel?: ModelClient;
}

/** How a session with a model behaves. Everything but the model may be left out. */
export interface AgentOptions extends AgentModels {
  readonly hooks?: SessionHooks;
  /** Count requests where the estimate is not good enough to decide by. @defaultValue the model's own counter */
  readonly counters?: readonly TokenCounter[];
  /**
   * Failures in a row after which no model is asked for a summary any more; `compact()` starts anew.
   * @defaultValue `breakerFailuresCount`, 3
   */
  readonly summaryFailuresCount?: number;
  /** How long one summary may take, in milliseconds. @defaultValue `summaryTimeoutMs`, 120,000 */
  readonly summaryTimeoutMs?: number;
  /** How long one call of the model may take, in milliseconds. @defaultValue `callTimeoutMs`, 600,000 */
  readonly callTimeoutMs?: number;
}

/** What of the world it uses. */
export interface AgentWorld {
  readonly deadline: Deadline;
  readonly now: () => number;
}
