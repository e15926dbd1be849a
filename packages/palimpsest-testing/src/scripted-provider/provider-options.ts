/**
 * Options of a scripted provider (an HTTP server that plays an LLM vendor), and the object that a test gets.
 */

import type { Clock } from "palimpsest";
import type { Violation } from "../wire-oracle/wire-oracle.ts";
import type { Fault, Script, ScriptedAnswer, ScriptedRequest, ScriptStep } from "./script/script.ts";

/** Settings of a {@link scriptedProvider}. All are optional. */
export interface ScriptedProviderOptions {
  /** The answers. @defaultValue a short text that names what the user said last */
  readonly script?: Script;
  /**
   * Called at every request, before the script. If it returns a step, that step is used and the script is not asked.
   * So faults can occur at any call. `seededFaults` makes such a function.
   */
  readonly faults?: (request: ScriptedRequest) => ScriptStep | undefined;
  /** Tokens of the window. @defaultValue what is known of the model, or 200,000 */
  readonly windowTokens?: number;
  /** Tokens of output that a request may ask for; the models endpoint reports it. @defaultValue 64,000 */
  readonly maxOutputTokens?: number;
  /** Counts the tokens of a text; the same text always counts the same. @defaultValue the library's estimate for the model */
  readonly countTokens?: (text: string, model: string) => number;
  /** Clock that measures the lifetimes of the cache. @defaultValue the system's clock */
  readonly clock?: Clock;
  /** True if signed thinking is valid only after the same messages. @defaultValue as the real model of that name */
  readonly bindsThinking?: boolean;
  /**
   * True if signatures and encrypted reasoning of other providers are accepted, as recorded conversations have them.
   * @defaultValue `false`
   */
  readonly acceptsForeignReasoning?: boolean;
  /** Writes the summary where the provider summarises a conversation. @defaultValue a line that quotes the user's last text */
  readonly summarize?: (request: ScriptedRequest) => string;
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
  /** Broken rules of refused requests for an answer, with the provider's error messages. */
  readonly violations: readonly (Violation & { readonly requestIndex: number })[];
  /** Requests that were refused because the prompt is longer than the window. */
  readonly overflows: readonly RecordedRequest[];
  /** Tokens of the window; tests may change it at any time. `undefined` is the model's own. */
  windowTokens: number | undefined;
  /** Forgets everything that was cached, as a provider may at any time. */
  forgetCache(): void;
  /**
   * Ends at once, hanging requests and open connections included.
   * @throws the error of a script that threw. Its call was answered with status 500, which a test may overlook.
   */
  close(): Promise<void>;
}

/** The outcome of a request. */
export type RequestOutcome =
  | "pending"
  | "answered"
  /** It breaks a rule of the API: its `violations` say which. */
  | "refused"
  /** The prompt is longer than the window. */
  | "overflow"
  /** The script, or `faults`, made it fail. */
  | "failed";

/** A request and its outcome. */
export interface RecordedRequest extends ScriptedRequest {
  readonly outcome: RequestOutcome;
  /** The status that was sent; `undefined` before that. */
  readonly status: number | undefined;
  /** Edits that the provider made of its context, in the provider's words. */
  readonly appliedEdits: readonly object[];
  /** Tokens of the prompt that was summarised before the answer, and of the summary; absent if none was. */
  readonly compaction?: { readonly promptTokens: number; readonly summaryTokens: number } | undefined;
  /** Every rule that it breaks, in the provider's words; the client got the first of them. */
  readonly violations: readonly Violation[];
  /** Tokens of the prompt that were read from the emulated cache, written to it, or neither. */
  readonly cache: {
    readonly readTokens: number;
    readonly writtenTokens: number;
    readonly plainTokens: number;
  };
  /** Blocks of signed or encrypted reasoning in the prompt that the model reads, and that it ignores. */
  readonly reasoning: { readonly keptCount: number; readonly droppedCount: number };
  readonly fault: Fault["fault"] | undefined;
  /** The answer, cut to the output limit. */
  readonly answer: ScriptedAnswer | undefined;
  /** True if the client closed the connection before the end. */
  readonly isAborted: boolean;
}
