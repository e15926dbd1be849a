/**
 * The interface of a language model client: the only way in which the engine calls a provider.
 *
 * The engine passes a request in our own content blocks, and gets the answer back in them. An implementation uses a
 * vendor's SDK (`models/`), a gateway, or a function of the host. It sets no timeouts, but passes `signal` on, and
 * leaves transport retries to its SDK.
 */
import type { JsonObject } from "../base/json/json.ts";
import type { Message, Usage } from "../transcript/blocks.ts";
import type { CacheMark, RequestMessage } from "../transcript/window.ts";
import type { ModelFailure } from "./model-failure.ts";

/** Edits of the context that an endpoint can make on its side. They leave signed thinking valid. */
export interface EndpointEdits {
  /** Clears old results of tools, by rule. */
  readonly clearsResults: boolean;
  /** Clears old thinking, by rule. */
  readonly clearsThinking: boolean;
  /** Summarises everything so far while it answers, from a size on. */
  readonly compacts: boolean;
  /** The least size, in tokens, from which on it can be asked to. */
  readonly leastCompactTokens: number;
  /** Summarises a conversation when it is asked, without an answer. */
  readonly compactsOnDemand: boolean;
}

/** Edits of the context that a provider is asked to make for one request. */
export interface ProviderEditPlan {
  /** Clear the results of all tool calls but the newest `keptCount`. `clearedCount`: the number that go then. */
  readonly clearResults?: {
    readonly keptCount: number;
    readonly clearedCount: number;
    /** Tools whose results stay; they do not count. */
    readonly keptTools?: readonly string[];
  };
  /** Clear thinking of all turns but the newest ones that have some. */
  readonly clearThinking?: { readonly keptTurns: number };
  /** Summarise what came so far if the prompt has this many tokens or more. */
  readonly compactAtTokens?: number;
}

/** Edits that a provider reports to have made for one request. */
export interface AppliedProviderEdits {
  readonly clearedResults: number;
  readonly clearedThinkingTurns: number;
  /** Tokens by which the prompt became smaller, without summaries. */
  readonly clearedTokens: number;
  /** Usage of the summary that the provider made on the way; it is not part of the answer's. */
  readonly compactionUsage?: Usage;
  /** The provider's own words. */
  readonly reported: readonly JsonObject[];
}

/** One request, as `prepare` made it. */
export interface ModelRequest {
  /** Id of the model as its provider spells it. */
  readonly model: string;
  /** The system prompt. */
  readonly system?: string;
  /** Tool definitions in the shape the provider takes. */
  readonly tools?: readonly unknown[];
  /** The conversation, valid for every provider. */
  readonly messages: readonly RequestMessage[];
  /**
   * Further parameters in the provider's own terms (`max_tokens`, `thinking`, `tool_choice` …). They are copied into
   * the body and override what the client would set itself.
   */
  readonly parameters?: JsonObject;
  /** Longest answer, in tokens; the client translates it for its provider. `parameters` override it. */
  readonly maxOutputTokens?: number;
  /** Beta features that the request asks for. */
  readonly betas?: readonly string[];
  /** Blocks that carry a cache mark; clients of providers without marks leave them out. */
  readonly cacheMarks?: readonly CacheMark[];
  /** Lifetime of the cache entries that the marks request. @defaultValue `5m` */
  readonly cacheTtl?: "5m" | "1h";
  /** The same for the entry of system prompt and tools, which no message precedes. @defaultValue `cacheTtl` */
  readonly headCacheTtl?: "5m" | "1h";
  /** Edits that the provider shall make; clients of providers without them leave them out. */
  readonly providerEdits?: ProviderEditPlan;
}

/** Why a model stopped, in terms that are the same for every provider. */
export type StopReason =
  /** It was done. */
  | "end"
  /** It calls tools and waits for their results. */
  | "tool-use"
  /** Its answer reached the output limit and is cut. */
  | "output-limit"
  /** The window was full while it was answering. */
  | "window-full"
  /** It refused to answer. */
  | "refusal"
  /** The provider paused a long turn; send the answer back to continue it. */
  | "paused"
  /** Something else; `rawStopReason` says what. */
  | "other";

/** A model's answer to one request. */
export interface ModelAnswer {
  /** The assistant's messages, one in general; empty where the provider sent nothing. */
  readonly messages: readonly Message[];
  readonly stopReason: StopReason;
  /** The stop reason in the provider's own terms. */
  readonly rawStopReason?: string;
  /** Absent where the provider reported none. */
  readonly usage?: Usage;
  /** The model that answered, as the provider names it. */
  readonly model?: string;
  /** The provider's id of the request, for its support. */
  readonly requestId?: string;
  /** Edits that the provider made of the context; absent where it reports none. */
  readonly providerEdits?: AppliedProviderEdits;
}

