/**
 * The size of a window beside its tokens: providers also limit the bytes, the pictures and the documents of a request.
 */
import { isObject } from "../../base/json/json.ts";
import { utf8Bytes } from "../../base/text/text.ts";
import { blockText, type ContentBlock, isMedia, partText, withSource } from "../../transcript/blocks.ts";
import type { VisibleMessage } from "../../transcript/window.ts";

/** What the messages of a request take beside tokens. */
export interface BodySize {
  /** Bytes of texts, arguments and encoded media. Braces, names of fields and escapes of JSON come on top. */
  readonly bytes: number;
  readonly images: number;
  /** Documents that are not plain text. */
  readonly documents: number;
}

/** Adds up a window as the model is sent it. */
export function bodySize(visible: readonly VisibleMessage[]): BodySize {
  const size = { bytes: 0, images: 0, documents: 0 };
  for (const { blocks } of visible)
    for (const { block } of blocks) for (const part of partsOf(block)) addPart(part, size);
  return size;
}

/** A result that holds media, part by part; anything else as it is. */
function partsOf(block: ContentBlock): readonly ContentBlock[] {
  return block.type === "tool_result" && typeof block.content === "object"
    ? (block.content as readonly ContentBlock[])
    : [block];
}

function addPart(part: ContentBlock, size: { bytes: number; images: number; documents: number }): void {
  if (isMedia(part) && partText(part) === undefined) {
    if (part.type === "image") size.images++;
    else size.documents++;
    const { source } = withSource(part);
    const data = isObject(source) ? (source["data"] ?? source["url"]) : undefined;
    size.bytes += typeof data === "string" ? data.length : 0;
    return;
  }
  size.bytes += utf8Bytes(partText(part) ?? blockText(part));
  size.bytes += sealedBytes(part);
}

/** Bytes of what only the provider reads. */
function sealedBytes(part: ContentBlock): number {
  if (part.type === "redacted_thinking") return part.data.length;
  return part.type === "thinking" ? (part.signature?.length ?? 0) : 0;
}
