/**
 * A model client for Claude over a client of the Anthropic SDK.
 *
 * Retries, timeouts, proxies and keys are configured on the SDK's client (`new Anthropic({ maxRetries, timeout })`).
 *
 * The SDK is never imported: the types here describe `new Anthropic()` of `@anthropic-ai/sdk`, its clients for
 * Bedrock, Vertex and Foundry, and anything that looks like them.
 *
 * The counting endpoint is free, has separate limits, and is exact except for what the server adds. It refuses
 * requests with server tools and with files by address; then the chain goes on to the next counter.
 */
import { asNumber, isObject, type JsonObject } from "../../base/json/json.ts";
import { checkOptions, type OptionRules, text, wholeFrom } from "../../base/options/check-options.ts";
import type {
  ModelAnswer,
  ModelCallOptions,
  ModelRequest,
  ModelStreamOptions,
  ReportedLimits,
  StreamingModelClient,
  TokenCounter,
} from "../../ports/model-client.ts";
import { findModel } from "../../tokens/models/model-catalogue.ts";
import { anthropicAnswer } from "../../wire/anthropic/answer.ts";
import {
  contextManagement,
  SUMMARIZE_BETAS,
  summarizeBody,
} from "../../wire/anthropic/context-management.ts";
import { type AnthropicBody, anthropicBody } from "../../wire/anthropic/request.ts";
import { AnthropicAssembly } from "../../wire/anthropic/stream.ts";
import { toAnthropic } from "../../wire/anthropic/to-anthropic.ts";
import { classifyModelError } from "../../wire/errors/model-failure.ts";
import { unreadableAnswer } from "../../wire/shared/answer-assembly.ts";
import { checkClient } from "../shared/check-client.ts";
import { IdleLimit, STREAM_RULES, type StreamLimits } from "../shared/idle-limit.ts";
import { ENDPOINT_RULE, endpointEdits, type ProviderEndpoint } from "../shared/provider-endpoints.ts";
import {
  anthropicToolDefinitions,
  plainClient,
  readStream,
  safeListener,
  settle,
  signalOption,
} from "../shared/sdk-call.ts";

/** Output limit, in tokens, if neither the client nor the request names one and the model allows it. Our choice: what Claude Code asks for. */
const DEFAULT_OUTPUT_TOKENS = 32_000;

/** Output limit, in tokens, above which an answer is always streamed, even without a listener. Source: Anthropic SDK 1.12, `internal/constants`: it refuses to wait for more from some models; more than 21,333 from any. */
const WHOLE_ANSWER_TOKENS = 8_192;

/** Options of an `anthropicModel`. */
export interface AnthropicModelOptions extends StreamLimits {
  /** The model that is asked where a call names none. */
  readonly model?: string;
  /**
   * `max_tokens` of requests whose parameters name none.
   * @defaultValue 32,000, or the most that the model gives
   */
  readonly maxOutputTokens?: number;
  /**
   * The endpoint behind the client, which decides on the edits that the provider is asked for. Name it where a proxy
   * hides it. @defaultValue by the client's `baseURL`; none where that is not known
   */
  readonly endpoint?: ProviderEndpoint;
}

const RULES: OptionRules<AnthropicModelOptions> = {
  ...STREAM_RULES,
  model: text,
  maxOutputTokens: wholeFrom(1),
  endpoint: ENDPOINT_RULE,
};

/**
 * A model client over `client.messages`, or `client.beta.messages` where a request names beta features.
 * Pass any client of `@anthropic-ai/sdk` (also those for Bedrock, Vertex and Foundry); how often it tries
 * again and how long it waits is set there.
 * @throws `OptionError` for another client, and for an option that does not exist
 */
export function anthropicModel(
  client: AnthropicClient,
  options: AnthropicModelOptions = {},
): StreamingModelClient {
  checkClient("anthropicModel", client, "anthropic");
  checkOptions("anthropicModel", options, RULES);
  const counter = anthropicCounter(plainClient(client));
  const bodyOf = (request: ModelRequest): AnthropicBody =>
    anthropicBody(
      request,
      request.maxOutputTokens ?? options.maxOutputTokens ?? defaultOutput(request.model),
    );
  return {
    provider: "anthropic",
    ...(options.model === undefined ? {} : { model: options.model }),
    generate: async (request, { signal } = {}) => {
      const body = bodyOf(request);
      // The SDK refuses long answers that are not streamed, and idle connections break.
      if (body.max_tokens > WHOLE_ANSWER_TOKENS)
        return streamed(client, { request, body, options: signalOption(signal), limits: options });
      const { data, requestId } = await settle(create(client, { request, body, signal }));
      return anthropicAnswer(data, requestId);
    },
    stream: async (request, streamOptions = {}) =>
      streamed(client, { request, body: bodyOf(request), options: streamOptions, limits: options }),
    compact: async (request, { signal } = {}) => {
      const body = summarizeBody(bodyOf(request));
      const { betas = [] } = request;
      const asked = { ...request, betas: [...betas, ...SUMMARIZE_BETAS] };
      return streamed(client, { request: asked, body, options: signalOption(signal), limits: options });
    },
    endpointEdits: (model) => endpointEdits({ name: options.endpoint, baseUrl: client.baseURL }, model),
    ...(counter === undefined ? {} : { counter }),
    ...(client.models === undefined ? {} : { limits: limitsFrom(client.models) }),
  };
}

