import { describe, expect, it } from "vitest";
import { estimateBlock } from "#tokens/estimate/estimate-block.ts";
import { type MediaDetail, mediaRule, priceMedia } from "#tokens/estimate/media-price.ts";
import type { ContentBlock } from "#transcript/blocks.ts";
import { pdf, png } from "./media-files.ts";

const price = (model: string, width: number, height: number, detail?: MediaDetail): number =>
  priceMedia({ type: "image", width, height }, mediaRule(model), detail);

describe("the price of an image", () => {
  it.each([
    // Measured with counting endpoints, without the tokens of the request around the image
    // (dataset "image-token-cost" on Hugging Face).
    { model: "claude-haiku-4-5", width: 256, height: 256, tokens: 100 },
    { model: "claude-haiku-4-5", width: 1_024, height: 1_024, tokens: 1_369 },
    { model: "claude-haiku-4-5", width: 1_280, height: 720, tokens: 1_196 },
    { model: "claude-haiku-4-5", width: 1_920, height: 1_080, tokens: 1_560 },
    { model: "claude-opus-5-5", width: 1_920, height: 1_080, tokens: 2_691 },
    { model: "gpt-5.5", width: 1_024, height: 1_024, tokens: 1_229 },
    { model: "gpt-5.5", width: 3_840, height: 2_160, tokens: 9_792 },
    { model: "gpt-5.5", width: 4_032, height: 3_024, tokens: 11_868 },
    { model: "gpt-6-astra", width: 4_032, height: 3_024, tokens: 14_364 },
    { model: "gpt-6-astra", width: 2_560, height: 1_440, detail: "high", tokens: 2_931 },
    { model: "gpt-6-astra", width: 4_032, height: 3_024, detail: "high", tokens: 2_942 },
    // Examples of the vendors' own pages.
    { model: "gpt-4o", width: 1_024, height: 1_024, tokens: 765 },
    { model: "gpt-4o", width: 2_048, height: 4_096, tokens: 1_105 },
    { model: "gpt-4o", width: 4_096, height: 8_192, detail: "low", tokens: 85 },
    { model: "gpt-5", width: 1_024, height: 1_024, tokens: 630 },
    { model: "o3", width: 1_024, height: 1_024, tokens: 675 },
    { model: "gpt-4o-mini", width: 1_024, height: 1_024, tokens: 25_501 },
    { model: "gpt-4.1-mini", width: 1_024, height: 1_024, tokens: 1_659 },
    { model: "gpt-4.1-mini", width: 1_800, height: 2_400, tokens: 2_353 },
    { model: "gemini-2.5-flash", width: 384, height: 384, tokens: 258 },
    { model: "gemini-2.5-flash", width: 960, height: 540, tokens: 1_548 },
    { model: "gemini-3.1-pro-preview", width: 4_032, height: 3_024, tokens: 1_120 },
    // No one's rule.
    { model: "some-model", width: 280, height: 280, tokens: 100 },
  ] as {
    model: string;
    width: number;
    height: number;
    detail?: MediaDetail;
    tokens: number;
  }[])("of $width × $height for $model ($detail detail) is $tokens", ({
    model,
    width,
    height,
    detail,
    tokens,
  }) => {
    expect(price(model, width, height, detail)).toBe(tokens);
  });

  it.each([
    "claude-haiku-4-5",
    "claude-opus-5-5",
    "gpt-4o",
    "gpt-5.5",
    "gpt-6-astra",
    "gemini-2.5-flash",
  ])("is bounded and more than nothing for the largest and the thinnest images: %s", (model) => {
    for (const [width, height] of [
      [65_535, 65_535],
      [1, 65_535],
      [65_535, 1],
      [1, 1],
    ] as const) {
      const tokens = price(model, width, height);
      expect(tokens).toBeGreaterThan(0);
      expect(tokens).toBeLessThanOrEqual(14_400);
    }
  });
});

describe("the estimate of media", () => {
  const image = (data: string, more = {}): ContentBlock =>
    ({ type: "image", source: { type: "base64", media_type: "image/png", data }, ...more }) as ContentBlock;

  it("is what the model's vendor charges, in reference tokens", () => {
    const block = image(png(1_440, 1_000));
    // 3 for the block; 52 × 36 patches; 45 × 32 patches × 1.2, by o200k's ratio of 0.87.
    expect(estimateBlock(image(png(200, 200)))).toBe(67);
    expect(estimateBlock(block, "claude-opus-5-5")).toBeCloseTo(3 + 1_872 / 1.34, 5);
    expect(estimateBlock(block, "gpt-5.5")).toBeCloseTo(3 + 1_728 / 0.87, 5);
    expect(estimateBlock(block, "claude-opus-5-5")).toBeCloseTo(3 + 1_872 / 1.34, 5);
  });

  it("is by the page for a PDF, and in a result as well", () => {
    const document = {
      type: "document",
      source: { type: "base64", media_type: "application/pdf", data: pdf(4) },
    };
    expect(estimateBlock(document as ContentBlock)).toBe(9_000);
    expect(estimateBlock(document as ContentBlock, "gemini-2.5-flash")).toBeCloseTo(1_032 / 0.87, 5);
    const result = { type: "tool_result", tool_use_id: "t1", content: [document, image(png(280, 280))] };
    expect(estimateBlock(result as ContentBlock)).toBe(14 + 9_000 + 3 + 100);
  });

  it("is cheaper where OpenAI is asked to look at it from afar", () => {
    const low = image(png(2_048, 2_048), { openai: { extra: { detail: "low" } } });
    expect(estimateBlock(low, "gpt-4o")).toBeCloseTo(3 + 85 / 0.87, 5);
  });

  it("is flat where the size cannot be read: by address, by file, damaged", () => {
    const sources = [
      { type: "url", url: "https://example.com/a.png" },
      { type: "file", file_id: "file_1" },
      { type: "base64", media_type: "image/png", data: "REDACTED" },
    ];
    for (const source of sources)
      expect(estimateBlock({ type: "image", source } as ContentBlock, "gpt-5.5")).toBe(2_000);
  });

  it("counts encrypted reasoning by the text that it holds, not as letters", () => {
    const opaque = (encrypted: string): ContentBlock => ({
      type: "opaque",
      provider: "openai-responses",
      value: { type: "reasoning", summary: [], encrypted_content: encrypted },
    });
    const more = estimateBlock(opaque("x4k9".repeat(1_000))) - estimateBlock(opaque(""));
    // 4,000 characters of base64 are 3,000 of text.
    expect(more).toBeGreaterThan(500);
    expect(more).toBeLessThan(800);
  });
});
