/**
 * Which part of the picture a block belongs to.
 */

import type { ContentBlock } from "palimpsest";
import { isMedia, isObject, isServerToolResult, isThinking } from "palimpsest/internal";
import type { Origin, VisibleMessage } from "palimpsest/transcript";
import type { PageCategory } from "./page-data.ts";

/** Who speaks where the library does: summaries, briefs of the state, answers that a repair puts in. */
const OURS: ReadonlySet<Origin> = new Set(["engine", "restored", "recalled", "summary"]);

export function categoryOf(
  block: ContentBlock,
  { role, origin, insertedBy }: Pick<VisibleMessage, "role" | "origin" | "insertedBy">,
): PageCategory {
  if (insertedBy !== undefined || OURS.has(origin) || block.type === "compaction") return "inserted";
  if (isMedia(block)) return "attachments";
  if (isThinking(block) || isCipheredThinking(block)) return "thinking";
  if (isCall(block)) return "calls";
  if (block.type === "tool_result" || isServerToolResult(block)) return "results";
  if (role === "assistant") return "assistant";
  return role === "user" && origin === "user" ? "user" : "attachments";
}

export function isCall(block: ContentBlock): block is Extract<ContentBlock, { readonly name: string }> {
  return block.type === "tool_use" || block.type === "server_tool_use" || block.type === "mcp_tool_use";
}

/** Reasoning that goes back as the item it came as; nobody but its provider can read it. */
export function isCipheredThinking(block: ContentBlock): boolean {
  return block.type === "opaque" && isObject(block.value) && block.value["type"] === "reasoning";
}
