/**
 * A model client for a name: Anthropic and OpenAI by their official SDKs, servers that speak Chat Completions by address,
 * every other vendor by its package of the AI SDK. Packages are loaded when a model needs them.
 */
import { type ModelClient, OptionError } from "palimpsest";
import { type AiSdkLanguageModel, aiSdkModel } from "palimpsest/ai-sdk";
import { anthropicModel } from "palimpsest/anthropic";
import { openaiChatModel, openaiResponsesModel } from "palimpsest/openai";
import type { Environment } from "../../terminal/terminal.ts";
import { fieldsOf } from "../base/values.ts";
import type { ProviderSetting } from "../settings/chat-settings.ts";
import { loadPackage } from "./load-package.ts";
import { type ChosenModel, checkUrl, localProviders, parseModelName, usualModel } from "./model-name.ts";
import { providerFetch } from "./provider-fetch.ts";
import { type RetryListener, type Wait, withRetries } from "./retries.ts";

type AnthropicClient = Parameters<typeof anthropicModel>[0];
type OpenAIClient = Parameters<typeof openaiResponsesModel>[0] & Parameters<typeof openaiChatModel>[0];

/** Everything that finding a model depends on. */
export interface ModelPlace {
  readonly env: Environment;
  readonly providers: Readonly<Record<string, ProviderSetting>>;
  readonly baseUrl?: string | undefined;
  /** Folders whose packages may be loaded, after this program's own. */
  readonly packageFolders: readonly string[];
  readonly onRetry: RetryListener;
  /** Told what a person should know about the model. */
  readonly onNotice?: ((text: string) => void) | undefined;
  /** Waits between attempts. @defaultValue the machine's timers */
  readonly wait?: Wait | undefined;
}

/** A model, and how it was found. */
export interface OpenedModel {
  /** As `--model` takes it. */
  readonly name: string;
  readonly client: ModelClient;
}

/** Time that a server on this machine has to say that it is there, in milliseconds. Our choice: it answers in a few. */
const LOCAL_TIMEOUT_MS = 2_000;

/**
 * The model of this name; without a name the one that the environment suggests, or the first of a server on this machine.
 * @throws `OptionError` where there is none, a package or a key is missing
 */
export async function openModel(name: string | undefined, place: ModelPlace): Promise<OpenedModel> {
  const { baseUrl, env } = place;
  const found =
    name ?? (baseUrl === undefined ? usualModel(env) : undefined) ?? (await findServedModel(place));
  if (found === undefined) throw baseUrl === undefined ? noModel() : noServedModel(baseUrl);
  const chosen = parseModelName(found, place);
  return { name: found, client: withRetries(await clientOf(chosen, place), place.onRetry, place.wait) };
}

function noModel(): OptionError {
  return new OptionError({
    message: "There is no model: no key in the environment, and no server on this machine answers.",
    hint: "Set ANTHROPIC_API_KEY or OPENAI_API_KEY, start Ollama, LM Studio or vLLM, or name a model: --model ollama:qwen3, --model NAME --base-url http://host:port/v1.",
  });
}

function noServedModel(baseUrl: string): OptionError {
  return new OptionError({
    message: `The server at ${baseUrl} does not answer, or has no list of models.`,
    hint: "See whether it runs and speaks OpenAI's Chat Completions at this address, or name its model with --model.",
  });
}

/** The first model of `--base-url`, or of the first local server that answers. */
async function findServedModel({ env, baseUrl }: ModelPlace): Promise<string | undefined> {
  if (baseUrl !== undefined) return (await modelsOf(checkUrl(baseUrl), undefined))[0]?.id;
  const asked = localProviders({ env }).map(async ({ name, baseUrl: url }) => {
    const [first] = await modelsOf(url, AbortSignal.timeout(LOCAL_TIMEOUT_MS));
    return first === undefined ? undefined : `${name}:${first.id}`;
  });
  return (await Promise.all(asked)).find((found) => found !== undefined);
}

interface ServedModel {
  readonly id: string;
  readonly windowTokens: number | undefined;
}

/** Names that servers have for the window of a model. Source: vLLM, LM Studio, llama.cpp, OpenRouter. */
const WINDOW_FIELDS = [
  "max_model_len",
  "loaded_context_length",
  "context_length",
  "context_window",
  "max_context_length",
];

/** The models of an OpenAI-compatible server; none if it does not answer. */
async function modelsOf(baseUrl: string, signal: AbortSignal | undefined): Promise<readonly ServedModel[]> {
  try {
    const response = await fetch(`${baseUrl}/models`, signal === undefined ? {} : { signal });
    const { data } = fieldsOf(response.ok ? await response.json() : undefined);
    return (Array.isArray(data) ? data : []).flatMap((one: unknown) => {
      const fields = fieldsOf(one);
      const size = WINDOW_FIELDS.map((field) => fields[field]).find((value) => Number.isSafeInteger(value));
      return typeof fields["id"] === "string"
        ? [{ id: fields["id"], windowTokens: size as number | undefined }]
        : [];
    });
  } catch {
    // A server that is not there, or not one of these, has no models.
    return [];
  }
}

