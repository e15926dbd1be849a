import { statSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "#test/helpers/any-character.ts";
import { CATALOGUE_ROWS } from "#tokens/models/model-catalogue.generated.ts";
import { findModel, resolveModelLimits } from "#tokens/models/model-catalogue.ts";
import { tokenizerFamily } from "#tokens/models/model-id.ts";

describe("findModel", () => {
  it.each([
    { id: "claude-opus-4-5", window: 200_000, output: 64_000, why: "the vendor's own name" },
    { id: "claude-opus-4-5-20251101", window: 200_000, output: 64_000, why: "with its date" },
    { id: "anthropic/claude-opus-4-5-20251101", window: 200_000, output: 64_000, why: "through a router" },
    {
      id: "openrouter/anthropic/claude-opus-4.5:thinking",
      window: 200_000,
      output: 64_000,
      why: "dots and a variant",
    },
    { id: "us.anthropic.claude-opus-4-5-20251101-v1:0", window: 200_000, output: 64_000, why: "on Bedrock" },
    { id: "claude-opus-4-5@20251101", window: 200_000, output: 64_000, why: "on Vertex" },
    { id: "claude-sonnet-4-5[1m]", window: 1_000_000, output: 64_000, why: "with the window it asks for" },
    { id: "claude-opus-5[1m]", window: 1_000_000, output: 128_000, why: "where it has that window anyway" },
    { id: "claude-opus-4-20250514", window: 200_000, output: 32_000, why: "an alias of the first version" },
    { id: "claude-3-7-sonnet-latest", window: 200_000, output: 64_000, why: "the older order of words" },
    { id: "claude-haiku-5-5", window: 1_000_000, output: 128_000, why: "only in the rules by hand" },
    { id: "gpt-5-mini-2025-08-07", window: 400_000, output: 128_000, why: "a dated snapshot" },
    { id: "GPT-5.6", window: 1_050_000, output: 128_000, why: "upper case and a dot" },
    { id: "gpt-5-mini-eu-west", window: 400_000, output: 128_000, why: "a deployment of a known model" },
    { id: "models/gemini-3.8-flash", window: 1_000_000, output: 65_536, why: "Google's resource name" },
    { id: "deepseek-v4-pro", window: 1_000_000, output: undefined, why: "a vendor without output limits" },
  ])("knows $id: $why", ({ id, window, output }) => {
    const model = findModel(id);
    expect(model?.windowTokens).toBe(window);
    expect(model?.maxOutputTokens).toBe(output);
    expect(model?.windowSource).not.toBe("");
  });

  it.each([
    { id: "some-local-model", why: "nobody listed it" },
    { id: "", why: "there is no id" },
    { id: "claude", why: "no version is named" },
    { id: "grok-99-7-mega", why: "a later version is another model" },
  ])("does not guess $id: $why", ({ id }) => {
    expect(findModel(id)?.windowTokens).toBeUndefined();
  });

  it("takes any text as an id", () => {
    fc.assert(fc.property(fc.string({ unit: anyCharacter, maxLength: 3_000 }), (id) => void findModel(id)));
  });

  it("knows prices, also those of long prompts", () => {
    const model = findModel("claude-sonnet-4-5");
    expect(model?.prices).toEqual({
      inputPerMillion: 3,
      outputPerMillion: 15,
      cacheReadPerMillion: 0.3,
      cacheWritePerMillion: 3.75,
      cacheWriteHourPerMillion: 6,
    });
    expect(model?.longPromptPrices?.fromTokens).toBe(200_000);
    expect(model?.longPromptPrices?.inputPerMillion).toBe(6);
  });

  it("holds plausible rows in a file that is cheap to load", () => {
    expect(CATALOGUE_ROWS.length).toBeGreaterThan(200);
    for (const [name, , numbers] of CATALOGUE_ROWS) {
      expect(
        numbers.every((value) => Number.isFinite(value) && value >= 0),
        name,
      ).toBe(true);
      expect(numbers[0] === 0 || numbers[0]! >= 1_000, name).toBe(true);
    }
    const bytes = statSync(
      new URL("../../../src/tokens/models/model-catalogue.generated.ts", import.meta.url),
    ).size;
    expect(bytes).toBeLessThan(60_000);
  });
});

describe("resolveModelLimits", () => {
  const model = "claude-opus-4-5";
  it.each([
    { known: { model }, window: 200_000, source: "catalogue", why: "the snapshot" },
    {
      known: { model, learned: { windowTokens: 190_000 } },
      window: 190_000,
      source: "learned",
      why: "an overflow error knows better",
    },
    {
      known: { model, learned: { windowTokens: 190_000 }, vendor: { windowTokens: 1_000_000 } },
      window: 1_000_000,
      source: "vendor",
      why: "the vendor knows better still",
    },
    {
      known: { model, vendor: { windowTokens: 1_000_000 }, option: { windowTokens: 64_000 } },
      window: 64_000,
      source: "option",
      why: "the caller decides",
    },
    {
      known: { model, option: { windowTokens: 500 } },
      window: 500,
      source: "option",
      why: "even for a very small window",
    },
    {
      known: { model, learned: { windowTokens: 12 } },
      window: 200_000,
      source: "catalogue",
      why: "a misread error is passed over",
    },
    {
      known: { model, vendor: { windowTokens: Number.NaN } },
      window: 200_000,
      source: "catalogue",
      why: "damage is passed over",
    },
    { known: { model: "some-local-model" }, window: 128_000, source: "default", why: "nobody knows" },
  ])("takes $window: $why", ({ known, window, source }) => {
    const limits = resolveModelLimits(known);
    expect([limits.windowTokens, limits.windowSource]).toEqual([window, source]);
  });
});

describe("tokenizerFamily", () => {
  it.each([
    { id: "claude-opus-4-5-20251101", family: "claude" },
    { id: "claude-opus-4-6", family: "claude" },
    { id: "claude-sonnet-4-6", family: "claude" },
    { id: "claude-3-5-haiku-latest", family: "claude" },
    { id: "claude-opus-4-7", family: "claudeNew" },
    { id: "us.anthropic.claude-opus-5-v1:0", family: "claudeNew" },
    { id: "claude-fable-5-1", family: "claudeNew" },
    { id: "claude-haiku-5-5", family: "claudeNew" },
    { id: "claude-mythos-5", family: "claudeNew" },
    { id: "openai/gpt-5.6-sol", family: "o200k" },
    { id: "o3-mini", family: "o200k" },
    { id: "gemini-3-pro-preview", family: "gemini" },
    { id: "deepseek-chat", family: "deepseek" },
    { id: "qwen/qwen3-coder", family: "qwen" },
    { id: "meta-llama/llama-4-maverick", family: "llama" },
    { id: "mistral-large-latest", family: "mistral" },
    { id: "grok-4.6", family: "grok" },
    { id: "my-model", family: "unknown" },
  ])("puts $id with $family", ({ id, family }) => {
    expect(tokenizerFamily(id)).toBe(family);
  });
});
