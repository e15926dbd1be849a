/**
 * Estimates the tokens of a content block or message: its text, its media, and the wrapper around them.
 *
 * Blocks never change, so estimates are cached by object: estimating the same block again (the next call, a planner, a
 * report) costs nothing.
 */
import { TOKENS_DEFAULTS } from "../../base/defaults/tokens/tokens.ts";
import { asNumber, asString, isObject } from "../../base/json/json.ts";
import type { Steps } from "../../base/steps.ts";
import { type ContentBlock, type ToolResultBlock, withSource } from "../../transcript/blocks.ts";
import type { VisibleMessage } from "../../transcript/window.ts";
import { estimateText, estimateTextInSteps, STEP_CHARACTERS } from "./character-automaton.ts";
import { type MediaDetail, mediaReferenceTokens } from "./media-price.ts";
import { type MediaSize, readMediaSize } from "./media-size.ts";

/** Wrapper of a call: its name, id and envelope. Source: `packages/evaluation/bench/estimator`, billed replies that are one call. */
const TOOL_USE_TOKENS = 30;
/** Each named argument of a call, whose tags the JSON text does not show. Source: `packages/evaluation/bench/estimator`, billed replies. */
const TOOL_ARGUMENT_TOKENS = 12;
/** Wrapper of a tool result. Source: `packages/evaluation/bench/estimator`, billed increments with one and with several results. */
const TOOL_RESULT_TOKENS = 14;
/** Wrapper of any other block. Source: `packages/evaluation/bench/estimator`, billed increments. */
const BLOCK_TOKENS = 3;
/** Wrapper of a message: its role and its end. Source: OpenAI cookbook, "How to count tokens": 3 a message, plus its role. */
const MESSAGE_TOKENS = 3;

/** Weight of a block: its text in reference tokens, and media, whose price depends on the model. */
interface Weight {
  readonly tokens: number;
  readonly media: readonly SizedMedia[];
}

interface SizedMedia {
  readonly size: MediaSize;
  readonly detail: MediaDetail | undefined;
}

const known = new WeakMap<object, Weight>();

/**
 * Estimates a block in reference tokens, not rounded. Images and PDFs are read for their size and priced by
 * the rules of `model`'s vendor; without a model by Anthropic's. Accepts any object and never throws.
 */
export function estimateBlock(block: ContentBlock, model?: string): number {
  let weight = known.get(block);
  if (weight === undefined) {
    const media: SizedMedia[] = [];
    weight = { tokens: weighBlock(block, media), media };
    known.set(block, weight);
  }
  return weight.media.reduce(
    (sum, { size, detail }) => sum + mediaReferenceTokens(size, model, detail),
    weight.tokens,
  );
}

/** The block with a long text that was estimated last, and the tokens of the text. */
let lastLong: { readonly block: WeakRef<ContentBlock>; readonly tokens: number } | undefined;

/** Estimates a block with a long text in steps, so that {@link estimateBlock} knows it, and another block with its text. @internal */
export function* estimateInSteps(block: ContentBlock): Steps {
  const text = longTextOf(block);
  if (text === undefined || text.length <= STEP_CHARACTERS) return;
  lastLong = { block: new WeakRef(block), tokens: yield* estimateTextInSteps(text) };
  estimateBlock(block);
}

function longTextOf(block: ContentBlock): string | undefined {
  if (block.type === "text") return block.text;
  return block.type === "tool_result" && typeof block.content === "string" ? block.content : undefined;
}

function tokensOf(text: string): number {
  const known = text.length > STEP_CHARACTERS ? lastLong?.block.deref() : undefined;
  return known !== undefined && longTextOf(known) === text ? lastLong!.tokens : estimateText(text);
}

/** True if the price of a block depends on the model: it holds media whose size is known. @internal */
function holdsSizedMedia(block: ContentBlock): boolean {
  estimateBlock(block);
  return known.get(block)!.media.length > 0;
}

/** The tokens of a block except its media with a known size, which are added to `media`. */
function weighBlock(block: ContentBlock, media: SizedMedia[]): number {
  switch (block.type) {
    case "text":
      return tokensOf(textOf(block.text)) + BLOCK_TOKENS;
    case "thinking":
      // The signature is not read by the model; only the text takes room.
      return estimateText(textOf(block.thinking)) + BLOCK_TOKENS;
    case "redacted_thinking":
      return estimateCipher(textOf(block.data)) + BLOCK_TOKENS;
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      return weighCall(textOf(block.name), block.input);
    case "tool_result":
      return weighResult(block, media);
    case "image":
    case "document":
      return weighMedia(block, media);
    case "compaction":
      return estimateText(textOf(block.content)) + BLOCK_TOKENS;
    case "opaque":
      return weighOpaque(block.value) + BLOCK_TOKENS;
    default:
      return weighJson(block.content) + TOOL_RESULT_TOKENS;
  }
}

function weighCall(name: string, input: unknown): number {
  const argumentsCount = isObject(input) ? Object.keys(input).length : 1;
  return estimateText(name) + weighJson(input) + TOOL_USE_TOKENS + TOOL_ARGUMENT_TOKENS * argumentsCount;
}

