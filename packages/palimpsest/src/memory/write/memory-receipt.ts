/** What became of something that was to be remembered, corrected or forgotten. */

/**
 * `written`: a memory of its own. `merged`: there was one that says so. `superseded`: written, and older ones
 * give way to it. `confirmed`: a person stands by it. `quarantined`: kept and listed, and shown to no model. `archived`: it is in the archive.
 * `restored`: it is back from there.
 * `rejected`: nothing was changed; `reason` says why.
 */
type MemoryStatus =
  | "written"
  | "merged"
  | "superseded"
  | "confirmed"
  | "quarantined"
  | "archived"
  | "restored"
  | "rejected";

/** What one call did, for people and programs: nothing is done silently, and a failure is never one of these. */
export interface MemoryReceipt {
  readonly status: MemoryStatus;
  /** Where it is found from now on; where it was rejected, the memory that stands against it, if there is one. */
  readonly path?: string;
  /** In words, with what was compared. */
  readonly reason: string;
  /** Older memories that are history now. */
  readonly superseded: readonly string[];
  /** What was taken out of the text before it was written: secrets by family, hidden characters, markers. */
  readonly cleaned: readonly string[];
  /** What somebody should know: the index is nearly full, a line had to go. */
  readonly warnings: readonly string[];
}

/** Nothing was changed. @internal */
export function rejected(reason: string, cleaned: readonly string[]): MemoryReceipt {
  return { status: "rejected", reason, superseded: [], cleaned, warnings: [] };
}
