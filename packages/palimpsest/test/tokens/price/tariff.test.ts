import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "#test/helpers/any-character.ts";
import { CATALOGUE_ROWS } from "#tokens/models/model-catalogue.generated.ts";
import { resolveTariff } from "#tokens/price/resolve-tariff.ts";
import { TARIFFS, type TariffOption } from "#tokens/price/tariff.ts";

const MINUTE = 60_000;

describe("resolveTariff", () => {
  it.each([
    { model: "claude-sonnet-4-5", read: 0.1, write: 1.25, out: 5, min: 1_024, why: "the usual ratios" },
    { model: "claude-opus-4-5-20251101", read: 0.1, write: 1.25, out: 5, min: 4_096, why: "a larger floor" },
    { model: "claude-opus-5-5", read: 0.05, write: 1.25, out: 5, min: 512, why: "reads for half of that" },
    { model: "claude-fable-5-1", read: 0.025, write: 1.25, out: 5, min: 512, why: "reads for a quarter" },
    { model: "claude-haiku-5-5", read: 0.1, write: 1.25, out: 5, min: 1_024, why: "prices by hand" },
    {
      model: "us.anthropic.claude-opus-4-7-v1:0",
      read: 0.1,
      write: 1.25,
      out: 5,
      min: 2_048,
      why: "Bedrock",
    },
    { model: "gpt-5", read: 0.1, write: 1, out: 8, min: 1_024, why: "writing costs nothing extra" },
    { model: "gpt-5.6-sol", read: 0.1, write: 1.25, out: 5, min: 1_024, why: "a premium since GPT-5.6" },
    { model: "gpt-4o", read: 0.5, write: 1, out: 4, min: 1_024, why: "half price" },
    { model: "gpt-5-pro", read: 1, write: 1, out: 8, min: 1_024, why: "its list gives no discount" },
    { model: "gemini-3.8-flash", read: 0.1, write: 1, out: 5, min: 4_096, why: "implicit caching" },
    { model: "grok-3", read: 0.25, write: 1, out: 5, min: 1_024, why: "a vendor without a rule" },
  ])("takes the prices of $model from the catalogue: $why", ({ model, read, write, out, min }) => {
    const tariff = resolveTariff({ model });
    expect([tariff.read, tariff.write, tariff.outputRatio]).toEqual([read, write, out]);
    expect(tariff.minimumCacheTokens).toBe(min);
    expect(tariff.source).toBe("catalogue");
  });

  it.each([
    { model: "claude-neptune-9", source: "family", name: "claude", matching: "breakpoints", ms: 5 * MINUTE },
    { model: "gpt-7-vast", source: "family", name: "openai", matching: "prefix", ms: 30 * MINUTE },
    { model: "codex-mini-next", source: "family", name: "openai", matching: "prefix", ms: 10 * MINUTE },
    {
      model: "deepseek-v3-2-exp",
      source: "family",
      name: "deepseek",
      matching: "prefix",
      ms: 1_440 * MINUTE,
    },
    { model: "my-local-model", source: "generic", name: "generic", matching: "prefix", ms: 60 * MINUTE },
    { model: "", source: "generic", name: "generic", matching: "prefix", ms: 60 * MINUTE },
  ])("falls through to $source for $model", ({ model, source, name, matching, ms }) => {
    const tariff = resolveTariff({ model });
    expect([tariff.source, tariff.name, tariff.matching, tariff.cacheLifetimeMs]).toEqual([
      source,
      name,
      matching,
      ms,
    ]);
  });

  it("knows what a model's answers cost where its cache prices are not known", () => {
    // DeepSeek V3.2 (experimental): 0.27 in, 0.41 out, no price for reading.
    expect(resolveTariff({ model: "deepseek-v3-2-exp" })).toMatchObject({ read: 0.1, outputRatio: 1.5185 });
  });

  it.each([
    { model: "claude-opus-5-5", read: 0.05, write: 2, ms: 60 * MINUTE, why: "its own reading price" },
    { model: "claude-neptune-9", read: 0.1, write: 2, ms: 60 * MINUTE, why: "unlisted" },
    { model: "gpt-5", read: 0.1, write: 1, ms: 10 * MINUTE, why: "there is no choice" },
  ])("prices $model with the cache of an hour: $why", ({ model, read, write, ms }) => {
    const tariff = resolveTariff({ model, cacheTtl: "1h" });
    expect([tariff.read, tariff.write, tariff.cacheLifetimeMs]).toEqual([read, write, ms]);
  });

  it("believes the caller, by name or figure by figure", () => {
    expect(resolveTariff({ model: "gpt-5", option: "anthropic-1h" })).toEqual({
      name: "anthropic-1h",
      source: "option",
      read: 0.1,
      write: 2,
      outputRatio: 5,
      cacheLifetimeMs: 3_600_000,
      minimumCacheTokens: 1_024,
      maxMarks: 4,
      lookBackBlocks: 20,
      matching: "breakpoints",
    });
    const option = { read: 0.2, cacheLifetimeMs: 1_000 };
    expect(resolveTariff({ model: "claude-sonnet-4-5", option })).toMatchObject({
      source: "option",
      read: 0.2,
      write: 1.25,
      cacheLifetimeMs: 1_000,
    });
  });

  it.each([
    { option: "anthropic", why: "no such name" },
    { option: "__proto__", why: "not a name of ours" },
    { option: 5, why: "neither name nor figures" },
    { option: null, why: "nothing" },
    { option: [0.1], why: "a list" },
    { option: { read: -1 }, why: "a price below nothing" },
    { option: { read: Number.NaN }, why: "no number" },
    { option: { write: 0 }, why: "writing for nothing" },
    { option: { write: "1.25" }, why: "a text" },
    { option: { cacheLifeTimeMs: 5 }, why: "a figure that there is not" },
    { option: { matching: "marks" }, why: "another kind of matching" },
    { option: { read: 3 }, why: "reading dearer than the model's writing" },
  ])("refuses $option: $why", ({ option }) => {
    expect(() => resolveTariff({ model: "claude-opus-4-5", option: option as TariffOption })).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID" }),
    );
  });

  it("gives a tariff that makes sense for any text, and for every model of the catalogue", () => {
    const makesSense = (model: string): void => {
      const { read, write, outputRatio, cacheLifetimeMs, minimumCacheTokens } = resolveTariff({ model });
      expect(read, model).toBeGreaterThan(0);
      expect(read, model).toBeLessThanOrEqual(write);
      expect(write, model).toBeLessThanOrEqual(2);
      expect(outputRatio, model).toBeGreaterThan(0.5);
      expect(outputRatio, model).toBeLessThan(50);
      expect(cacheLifetimeMs, model).toBeGreaterThan(0);
      expect(minimumCacheTokens, model).toBeGreaterThan(0);
    };
    for (const [name] of CATALOGUE_ROWS) makesSense(name);
    fc.assert(fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), makesSense));
  });

  it("makes the guess that rewrites latest: nobody's rewrite but that of the dearest write pays later", () => {
    const callsToBreakEven = ({ read, write }: { read: number; write: number }): number =>
      (write - read) / read;
    const usual = ["anthropic-5m", "openai", "openai-50"] as const;
    for (const name of usual)
      expect(callsToBreakEven(TARIFFS.generic)).toBeGreaterThanOrEqual(callsToBreakEven(TARIFFS[name]));
  });
});
