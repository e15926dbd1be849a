/**
 * The newest exchange as text, for sessions where nothing may be kept as it is.
 *
 * On a strict session the newest calls and results cannot stay, because the thinking before them
 * would be sent again against another history. Their words go into the summary's message instead,
 * so that the agent does not lose the answer it was waiting for.
 */
import type { ContentBlock } from "../../transcript/blocks.ts";
import { blockText, isServerToolResult, isServerToolUse } from "../../transcript/blocks.ts";
import type { VisibleMessage } from "../../transcript/window.ts";
import { withoutSecrets } from "../../transcript/without-secrets.ts";
import { previewText } from "../preview/preview.ts";
import { readableText } from "../preview/readable-text.ts";
import { fairShare, type Measure, measureText } from "../shared/measure.ts";
import { formatPointer, type HistoryAccess } from "../shared/pointer.ts";
import { quote } from "../shared/quoted-lines.ts";

const HEADING = "## The newest exchange, as it happened";
const RESULT_LABEL = "Result";
/** Tokens of a label and its quote marks, over the words themselves. */
const LABEL_TOKENS = 24;

interface Quote {
  readonly label: string;
  readonly text: string;
  readonly pointer: string;
  /** True if the text is the block's own, in which `history_read` counts its characters. */
  readonly isLiteral: boolean;
}

/** The messages as labelled quotes, the largest previewed so that all fit; empty where they say nothing. */
export function composeNewestExchange(
  messages: readonly VisibleMessage[],
  budgetTokens: number,
  measure: Measure,
  access: HistoryAccess = {},
): string {
  const quotes = messages.flatMap((message) =>
    message.blocks.map(({ index, block }) =>
      describe(message, block, formatPointer({ seq: message.seq, block: index })),
    ),
  );
  const parts = quotes.filter((part) => part !== undefined);
  if (parts.length === 0 || budgetTokens <= 0) return "";

  let availableTokens = budgetTokens - LABEL_TOKENS * parts.length;
  let text = format(parts, availableTokens, measure, access);
  for (let pass = 0; pass < 4 && measureText(text, measure) > budgetTokens; pass++) {
    availableTokens = Math.max(0, availableTokens - (measureText(text, measure) - budgetTokens) * 1.3 - 8);
    text = format(parts, availableTokens, measure, access);
  }
  return measureText(text, measure) <= budgetTokens ? text : "";
}

function format(
  parts: readonly Quote[],
  availableTokens: number,
  measure: Measure,
  { hasHistoryTools }: HistoryAccess,
): string {
  const sizes = parts.map(({ text }) => measureText(quote(text), measure));
  const level = fairShare(sizes, Math.max(0, availableTokens));
  const shown = parts.map(({ label, text, pointer, isLiteral }, index) => {
    const isWhole = sizes[index]! <= level;
    const words = isWhole
      ? text
      : (previewText(
          text,
          { budgetTokens: level * 0.9, pointer, hasHistoryTools, ...(isLiteral ? { baseOffset: 0 } : {}) },
          measure,
        ) ?? text);
    return `${label} (${pointer}):\n${quote(words)}`;
  });
  return [HEADING, ...shown].join("\n\n");
}

const QUOTED_RESULT = new RegExp(`\\n${RESULT_LABEL} \\((m\\d+\\.\\d+)\\):\\n`, "g");

/** Pointers of the results that such an exchange in `summary` shows whole or shortened. */
export function quotedPointers(summary: string): readonly string[] {
  return Array.from(summary.matchAll(QUOTED_RESULT), ([, pointer]) => pointer!);
}

/** The text of a result that such an exchange in `summary` shows whole or shortened; `undefined` if it shows none of it. */
export function quotedResult(summary: string, pointer: string): string | undefined {
  const label = `\n${RESULT_LABEL} (${pointer}):\n`;
  const at = summary.lastIndexOf(label);
  if (at === -1) return undefined;
  const lines: string[] = [];
  for (const line of summary.slice(at + label.length).split("\n")) {
    if (!line.startsWith(">")) break;
    lines.push(line.slice(line.startsWith("> ") ? 2 : 1));
  }
  return lines.join("\n");
}

function describe(message: VisibleMessage, block: ContentBlock, pointer: string): Quote | undefined {
  const original = readableText(block);
  if (original.trim() === "") return undefined;
  const text = readableText(withoutSecrets(block));
  return { label: labelOf(message, block), text, pointer, isLiteral: text === blockText(block) };
}

function labelOf({ role }: VisibleMessage, block: ContentBlock): string {
  if (block.type === "tool_result") return block.is_error === true ? "Failed result" : RESULT_LABEL;
  if (block.type === "tool_use" || isServerToolUse(block)) return "The assistant called";
  if (isServerToolResult(block)) return "The provider's tool answered";
  if (block.type === "opaque") return `In ${block.provider}'s own form`;
  return role === "assistant" ? "The assistant said" : "The user said";
}
