/**
 * What the catalogue's source does not know, or does not know yet, by hand: output limits, and models
 * that came after it. First match counts; a figure here goes before the generated one.
 *
 * Sources: Anthropic, OpenAI and Google model pages, and Anthropic's SDK for ids; a model that is
 * only announced there has no figures here and falls to the next rule or to the default.
 */
export interface ModelOverride {
  /** Matches the name as `parseModelId` gives it. */
  readonly names: RegExp;
  readonly windowTokens?: number;
  readonly maxOutputTokens?: number;
  /** $ per million tokens: input, output, cache read, cache write, 1-hour cache write. */
  readonly prices?: readonly number[];
  /** The same from a prompt size on, which stands first. */
  readonly tier?: readonly number[];
  readonly source: string;
}

export const MODEL_OVERRIDES: readonly ModelOverride[] = [
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
