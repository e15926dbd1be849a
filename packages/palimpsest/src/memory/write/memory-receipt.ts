/** Receipts: the outcome of remembering, correcting or forgetting. */

/**
 * `written`: a new memory. `merged`: a memory said it already. `superseded`: written, and it supersedes older ones.
 * `confirmed`: by a person. `quarantined`: kept and listed, but shown to no model. `archived`: moved to the archive.
 * `restored`: moved back. `rejected`: nothing changed; see `reason`.
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

/** The outcome of one call, for people and programs: nothing happens silently, and an error is never a receipt. */
export interface MemoryReceipt {
  readonly status: MemoryStatus;
  /** Its path; for a rejected one, the memory that it conflicts with, if any. */
  readonly path?: string;
  /** In words, with what was compared. */
  readonly reason: string;
  /** Older memories that are history now. */
  readonly superseded: readonly string[];
  /** Removed parts of the text: secrets by family, hidden characters, markers. */
  readonly cleaned: readonly string[];
  /** Warnings for people: the index is nearly full, or a line was removed. */
  readonly warnings: readonly string[];
}

/** Nothing was changed. @internal */
export function rejected(reason: string, cleaned: readonly string[]): MemoryReceipt {
  return { status: "rejected", reason, superseded: [], cleaned, warnings: [] };
}
