/**
 * One block in a smaller form: same type, same ids, its text previewed.
 *
 * Thinking, server-side pairs, signed compactions and opaque blocks are bound to what their
 * provider sent and are never touched. Calls stay calls with an object of the same shape.
 */

import { findBroken } from "../../base/redaction/broken-secrets.ts";
import type { SecretSpan } from "../../base/redaction/secret-patterns.ts";
import {
  type ContentBlock,
  type DocumentBlock,
  type ImageBlock,
  isMedia,
  partText,
  type TextBlock,
  type ToolResultPart,
  withSource,
} from "../../transcript/blocks.ts";
import { isKnownClean } from "../../transcript/without-secrets.ts";
import type { Measure } from "../shared/measure.ts";
import { fairShare } from "../shared/measure.ts";
import { formatOriginal, type HistoryAccess } from "../shared/pointer.ts";
import { formatThousands, previewText } from "./preview.ts";
import { searchedStrings, shrinkInput } from "./shrink-input.ts";

export interface ShrinkOptions extends HistoryAccess {
  /** The secrets of a text where they are known. Given by {@link shrinkBlock}. */
  readonly secretsOf?: (text: string) => readonly SecretSpan[] | undefined;
  readonly budgetTokens: number;
  readonly pointer: string;
  /** True if media may be replaced by a line that names them. */
  readonly dropsMedia?: boolean;
}

/** The smaller form, or `undefined` where there is none. */
export function shrinkBlock(
  block: ContentBlock,
  options: ShrinkOptions,
  measure: Measure,
): ContentBlock | undefined {
  const shrunk = shrink(block, { ...options, secretsOf: (text) => secretsIn(block, text) }, measure);
  if (shrunk === undefined) return undefined;
  // Media are dropped for their bytes, which their tokens do not show.
  const isSmaller =
    measure(shrunk) < measure(block) ||
    (options.dropsMedia === true && encodedSize(shrunk) < encodedSize(block));
  return isSmaller ? shrunk : undefined;
}

/** Characters of a text whose secrets are remembered; of longer ones only the pieces shown are searched. */
const SEARCHED_CHARACTERS = 64_000;

/** By block and text, because planners look at the same blocks again and again, and blocks never change. */
const knownSecrets = new WeakMap<ContentBlock, Map<string, readonly SecretSpan[]>>();

/** The secrets of a text of the block; `undefined` where only the pieces that are shown are to be searched. */
export function secretsIn(block: ContentBlock, text: string): readonly SecretSpan[] | undefined {
  if (isKnownClean(block) && isTextOf(block, text)) return [];
  if (text.length > SEARCHED_CHARACTERS) return undefined;
  const texts = knownSecrets.get(block) ?? new Map<string, readonly SecretSpan[]>();
  knownSecrets.set(block, texts);
  const found = texts.get(text) ?? findBroken(text);
  texts.set(text, found);
  return found;
}

/** The strings of a call's arguments, so that they are gone through once, not for each of them. */
const searchedOf = new WeakMap<ContentBlock, ReadonlySet<string>>();

/** True for a text of the block as it is, which was searched with it: not for the JSON of an argument. */
function isTextOf(block: ContentBlock, text: string): boolean {
  if (block.type === "tool_result") return text === block.content;
  if (block.type !== "tool_use") return false;
  const strings = searchedOf.get(block) ?? searchedStrings(block.input);
  searchedOf.set(block, strings);
  return strings.has(text);
}

const encodedSize = (block: ContentBlock): number => JSON.stringify(block).length;

function shrink(block: ContentBlock, options: ShrinkOptions, measure: Measure): ContentBlock | undefined {
  switch (block.type) {
    case "text": {
      const text = previewText(block.text, { ...options, baseOffset: 0 }, measure);
      return text === undefined ? undefined : { ...block, text };
    }
    case "tool_use": {
      const input = shrinkInput(block.input, options, measure);
      return input === undefined ? undefined : { ...block, input };
    }
    case "tool_result": {
      const content =
        typeof block.content === "string"
          ? previewText(block.content, { ...options, baseOffset: 0 }, measure)
          : shrinkParts(block.content ?? [], options, measure);
      return content === undefined ? undefined : { ...block, content };
    }
    case "document":
      return shrinkDocument(block, options, measure);
    case "image":
      return options.dropsMedia === true ? mediaPlaceholder(block, options) : undefined;
    default:
      return undefined;
  }
}

