/**
 * A model client for any language model of the AI SDK (Vercel), which has providers for some fifty vendors.
 *
 * The model is called directly and not through `generateText`: there is no loop, and retries are the host's. Tools are in
 * the SDK's form, further parameters are its call options (`temperature`, `providerOptions` …).
 *
 * The packages of the AI SDK are never imported: the types here describe its models, in version 2, 3 or 4 of their interface.
 */
import { isObject, type JsonObject } from "../../base/json/json.ts";
import { checkOptions, type OptionRules, wholeFrom } from "../../base/options/check-options.ts";
import type {
  ModelAnswer,
  ModelRequest,
  ModelStreamOptions,
  StreamingModelClient,
} from "../../ports/model-client.ts";
import { AiSdkAssembly, aiSdkAnswer } from "../../wire/ai-sdk/answer.ts";
import { takesMarks, toAiSdk } from "../../wire/ai-sdk/to-ai-sdk.ts";
import { unreadableAnswer } from "../../wire/shared/answer-assembly.ts";
import { checkClient } from "../shared/check-client.ts";
import { IdleLimit, STREAM_RULES, type StreamLimits } from "../shared/idle-limit.ts";
import { readStream, safeListener } from "../shared/sdk-call.ts";

/** Options of an `aiSdkModel`. */
export interface AiSdkModelOptions extends StreamLimits {
  /** `maxOutputTokens` of requests whose parameters name none. @defaultValue none: the provider's own limit */
  readonly maxOutputTokens?: number;
}

const RULES: OptionRules<AiSdkModelOptions> = { ...STREAM_RULES, maxOutputTokens: wholeFrom(1) };

/**
 * A model client over a language model of the AI SDK. The model that answers is the one passed here,
 * whatever a request names. The SDK retries only in `generateText`, which is not used. For retries, wrap the model or give
 * its provider a `fetch` that retries.
 * @throws `OptionError` for something that is not such a model, and for an option that does not exist
 */
export function aiSdkModel(
  languageModel: AiSdkLanguageModel,
  options: AiSdkModelOptions = {},
): StreamingModelClient {
  checkClient("aiSdkModel", languageModel, "ai-sdk");
  checkOptions("aiSdkModel", options, RULES);
  const callOptions = (request: ModelRequest, signal: AbortSignal | undefined): AiSdkCallOptions => {
    const maxOutputTokens = request.maxOutputTokens ?? options.maxOutputTokens;
    const call = {
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      ...(request.tools === undefined || request.tools.length === 0 ? {} : { tools: request.tools }),
      ...request.parameters,
      providerOptions: providerOptions(languageModel.provider, request),
      prompt: toAiSdk(request, {
        version: languageModel.specificationVersion,
        takesMarks: takesMarks(languageModel.provider),
      }),
      ...(signal === undefined ? {} : { abortSignal: signal }),
    };
    return call as unknown as AiSdkCallOptions;
  };
  return {
    provider: languageModel.provider,
    model: languageModel.modelId,
    generate: async (request, { signal } = {}) =>
      aiSdkAnswer(await languageModel.doGenerate(callOptions(request, signal))),
    stream: async (
      request: ModelRequest,
      { signal, onEvent }: ModelStreamOptions = {},
    ): Promise<ModelAnswer> => {
      const idle = new IdleLimit("the AI SDK", signal, options);
      const result = await languageModel.doStream(callOptions(request, idle.signal));
      if (!isObject(result)) throw unreadableAnswer("the AI SDK", result);
      const headers = isObject(result["response"]) ? result["response"]["headers"] : undefined;
      const assembly = new AiSdkAssembly({ tell: safeListener(onEvent), headers });
      await readStream(result["stream"], { provider: "the AI SDK", assembly, idle });
      return assembly.answer();
    },
    formatTool: ({ name, description, inputSchema }) => ({
      type: "function",
      name,
      description,
      inputSchema,
    }),
  };
}

/**
 * Adds to the host's options what this library needs: no storage on the server, beta features, and no tool streaming. With
 * tool streaming the tools of streamed and other requests would differ, and the prompt cache begins with the tools.
 */
function providerOptions(provider: string, { parameters = {}, betas = [] }: ModelRequest): JsonObject {
  const given = isObject(parameters["providerOptions"]) ? (parameters["providerOptions"] as JsonObject) : {};
  const own = (name: string): JsonObject => (isObject(given[name]) ? (given[name] as JsonObject) : {});
  const needed: JsonObject = {
    ...(takesMarks(provider) ? { toolStreaming: false } : {}),
    ...(betas.length === 0 ? {} : { anthropicBeta: [...betas] }),
  };
  const anthropic = { ...needed, ...own("anthropic") };
  return {
    ...given,
    ...(provider.startsWith("openai.") ? { openai: { store: false, ...own("openai") } } : {}),
    ...(Object.keys(anthropic).length === 0 ? {} : { anthropic }),
  };
}

/** A model such as `anthropic("claude-…")` or `createOpenAICompatible(…)("…")` gives. */
export interface AiSdkLanguageModel {
  /** `v2`, `v3` or `v4`; files are written differently. */
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: AiSdkCallOptions): PromiseLike<unknown>;
  doStream(options: AiSdkCallOptions): PromiseLike<unknown>;
}

/** The fields of a call that are set here; further parameters of a request are passed on unchanged. */
interface AiSdkCallOptions {
  /** The conversation, in the SDK's own form. */
  readonly prompt: never;
  readonly abortSignal?: AbortSignal;
}
