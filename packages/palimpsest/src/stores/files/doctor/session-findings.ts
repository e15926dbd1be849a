/** What a check-up of a stored session tells, and what mending it did. */
import type { FileSystem } from "../../../ports/file-system.ts";
import type { Hasher } from "../../../ports/runtime.ts";
import type { LogDamage } from "../../../ports/session-store.ts";
import type { SessionPaths } from "../../shared/session-paths.ts";
import type { LeaseOptions } from "../lease/session-lease.ts";

/** What the doctor works with. */
export interface DoctorOptions {
  readonly sessionId: string;
  /** `sessionPaths(folder, sessionId)`: the session need not have a log. */
  readonly paths: SessionPaths;
  readonly fs: FileSystem;
  readonly hasher: Hasher;
  /** As the store has it; without it nobody else is taken to write the session. */
  readonly lease?: LeaseOptions;
}

/** What kind of thing was found. */
type FindingKind =
  /** A stretch of the log that no entry could be read from. Mending copies it aside. */
  | "damage"
  /** Numbers that are nowhere in the log, without a trace, in its middle or at its end. Nothing can be done. */
  | "missing-entries"
  /** A last line that never became whole: what a crash leaves. Harmless, and closed by the next append. */
  | "torn-tail"
  /** Entries that came too late: another writer had gone on. Never acknowledged; mending copies them aside. */
  | "late-entries"
  /** A blob that an entry names is not there. Nothing here can bring it back. */
  | "blob-missing"
  /** A blob holds other bytes than were stored. Mending moves it aside, so that it can be stored again. */
  | "blob-damaged"
  /** A blob that no entry names: a crash came between storing it and the entry, or the log lost lines. It is kept. */
  | "blob-unreferenced"
  /** The notes are no plain text file, or too large. Nothing is done about them. */
  | "notes-unreadable"
  /** A crash came while the notes were replaced. Mending puts the old or the new in place. */
  | "notes-unfinished"
  /** What a person saved while the notes were replaced, kept beside them. Nothing is done about it. */
  | "notes-conflict"
  /** A lease whose writer is gone. Mending removes it. */
  | "stale-lease"
  /** A file or an empty folder that a crash left behind. Mending removes it. */
  | "litter";

/** One thing that is wrong. */
export interface SessionFinding {
  readonly kind: FindingKind;
  /** The file or folder that it is about. */
  readonly path: string;
  /** Where in the log it begins. */
  readonly position?: number;
  /** How much of the file it is about. */
  readonly bytes: number;
  /** Why a stretch of the log could not be read. */
  readonly reason?: LogDamage["reason"];
  /** The number of the first entry that names a blob. */
  readonly seq?: number;
  /** It was copied aside already, and is known. */
  readonly isQuarantined: boolean;
  /** Mending does something about it. */
  readonly isMendable: boolean;
  /** What it is and what mending would do, as a sentence for people. */
  readonly advice: string;
}

/** Everything that was found in a session. */
export interface SessionCheckup {
  readonly sessionId: string;
  /** Somebody writes it now: what is found may be under way, and nothing is mended. */
  readonly isInUse: boolean;
  readonly entryCount: number;
  readonly logBytes: number;
  readonly blobCount: number;
  readonly blobBytes: number;
  readonly findings: readonly SessionFinding[];
}

/** What mending did. */
export interface SessionRepair {
  readonly repaired: readonly SessionFinding[];
  /** What it could not do, and why. */
  readonly failed: readonly { readonly finding: SessionFinding; readonly error: unknown }[];
  /** What is left as it was, because nothing can be done or need be. */
  readonly left: readonly SessionFinding[];
}