/** An event while an answer is streamed. */
export type ModelEvent =
  /** The next piece of a text or of thinking, to show while it arrives; the finished `block` repeats it. */
  | { readonly type: "text" | "thinking"; readonly text: string }
  /** A tool call has begun. Its input follows with the finished `block`, of the type `tool_use`. */
  | { readonly type: "tool-call"; readonly id: string; readonly name: string }
  /** A block is finished: it survives an abort. */
  | { readonly type: "block"; readonly block: Message["content"][number] };

/** Options of one call of a model. */
export interface ModelCallOptions {
  /** Aborts the call; the promise then rejects. */
  readonly signal?: AbortSignal;
}

/** Options of a call whose answer is streamed. */
export interface ModelStreamOptions extends ModelCallOptions {
  /** Called with each event, in order. */
  readonly onEvent?: (event: ModelEvent) => void;
}

/** A provider's description of one of its models. */
export interface ReportedLimits {
  readonly windowTokens?: number;
  readonly maxOutputTokens?: number;
}

/** A tool, independent of the provider. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its input. */
  readonly inputSchema: JsonObject;
}

/**
 * A model client. Only `provider` and `generate` are required; each further member enables a feature.
 */
export interface ModelClient {
  /** Name of the provider, for figures and messages: `anthropic`, `openai-responses` … */
  readonly provider: string;
  /** The model that is asked where a call names none. */
  readonly model?: string;
  /** Resolves with the whole answer. @throws whatever the SDK throws; `classifyError` says what it means. */
  generate(request: ModelRequest, options?: ModelCallOptions): Promise<ModelAnswer>;
  /** Like `generate`, with events while the answer arrives. Resolves once it is complete; rejects if it was cut off. */
  stream?(request: ModelRequest, options?: ModelStreamOptions): Promise<ModelAnswer>;
  /** A tool in the shape that the provider takes. @defaultValue the Messages API's: `{ name, description, input_schema }` */
  formatTool?(tool: ToolDefinition): JsonObject;
  /** Counts requests where the provider has an endpoint for it. */
  readonly counter?: TokenCounter;
  /** The edits that the endpoint can make for a model; `undefined` where that is not known. */
  endpointEdits?(model: string): EndpointEdits | undefined;
  /** Asks for a summary alone. Resolves with the messages that take the place of the request's, to be sent back unchanged. */
  compact?(request: ModelRequest, options?: ModelCallOptions): Promise<ModelAnswer>;
  /** Asks the provider for the limits of a model; `undefined` where it does not know it. */
  limits?(model: string, options?: ModelCallOptions): Promise<ReportedLimits | undefined>;
  /** Classifies an error of `generate`. @defaultValue `classifyModelError`, which reads every vendor's errors */
  classifyError?(error: unknown): ModelFailure;
}

/** A model client that can stream. */
export type StreamingModelClient = ModelClient & Required<Pick<ModelClient, "stream">>;

/** A text that is embedded to be compared: a message, or a memory that it may need. */
export type EmbeddedSide = NonNullable<Parameters<EmbeddingClient["embed"]>[1]["side"]>;

/**
 * Turns texts into vectors, so that memories are found by their meaning, too.
 *
 * Optional everywhere: its ranking is fused with that of the word search. If it fails or takes too long, the word search
 * decides alone.
 */
export interface EmbeddingClient {
  /** Id of the model: vectors of different models are never compared. */
  readonly model: string;
  /** Most texts that one call may have. @defaultValue 96, which common providers take */
  readonly mostTexts?: number;
  /** Distance from which on a memory is shown unasked, measured with this model. @defaultValue `nearSpreads` */
  readonly shownSpreads?: number;
  /**
   * One vector for each text, in their order, all of one length. Messages are compared with memories, so a model may
   * embed the two sides differently; without a `side`, all texts are of one kind.
   */
  embed(
    texts: readonly string[],
    how: { readonly signal: AbortSignal; readonly side?: "message" | "memory" },
  ): Promise<readonly (readonly number[])[]>;
}

/** The request whose tokens are to be counted, in our own blocks. */
export interface CountableRequest {
  readonly model: string;
  /** The system prompt. */
  readonly system?: string;
  /** The tools as they are sent, in JSON. */
  readonly tools?: string;
  readonly messages: readonly Message[];
}

/** Counts requests for a `CountingChain`. Wrap a provider's counting endpoint or a tokenizer in one. */
export interface TokenCounter {
  /** Shown as the source of a figure, such as `anthropic-count-tokens`. */
  readonly name: string;
  /** @throws when it cannot count; the chain goes on to the next counter. */
  count(request: CountableRequest): Promise<number>;
}
