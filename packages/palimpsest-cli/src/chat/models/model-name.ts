/**
 * Names of models: `claude-opus-5-5`, `openai:gpt-5.5`, `ollama:qwen3`, `google:gemini-3-pro`, `mine:model` with a provider of
 * the settings.
 */
import { OptionError } from "palimpsest";
import type { Environment } from "../../terminal/terminal.ts";
import type { ProviderSetting } from "../settings/chat-settings.ts";

/** A provider, ready to be asked. */
interface ModelProvider extends ProviderSetting {
  readonly name: string;
  /** True if the server is on this machine and needs no key. */
  readonly isLocal: boolean;
}

/** A model of a provider. */
export interface ChosenModel {
  readonly provider: ModelProvider;
  /** As the provider spells it. */
  readonly model: string;
}

const VENDORS: readonly ModelProvider[] = [
  { name: "anthropic", api: "anthropic", keyVariable: "ANTHROPIC_API_KEY", isLocal: false },
  { name: "openai", api: "openai", keyVariable: "OPENAI_API_KEY", isLocal: false },
  ...(
    [
      ["google", "GOOGLE_GENERATIVE_AI_API_KEY"],
      ["mistral", "MISTRAL_API_KEY"],
      ["groq", "GROQ_API_KEY"],
      ["xai", "XAI_API_KEY"],
      ["deepseek", "DEEPSEEK_API_KEY"],
      ["amazon-bedrock", undefined],
      ["azure", "AZURE_API_KEY"],
      ["cohere", "COHERE_API_KEY"],
    ] as const
  ).map(
    ([name, keyVariable]): ModelProvider => ({
      name,
      api: "ai-sdk",
      package: `@ai-sdk/${name}`,
      keyVariable,
      isLocal: false,
    }),
  ),
];

/** Servers on this machine, with the addresses that they listen on by themselves. Source: their documentation. */
const LOCAL: readonly (ModelProvider & { readonly baseUrl: string })[] = [
  { name: "ollama", api: "openai-chat", baseUrl: "http://127.0.0.1:11434/v1", isLocal: true },
  { name: "lmstudio", api: "openai-chat", baseUrl: "http://127.0.0.1:1234/v1", isLocal: true },
  { name: "vllm", api: "openai-chat", baseUrl: "http://127.0.0.1:8000/v1", isLocal: true },
];

/** The beginnings of the names of models, where no provider is named. */
const BEGINNINGS: readonly (readonly [RegExp, string])[] = [
  [/^claude-/, "anthropic"],
  [/^(?:gpt-|o\d|codex-|chatgpt-)/, "openai"],
];

/** The model for a key, if no model was named. */
const USUAL: readonly (readonly [variable: string, model: string])[] = [
  ["ANTHROPIC_API_KEY", "claude-opus-5-5"],
  ["OPENAI_API_KEY", "openai:gpt-5.5"],
];

interface NamingOptions {
  readonly env: Environment;
  /** Providers of the user's settings. */
  readonly providers: Readonly<Record<string, ProviderSetting>>;
  /** The address of an OpenAI-compatible server, which then has the model, whatever its name. */
  readonly baseUrl?: string | undefined;
}

/** The servers that may be running on this machine. */
export function localProviders({
  env,
}: Pick<NamingOptions, "env">): readonly (ModelProvider & { readonly baseUrl: string })[] {
  const { OLLAMA_HOST: host } = env;
  return LOCAL.map((one) => (one.name === "ollama" && host ? { ...one, baseUrl: ollamaUrl(host) } : one));
}

/** The variable is an address with or without scheme and port. Source: Ollama's documentation. */
function ollamaUrl(host: string): string {
  const withScheme = /^https?:\/\//.test(host) ? host : `http://${host}`;
  if (!URL.canParse(withScheme))
    throw new OptionError({
      message: `OLLAMA_HOST has ${JSON.stringify(host)}, which is not an address.`,
      hint: "Write HOST:PORT, or unset it.",
    });
  const url = new URL(withScheme);
  if (url.port === "" && url.protocol === "http:" && !/^https?:/.test(host)) url.port = "11434";
  return `${url.origin.replace("//0.0.0.0", "//127.0.0.1")}/v1`;
}

/** The model that a key in the environment suggests; `undefined` without one. */
export function usualModel(env: Environment): string | undefined {
  return env["PALIMPSEST_MODEL"] || USUAL.find(([variable]) => env[variable])?.[1];
}

/** Finds provider and model of a name. @throws `OptionError` for a name that says neither */
export function parseModelName(name: string, { env, providers, baseUrl }: NamingOptions): ChosenModel {
  if (baseUrl !== undefined)
    return {
      provider: {
        name: "server",
        api: "openai-chat",
        baseUrl: checkUrl(baseUrl),
        keyVariable: "OPENAI_API_KEY",
        isLocal: true,
      },
      model: name,
    };
  const known = new Map<string, ModelProvider>([
    ...[...VENDORS, ...localProviders({ env })].map((one) => [one.name, one] as const),
    ...Object.entries(providers).map(
      ([key, one]) => [key, { ...one, name: key, isLocal: one.keyVariable === undefined }] as const,
    ),
  ]);
  const colon = name.indexOf(":");
  const provider = known.get(name.slice(0, Math.max(0, colon)));
  if (provider !== undefined && colon < name.length - 1) return { provider, model: name.slice(colon + 1) };
  const vendor = known.get(BEGINNINGS.find(([beginning]) => beginning.test(name))?.[1] ?? "");
  if (vendor !== undefined) return { provider: vendor, model: name };
  throw new OptionError({
    message: `The model ${JSON.stringify(name)} names no provider.`,
    hint: `Write PROVIDER:MODEL, such as ollama:${name.replace(/^.*:/, "")}; providers are ${[...known.keys()].join(", ")}. For another server give --base-url.`,
  });
}

/** The address that `--base-url` names. @throws `OptionError` if it is none */
export function checkUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return text.replace(/\/+$/, "");
  throw new OptionError({
    message: `--base-url has ${JSON.stringify(text)}, which is not an address.`,
    hint: "Give one that speaks OpenAI's Chat Completions, such as http://127.0.0.1:8000/v1.",
  });
}
