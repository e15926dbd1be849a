/**
 * A finding of `palimpsest doctor`: the file, what is wrong with it, and its repair.
 */
import { errorMessage } from "palimpsest/internal";

/** Kinds of findings. Those about a session's files are named as in the library's check of a session. */
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
  | "tasks-damaged"
  | "derived-outdated"
  | "memory"
  | "stale-lease"
  | "litter";

export interface DoctorFinding {
  readonly kind: DoctorKind;
  /**
   * `problem`: something is lost, at risk or in the way. `note`: worth knowing, but there is nothing to do. Examples
   * are a torn last line, damage that was copied aside before, and work of a session that is open now.
   */
  readonly level: "problem" | "note";
  readonly path: string;
  readonly sessionId?: string;
  /** Position in the file, in bytes. */
  readonly position?: number;
  readonly bytes?: number;
  /** One sentence: the finding, and what `--fix` does or people can do. */
  readonly advice: string;
  /** True if `--fix` repairs it. */
  readonly isMendable: boolean;
  /** Repaired in this run. */
  readonly isMended?: boolean;
  /** Reason why the repair failed. */
  readonly failure?: string;
}

/** A finding and its repair, if there is one. */
export interface Found {
  readonly finding: DoctorFinding;
  readonly repair?: () => void | Promise<void>;
}

/** Runs the repair. Returns the finding with the result, or with the reason of a failure. */
export async function repaired({ finding, repair }: Found): Promise<DoctorFinding> {
  if (repair === undefined) return finding;
  try {
    await repair();
    return { ...finding, isMended: true };
  } catch (error) {
    return { ...finding, failure: errorMessage(error) };
  }
}

/** True if it still needs a repair, or is lost for good. */
export function isOpen({ level, isMended }: DoctorFinding): boolean {
  return level === "problem" && isMended !== true;
}
