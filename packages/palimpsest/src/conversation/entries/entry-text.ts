/**
 * Renders a conversation as text, for `getContextForLLM` and for the prompt of a summary.
 *
 * Each entry begins with its speaker, such as `User:`. Lines of content that look like such a beginning are indented,
 * so that the output of a tool cannot pose as the user.
 */
import { addAll } from "../../base/lists.ts";
import {
  type ConversationEntry,
  type MemoryContext,
  type MemorySummary,
  toolOf,
} from "./conversation-entry.ts";

const SUMMARIES_HEADING = "=== Previous Conversation Summaries ===";
const RECENT_HEADING = "=== Recent Conversation ===";

/** Beginnings of lines that this file writes: headings, speakers, dates above a summary. */
const OUR_LINE_START =
  /^(?=[ \t]{0,1}(?:===|(?:User|Assistant|System):|(?:Tool call|Tool result|Context|Summary|Earlier summary)\b[^\n]{0,200}:|\[\d{4}-\d\d-\d\d ))/gim;

/** Renders the whole context as one text; empty without entries. */
export function renderContext({ summaries, entries }: MemoryContext): string {
  const parts: string[] = [];
  if (summaries.length > 0) addAll(parts, [SUMMARIES_HEADING, ...summaries.map(renderSummary)]);
  if (entries.length > 0) parts.push(RECENT_HEADING, entries.map((entry) => renderEntry(entry)).join("\n"));
  return parts.join("\n\n");
}

function renderSummary(summary: MemorySummary): string {
  return `[${renderDates(summary)}]\n${indentOurs(summary.content)}`;
}

/** The dates that a summary is about, in UTC. */
export function renderDates({ timeRange }: MemorySummary): string {
  return `${dateOf(timeRange.start)} - ${dateOf(timeRange.end)}`;
}

/** One entry with its speaker; `content` overrides its text. */
export function renderEntry(entry: ConversationEntry, content: string = entry.content): string {
  return `${labelOf(entry)}: ${indentOurs(content).trimStart()}`;
}

/** The speaker of an entry: `User`, `Tool result (read_file)`, `Context (notes.md)`. */
export function labelOf(entry: Pick<ConversationEntry, "type" | "role" | "metadata">): string {
  switch (entry.type) {
    case "message":
      return entry.role === "user" ? "User" : "Assistant";
    case "tool_call":
      return "Tool call";
    case "tool_result":
      return withName(
        entry.metadata?.["isError"] === true ? "Tool result, failed" : "Tool result",
        toolOf(entry),
      );
    case "context":
      return withName("Context", entry.metadata?.["source"]);
    case "summary":
      return "Summary";
  }
}

function withName(label: string, name: unknown): string {
  return typeof name === "string" && name !== "" ? `${label} (${name.replace(/\s+/g, " ")})` : label;
}

/** Indents lines that begin like one of ours, except the first, which follows a label. */
export function indentOurs(text: string): string {
  return text.replace(/\r\n?|[\u2028\u2029\u0085\v\f]/g, "\n").replace(OUR_LINE_START, "  ");
}

/** Returns the date in ISO form, in full: years beyond 9999 have more digits and a sign. */
function dateOf(time: Date): string {
  return time.toISOString().split("T")[0]!;
}
