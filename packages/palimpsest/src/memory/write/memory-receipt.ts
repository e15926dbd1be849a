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
  /** Path of the memory; if it was rejected, of the one that it conflicts with, if any. */
  readonly path?: string;
  /** The reason for the status, in words, with the memories that were compared. */
  readonly reason: string;
  /** Paths of older memories that it supersedes. */
  readonly superseded: readonly string[];
  /** Removed or escaped parts of text, name and description: secrets by family, hidden characters, role tags and others. */
  readonly cleaned: readonly string[];
  /** Warnings for people: the index is nearly full, or a line was removed. */
  readonly warnings: readonly string[];
}

/** Nothing was changed. @internal */
export function rejected(reason: string, cleaned: readonly string[]): MemoryReceipt {
  return { status: "rejected", reason, superseded: [], cleaned, warnings: [] };
}
