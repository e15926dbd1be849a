/**
 * What a memory of conversations is made with.
 */

import type { Clock, Deadline, Hasher, IdSource } from "../ports/runtime.ts";
import type { SessionStore } from "../ports/session-store.ts";
import type { SessionObserver } from "../session/events/events.ts";
import type { Scope } from "../transcript/entries.ts";
import type { MemoryConfig } from "./compression/compression-config.ts";

/** Settings of a manager, and what of the world it is to use. */
export interface ConversationMemoryOptions extends Partial<MemoryConfig> {
  /** Where sessions are kept. */
  readonly store: SessionStore;
  /** The time of entries. */
  readonly clock: Clock;
  /** Ids of entries and summaries. */
  readonly ids: IdSource;
  /** Names blobs, and sessions whose id no store could take. */
  readonly hasher: Hasher;
  /** Ends a summary that takes too long. */
  readonly deadline: Deadline;
  /** Tenant and project: part of every session's name in the store. */
  readonly scope?: Scope;
  /** Told of what happens inside the sessions: damage that was found, above all. */
  readonly observer?: SessionObserver;
  /**
   * How long the summarize callback may take, in milliseconds; then the heuristic writes the summary.
   * @defaultValue `summarizeTimeoutMs`, 120,000
   */
  readonly summarizeTimeoutMs?: number;
}
