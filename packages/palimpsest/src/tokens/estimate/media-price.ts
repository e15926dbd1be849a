/**
 * Vendors' prices of an image or a page, in their own tokens, by the rules that they publish.
 *
 * A size that is above a vendor's limit is scaled down before it is charged, so every rule is bounded
 * except for its smallest images. Models without a rule are charged like the newest Claude models.
 */
import { parseModelId, tokenizerFamily, tokenizerRatio } from "../models/model-id.ts";
import type { MediaSize } from "./media-size.ts";

/** One page of a PDF, in tokens: its text and its picture. Source: Anthropic docs, "PDF support": 1,500–3,000 a page. */
const PDF_PAGE_TOKENS = 2_250;

/** Patches of so many pixels a side, each charged; the image is scaled down to fit the limits. */
interface PatchRule {
  readonly by: "patches";
  readonly patchPixels: number;
  readonly tokensPerPatch: number;
  readonly mostPatches: number;
  /** The limit where `detail` is `high`; the same, where it is absent. */
  readonly mostPatchesHigh?: number;
  readonly longestEdge?: number;
}

/** Tiles of 512 pixels after scaling to a short side of 768, and a base. */
interface TileRule {
  readonly by: "tiles";
  readonly baseTokens: number;
  readonly tileTokens: number;
}

/** Tiles of two thirds of the short side, 256 to 768 pixels, after scaling to 3,072. */
interface CropRule {
  readonly by: "crops";
  readonly tokensPerCrop: number;
}

/** One price for any image. */
interface FlatRule {
  readonly by: "image";
  readonly tokens: number;
}

interface MediaRule {
  readonly image: PatchRule | TileRule | CropRule | FlatRule;
  /** A page of a PDF. Absent: the flat figure, its text and its picture together. */
  readonly pageTokens?: number;
}

const patches = (tokensPerPatch: number, mostPatches: number, mostPatchesHigh = mostPatches): MediaRule => ({
  image: { by: "patches", patchPixels: 32, tokensPerPatch, mostPatches, mostPatchesHigh },
});
const tiles = (baseTokens: number, tileTokens: number): MediaRule => ({
  image: { by: "tiles", baseTokens, tileTokens },
});

/** Source: Anthropic docs, "Vision": patches of 28 pixels; standard models up to 1,568 pixels a side and 1,568 tokens. */
const CLAUDE: MediaRule = {
  image: { by: "patches", patchPixels: 28, tokensPerPatch: 1, mostPatches: 1_568, longestEdge: 1_568 },
};
/** Source: Anthropic docs, "Vision": from Opus 4.7 and the 5-series on up to 2,576 pixels a side and 4,784 tokens. */
const NEW_CLAUDE: MediaRule = {
  image: { by: "patches", patchPixels: 28, tokensPerPatch: 1, mostPatches: 4_784, longestEdge: 2_576 },
};

/** Models by name, first match; names as `parseModelId` gives them, with hyphens for dots. */
const RULES: readonly (readonly [RegExp, MediaRule])[] = [
  // Source: OpenAI docs, "Images and vision", "Calculating costs": base and 512-pixel tiles.
  [/^gpt-4o-mini/, tiles(2_833, 5_667)],
  // Source: the same page: 32-pixel patches, at most 1,536, times the model's factor.
  [/^gpt-4-1-mini/, patches(1.62, 1_536)],
  [/^gpt-4-1-nano/, patches(2.46, 1_536)],
  [/^(o4-mini|codex-mini)/, patches(1.72, 1_536)],
  [/^gpt-5(-\d+)?-nano/, patches(2.46, 1_536)],
  [/^gpt-5(-\d+)?-mini/, patches(1.62, 1_536)],
  // Source: OpenAI community, "Introducing GPT-5.4 mini and nano": measured factors of 1.2.
  [/^gpt-5-[23](?!\d)/, patches(1.2, 1_536)],
  // Source: OpenAI docs, "Images and vision": 2,500 patches at high detail, 10,000 at the original size; the
  // factor and what `auto` takes as measured in the dataset "image-token-cost" (Hugging Face) and billed in recorded Codex sessions.
  [/^gpt-5-4(?!\d)/, patches(1.2, 2_500)],
  [/^gpt-5-5(?!\d)/, patches(1.2, 10_000, 2_500)],
  // Source: the same dataset: an image of 12 megapixels is not scaled down.
  [/^gpt-(5-\d+|[6-9]|\d\d)/, patches(1.2, 12_000, 2_500)],
  // Source: OpenAI docs, "Images and vision": base and tiles of GPT-5 and 5.1, of the o-series, and of those before.
  [/^gpt-5/, tiles(70, 140)],
  [/^o[1-3]/, tiles(75, 150)],
  [/^(gpt-|chatgpt|computer-use)/, tiles(85, 170)],
  // Source: Gemini API docs, "Understand and count tokens": 258 up to 384 pixels a side, else 258 a crop; 258 a page.
  [/^gemini-[12](?!\d)/, { image: { by: "crops", tokensPerCrop: 258 }, pageTokens: 258 }],
  // Source: Gemini API docs, "Media resolution": 1,120 an image and 560 a page by default, from Gemini 3 on.
  [/^gemini/, { image: { by: "image", tokens: 1_120 }, pageTokens: 560 }],
];