async function clientOf({ provider, model }: ChosenModel, place: ModelPlace): Promise<ModelClient> {
  const key = provider.keyVariable === undefined ? undefined : place.env[provider.keyVariable];
  if (key === undefined && provider.keyVariable !== undefined && !provider.isLocal)
    throw noKey(provider.keyVariable, model);
  const load = (name: string) => loadPackage(name, place.packageFolders);
  if (provider.api === "anthropic") {
    const { default: Anthropic } = (await load("@anthropic-ai/sdk")) as {
      readonly default: SdkClass<AnthropicClient>;
    };
    const baseURL = provider.baseUrl ?? place.env["ANTHROPIC_BASE_URL"];
    return anthropicModel(new Anthropic({ ...SDK_OPTIONS, apiKey: key ?? "none", baseURL }), { model });
  }
  if (provider.api === "ai-sdk") return aiSdkClient(provider, { model, key, load });
  const { default: OpenAI } = (await load("openai")) as { readonly default: SdkClass<OpenAIClient> };
  if (provider.api === "openai") {
    const baseURL = provider.baseUrl ?? place.env["OPENAI_BASE_URL"];
    return openaiResponsesModel(new OpenAI({ ...SDK_OPTIONS, apiKey: key ?? "none", baseURL }), { model });
  }
  const baseURL = provider.baseUrl;
  const client = new OpenAI({ ...SDK_OPTIONS, apiKey: key ?? "none", baseURL });
  const chat = openaiChatModel(client, { model, provider: provider.name, outputLimitField: "max_tokens" });
  const limits: ModelClient["limits"] = async (_model, { signal } = {}) => {
    const served = await modelsOf(baseURL ?? "", AbortSignal.timeout(LOCAL_TIMEOUT_MS));
    const windowTokens =
      served.find(({ id }) => id === model)?.windowTokens ??
      (provider.name === "ollama"
        ? await ollamaWindow({ baseUrl: baseURL ?? "", model, signal })
        : undefined);
    if (provider.name === "ollama" && windowTokens !== undefined && windowTokens < ROOMY_TOKENS)
      place.onNotice?.(smallWindow(model, windowTokens));
    return windowTokens === undefined ? undefined : { windowTokens };
  };
  return { ...chat, limits };
}

/** Windows below this have little room beside the system prompt and the tools, in tokens. Our choice: four times both. */
const ROOMY_TOKENS = 20_000;

const smallWindow = (model: string, windowTokens: number): string =>
  `Ollama gives ${model} a window of ${windowTokens} tokens, which is too small to work in. Start it with OLLAMA_CONTEXT_LENGTH=64000 ollama serve, or set the context length in its app.`;

interface OllamaModel {
  readonly baseUrl: string;
  readonly model: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * The window that Ollama gives a model. Whatever the model takes, it cuts prompts at this length without a word. It is known once
 * the model is loaded, which the first call would wait for as well. Source: Ollama's API, "Load a model", "List running models".
 */
async function ollamaWindow({ baseUrl, model, signal }: OllamaModel): Promise<number | undefined> {
  const root = baseUrl.replace(/\/v1$/, "");
  const within = signal === undefined ? {} : { signal };
  try {
    const load = { method: "POST", body: JSON.stringify({ model, stream: false }), ...within };
    await (await fetch(`${root}/api/generate`, load)).body?.cancel();
    const { models } = fieldsOf(await (await fetch(`${root}/api/ps`, within)).json());
    const running = (Array.isArray(models) ? models : []).map(fieldsOf);
    const found = running.find(({ name }) => name === model || name === `${model}:latest`)?.[
      "context_length"
    ];
    return Number.isSafeInteger(found) ? (found as number) : undefined;
  } catch {
    // An older server, or one that takes too long: its window stays unknown.
    return undefined;
  }
}

type SdkClass<Client> = new (options: {
  readonly apiKey: string;
  readonly baseURL?: string | undefined;
  readonly maxRetries: number;
  readonly fetch: typeof providerFetch;
  readonly logLevel: "off";
}) => Client;

/** Options of every SDK: retries are made here, and what goes wrong is an error, not a line in the middle of the screen. */
const SDK_OPTIONS = { maxRetries: 0, fetch: providerFetch, logLevel: "off" } as const;

function noKey(variable: string, model: string): OptionError {
  return new OptionError({
    message: `There is no key for ${model}: ${variable} is not set.`,
    hint: `Set ${variable}, or choose another model with --model.`,
  });
}

interface AiSdkChoice {
  readonly model: string;
  readonly key: string | undefined;
  readonly load: (name: string) => Promise<Readonly<Record<string, unknown>>>;
}

/** Every package of the AI SDK exports one function whose name begins with `create`, which makes its provider. */
async function aiSdkClient(
  provider: ProviderSetting & { readonly name: string },
  { model, key, load }: AiSdkChoice,
): Promise<ModelClient> {
  const name = provider.package ?? `@ai-sdk/${provider.name}`;
  const made = Object.entries(await load(name)).find(
    ([one, value]) => /^create[A-Z]/.test(one) && typeof value === "function",
  );
  if (made === undefined)
    throw new OptionError({
      message: `${name} has no function whose name begins with \`create\`: it is not a provider of the AI SDK.`,
      hint: "Name another package for this provider.",
    });
  type Create = (options: object) => (model: string) => AiSdkLanguageModel;
  const create = made[1] as Create;
  const options = {
    name: provider.name,
    apiKey: key,
    fetch: providerFetch,
    ...(provider.baseUrl === undefined ? {} : { baseURL: provider.baseUrl }),
  };
  return aiSdkModel(create(options)(model));
}
