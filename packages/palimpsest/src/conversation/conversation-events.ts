/**
 * What listeners of `MemoryManager` are told.
 */

import type { SummarizeProblem } from "./ask-for-summary.ts";
import type { CompressionTrigger } from "./compression/plan-compression.ts";
import type { ConversationEntry, MemorySummary } from "./entries/conversation-entry.ts";

/** A compression that was carried out. */
export interface CompressionReport {
  /** Tokens that the context takes less. */
  readonly tokensSaved: number;
  /** Entries that were compressed. */
  readonly entriesCompressed: number;
  /** Earlier summaries that the new one takes the place of. */
  readonly summariesFolded: number;
  readonly summary: MemorySummary;
  readonly trigger: CompressionTrigger;
  /** Who wrote the summary: the callback, or the heuristic. */
  readonly writtenBy: "callback" | "heuristic";
  /** Why the callback's summary was not used, where it was asked. */
  readonly problem?: SummarizeProblem;
}

/**
 * Events by name, with the arguments of their listeners.
 *
 * - `entry:added`: an entry was added and is in the store; after a compression also the entry of type `summary`
 *   that stands for the compressed ones, with the summary's id.
 * - `compressed`: a summary took the place of entries.
 * - `session:cleared`: a session was cleared.
 * - `background:failed`: something failed that nobody waits for: a compression after an entry was added (the entry
 *   is kept), or the write of a session that was cleared or imported (it is made again by the next call).
 */
export interface MemoryEvents {
  readonly "entry:added": readonly [sessionId: string, entry: ConversationEntry];
  readonly compressed: readonly [sessionId: string, report: CompressionReport];
  readonly "session:cleared": readonly [sessionId: string];
  readonly "background:failed": readonly [sessionId: string, error: unknown];
}