/** The rule of a model's vendor. */
export function mediaRule(model: string): MediaRule {
  const { name } = parseModelId(model);
  if (tokenizerFamily(model) === "claude") return CLAUDE;
  return RULES.find(([pattern]) => pattern.test(name))?.[1] ?? NEW_CLAUDE;
}

/** The detail that a model is asked for, where the request says so. */
export type MediaDetail = "low" | "high" | "original" | "auto";

/** Tokens of the vendor for an image or a document of this size. */
export function priceMedia(size: MediaSize, { image, pageTokens }: MediaRule, detail?: MediaDetail): number {
  if (size.type === "pages") return size.count * (pageTokens ?? PDF_PAGE_TOKENS);
  switch (image.by) {
    case "patches":
      return pricePatches(size, image, detail);
    case "tiles":
      return detail === "low" ? image.baseTokens : priceTiles(size, image);
    case "crops":
      return priceCrops(size, image);
    case "image":
      return image.tokens;
  }
}

/** Tokens of the reference unit for media of this size: the ledger multiplies them by the model's ratio again. */
export function mediaReferenceTokens(
  size: MediaSize,
  model: string | undefined,
  detail?: MediaDetail,
): number {
  const known = model ?? REFERENCE_MODEL;
  const rule = mediaRule(known);
  // The flat figure of a page is in reference tokens already.
  if (size.type === "pages" && rule.pageTokens === undefined) return priceMedia(size, rule);
  return priceMedia(size, rule, detail) / tokenizerRatio(known);
}

/** The vendor whose tokens are the reference unit. */
const REFERENCE_MODEL = "claude-sonnet-4-5";

interface Pixels {
  readonly width: number;
  readonly height: number;
}

/** At low detail an image is looked at within 512 pixels a side. */
const LOW_EDGE = 512;

function pricePatches(
  { width, height }: Pixels,
  { patchPixels, tokensPerPatch, mostPatches, mostPatchesHigh = mostPatches, longestEdge }: PatchRule,
  detail: MediaDetail | undefined,
): number {
  const edge = detail === "low" && longestEdge === undefined ? LOW_EDGE : longestEdge;
  const fit = edge === undefined ? 1 : Math.min(1, edge / Math.max(width, height));
  const most = detail === "high" ? mostPatchesHigh : mostPatches;
  const across = (width * fit) / patchPixels;
  const down = (height * fit) / patchPixels;
  const isWhole = Math.ceil(across) * Math.ceil(down) <= most;
  const count = isWhole
    ? Math.ceil(across) * Math.ceil(down)
    : longestEdge === undefined
      ? scaledPatches(across, down, most)
      : largestPatches(Math.max(across, down), Math.min(across, down), most);
  return Math.ceil(count * tokensPerPatch);
}

/** OpenAI scales down until one side is whole patches. */
function scaledPatches(across: number, down: number, most: number): number {
  const scale = Math.sqrt(most / (across * down));
  const [wide, high] = [across * scale, down * scale];
  const whole = Math.min(Math.max(1, Math.floor(wide)) / wide, Math.max(1, Math.floor(high)) / high);
  const cover = (count: number): number => Math.max(1, Math.ceil(count * whole - ROUNDING));
  return Math.min(cover(wide) * cover(high), most);
}

/** Anthropic takes the largest size of the same shape that fits. */
function largestPatches(long: number, short: number, most: number): number {
  for (let columns = Math.floor(long); columns > 1; columns--) {
    const rows = Math.max(1, Math.ceil((columns * short) / long - ROUNDING));
    if (columns * rows <= most) return columns * rows;
  }
  return 1;
}

/** Tolerance of a division that should give a whole number. */
const ROUNDING = 1e-9;

function priceTiles({ width, height }: Pixels, { baseTokens, tileTokens }: TileRule): number {
  const intoSquare = Math.min(1, 2_048 / Math.max(width, height));
  const toShortSide = Math.min(1, 768 / (Math.min(width, height) * intoSquare));
  const scale = intoSquare * toShortSide;
  const count = (pixels: number): number => Math.max(1, Math.ceil((pixels * scale) / 512 - ROUNDING));
  return baseTokens + tileTokens * count(width) * count(height);
}

function priceCrops({ width, height }: Pixels, { tokensPerCrop }: CropRule): number {
  if (Math.max(width, height) <= 384) return tokensPerCrop;
  const fit = Math.min(1, 3_072 / Math.max(width, height));
  const [wide, high] = [width * fit, height * fit];
  const crop = Math.min(768, Math.max(256, Math.floor(Math.min(wide, high) / 1.5)));
  return tokensPerCrop * Math.ceil(wide / crop - ROUNDING) * Math.ceil(high / crop - ROUNDING);
}
