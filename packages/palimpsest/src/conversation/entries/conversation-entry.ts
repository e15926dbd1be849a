/**
 * The values that `MemoryManager` keeps: entries, summaries, and the figures of both.
 */
import type { JsonObject } from "../../base/json/json.ts";
import { estimateText } from "../../tokens/estimate/character-automaton.ts";

/** The type of an entry. Each type has its roles: see {@link MEMORY_ROLES}. */
export type ConversationEntryType = "message" | "tool_call" | "tool_result" | "context" | "summary";

/** The author of an entry. */
type MemoryRole = "user" | "assistant" | "system";

/** The roles that an entry of each type can have; the first is the usual one. */
export const MEMORY_ROLES: Readonly<Record<ConversationEntryType, readonly MemoryRole[]>> = {
  message: ["user", "assistant"],
  tool_call: ["assistant"],
  tool_result: ["system"],
  context: ["system"],
  summary: ["system"],
};

/** One thing that was said, called, answered or brought in. */
export interface ConversationEntry {
  /** Unique within its session. */
  readonly id: string;
  readonly type: ConversationEntryType;
  readonly role: MemoryRole;
  /** The text; for a tool call its name and arguments, as `read_file({"path":"a.ts"})`. */
  readonly content: string;
  /** The time at which it was added. */
  readonly timestamp: Date;
  /** Estimated tokens of `content`, a whole number. */
  readonly tokenCount: number;
  /** True if a summary replaces it; it is still in `exportSession`. */
  readonly compressed: boolean;
  /** The summary of a compressed entry. */
  readonly summaryId?: string;
  /**
   * A tool call has `tool`, `args` and `callId`; a tool result `tool`, `isError` and, if its call is known, `callId`;
   * context has its `source`. Values of the host stand beside them.
   */
  readonly metadata?: JsonObject;
}

/** A summary of compressed entries. */
export interface MemorySummary {
  /** Unique within its session. */
  readonly id: string;
  readonly content: string;
  /** The compressed entries, oldest first. */
  readonly originalEntryIds: readonly string[];
  /** Estimated tokens of `content`. */
  readonly tokenCount: number;
  /** Tokens of these entries. */
  readonly originalTokenCount: number;
  /** Original ÷ summary: 3.5 says that it is 3.5 times smaller. */
  readonly compressionRatio: number;
  readonly createdAt: Date;
  /** Times of the earliest and the latest of its entries. */
  readonly timeRange: { readonly start: Date; readonly end: Date };
}

/** A session as `exportSession` gives and `importSession` takes it; as JSON its dates are ISO strings. */
export interface MemorySessionState {
  readonly sessionId: string;
  /** Everything that was added, oldest first, compressed or not. Summaries stand beside them. */
  readonly entries: readonly ConversationEntry[];
  /** Oldest first. */
  readonly summaries: readonly MemorySummary[];
  /** Tokens of all entries; an import recalculates it. */
  readonly totalTokens: number;
}

/** The content of `getContextForLLM`, as data. */
export interface MemoryContext {
  /** Oldest first. */
  readonly summaries: readonly MemorySummary[];
  /** The active entries, oldest first. */
  readonly entries: readonly ConversationEntry[];
}

/** Figures of one session. */
export interface ConversationStats {
  /** Entries that were added, compressed or not. */
  readonly totalEntries: number;
  /** Entries that are not compressed. */
  readonly activeEntries: number;
  /** Entries that are compressed. */
  readonly compressedEntries: number;
  readonly summaries: number;
  /** Tokens of all entries, compressed or not: what was said. */
  readonly totalTokens: number;
  /** Tokens of the active entries and the summaries: what the context takes. */
  readonly activeTokens: number;
}

/** Tokens of a text as a whole number: 0 for the empty one only. */
export function countMemoryTokens(text: string): number {
  return Math.ceil(estimateText(text));
}

/** An entry that its reader may change without changing what is remembered. */
export function copyEntry(entry: ConversationEntry): ConversationEntry {
  return {
    ...entry,
    timestamp: new Date(entry.timestamp),
    ...(entry.metadata === undefined ? {} : { metadata: structuredClone(entry.metadata) }),
  };
}

/**
 * The entry that `entry:added` gives for a summary, so that a host that keeps entries has it in their order. It has the
 * summary's id. Figures and exports count it as the summary that it is.
 */
export function summaryEntry({ id, content, createdAt, tokenCount }: MemorySummary): ConversationEntry {
  const timestamp = new Date(createdAt);
  return { id, type: "summary", role: "system", content, timestamp, tokenCount, compressed: false };
}

/** A summary that its reader may change, likewise. */
export function copySummary(summary: MemorySummary): MemorySummary {
  const { start, end } = summary.timeRange;
  return {
    ...summary,
    originalEntryIds: [...summary.originalEntryIds],
    createdAt: new Date(summary.createdAt),
    timeRange: { start: new Date(start), end: new Date(end) },
  };
}

/** The tool that a call or a result is about, where it is known. */
export function toolOf({ metadata }: Pick<ConversationEntry, "metadata">): string | undefined {
  const tool = metadata?.["tool"];
  return typeof tool === "string" ? tool : undefined;
}

/** The id that a call and its result share. */
export function callIdOf({ metadata }: Pick<ConversationEntry, "metadata">): string | undefined {
  const callId = metadata?.["callId"];
  return typeof callId === "string" ? callId : undefined;
}
