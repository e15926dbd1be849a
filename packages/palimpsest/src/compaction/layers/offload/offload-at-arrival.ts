/**
 * Offload at arrival: a block that is too large never enters the window whole.
 *
 * What the model has not seen yet can be shortened on any model, so this is the one rewrite that
 * is always safe, and the cheapest. The whole block goes to a blob; its entry shows a literal
 * preview with a pointer. Nothing here stores anything: the engine does.
 */

import { isObject } from "../../../base/json/json.ts";
import { maxOf } from "../../../base/lists.ts";
import { longestLine, utf8Bytes } from "../../../base/text/text.ts";
import {
  blockText,
  type ContentBlock,
  type Message,
  partText,
  type ToolResultPart,
  withSource,
} from "../../../transcript/blocks.ts";
import { isMediaPart, shrinkBlock, withMediaNamed } from "../../preview/shrink-block.ts";
import type { Measure } from "../../shared/measure.ts";
import { fairShare } from "../../shared/measure.ts";
import { formatPointer, type HistoryAccess } from "../../shared/pointer.ts";

/**
 * Limits of a new message; a block above one of them is stored beside the log and shown in part.
 * `arrivalPolicy` makes the policy of a window of a given size.
 */
export interface ArrivalPolicy extends HistoryAccess {
  /** Largest block that is shown whole, in tokens … */
  readonly blockTokens: number;
  /** … in UTF-8 bytes … */
  readonly blockBytes: number;
  /** … and by its longest line, in characters. */
  readonly lineCharacters: number;
  /** All results of one message together. */
  readonly messageTokens: number;
  /** The size of a larger block's preview. */
  readonly previewTokens: number;
  /** Encoded size from which media lie outside the log. */
  readonly mediaOutsideCharacters: number;
  /** Encoded size above which media are not shown. */
  readonly mediaShownCharacters: number;
}

/** A block to store outside the log, and what its entry holds instead. */
interface ArrivalForm {
  readonly index: number;
  readonly shown: ContentBlock;
  /** `whole`: stored outside and shown as it is; the log holds `shown` in its place, also for the time when the blob is gone. */
  readonly view: "preview" | "whole";
}

/** Plans what a new message shows of its large blocks; `seq` is the number its entry will have. */
export function planArrival(
  message: Pick<Message, "content">,
  seq: number,
  policy: ArrivalPolicy,
  measure: Measure,
): readonly ArrivalForm[] {
  const resultLevel = resultsLevel(message.content, policy, measure);
  const forms: ArrivalForm[] = [];
  message.content.forEach((block, index) => {
    const pointer = formatPointer({ seq, block: index });
    const form = formFor(block, { index, pointer, resultLevel }, policy, measure);
    if (form !== undefined) forms.push(form);
  });
  return forms;
}

interface Place {
  readonly index: number;
  readonly pointer: string;
  /** Results above this many tokens are previewed, because all of them together are too large. */
  readonly resultLevel: number;
}

function formFor(
  block: ContentBlock,
  { index, pointer, resultLevel }: Place,
  policy: ArrivalPolicy,
  measure: Measure,
): ArrivalForm | undefined {
  const mediaCharacters = largestMedia(block);
  const dropsMedia = mediaCharacters > policy.mediaShownCharacters;
  const isCrowded = block.type === "tool_result" && measure(block) > resultLevel;
  if (dropsMedia || isCrowded || isTooLarge(block, policy, measure)) {
    const level = isCrowded ? Math.max(policy.previewTokens, Math.floor(resultLevel)) : policy.previewTokens;
    const budgetTokens = isTooLarge(block, policy, measure) ? policy.previewTokens : level;
    const { hasHistoryTools, pathOf } = policy;
    const access = { hasHistoryTools, pathOf };
    const shown = shrinkBlock(block, { budgetTokens, pointer, dropsMedia, ...access }, measure);
    if (shown !== undefined) return { index, shown, view: "preview" };
  }
  return mediaCharacters >= policy.mediaOutsideCharacters
    ? { index, shown: withMediaNamed(block, pointer), view: "whole" }
    : undefined;
}

/** The level to which the largest results of a message are cut so that all of them fit together. */
function resultsLevel(
  content: readonly ContentBlock[],
  { messageTokens, blockTokens, previewTokens }: ArrivalPolicy,
  measure: Measure,
): number {
  const sizes = content
    .filter((block) => block.type === "tool_result")
    .map((block) => measure(block))
    .map((tokens) => (tokens > blockTokens ? Math.min(tokens, previewTokens) : tokens));
  return fairShare(sizes, messageTokens);
}

function isTooLarge(block: ContentBlock, policy: ArrivalPolicy, measure: Measure): boolean {
  switch (block.type) {
    case "text":
    case "tool_result":
    case "tool_use":
    case "document":
      if (block.type === "document" && partText(block) === undefined) return false;
      if (measure(block) > policy.blockTokens) return true;
      return textsOf(block).some(
        (text) =>
          // A character has at least one byte: long texts need not be counted.
          text.length > policy.blockBytes ||
          longestLine(text) > policy.lineCharacters ||
          utf8Bytes(text) > policy.blockBytes,
      );
    default:
      return false;
  }
}

/** The texts whose lines count: of a call each argument, because in JSON it is one line. */
function textsOf(block: ContentBlock): readonly string[] {
  if (block.type !== "tool_use") return [blockText(block)];
  if (typeof block.input !== "object" || block.input === null) return [String(block.input)];
  return Object.values(block.input).filter((value): value is string => typeof value === "string");
}

/** Encoded size of the largest image or document in a block, in characters. */
function largestMedia(block: ContentBlock): number {
  if (isMediaPart(block)) return encodedSize(block);
  if (block.type !== "tool_result" || typeof block.content === "string") return 0;
  return Math.max(0, maxOf((block.content ?? []).filter(isMediaPart).map(encodedSize)));
}

function encodedSize(part: ContentBlock | ToolResultPart): number {
  const { source } = withSource(part);
  const data = isObject(source) ? source["data"] : undefined;
  return typeof data === "string" ? data.length : 0;
}
