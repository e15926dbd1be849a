/**
 * Tokens of one content block: its text and what its wrapper costs.
 *
 * A block never changes once it exists, so its estimate is kept by the object itself: whoever shows
 * the same block again (the next call, a planner, a report) pays nothing.
 */
import { TOKENS_DEFAULTS } from "../base/defaults/tokens.ts";
import { asNumber, asString, isObject } from "../base/json.ts";
import type { ContentBlock, ToolResultBlock } from "../transcript/blocks.ts";
import { estimateText } from "./estimate-text.ts";

const known = new WeakMap<object, number>();

/** Estimates a block in reference tokens, not rounded. Any object is taken; nothing in it makes this throw. */
export function estimateBlock(block: ContentBlock): number {
  const before = known.get(block);
  if (before !== undefined) return before;
  const tokens = weighBlock(block);
  known.set(block, tokens);
  return tokens;
}

function weighBlock(block: ContentBlock): number {
  switch (block.type) {
    case "text":
      return estimateText(textOf(block.text)) + TOKENS_DEFAULTS.blockTokens;
    case "thinking":
      // The signature is not read by the model; only the text takes room.
      return estimateText(textOf(block.thinking)) + TOKENS_DEFAULTS.blockTokens;
    case "redacted_thinking":
      return estimateRedacted(textOf(block.data));
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      return weighCall(textOf(block.name), block.input);
    case "tool_result":
      return weighResult(block);
    case "image":
    case "document":
      return estimateMedia(block);
    case "compaction":
      return estimateText(textOf(block.content)) + TOKENS_DEFAULTS.blockTokens;
    case "opaque":
      return weighJson(block.value) + TOKENS_DEFAULTS.blockTokens;
    default:
      return weighJson(block.content) + TOKENS_DEFAULTS.toolResultTokens;
  }
}

function weighCall(name: string, input: unknown): number {
  const argumentsCount = isObject(input) ? Object.keys(input).length : 1;
  return (
    estimateText(name) +
    weighJson(input) +
    TOKENS_DEFAULTS.toolUseTokens +
    TOKENS_DEFAULTS.toolArgumentTokens * argumentsCount
  );
}

function weighResult(block: ToolResultBlock): number {
  if (!Array.isArray(block.content)) {
    return estimateText(textOf(block.content)) + TOKENS_DEFAULTS.toolResultTokens;
  }
  let tokens: number = TOKENS_DEFAULTS.toolResultTokens;
  for (const part of block.content as readonly unknown[]) {
    if (!isObject(part)) tokens += weighJson(part);
    else if (part["type"] === "text") tokens += estimateText(textOf(part["text"]));
    else if (part["type"] === "image" || part["type"] === "document") tokens += estimateMedia(part);
    else tokens += weighJson(part);
  }
  return tokens;
}

/** Ciphered thinking: base64 of about the text's own length, which is what the provider counts again. */
function estimateRedacted(data: string): number {
  const characters = (data.length * 3) / 4;
  const charactersPerToken = estimateText(SAMPLE_PROSE) / SAMPLE_PROSE.length;
  return characters * charactersPerToken + TOKENS_DEFAULTS.blockTokens;
}

const SAMPLE_PROSE = "The user wants the failing test fixed, so I should look at the parser first.";

/**
 * Estimates an image or a document: by its size where that is known, else a flat figure.
 * A document that carries its text is that text.
 */
export function estimateMedia(block: object): number {
  const source = isObject(block) && isObject(block["source"]) ? block["source"] : {};
  if (source["type"] === "text") return estimateText(textOf(source["data"])) + TOKENS_DEFAULTS.blockTokens;
  if (Array.isArray(source["content"])) return weighJson(source["content"]);
  const width = asNumber(source["width"]);
  const height = asNumber(source["height"]);
  if (width !== undefined && height !== undefined && width > 0 && height > 0) {
    const byPixels = (width * height) / TOKENS_DEFAULTS.imagePixelsPerToken;
    return Math.min(TOKENS_DEFAULTS.imageMaxTokens, byPixels) + TOKENS_DEFAULTS.blockTokens;
  }
  const pages = asNumber(source["pages"]);
  if (pages !== undefined && pages > 0) return pages * TOKENS_DEFAULTS.pdfPageTokens;
  return TOKENS_DEFAULTS.mediaTokens;
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
    // A cycle or a BigInt: it cannot be sent either, and the sender is told by whoever renders it.
    return 0;
  }
}
