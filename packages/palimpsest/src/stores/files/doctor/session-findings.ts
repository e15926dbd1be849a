/** The findings of checking and repairing a stored session. */
import type { FileSystem } from "../../../ports/file-system.ts";
import type { Hasher } from "../../../ports/runtime.ts";
import type { LogDamage } from "../../../ports/session-store.ts";
import type { SessionPaths } from "../../shared/session-paths.ts";
import type { LeaseOptions } from "../lease/session-lease.ts";

/** Input of the doctor. */
export interface DoctorOptions {
  readonly sessionId: string;
  /** `sessionPaths(folder, sessionId)`: the session need not have a log. */
  readonly paths: SessionPaths;
  readonly fs: FileSystem;
  readonly hasher: Hasher;
  /** The store's options; without them the session is assumed to have no writer. */
  readonly lease?: LeaseOptions;
}

/** The kind of a finding. */
type FindingKind =
  /** An unreadable stretch of the log. The repair copies it aside. */
  | "damage"
  /** Entries missing from the middle or the end of the log, without damage that explains them. Cannot be repaired. */
  | "missing-entries"
  /** A torn last line, as a crash leaves it. Harmless; the next append ends it. */
  | "torn-tail"
  /** Entries of a late writer, after another one continued. Never acknowledged; the repair copies them aside. */
  | "late-entries"
  /** A missing blob that an entry names. Cannot be repaired. */
  | "blob-missing"
  /** A blob with other bytes than were stored. The repair moves it aside, so that it can be stored again. */
  | "blob-damaged"
  /** A blob that no entry names: a crash came between storing it and the entry, or the log lost lines. It is kept. */
  | "blob-unreferenced"
  /** The notes are not a plain text file, or too large. Left alone. */
  | "notes-unreadable"
  /** A crash interrupted a replacement of the notes. The repair puts the old or the new notes in place. */
  | "notes-unfinished"
  /** Notes that a person saved during a replacement, kept beside the notes. Left alone. */
  | "notes-conflict"
  /** Lines of the journal of background tasks that cannot be read. They are skipped. */
  | "tasks-damaged"
  /** A file that was derived from the log and is damaged, of an earlier version, or of another log. The repair removes it. */
  | "derived-outdated"
  /** A lease whose writer is gone. The repair removes it. */
  | "stale-lease"
  /** A file or an empty folder that a crash left. The repair removes it. */
  | "litter";

/** One problem. */
export interface SessionFinding {
  readonly kind: FindingKind;
  /** The affected file or folder. */
  readonly path: string;
  /** Start in the log. */
  readonly position?: number;
  /** Affected bytes of the file. */
  readonly bytes: number;
  /** Why a stretch of the log could not be read. */
  readonly reason?: LogDamage["reason"];
  /** The number of the first entry that names a blob. */
  readonly seq?: number;
  /** It has been copied aside already. */
  readonly isQuarantined: boolean;
  /** The repair can do something about it. */
  readonly isMendable: boolean;
  /** A sentence for people: the problem, and the effect of a repair. */
  readonly advice: string;
}

/** A finding that the repair removes, unless `more` says otherwise. */
export function finding(
  kind: FindingKind,
  path: string,
  bytes: number,
  advice: string,
  more: Partial<SessionFinding> = {},
): SessionFinding {
  return { kind, path, bytes, isQuarantined: false, isMendable: true, advice, ...more };
}

/** All findings in a session. */
export interface SessionCheckup {
  readonly sessionId: string;
  /** The session has a writer: a finding may be work in progress, and nothing is repaired. */
  readonly isInUse: boolean;
  readonly entryCount: number;
  readonly logBytes: number;
  readonly blobCount: number;
  readonly blobBytes: number;
  readonly findings: readonly SessionFinding[];
}

/** The result of a repair. */
export interface SessionRepair {
  readonly repaired: readonly SessionFinding[];
  /** Findings that could not be repaired, with their errors. */
  readonly failed: readonly { readonly finding: SessionFinding; readonly error: unknown }[];
  /** Findings that cannot or need not be repaired. */
  readonly left: readonly SessionFinding[];
}
