/**
 * Looks up facts about a model: window, output limit, prices, and the source of each figure.
 *
 * The caller's figures come first, then those of the vendor's API, then those learned from an overflow error, then the
 * catalogue (hand-written rules, then the generated table), then a cautious default. Nothing is fetched here.
 */
import { CATALOGUE_ROWS, CATALOGUE_VERSION, type CatalogueRow } from "./model-catalogue.generated.ts";
import { parseModelId } from "./model-id.ts";

/** Window of an unknown model, in tokens. Our choice: the smallest among the models that run agents today. */
const UNKNOWN_WINDOW_TOKENS = 128_000;

/** Window that the suffix `[1m]` of a model id asks for, in tokens. Source: Claude Code's model names. */
const MILLION_WINDOW_TOKENS = 1_000_000;
/** Smallest learned or reported window that is believed, in tokens. Our choice: no model has less. */
export const SMALLEST_WINDOW_TOKENS = 1_000;
/** Largest learned or reported window that is believed, in tokens. Our choice: ten times today's largest. */
const LARGEST_WINDOW_TOKENS = 10_000_000;

/** $ per million tokens; `undefined` where the vendor names no separate price. */
export interface ModelPrices {
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
  readonly cacheReadPerMillion?: number | undefined;
  readonly cacheWritePerMillion?: number | undefined;
  readonly cacheWriteHourPerMillion?: number | undefined;
}

/** A model in the catalogue. */
export interface CatalogueModel {
  readonly name: string;
  readonly provider: string | undefined;
  /** `undefined` if the catalogue does not have it; likewise the other figures. */
  readonly windowTokens: number | undefined;
  /** Its source, in words for people. */
  readonly windowSource: string | undefined;
  readonly maxOutputTokens: number | undefined;
  readonly maxOutputSource: string | undefined;
  readonly prices: ModelPrices | undefined;
  /** Prices of a call whose prompt has at least `fromTokens`. */
  readonly longPromptPrices: (ModelPrices & { readonly fromTokens: number }) | undefined;
}

/** Finds a model by any spelling of its id; `undefined` if the catalogue has neither row nor rule for it. */
export function findModel(id: string): CatalogueModel | undefined {
  const { name, asksForMillion } = parseModelId(id);
  const row = findRow(name);
  const rules = MODEL_OVERRIDES.filter((rule) => rule.names.test(name));
  if (row === undefined && rules.length === 0) return undefined;

  const windowRule = rules.find((rule) => rule.windowTokens !== undefined);
  const outputRule = rules.find((rule) => rule.maxOutputTokens !== undefined);
  const priceRule = rules.find((rule) => rule.prices !== undefined);
  const [rowName, rowProvider, rowFigures, , rowTier] = row ?? [];
  const tier = priceRule === undefined ? rowTier : priceRule.tier;
  return {
    name: rowName ?? name,
    provider: rowProvider ?? providerOf(name),
    ...windowOf({ row, rule: windowRule, asksForMillion }),
    maxOutputTokens: outputRule?.maxOutputTokens,
    maxOutputSource: outputRule?.source,
    prices: pricesFrom(priceRule?.prices ?? rowFigures?.slice(1)),
    longPromptPrices:
      tier === undefined ? undefined : { fromTokens: tier[0]!, ...pricesFrom(tier.slice(1))! },
  };
}

/** Source of a window's figure, as it is shown. */
type FigureSource = "option" | "vendor" | "learned" | "catalogue" | "default";

/** Limits of a model's input and output, in tokens, and their source. */
export interface ModelLimits {
  readonly model: string;
  readonly windowTokens: number;
  readonly windowSource: FigureSource;
  /** `undefined` if unknown; a budget then keeps its full reserve. */
  readonly maxOutputTokens: number | undefined;
  readonly maxOutputSource: FigureSource | undefined;
}

interface Limits {
  readonly windowTokens?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
}

