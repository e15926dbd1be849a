/**
 * What the doctor found: one thing, what it means, and what mending would do about it.
 */
import { errorMessage } from "palimpsest/internal";

/** What a finding is about. Those of a session's own files are named as the check-up of a session names them. */
type DoctorKind =
  | "settings"
  | "mode"
  | "network-file-system"
  | "disk-space"
  | "index"
  | "unreadable"
  | "damage"
  | "missing-entries"
  | "torn-tail"
  | "late-entries"
  | "wrong-end"
  | "tables"
  | "no-checksum"
  | "blob-missing"
  | "blob-damaged"
  | "blob-unreferenced"
  | "notes-unreadable"
  | "notes-unfinished"
  | "notes-conflict"
  | "memory"
  | "stale-lease"
  | "litter";

export interface DoctorFinding {
  readonly kind: DoctorKind;
  /**
   * `problem`: something is lost, at risk or in the way. `note`: worth knowing, and nothing has to be done:
   * a torn last line, damage that was copied aside before, what a session that is open now is doing.
   */
  readonly level: "problem" | "note";
  readonly path: string;
  readonly sessionId?: string;
  /** Where in the file, in bytes. */
  readonly position?: number;
  readonly bytes?: number;
  /** What it is, and what mending does or people can do, as a sentence. */
  readonly advice: string;
  /** Whether `--fix` does something about it. */
  readonly isMendable: boolean;
  /** It was mended in this run. */
  readonly isMended?: boolean;
  /** Why it could not be. */
  readonly failure?: string;
}

/** A finding with what mends it; without, there is nothing to do. */
export interface Found {
  readonly finding: DoctorFinding;
  readonly repair?: () => void | Promise<void>;
}

/** Mends it and says so; what cannot be mended keeps its reason. */
export async function repaired({ finding, repair }: Found): Promise<DoctorFinding> {
  if (repair === undefined) return finding;
  try {
    await repair();
    return { ...finding, isMended: true };
  } catch (error) {
    return { ...finding, failure: errorMessage(error) };
  }
}

/** Whether something is still to be done about it, or lost for good. */
export function isOpen({ level, isMended }: DoctorFinding): boolean {
  return level === "problem" && isMended !== true;
}
