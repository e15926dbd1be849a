/**
 * The contents of a script: the answers of a model that is played, and the faults of a provider that fails.
 *
 * One vocabulary for every API: a test says "think, then call this tool", and the provider writes it down the
 * way the API that was asked writes it.
 */

import type { ModelAnswer } from "palimpsest";
import type { ToolUseBlock } from "palimpsest/transcript";

/** Arguments of a call: an object as JSON. */
type CallInput = Extract<ToolUseBlock["input"], Readonly<Record<string, unknown>>>;

/** One piece of an answer. */
export type AnswerPart =
  | { readonly type: "text"; readonly text: string }
  /** Signed or encrypted by the provider where its API has such reasoning, and checked when it returns. */
  | { readonly type: "thinking"; readonly text: string }
  /** An id is made up, always the same for the same request, where none is given. */
  | {
      readonly type: "tool-call";
      readonly name: string;
      readonly input: CallInput;
      readonly id?: string;
    };

/** Figures to report instead of the true ones. */
export interface ReportedUsage {
  /** All of the prompt, read from the cache or not. */
  readonly promptTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly outputTokens?: number;
}

/** An answer and what is unusual about it. No parts at all is the empty answer that providers do send. */
export interface ScriptedAnswer {
  readonly parts: readonly AnswerPart[];
  /** @defaultValue `tool-use` where a tool is called, `output-limit` where the answer had to be cut, else `end` */
  readonly stopReason?: ModelAnswer["stopReason"];
  /** Figures that are reported instead of the counted ones; `withheld` reports none. */
  readonly usage?: ReportedUsage | "withheld";
  /**
   * The prompt is silently shortened to this many tokens, as some servers do: no error, and the usage counts
   * only what was left.
   */
  readonly truncatesPromptTo?: number;
}

/** Something goes wrong with a call. */
export type Fault =
  /** 429. With `tokensPerMinute` it is the request itself that is too large for a minute. */
  | {
      readonly fault: "rate-limit";
      readonly retryAfterSeconds?: number;
      readonly tokensPerMinute?: number;
    }
  /** A 5xx. @defaultValue of `status`: 500 */
  | { readonly fault: "server-error"; readonly status?: number }
  /** 529 or 503; or, with `isMidStream`, an error event in the middle of a stream that began well. */
  | { readonly fault: "overloaded"; readonly isMidStream?: boolean }
  /** No answer until the client goes away; with `afterEvents`, after that many events of a stream. */
  | { readonly fault: "hang"; readonly afterEvents?: number }
  /** The connection breaks in the middle of an event, or of the JSON. */
  | { readonly fault: "cut"; readonly afterEvents?: number; readonly answer?: ScriptedAnswer }
  /** Status 200 and no answer in it: text, JSON of another shape, or the HTML page of a proxy. */
  | { readonly fault: "garbage"; readonly kind?: "not-json" | "wrong-shape" | "html" }
  /**
   * The prompt is refused as too long, and the window is `windowTokens` from now on; without it, just too
   * small for this prompt, and this once. `hasNumbers` says whether the text tells the figures, which
   * Anthropic and OpenAI Chat usually do and OpenAI Responses does not.
   */
  | {
      readonly fault: "prompt-too-long";
      readonly windowTokens?: number;
      readonly hasNumbers?: boolean;
    }
  /** 413; with `isFromEdge`, as HTML of a server in front of the API. */
  | { readonly fault: "body-too-large"; readonly isFromEdge?: boolean }
  /** 404: the provider does not know the model. */
  | { readonly fault: "unknown-model" }
  /** 400 with any text: a rule that no one knew. */
  | { readonly fault: "bad-request"; readonly message: string };

/** Which API a request came in on. */
export type ProviderApi = "anthropic" | "openai-chat" | "openai-responses";

/** The requested features. */
export type RequestPurpose = "answer" | "count" | "compact" | "model";

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
  /** The user's last text; results of tools do not count. */
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

/** The outcome of one call: a text, a part or several of an answer, an answer, or a fault. */
export type ScriptStep = string | AnswerPart | readonly AnswerPart[] | ScriptedAnswer | Fault;

/**
 * Decides what happens to each call. A list answers the calls in order, and the default answer those after
 * its end; a function sees each request. Neither is asked for requests that are refused for their form or
 * their length.
 */
export type Script =
  | readonly ScriptStep[]
  | ((request: ScriptedRequest) => ScriptStep | undefined | Promise<ScriptStep | undefined>);

/** A text. */
export function say(text: string): AnswerPart {
  return { type: "text", text };
}

/** Reasoning, which stands before a text or a call in the same answer. */
export function think(text: string): AnswerPart {
  return { type: "thinking", text };
}

/** A call of a tool, which the next request has to answer. */
export function callTool(name: string, input: CallInput = {}, id?: string): AnswerPart {
  return { type: "tool-call", name, input, ...(id === undefined ? {} : { id }) };
}

/** Parts of an answer with an unusual end or unusual figures. */
export function answer(
  parts: string | AnswerPart | readonly AnswerPart[],
  details: Omit<ScriptedAnswer, "parts"> = {},
): ScriptedAnswer {
  return { ...details, parts: partsOf(parts) };
}

/** The model will not answer. */
export function refuse(text = ""): ScriptedAnswer {
  return { parts: text === "" ? [] : [say(text)], stopReason: "refusal" };
}

/** A step as either of the two things that it can be. @internal */
export function resolveStep(step: ScriptStep): ScriptedAnswer | Fault {
  if (typeof step === "object" && !Array.isArray(step) && ("fault" in step || "parts" in step))
    return step as ScriptedAnswer | Fault;
  return { parts: partsOf(step as string | AnswerPart | readonly AnswerPart[]) };
}

function partsOf(step: string | AnswerPart | readonly AnswerPart[]): readonly AnswerPart[] {
  if (typeof step === "string") return [say(step)];
  return "type" in step ? [step] : step;
}
