/**
 * What is kept of a request: what a script sees of it before it answers, and what a test finds afterwards.
 */
import type { Violation } from "../wire-oracle.ts";
import type { Fault, ScriptedAnswer } from "./script.ts";

/** Which API a request came in on. */
export type ProviderApi = "anthropic" | "openai-chat" | "openai-responses";

/** What a request wants. */
export type RequestPurpose = "answer" | "count" | "model";

/** A request as a script sees it. */
export interface ScriptedRequest {
  /** Its place among all requests, from 0. */
  readonly index: number;
  readonly api: ProviderApi;
  readonly purpose: RequestPurpose;
  readonly model: string;
  /** The body as it was parsed; `undefined` where it was not JSON. */
  readonly body: unknown;
  /** Beta features that its header asks for. */
  readonly betas: readonly string[];
  readonly isStreaming: boolean;
  /** Which attempt of the client's own transport this is, from 0. */
  readonly retryCount: number;
  /** The system prompt, in text. */
  readonly systemText: string;
  /** What the user said last, in text; a result of a tool is not what a user said. */
  readonly lastUserText: string;
  /** Names of the tools that the model may call. */
  readonly toolNames: readonly string[];
  /** Tokens of the prompt, as this provider counts them. */
  readonly promptTokens: number;
  /** Tokens of the window at the time of the request. */
  readonly windowTokens: number;
  /** Tokens of output that were asked for; `undefined` where the request does not say. */
  readonly maxOutputTokens: number | undefined;
}

/** How a request ended. */
export type RequestOutcome =
  | "pending"
  | "answered"
  /** It breaks a rule of the API: its `violations` say which. */
  | "refused"
  /** The prompt is longer than the window. */
  | "overflow"
  /** The script or the plan of faults had it fail. */
  | "failed";

/** A request and what became of it. */
export interface RecordedRequest extends ScriptedRequest {
  readonly outcome: RequestOutcome;
  /** The status that was sent; `undefined` as long as none was. */
  readonly status: number | undefined;
  /** Every rule that it breaks, in the provider's words; the first of them is what the client was told. */
  readonly violations: readonly Violation[];
  /** Tokens of the prompt that were read from the emulated cache, written to it, or neither. */
  readonly cache: {
    readonly readTokens: number;
    readonly writtenTokens: number;
    readonly plainTokens: number;
  };
  /** Signed or encrypted reasoning in the prompt: how much of it the model still reads. */
  readonly reasoning: { readonly keptCount: number; readonly droppedCount: number };
  readonly fault: Fault["fault"] | undefined;
  /** What was answered, cut where the output limit cut it. */
  readonly answer: ScriptedAnswer | undefined;
  /** The client went away before the end. */
  readonly isAborted: boolean;
}
