/**
 * A model client for OpenAI's Responses API, without state on the server: the server stores nothing, and each request
 * carries the model's encrypted reasoning.
 */
import { checkOptions, flag, type OptionRules, text, wholeFrom } from "../../base/options/check-options.ts";
import type {
  ModelAnswer,
  ModelRequest,
  ModelStreamOptions,
  StreamingModelClient,
} from "../../ports/model-client.ts";
import { bindsReasoning } from "../../tokens/models/edit-safety.ts";
import { responsesAnswer, responsesCompaction } from "../../wire/openai-responses/answer.ts";
import { responsesBody } from "../../wire/openai-responses/request.ts";
import { ResponsesAssembly } from "../../wire/openai-responses/stream.ts";
import { checkClient } from "../shared/check-client.ts";
import { IdleLimit, STREAM_RULES, type StreamLimits } from "../shared/idle-limit.ts";
import { ENDPOINT_RULE, endpointEdits, type ProviderEndpoint } from "../shared/provider-endpoints.ts";
import { plainClient, readStream, safeListener, settle, signalOption } from "../shared/sdk-call.ts";
import { type OpenAIResponsesClient, openaiInputTokensCounter } from "./openai-client.ts";

/** Options of an `openaiResponsesModel`. */
export interface OpenAIResponsesModelOptions extends StreamLimits {
  /** The model that is asked where a call names none. */
  readonly model?: string;
  /** `max_output_tokens` of requests whose parameters name none. @defaultValue none: the provider's own limit */
  readonly maxOutputTokens?: number;
  /**
   * True if encrypted reasoning is requested, which models that do not reason refuse.
   * @defaultValue from the model's name
   */
  readonly includesReasoning?: boolean;
  /**
   * The endpoint behind the client, which decides on the edits that the provider is asked for. Name it where a proxy
   * hides it. @defaultValue by the client's `baseURL`; none where that is not known
   */
  readonly endpoint?: ProviderEndpoint;
}

const RULES: OptionRules<OpenAIResponsesModelOptions> = {
  ...STREAM_RULES,
  model: text,
  maxOutputTokens: wholeFrom(1),
  includesReasoning: flag,
  endpoint: ENDPOINT_RULE,
};

const PROVIDER = "openai-responses";

/**
 * A model client over `client.responses`. Pass any client of `openai`; how often it tries again and how
 * long it waits is set there.
 * @throws `OptionError` for another client, and for an option that does not exist
 */
export function openaiResponsesModel(
  client: OpenAIResponsesClient,
  options: OpenAIResponsesModelOptions = {},
): StreamingModelClient {
  checkClient("openaiResponsesModel", client, "openai-responses");
  checkOptions("openaiResponsesModel", options, RULES);
  const counter = openaiInputTokensCounter(plainClient(client));
  const bodyOf = (request: ModelRequest) =>
    responsesBody(request, {
      maxOutputTokens: request.maxOutputTokens ?? options.maxOutputTokens,
      includesReasoning: options.includesReasoning ?? bindsReasoning(request.model),
    });
  const stream = async (
    request: ModelRequest,
    { signal, onEvent }: ModelStreamOptions = {},
  ): Promise<ModelAnswer> => {
    const idle = new IdleLimit(PROVIDER, signal, options);
    const call = client.responses.create({ ...bodyOf(request), stream: true }, signalOption(idle.signal));
    const { data, requestId } = await settle(call);
    const assembly = new ResponsesAssembly({ tell: safeListener(onEvent) });
    await readStream(data, { provider: PROVIDER, assembly, idle });
    return assembly.answer(requestId);
  };
  return {
    provider: PROVIDER,
    ...(options.model === undefined ? {} : { model: options.model }),
    generate: async (request, { signal } = {}) => {
      const { data, requestId } = await settle(
        client.responses.create(bodyOf(request), signalOption(signal)),
      );
      return responsesAnswer(data, requestId);
    },
    stream,
    formatTool: ({ name, description, inputSchema }) => ({
      type: "function",
      name,
      description,
      parameters: inputSchema,
      // Strict mode requires schemas in which every member is required; those of hosts have optional ones.
      strict: false,
    }),
    compact: async (request, { signal } = {}) => {
      const { model, instructions, input } = bodyOf(request);
      const asked = { model, input, ...(instructions === undefined ? {} : { instructions }) };
      const { data, requestId } = await settle(client.responses.compact!(asked, signalOption(signal)));
      return responsesCompaction(data, requestId);
    },
    endpointEdits: (model) => {
      const edits = endpointEdits({ name: options.endpoint, baseUrl: client.baseURL }, model);
      const canCompact = typeof client.responses.compact === "function";
      return edits && { ...edits, compactsOnDemand: edits.compactsOnDemand && canCompact };
    },
    ...(counter === undefined ? {} : { counter }),
  };
}
