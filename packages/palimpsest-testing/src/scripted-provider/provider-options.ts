/**
 * Options of a scripted provider, and the handle that a test gets.
 */

import type { Clock } from "palimpsest";
import type { Violation } from "../wire-oracle/wire-oracle.ts";
import type { Fault, Script, ScriptedAnswer, ScriptedRequest, ScriptStep } from "./script/script.ts";

/** Settings of a {@link scriptedProvider}. All are optional. */
export interface ScriptedProviderOptions {
  /** The answers. @defaultValue a short text that names what the user said last */
  readonly script?: Script;
  /**
   * Asked at every call before the script, which is not asked where this has something: faults at calls that
   * the script knows nothing of. `seededFaults` makes such a plan.
   */
  readonly faults?: (request: ScriptedRequest) => ScriptStep | undefined;
  /** Tokens of the window. @defaultValue what is known of the model, or 200,000 */
  readonly windowTokens?: number;
  /** Tokens of output that a request may ask for, told by the models endpoint. @defaultValue 64,000 */
  readonly maxOutputTokens?: number;
  /** Counts the tokens of a text; the same text always counts the same. @defaultValue the library's estimate for the model */
  readonly countTokens?: (text: string, model: string) => number;
  /** Clock that measures the lifetimes of the cache. @defaultValue the system's clock */
  readonly clock?: Clock;
  /** True if models bind their thinking to what stands before it. @defaultValue as the model of that name does */
  readonly bindsThinking?: boolean;
  /**
   * Takes signatures and encrypted reasoning that another provider made, as recorded conversations hold them.
   * @defaultValue `false`
   */
  readonly acceptsForeignReasoning?: boolean;
  /** Largest body in bytes. @defaultValue 32 MiB */
  readonly maxBodyBytes?: number;
  /** Key of the signatures; two providers with one key accept each other's. @defaultValue a fixed key */
  readonly key?: string;
}

/** A provider that listens on this machine. */
export interface ScriptedProvider {
  /** Its address, without a path: the base URL of the Anthropic SDK. */
  readonly url: string;
  /** The base URL of the OpenAI SDK. */
  readonly openAiUrl: string;
  /** Every request so far, in the order in which they came. */
  readonly requests: readonly RecordedRequest[];
  /** Requests for an answer that the provider had to refuse for their form, with what it told them. */
  readonly violations: readonly (Violation & { readonly requestIndex: number })[];
  /** Requests that were refused because the prompt is longer than the window. */
  readonly overflows: readonly RecordedRequest[];
  /** The window, which may be changed on the way; `undefined` is the model's own. */
  windowTokens: number | undefined;
  /** Forgets everything that was cached, as a provider may at any time. */
  forgetCache(): void;
  /**
   * Ends at once, hanging requests and open connections included.
   * @throws what a script threw: its calls were answered with status 500, which may pass unnoticed.
   */
  close(): Promise<void>;
}

/** The end of a request. */
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
  /** Every rule that it breaks, in the provider's words; the client got the first of them. */
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
  /** The answer, cut where the output limit cut it. */
  readonly answer: ScriptedAnswer | undefined;
  /** The client went away before the end. */
  readonly isAborted: boolean;
}