function defaultOutput(model: string): number {
  return Math.min(DEFAULT_OUTPUT_TOKENS, findModel(model)?.maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS);
}

interface Call {
  readonly request: ModelRequest;
  readonly body: AnthropicBody;
}

function create(
  client: AnthropicClient,
  { request, body, signal }: Call & { readonly signal: AbortSignal | undefined },
): PromiseLike<unknown> {
  const betas = [...new Set([...(request.betas ?? []), ...contextManagement(request).betas])];
  if (betas.length === 0) return client.messages.create(body, signalOption(signal));
  if (client.beta !== undefined) return client.beta.messages.create({ ...body, betas }, signalOption(signal));
  const headers = { "anthropic-beta": betas.join(",") };
  return client.messages.create(body, { ...signalOption(signal), headers });
}

async function streamed(
  client: AnthropicClient,
  {
    request,
    body,
    options: { signal, onEvent },
    limits,
  }: Call & { readonly options: ModelStreamOptions; readonly limits: StreamLimits },
): Promise<ModelAnswer> {
  const idle = new IdleLimit("anthropic", signal, limits);
  const call = create(client, { request, body: { ...body, stream: true }, signal: idle.signal });
  const { data, requestId } = await settle(call);
  const assembly = new AnthropicAssembly({ tell: safeListener(onEvent) });
  await readStream(data, { provider: "anthropic", assembly, idle });
  return assembly.answer(requestId);
}

function limitsFrom(models: NonNullable<AnthropicClient["models"]>) {
  return async (model: string, { signal }: ModelCallOptions = {}): Promise<ReportedLimits | undefined> => {
    try {
      const found = await models.retrieve(model, null, signalOption(signal));
      if (!isObject(found)) return undefined;
      const windowTokens = asNumber(found["max_input_tokens"]);
      const maxOutputTokens = asNumber(found["max_tokens"]);
      return {
        ...(windowTokens === undefined ? {} : { windowTokens }),
        ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      };
    } catch (error) {
      // The endpoint for models may not know a model that the endpoint for messages does.
      if (classifyModelError(error).status === 404) return undefined;
      throw error;
    }
  };
}

/** The calls of `client.messages`. */
interface AnthropicMessagesApi {
  create(body: object, options?: object): PromiseLike<unknown>;
  countTokens?(body: object, options?: object): PromiseLike<unknown>;
}

/** A client of the Anthropic SDK, as far as it is used here. */
interface AnthropicClient {
  readonly messages: AnthropicMessagesApi;
  /** Says which endpoint it is. */
  readonly baseURL?: string | null;
  /** Asked where a request names beta features. */
  readonly beta?: { readonly messages: AnthropicMessagesApi };
  /** Asked for limits; clients of other clouds have none. */
  readonly models?: {
    retrieve(model: string, params?: object | null, options?: object): PromiseLike<unknown>;
  };
}

/** Counts with `client.messages.countTokens`; `undefined` where the client cannot. @throws `OptionError` for another client */
export function anthropicCounter(client: Pick<AnthropicClient, "messages">): TokenCounter | undefined {
  checkClient("anthropicCounter", client, "anthropic", "messages");
  const { messages: api } = client;
  if (typeof api.countTokens !== "function") return undefined;
  return {
    name: "anthropic-count-tokens",
    count: async ({ model, system, tools, messages }) => {
      const hasSystem = system !== undefined && system.trim() !== "";
      const definitions = anthropicToolDefinitions(tools);
      const answer = await api.countTokens!({
        model,
        ...(hasSystem ? { system } : {}),
        ...(definitions.length === 0 ? {} : { tools: definitions }),
        messages: toAnthropic<JsonObject>(messages),
      });
      const tokens = isObject(answer) ? asNumber(answer["input_tokens"]) : undefined;
      if (tokens === undefined) throw unreadableAnswer("anthropic", answer);
      return tokens;
    },
  };
}
