/**
 * The table of facts about the prompt caches of model families: how text is matched, lifetime, and smallest prompt. The
 * first rule that matches counts.
 *
 * Prices here are only a fallback for models without a price in the catalogue.
 */
import type { Tariff, TariffName } from "./tariff.ts";

export interface TariffRule {
  /** Matches the name as `parseModelId` gives it. */
  readonly names: RegExp;
  readonly family: string;
  /** Prices where the catalogue has none. */
  readonly tariff: TariffName;
  /** The tariff with a cache lifetime of one hour, if the provider offers it. */
  readonly hourTariff?: TariffName;
  /** True if the family's price list names all discounts, so that a model without one has none. */
  readonly listsDiscounts?: boolean;
  readonly limits?: Partial<Pick<Tariff, "cacheLifetimeMs" | "minimumCacheTokens">>;
  readonly source: string;
}

const CLAUDE = {
  family: "claude",
  tariff: "anthropic-5m",
  hourTariff: "anthropic-1h",
  listsDiscounts: true,
  source: "Anthropic docs, Prompt caching",
} as const;
const OPENAI = { family: "openai", tariff: "openai", listsDiscounts: true } as const;

const TARIFF_RULES: readonly TariffRule[] = [
  {
    ...CLAUDE,
    names: /^claude-(?:fable|mythos)-5|^claude-(?:opus-5|5-(?:\d-)?opus)/,
    limits: { minimumCacheTokens: 512 },
  },
  { ...CLAUDE, names: /^claude-(?:opus-4-7|4-7-opus)/, limits: { minimumCacheTokens: 2_048 } },
  {
    ...CLAUDE,
    names: /^claude-(?:(?:opus-4-[56]|4-[56]-opus)|(?:haiku-4-5|4-5-haiku)|3-haiku)/,
    limits: { minimumCacheTokens: 4_096 },
  },
  { ...CLAUDE, names: /^claude-3-5-haiku/, limits: { minimumCacheTokens: 2_048 } },
  { ...CLAUDE, names: /^claude/ },
  {
    ...OPENAI,
    names: /^gpt-(?:5-[6-9]|[6-9]|\d\d)/,
    limits: { cacheLifetimeMs: 1_800_000 },
    source: "OpenAI SDK 7.55, `prompt_cache_options`: 30 minutes unless asked otherwise",
  },
  {
    ...OPENAI,
    names: /^(?:gpt-4o|o1|o3-mini)/,
    tariff: "openai-50",
    source: "OpenAI price list; Azure OpenAI docs, Prompt caching: 5 to 10 minutes",
  },
  {
    ...OPENAI,
    names: /^(?:gpt-(?!oss)|chatgpt|o[1-9]|codex)/,
    source: "OpenAI price list; Azure OpenAI docs, Prompt caching: 5 to 10 minutes",
  },
  {
    names: /^gemini-2/,
    family: "gemini",
    tariff: "generic",
    limits: { minimumCacheTokens: 2_048 },
    source: "Google docs, Context caching (implicit); no lifetime is documented",
  },
  {
    names: /^gemini/,
    family: "gemini",
    tariff: "generic",
    limits: { minimumCacheTokens: 4_096 },
    source: "Google docs, Context caching (implicit); no lifetime is documented",
  },
  {
    names: /deepseek/,
    family: "deepseek",
    tariff: "generic",
    limits: { cacheLifetimeMs: 86_400_000, minimumCacheTokens: 64 },
    source: "DeepSeek docs, Context caching: on disk, cleared after hours to days",
  },
];

/** The rule of a model's family; `undefined` where none is known. */
export function findTariffRule(name: string): TariffRule | undefined {
  return TARIFF_RULES.find(({ names }) => names.test(name));
}
