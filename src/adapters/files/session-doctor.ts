/**
 * What is wrong with a stored session, and mending it.
 *
 * DESIGN. Looking changes nothing. Mending never rewrites the log: a damaged stretch is copied to
 * `<session>/damage/<position>.bad`, so that what is left of it is kept apart and known, and the log
 * stays as it is, byte for byte. What is removed is only what nobody can need: leases of dead writers,
 * files that a crash left half made, blobs that no entry names, and empty folders. A session that
 * somebody writes is only looked at.
 */
import { AssertionError } from "../../base/assert.ts";
import type { Clock } from "../../ports/clock.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import type { Hasher } from "../../ports/hasher.ts";
import type { ProcessIdentity } from "../../ports/process-identity.ts";
import type { LogDamage } from "../../ports/session-store.ts";
import type { SessionPaths } from "../shared/session-paths.ts";

/** What the doctor works with. */
export interface DoctorOptions {
  /** `sessionPaths(folder, id)`: the session need not have a log. */
  readonly paths: SessionPaths;
  readonly fs: FileSystem;
  readonly hasher: Hasher;
  readonly clock: Clock;
  /** Tells dead writers from living ones at once; without it they are waited for. */
  readonly process?: ProcessIdentity;
}

/** What kind of thing was found. */
export type FindingKind =
  /** A stretch of the log that no entry could be read from. Mending copies it aside. */
  | "damage"
  /** A last line that never became whole: what a crash leaves. Harmless, and closed by the next append. */
  | "torn-tail"
  /** Entries that came too late: another writer had gone on. Never acknowledged; mending copies them aside. */
  | "late-entries"
  /** A blob that an entry names is not there. Nothing here can bring it back. */
  | "blob-missing"
  /** A blob holds other bytes than were stored. Mending moves it aside, so that it can be stored again. */
  | "blob-damaged"
  /** A blob that no entry names: a crash came between storing it and the entry. Mending removes it. */
  | "blob-unreferenced"
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
export interface SessionMending {
  readonly mended: readonly SessionFinding[];
  /** What it could not do, and why. */
  readonly failed: readonly { readonly finding: SessionFinding; readonly error: unknown }[];
  /** What is left as it was, because nothing can be done or need be. */
  readonly left: readonly SessionFinding[];
}

/**
 * Reads a session through and tells what is wrong with it. Changes nothing, and never throws for damage.
 * @throws `StoreError` `SESSION_UNREADABLE` where the disk refuses to be read.
 */
export async function inspectSession(_options: DoctorOptions): Promise<SessionCheckup> {
  throw new AssertionError("to come");
}

/**
 * Looks again, and does what the findings say: copies damage aside, removes litter. It becomes the
 * session's writer while it works.
 * @throws `StoreError` `SESSION_IN_USE` where somebody else is.
 */
export async function mendSession(_options: DoctorOptions): Promise<SessionMending> {
  throw new AssertionError("to come");
}

/**
 * Copies a damaged stretch of the log to `<session>/damage/<position>.bad`, unless it is there already.
 * The log stays as it is. Returns the path of the copy.
 */
export async function quarantineDamage(_options: DoctorOptions, _damage: LogDamage): Promise<string> {
  throw new AssertionError("to come");
}