/** A model and its figures from outside the catalogue: the first of `option`, `vendor` and `learned` that has a figure counts. */
interface ModelKnowledge {
  readonly model: string;
  /** The caller's own figures. */
  readonly option?: Limits | undefined;
  /** Figures of the vendor's models endpoint. */
  readonly vendor?: Limits | undefined;
  /** Figures that an overflow error named. */
  readonly learned?: Limits | undefined;
}

/** Resolves the limits of a model, figure by figure. Figures that no model could have are passed over, except the caller's own. */
export function resolveModelLimits({ model, option, vendor, learned }: ModelKnowledge): ModelLimits {
  const catalogue = findModel(model);
  const sources: readonly (readonly [FigureSource, Limits | undefined])[] = [
    ["option", option],
    ["vendor", vendor],
    ["learned", learned],
    ["catalogue", catalogue],
  ];
  const window = sources.find(([source, limits]) =>
    source === "option" ? isCount(limits?.windowTokens) : isWindow(limits?.windowTokens),
  );
  const output = sources.find(([, limits]) => isCount(limits?.maxOutputTokens));
  return {
    model,
    windowTokens: window?.[1]?.windowTokens ?? UNKNOWN_WINDOW_TOKENS,
    windowSource: window?.[0] ?? "default",
    maxOutputTokens: output?.[1]?.maxOutputTokens,
    maxOutputSource: output?.[0],
  };
}

let index: Map<string, CatalogueRow> | undefined;

function rowsByName(): Map<string, CatalogueRow> {
  if (index !== undefined) return index;
  index = new Map();
  for (const row of CATALOGUE_ROWS) for (const alias of (row[3] ?? "").split(" ")) index.set(alias, row);
  for (const row of CATALOGUE_ROWS) index.set(row[0], row);
  index.delete("");
  return index;
}

/**
 * The row of a name, or of the longest known name it begins with: `gpt-5-mini-eu` is `gpt-5-mini`.
 * What follows may not be a version: `gpt-5-7` is not `gpt-5`.
 */
function findRow(name: string): CatalogueRow | undefined {
  const rows = rowsByName();
  for (let end = name.length; end > 0; end = name.lastIndexOf("-", end - 1)) {
    const start = name.slice(0, end);
    const isWhole = end === name.length;
    const isVersionNext = /^-\d{1,2}(?:-|$)/.test(name.slice(end));
    if (!isWhole && (isVersionNext || !/\d/.test(start))) continue;
    const row = rows.get(start);
    if (row !== undefined) return row;
  }
  return undefined;
}

function windowOf({
  row,
  rule,
  asksForMillion,
}: {
  readonly row: CatalogueRow | undefined;
  readonly rule: ModelOverride | undefined;
  readonly asksForMillion: boolean;
}): Pick<CatalogueModel, "windowTokens" | "windowSource"> {
  if (asksForMillion) {
    return { windowTokens: MILLION_WINDOW_TOKENS, windowSource: "the id's suffix" };
  }
  if (rule?.windowTokens !== undefined) return { windowTokens: rule.windowTokens, windowSource: rule.source };
  const windowTokens = row?.[2][0];
  return windowTokens === undefined || windowTokens === 0
    ? { windowTokens: undefined, windowSource: undefined }
    : { windowTokens, windowSource: CATALOGUE_VERSION };
}

function pricesFrom(numbers: readonly number[] | undefined): ModelPrices | undefined {
  const [input, output, read, write, writeHour] = numbers ?? [];
  if (input === undefined || output === undefined) return undefined;
  const known = (value: number | undefined) => (value === 0 ? undefined : value);
  return {
    inputPerMillion: input,
    outputPerMillion: output,
    cacheReadPerMillion: known(read),
    cacheWritePerMillion: known(write),
    cacheWriteHourPerMillion: known(writeHour),
  };
}

function providerOf(name: string): string | undefined {
  if (name.startsWith("claude")) return "anthropic";
  if (/^(gpt|o\d|chatgpt)/.test(name)) return "openai";
  return name.startsWith("gemini") ? "google" : undefined;
}