function weighResult(block: ToolResultBlock, media: SizedMedia[]): number {
  if (!Array.isArray(block.content)) {
    return tokensOf(textOf(block.content)) + TOOL_RESULT_TOKENS;
  }
  let tokens: number = TOOL_RESULT_TOKENS;
  for (const part of block.content as readonly unknown[]) {
    if (!isObject(part)) tokens += weighJson(part);
    else if (part["type"] === "text") tokens += estimateText(textOf(part["text"]));
    else if (part["type"] === "image" || part["type"] === "document") tokens += weighMedia(part, media);
    else tokens += weighJson(part);
  }
  return tokens;
}

/** Opaque content that only its provider reads is ciphered text, in base64. */
function weighOpaque(value: unknown): number {
  const cipher = isObject(value) ? value["encrypted_content"] : undefined;
  if (!isObject(value) || typeof cipher !== "string") return weighJson(value);
  const { encrypted_content: _, ...rest } = value;
  return weighJson(rest) + estimateCipher(cipher);
}

/** Estimates ciphertext in base64: it is about as long as its plain text, whose tokens the provider counts. */
function estimateCipher(data: string): number {
  const characters = (data.length * 3) / 4;
  const charactersPerToken = estimateText(SAMPLE_PROSE) / SAMPLE_PROSE.length;
  return characters * charactersPerToken;
}

const SAMPLE_PROSE = "The user wants the failing test fixed, so I should look at the parser first.";

/**
 * Weighs an image or a document by its size, if known or readable from its bytes, else by a flat figure. A document of
 * plain text counts as that text.
 */
function weighMedia(block: object, media: SizedMedia[]): number {
  const { source: given } = withSource(block);
  const source = isObject(given) ? given : {};
  if (source["type"] === "text") return estimateText(textOf(source["data"])) + BLOCK_TOKENS;
  const { content } = source;
  if (Array.isArray(content) || typeof content === "string") return weighJson(content);
  const size = sizeOf(source);
  if (size === undefined) return TOKENS_DEFAULTS.mediaTokens;
  media.push({ size, detail: detailOf(block) });
  return size.type === "image" ? BLOCK_TOKENS : 0;
}

/** Returns the size of media. The host's own figures come before the bytes. */
function sizeOf(source: Readonly<Record<string, unknown>>): MediaSize | undefined {
  const width = asNumber(source["width"]);
  const height = asNumber(source["height"]);
  if (width !== undefined && height !== undefined && width > 0 && height > 0)
    return { type: "image", width, height };
  const count = asNumber(source["pages"]);
  if (count !== undefined && count > 0) return { type: "pages", count };
  const data = source["data"];
  return typeof data === "string" ? readMediaSize(data) : undefined;
}

const DETAILS: ReadonlySet<unknown> = new Set<MediaDetail>(["low", "high", "original", "auto"]);

/** Returns the detail that a request to OpenAI asks for with an image (`wire/shared/openai-fields.ts`). */
function detailOf(block: object): MediaDetail | undefined {
  const fields = isObject(block) && isObject(block["openai"]) ? block["openai"] : {};
  const detail = isObject(fields["extra"]) ? fields["extra"]["detail"] : undefined;
  return DETAILS.has(detail) ? (detail as MediaDetail) : undefined;
}

function textOf(value: unknown): string {
  return asString(value) ?? "";
}

/** Tokens of a value as it is written in a request. A value that JSON cannot write takes no room there. */
function weighJson(value: unknown): number {
  if (value === undefined) return 0;
  if (typeof value === "string") return estimateText(value);
  try {
    return estimateText(JSON.stringify(value) ?? "");
  } catch {
    // A cycle or a BigInt: it cannot be sent either, and rendering it reports that.
    return 0;
  }
}

/** Estimates of messages without media: those are the same for every model. */
const knownMessages = new WeakMap<object, number>();

/** A message to estimate, from a host or in a request. */
export interface EstimableMessage {
  readonly content: readonly ContentBlock[];
}

/** Estimates a message in reference tokens, not rounded. Its media are priced by the rules of `model`'s vendor. */
export function estimateMessage(message: EstimableMessage, model?: string): number {
  return knownMessages.get(message) ?? weigh(message, message.content, model);
}

/** Estimates a message in the form that the window shows. */
export function estimateVisibleMessage(message: VisibleMessage, model?: string): number {
  const before = knownMessages.get(message);
  if (before !== undefined) return before;
  return weigh(
    message,
    message.blocks.map(({ block }) => block),
    model,
  );
}

function weigh(message: object, content: readonly ContentBlock[], model: string | undefined): number {
  let tokens: number = MESSAGE_TOKENS;
  for (const block of content) tokens += estimateBlock(block, model);
  if (!content.some(holdsSizedMedia)) knownMessages.set(message, tokens);
  return tokens;
}

/** Estimates what every call of a session repeats: the system prompt and the tools in JSON. */
export function estimateFixed(fixed: { readonly system?: string; readonly tools?: string }): number {
  return estimateText(fixed.system ?? "") + estimateText(fixed.tools ?? "");
}
