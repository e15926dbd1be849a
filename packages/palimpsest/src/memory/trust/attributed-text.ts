/**
 * Splits a conversation into pieces of text, each with its source: the user, the agent, a tool, the web or a memory.
 * The trust in extracted memories depends on these sources.
 *
 * The host says who sent a message, but a user's message may quote others. A tool's name, or the command that it runs,
 * shows if its results come from the web or from a memory.
 */
import {
  blockText,
  type ContentBlock,
  defaultOrigin,
  isServerToolResult,
  isServerToolUse,
  type Message,
  type Origin,
} from "../../transcript/blocks.ts";
import { recalledIn, withoutRecalled } from "./fence.ts";
import { splitOwnWords } from "./own-words.ts";

/** A message with the id by which a memory refers to it. */
export interface ConversationMessage {
  readonly id: string;
  readonly message: Message;
}

/** The source of a piece. `recalled` text comes from a memory, so it is known already. */
export type PieceSource = "user" | "agent" | "tool" | "web" | "recalled";

export interface AttributedText {
  /** The id of its message. */
  readonly id: string;
  readonly source: PieceSource;
  readonly text: string;
  /** Number of its turn. A turn begins with each piece of the user's own words. */
  readonly turn: number;
}

/**
 * The pieces of a conversation in order, without thinking, images and empty text. Turns are numbered from
 * `turnsCount`, for a continued conversation.
 */
export function attributeTexts(
  conversation: readonly ConversationMessage[],
  turnsCount = 0,
): readonly AttributedText[] {
  const pieces: AttributedText[] = [];
  const results = new Map<string, PieceSource>();
  let turn = turnsCount;
  const add = (id: string, source: PieceSource, text: string): void => {
    if (text.trim() === "") return;
    if (source === "user") turn++;
    pieces.push({ id, source, text, turn });
  };
  const addAll = (id: string, source: PieceSource, text: string): void => {
    add(id, "recalled", recalledIn(text));
    const rest = withoutRecalled(text);
    if (source !== "user") {
      add(id, source, rest);
      return;
    }
    const { own, others } = splitOwnWords(rest);
    add(id, "user", own);
    add(id, "tool", others);
  };
  for (const { id, message } of conversation) {
    const speaker = SPEAKERS[message.origin ?? defaultOrigin(message)] ?? "tool";
    for (const block of message.content) {
      if (block.type === "tool_use" || isServerToolUse(block))
        results.set(block.id, sourceOfTool(block.name, block.input));
      for (const { source, text } of textsOf(block, speaker, results)) addAll(id, source, text);
    }
  }
  return pieces;
}

/** The presumed speakers of a message's plain text. Summaries and restored texts quote everything, tool results included. */
const SPEAKERS: Readonly<Partial<Record<Origin, PieceSource>>> = {
  user: "user",
  assistant: "agent",
  recalled: "recalled",
};

function textsOf(
  block: ContentBlock,
  speaker: PieceSource,
  results: ReadonlyMap<string, PieceSource>,
): readonly { readonly source: PieceSource; readonly text: string }[] {
  switch (block.type) {
    case "text":
      return [{ source: speaker, text: block.text }];
    case "tool_result":
      return [{ source: results.get(block.tool_use_id) ?? "tool", text: blockText(block) }];
    // An attached file was not written by the user who attached it.
    case "document":
    case "compaction":
      return [{ source: speaker === "recalled" ? "recalled" : "tool", text: blockText(block) }];
    default:
      if (!isServerToolResult(block)) return [];
      return [{ source: block.type.startsWith("web_") ? "web" : "tool", text: blockText(block) }];
  }
}

const WEB_TOOL =
  /web|fetch|browse|crawl|scrape|http|url|internet|google|bing|tavily|firecrawl|exa_|playwright|puppeteer|selenium|wikipedia|perplexity|brave/i;
const MEMORY_TOOL = /(?:^|[_.:-])(?:memory|memories|recall)(?:$|[_.:-])/i;
/** The output of a shell command that fetches a page comes from the web. */
const FETCHING = /\b(?:curl|wget|lynx|w3m|aria2c|https?:\/\/)/i;

function sourceOfTool(name: string, input: unknown): PieceSource {
  if (MEMORY_TOOL.test(name)) return "recalled";
  if (WEB_TOOL.test(name)) return "web";
  const command =
    typeof input === "object" && input !== null ? (input as { command?: unknown }).command : undefined;
  const words = Array.isArray(command) ? command.join(" ") : command;
  return typeof words === "string" && FETCHING.test(words) ? "web" : "tool";
}
