/**
 * A model client for OpenAI's Chat Completions API, and for the many servers that are compatible with it.
 */
import { checkOptions, type OptionRules, oneOf, text, wholeFrom } from "../../base/options/check-options.ts";
import type {
  ModelAnswer,
  ModelRequest,
  ModelStreamOptions,
  StreamingModelClient,
} from "../../ports/model-client.ts";
import { chatAnswer } from "../../wire/openai-chat/answer.ts";
import { chatBody } from "../../wire/openai-chat/request.ts";
import { ChatAssembly } from "../../wire/openai-chat/stream.ts";
import { checkClient } from "../shared/check-client.ts";
import { IdleLimit, STREAM_RULES, type StreamLimits } from "../shared/idle-limit.ts";
import { plainClient, readStream, safeListener, settle, signalOption } from "../shared/sdk-call.ts";
import type { OpenAIChatClient } from "./openai-client.ts";

/** Options of an `openaiChatModel`. */
export interface OpenAIChatModelOptions extends StreamLimits {
  /** The model that is asked where a call names none. */
  readonly model?: string;
  /** Output limit of requests that name none, in tokens. @defaultValue none: the provider's own limit */
  readonly maxOutputTokens?: number;
  /** The field for that limit: OpenAI's reasoning models accept only the default, many servers only `max_tokens`. @defaultValue `max_completion_tokens` */
  readonly outputLimitField?: "max_completion_tokens" | "max_tokens";
  /** Role of the system prompt. @defaultValue `system` */
  readonly systemRole?: "system" | "developer";
  /** Name of the provider, for figures and messages. @defaultValue `openai-chat` */
  readonly provider?: string;
}

const RULES: OptionRules<OpenAIChatModelOptions> = {
  ...STREAM_RULES,
  model: text,
  maxOutputTokens: wholeFrom(1),
  outputLimitField: oneOf("max_completion_tokens", "max_tokens"),
  systemRole: oneOf("system", "developer"),
  provider: text,
};

/** Chat Completions make no edits, and read none of those of Responses. */
const NO_EDITS = {
  clearsResults: false,
  clearsThinking: false,
  compacts: false,
  leastCompactTokens: 0,
  compactsOnDemand: false,
};

/**
 * A model client over `client.chat.completions`. Pass any client of `openai`, with the `baseURL` of any
 * server; how often it tries again and how long it waits is set there.
 * @throws `OptionError` for another client, and for an option that does not exist
 */
export function openaiChatModel(
  client: OpenAIChatClient,
  options: OpenAIChatModelOptions = {},
): StreamingModelClient {
  checkClient("openaiChatModel", client, "openai-chat");
  checkOptions("openaiChatModel", options, RULES);
  const provider = options.provider ?? "openai-chat";
  const { completions } = plainClient(client).chat;
  const bodyOf = (request: ModelRequest) =>
    chatBody(request, {
      maxOutputTokens: request.maxOutputTokens ?? options.maxOutputTokens,
      outputLimitField: options.outputLimitField ?? "max_completion_tokens",
      systemRole: options.systemRole ?? "system",
    });
  const stream = async (
    request: ModelRequest,
    { signal, onEvent }: ModelStreamOptions = {},
  ): Promise<ModelAnswer> => {
    // Servers report the usage of a streamed answer only on request.
    const body = { stream_options: { include_usage: true }, ...bodyOf(request), stream: true };
    const idle = new IdleLimit(provider, signal, options);
    const { data, requestId } = await settle(completions.create(body, signalOption(idle.signal)));
    const assembly = new ChatAssembly({ tell: safeListener(onEvent) });
    await readStream(data, { provider, assembly, idle });
    return assembly.answer(requestId);
  };
  return {
    provider,
    endpointEdits: () => NO_EDITS,
    ...(options.model === undefined ? {} : { model: options.model }),
    generate: async (request, { signal } = {}) => {
      const { data, requestId } = await settle(completions.create(bodyOf(request), signalOption(signal)));
      return chatAnswer(data, requestId);
    },
    stream,
    formatTool: ({ name, description, inputSchema }) => ({
      type: "function",
      function: { name, description, parameters: inputSchema },
    }),
  };
}
