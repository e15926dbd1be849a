/** What a clean-up remembers from run to run, and what keeps two of them from running at once. */
import type { JsonValue } from "../base/json/json.ts";

/** Kept beside the sessions that are cleaned up. */
export interface CleanUpLedger {
  /** What `write` kept last; `undefined` where there is nothing, or nothing that can be read. */
  read(): Promise<JsonValue | undefined>;
  /** Replaces what is kept, as a whole or not at all. */
  write(value: JsonValue): Promise<void>;
  /**
   * Begins a run, after what an earlier one left half done was settled; resolves to what ends the run.
   * `undefined` where another process is in the middle of one.
   */
  begin(): Promise<(() => Promise<void>) | undefined>;
}