/** A document of text gets a preview of its text; of any other there is nothing but all or a line. */
function shrinkDocument(
  block: DocumentBlock,
  options: ShrinkOptions,
  measure: Measure,
): ContentBlock | undefined {
  const text = partText(block);
  if (text === undefined) return options.dropsMedia === true ? mediaPlaceholder(block, options) : undefined;
  const preview = previewText(text, { ...options, baseOffset: 0 }, measure);
  return preview === undefined ? undefined : (withText(block, preview) as DocumentBlock);
}

/** The part with another text. A search result becomes a text: title, source and content are cut as one. */
function withText(part: ToolResultPart, text: string): ToolResultPart {
  if (part.type === "text") return { ...part, text };
  if (part.type !== "document") return { type: "text", text };
  const source = (part as DocumentBlock).source;
  const isText = source["type"] === "text";
  return {
    ...part,
    source: isText ? { ...source, data: text } : { type: "text", media_type: "text/plain", data: text },
  };
}

function shrinkParts(
  parts: readonly ToolResultPart[],
  options: ShrinkOptions,
  measure: Measure,
): readonly ToolResultPart[] | undefined {
  const sizes = parts.map((part) => measurePart(part, measure));
  const level = fairShare(sizes, options.budgetTokens);
  const fits = level === Number.POSITIVE_INFINITY;
  if (fits && options.dropsMedia !== true) return undefined;

  let offset = 0;
  const shown = parts.map((part, index) => {
    const baseOffset = offset;
    const text = partText(part);
    offset += (text ?? `[${part.type}]`).length + 1;
    if (fits ? !isMediaPart(part) : sizes[index]! <= level) return part;
    if (text !== undefined) {
      const preview = previewText(text, { ...options, budgetTokens: level, baseOffset }, measure);
      return preview === undefined ? part : withText(part, preview);
    }
    const isDropped = options.dropsMedia === true || !isMediaPart(part);
    return isDropped ? mediaPlaceholder(part, options) : part;
  });
  return shown.some((part, index) => part !== parts[index]) ? shown : undefined;
}

/** The block with a short line in the place of each picture or document, everything else as it is. */
export function withMediaNamed(block: ContentBlock, pointer: string): ContentBlock {
  const name = (part: { readonly type: string }): TextBlock => {
    const kilobytes = Math.max(1, Math.round(JSON.stringify(part).length / 1_000));
    return {
      type: "text",
      text: `[${part.type}, ${formatThousands(kilobytes)} KB, stored beside the log: ${pointer}]`,
    };
  };
  if (isMediaPart(block)) return name(block);
  if (block.type !== "tool_result" || !Array.isArray(block.content)) return block;
  const parts = block.content as readonly ToolResultPart[];
  return { ...block, content: parts.map((part) => (isMediaPart(part) ? name(part) : part)) };
}

/** Returns the line that replaces something that cannot be shown in part. */
function mediaPlaceholder(
  part: { readonly type: string; readonly source?: unknown },
  { pointer, hasHistoryTools }: Pick<ShrinkOptions, "pointer" | "hasHistoryTools">,
): TextBlock {
  const access = { hasHistoryTools };
  const size = JSON.stringify(part).length;
  return {
    type: "text",
    text: `[${part.type}, ${formatThousands(size)} characters encoded, not shown; ${formatOriginal(pointer, access)}]`,
  };
}

/** True for images and documents that are not text. */
export const isMediaPart = (part: { readonly type: string }): part is ImageBlock =>
  isMedia(part as ContentBlock) && "source" in withSource(part) && partText(part) === undefined;

/** Parts that have no text and are not media are measured by the JSON in which they travel. */
function measurePart(part: ToolResultPart, measure: Measure): number {
  if (isMediaPart(part)) return measure(part);
  return measure({ type: "text", text: partText(part) ?? JSON.stringify(part) });
}