function isWindow(value: number | undefined): value is number {
  return isCount(value) && value >= SMALLEST_WINDOW_TOKENS && value <= LARGEST_WINDOW_TOKENS;
}

function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && value > 0;
}

/**
 * Rows by hand that the catalogue's source lacks: output limits, and newer models. First match counts; a figure
 * here goes before the generated one.
 *
 * Sources: Anthropic, OpenAI and Google model pages, and Anthropic's SDK for ids; a model that is
 * only announced there has no figures here and falls to the next rule or to the default.
 */
interface ModelOverride {
  /** Matches the name as `parseModelId` gives it. */
  readonly names: RegExp;
  readonly windowTokens?: number;
  readonly maxOutputTokens?: number;
  /** $ per million tokens: input, output, cache read, cache write, 1-hour cache write. */
  readonly prices?: readonly number[];
  /** Prices of long prompts: the prompt size in tokens, then the same five prices. */
  readonly tier?: readonly number[];
  readonly source: string;
}

const MODEL_OVERRIDES: readonly ModelOverride[] = [
  {
    names: /^claude-sonnet-5-5/,
    windowTokens: 1_000_000,
    maxOutputTokens: 128_000,
    prices: [2, 10, 0.2, 2.5, 4],
    source: "Anthropic docs, Models overview, October 2026",
  },
  {
    names: /^claude-haiku-5-5/,
    windowTokens: 1_000_000,
    maxOutputTokens: 128_000,
    prices: [0.1, 0.5, 0.01, 0.125, 0.2],
    tier: [100_000, 0.5, 2.5, 0.05, 0.625, 1],
    source: "Anthropic docs, Models overview, October 2026; cache writes by the usual factors",
  },
  {
    names: /^claude-fable-5-1|^claude-opus-5-5/,
    maxOutputTokens: 128_000,
    source: "Anthropic docs, Models overview, October 2026",
  },
  {
    names: /^claude-(?:fable|mythos)-5|^claude-opus-(?:4-[678]|5)|^claude-sonnet-5/,
    maxOutputTokens: 128_000,
    source: "assumed, as for the documented models of the same lines",
  },
  {
    names: /^claude-(?:sonnet|haiku|opus)-4-[56]/,
    maxOutputTokens: 64_000,
    source: "Anthropic docs, Models overview",
  },
  { names: /^claude-opus-4/, maxOutputTokens: 32_000, source: "Anthropic docs, Models overview" },
  { names: /^claude-(?:sonnet-4|3-7)/, maxOutputTokens: 64_000, source: "Anthropic docs, Models overview" },
  { names: /^claude-3-5/, maxOutputTokens: 8_192, source: "Anthropic docs, Models overview" },
  { names: /^claude-(?:3|2|instant)/, maxOutputTokens: 4_096, source: "Anthropic docs, Models overview" },
  { names: /^gpt-5(?!.*chat)/, maxOutputTokens: 128_000, source: "OpenAI docs, Models" },
  { names: /^gpt-6(?!.*chat)/, maxOutputTokens: 128_000, source: "assumed, as for GPT-5" },
  { names: /^o[134]/, maxOutputTokens: 100_000, source: "OpenAI docs, Models" },
  { names: /^gpt-4-1/, maxOutputTokens: 32_768, source: "OpenAI docs, Models" },
  { names: /^(?:gpt-4o|chatgpt-4o|gpt-5.*chat)/, maxOutputTokens: 16_384, source: "OpenAI docs, Models" },
  { names: /^gpt-(?:4|3-5)/, maxOutputTokens: 4_096, source: "OpenAI docs, Models" },
  {
    names: /^gemini-3(?:-1)?-pro/,
    windowTokens: 1_000_000,
    maxOutputTokens: 65_536,
    source: "Google docs, Gemini models",
  },
  { names: /^gemini-(?:2-5|3)/, maxOutputTokens: 65_536, source: "Google docs, Gemini models" },
  { names: /^gemini-/, maxOutputTokens: 8_192, source: "Google docs, Gemini models" },
];
