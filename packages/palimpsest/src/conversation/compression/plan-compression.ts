/**
 * Decides if a session is compressed now, and which entries the summary covers.
 *
 * Summaries add up: an endless conversation would consist of nothing else. So once the earlier ones take more than
 * their share, the next summary covers them as well.
 */
import { CONVERSATION_MEMORY_DEFAULTS } from "../../base/defaults/conversation-memory.ts";
import type { ConversationEntry, MemorySummary } from "../entries/conversation-entry.ts";
import { type MemoryMirror, sumTokens } from "../entries/conversation-mirror.ts";
import type { MemoryConfig } from "./compression-config.ts";

/** The entries and earlier summaries that a new summary replaces. */
export interface CompressionPlan {
  /** Active entries, oldest first. */
  readonly entries: readonly ConversationEntry[];
  /** Earlier summaries that it replaces. */
  readonly folded: readonly MemorySummary[];
  /** All entries that it covers, including those of the earlier summaries. */
  readonly originals: readonly ConversationEntry[];
  /** Their ids, and ids that an earlier summary names without an entry. */
  readonly originalEntryIds: readonly string[];
  readonly originalTokenCount: number;
  /** Tokens of the context that the summary replaces: it has to be smaller. */
  readonly replacedTokens: number;
  /** Tokens that it is asked to take. */
  readonly targetTokens: number;
}

/** The limit that a session is over, if it is over one. */
export function findTrigger(
  mirror: Pick<MemoryMirror, "active" | "activeTokens">,
  config: MemoryConfig,
): "tokens" | "entries" | undefined {
  if (mirror.activeTokens > config.maxTokens) return "tokens";
  return mirror.active.length > config.maxEntries ? "entries" : undefined;
}

/** Counts active entries that are older than the recent window. */
export function countEligible(
  { active }: Pick<MemoryMirror, "active">,
  { recentWindow }: MemoryConfig,
): number {
  return Math.max(0, active.length - recentWindow);
}

/**
 * Plans the next summary; `undefined` if too few entries are old enough. `mayFold` returns true for an earlier summary
 * that may be replaced.
 */
export function planCompression(
  mirror: Pick<MemoryMirror, "active" | "entries" | "summaries">,
  config: MemoryConfig,
  mayFold: (summary: MemorySummary) => boolean = () => true,
): CompressionPlan | undefined {
  const count = countEligible(mirror, config);
  if (count === 0 || count < config.minEntriesToCompress) return undefined;
  const entries = mirror.active.slice(0, count);
  const folded = foldedSummaries(mirror.summaries.filter(mayFold), config);
  const foldedIds = new Set(folded.map(({ id }) => id));
  const isFolded = ({ summaryId }: ConversationEntry): boolean =>
    summaryId !== undefined && foldedIds.has(summaryId);
  const earlier = folded.length === 0 ? [] : mirror.entries.filter(isFolded);
  const replacedTokens = sumTokens(entries) + sumTokens(folded);
  return {
    entries,
    folded,
    originals: [...earlier, ...entries],
    originalEntryIds: [
      ...folded.flatMap((summary) => summary.originalEntryIds),
      ...entries.map(({ id }) => id),
    ],
    originalTokenCount:
      folded.reduce((sum, summary) => sum + summary.originalTokenCount, 0) + sumTokens(entries),
    replacedTokens,
    targetTokens: Math.max(1, Math.floor(replacedTokens * config.compressionRatio)),
  };
}

/** A single summary stays: rewriting it alone would join nothing. */
function foldedSummaries(
  summaries: readonly MemorySummary[],
  { maxTokens }: MemoryConfig,
): readonly MemorySummary[] {
  const limit = maxTokens * CONVERSATION_MEMORY_DEFAULTS.foldedSummariesShare;
  return summaries.length >= 2 && sumTokens(summaries) > limit ? summaries : [];
}

/** The summary that `content` makes of a plan. */
export function summaryOf(
  plan: CompressionPlan,
  made: { readonly id: string; readonly content: string; readonly tokenCount: number; readonly atMs: number },
): MemorySummary {
  const { id, content, tokenCount, atMs } = made;
  return {
    id,
    content,
    originalEntryIds: plan.originalEntryIds,
    tokenCount,
    originalTokenCount: plan.originalTokenCount,
    compressionRatio: ratioOf(plan.originalTokenCount, tokenCount),
    createdAt: new Date(atMs),
    timeRange: timeRangeOf([
      ...plan.folded.flatMap(({ timeRange }) => [timeRange.start, timeRange.end]),
      ...plan.entries.map(({ timestamp }) => timestamp),
    ]),
  };
}

/** Original ÷ summary; of a summary of nothing, as if it had one token. */
export function ratioOf(originalTokenCount: number, tokenCount: number): number {
  return originalTokenCount / Math.max(1, tokenCount);
}

/** From the earliest to the latest, whatever the clock did in between. */
export function timeRangeOf(times: readonly Date[]): { readonly start: Date; readonly end: Date } {
  let start = Number.POSITIVE_INFINITY;
  let end = Number.NEGATIVE_INFINITY;
  for (const time of times) {
    start = Math.min(start, time.getTime());
    end = Math.max(end, time.getTime());
  }
  return { start: new Date(start), end: new Date(end) };
}
