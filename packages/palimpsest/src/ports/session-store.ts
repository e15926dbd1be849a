/**
 * Interfaces of the stores of sessions: append-only logs and the blobs beside them.
 *
 * An append is *acknowledged* when it resolves (the bytes survive a killed process) and *durable*
 * once `sync` has resolved after it (they survive a power loss). A log never changes what is in it.
 */

import type { JsonObject, JsonValue } from "../base/json/json.ts";
import type { Entry, HeaderEntry, Scope } from "../transcript/entries.ts";
import type { TaskFiles } from "./tasks.ts";

/** An entry and its position in the log: an opaque, growing number to pass to `readFrom`. */
export interface StoredEntry {
  readonly entry: Entry;
  readonly position: number;
}

/** A stretch of a stored log that could not be read; everything around it was. */
export interface LogDamage {
  /** Its start, as a position of this store. */
  readonly position: number;
  /** Its length. */
  readonly bytes: number;
  /**
   * The kind of damage. Most names say it; the others mean:
   *
   * - `duplicate-seq`, `forked`: intact entries of a writer that was too late, because another writer had already
   *   appended. The number of a `duplicate-seq` is not above that of the entry before it, which is kept. A `forked`
   *   entry continues such a rejected entry.
   * - `out-of-order`: an intact entry whose number is far from those around it.
   * - `missing`: numbers that occur nowhere in the log; `bytes` is 0.
   * - `missing-tail`: the log ends before the end that the store recorded.
   * - `wrong-end`: the log ends after the end that the store recorded; the next append records it again.
   * - `wrong-checkpoint`: a checkpoint with wrong positions; the whole log is read instead.
   */
  readonly reason:
    | "torn-tail"
    | "bad-checksum"
    | "not-json"
    | "not-an-entry"
    | "too-long"
    | "duplicate-seq"
    | "forked"
    | "out-of-order"
    | "missing"
    | "missing-tail"
    | "wrong-checkpoint"
    | "wrong-end";
}

/** Entries in the order of the log, and the unreadable stretches between them. */
export interface LogContents {
  readonly entries: readonly StoredEntry[];
  readonly damage: readonly LogDamage[];
}

/**
 * A session in a list, described without reading its whole log. Damage never hides a session: unreadable fields are
 * absent.
 */
export interface SessionInfo {
  readonly sessionId: string;
  /** Size of the log in bytes, without blobs. */
  readonly bytes: number;
  /** Time of the newest entry or of the log's last change, whichever is later; milliseconds since the epoch. */
  readonly lastActivityAt: number;
  /** The first entry, if it is readable: working copy, parent of a fork, time of creation. */
  readonly header?: HeaderEntry;
  /** Title, tags …: the last value of each key. Only the beginning and the end of the log are searched for it. */
  readonly metadata: JsonObject;
  /** The beginning of the first user message. */
  readonly firstPrompt?: string;
  /** True if a process holds it open for writing. */
  readonly isInUse: boolean;
}

/** Which sessions to describe. */
export interface SessionQuery {
  readonly scope?: Scope;
  /** A whole number above 0, or Infinity for all of them; anything else is refused with `OPTION_INVALID`. @defaultValue 50 */
  readonly limit?: number;
  /** The `next` of the previous page. */
  readonly after?: string;
}

/** Some of the sessions, the latest activity first. */
export interface SessionPage {
  readonly sessions: readonly SessionInfo[];
  /** Pass it as `after` to get the following page; absent on the last one. */
  readonly next?: string;
}

/** One session in the overview of all sessions, as the store's index has it. */
export interface OverviewRow {
  readonly sessionId: string;
  /** As in {@link SessionInfo}. */
  readonly lastActivityAt: number;
  /** As in {@link SessionInfo}. */
  readonly bytes: number;
  /** Its title, or the first words of its first prompt; absent where neither is known. */
  readonly title?: string;
  /**
   * True if a process holds it open for writing. Present only if the store inspected the session itself for
   * {@link OverviewLook}; then all fields of this row are current.
   */
  readonly isInUse?: boolean;
}

/** Selects the sessions that `overview` inspects one by one, instead of trusting its index. */
export interface OverviewLook {
  /** Inspect the sessions without activity since then; milliseconds since the epoch. */
  readonly idleSince: number;
}

/** The state of a session when it was listed, to detect later changes. */
export type SeenSession = Pick<SessionInfo, "sessionId" | "lastActivityAt" | "bytes">;

/** A session that was moved to the trash. */
export interface TrashedSession {
  readonly sessionId: string;
  /** Milliseconds since the epoch. Absent if its record is damaged; then do not purge the session by age. */
  readonly trashedAt?: number;
  readonly reason?: string;
}

/** When and why a session goes to the trash. */
export interface Trashing {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Stored with the trashed session: `by hand`, `no activity for 30 days` … */
  readonly reason: string;
}

/** Options of reading a whole log. */
export interface LogReading {
  /**
   * The caller does not need the contents of messages, calls and answers: a store may leave their fields empty if
   * that is cheaper. Numbers, ids, order and all other entries are as stored.
   */
  readonly outline?: boolean;
  /**
   * The caller needs only the damage: a store may leave out entries if that is cheaper. Every line is still verified
   * (its checksum, and that it continues the line before), a piece of bounded size at a time.
   */
  readonly damageOnly?: boolean;
}

/** The notes of one session: a separate text beside the log, which people may edit at any time. */
export interface NotesFile {
  /** Its path for people; absent where it is not a file. */
  readonly path?: string;
  /**
   * The text; `undefined` where there is none.
   * @throws `StoreError` where it cannot be read, is not text, or is larger than `notesFileLimitBytes`.
   */
  read(): Promise<string | undefined>;
  /**
   * Replaces the text if it is still `base` (`undefined`: if there is none yet). Resolves to `false`, and changes
   * nothing, if the notes were edited since. All or nothing, and durable when it resolves to `true`.
   */
  replace(base: string | undefined, text: string): Promise<boolean>;
}

/** Plain copies of blocks that the window shows in part: an agent opens them with its own tool for files. */
export interface PlainCopies {
  /** The path of the copy of a block, by its pointer (`m12.0`). */
  pathOf(pointer: string): string;
  /** Writes the copy. Resolves to false if it could not be written: nothing depends on it, the log has the block. */
  put(pointer: string, text: string): Promise<boolean>;
}

/**
 * Files of what was derived from a log and can be derived again: losing one costs time. So nothing is synced, a file may
 * be gone or damaged at any time, and its reader checks it.
 */
export interface DerivedFiles {
  /** Their names, in no order. */
  list(): Promise<readonly string[]>;
  /** The text; `undefined` if there is none. */
  read(name: string): Promise<string | undefined>;
  /** Replaces the text. A name has small letters, then `-` and digits, once or twice: `digest-4711`, `segment-1-4711`. */
  write(name: string, text: string): Promise<void>;
  /** Replaces a file by one of several parts. A store that cannot read a part alone leaves this and `readPart` out. */
  writeParts?(name: string, parts: readonly Uint8Array[]): Promise<void>;
  /** One part, from 0 on; `undefined` if there is none, or it is damaged. */
  readPart?(name: string, index: number): Promise<Uint8Array | undefined>;
  /** Removes the file if it is there. */
  remove(name: string): Promise<void>;
}

/** One open session. */
export interface SessionLog {
  readonly sessionId: string;
  /**
   * Makes this log the only writer of the session until it is closed. The first append does so by itself. Call it
   * before reading a log that you will continue, so that no other writer appends in between. A second call changes
   * nothing.
   * @throws `StoreError` `SESSION_IN_USE` if another process is the writer.
   */
  acquire(): Promise<void>;
  /**
   * Appends entries in order, all or none as far as a reader can tell; returns their positions.
   * Their numbers continue by one from the last entry of the log, and begin at 1 in an empty log.
   * Repeating the last append is safe: it is acknowledged again and stored once.
   * @throws `StoreError` in the same call: `SESSION_TAKEN` if the numbers do not continue the log because another
   * writer has appended; then nothing is stored. `STORE_FAILED` if the bytes could not be written; then the written
   * part is removed, after a lost connection at the next append, and appending again is possible.
   */
  append(entries: readonly Entry[]): Promise<readonly number[]>;
  /** Resolves once everything appended so far, and every blob, is durable. */
  sync(): Promise<void>;
  /**
   * Reads from the last checkpoint to the end, or to the entry `throughSeq` as if that were the last. Empty where there is
   * no checkpoint, or that entry is not found at once; use `readAll` then.
   */
  readTail(throughSeq?: number): Promise<LogContents>;
  /** An entry, if it is found without reading the whole log. A store that cannot do so leaves the method out. */
  find?(seq: number): Promise<StoredEntry | undefined>;
  /** Reads the entries from `position` up to and including number `toSeq`. */
  readFrom(position: number, toSeq: number): Promise<LogContents>;
  /** Reads the whole log, oldest first, in batches of bounded size. */
  readAll(reading?: LogReading): AsyncIterable<LogContents>;
  /**
   * Stores a text once; a text that is there already is not written again. `hash` is the SHA-256 of
   * its UTF-8 bytes, so half a surrogate pair reads back as U+FFFD: keep JSON text, which escapes it.
   */
  putBlob(hash: string, text: string): Promise<void>;
  /**
   * The same for a long text in parts, so that no step of it keeps the process. No part ends within a character. A store
   * that cannot do so leaves the method out.
   */
  putBlobInParts?(hash: string, parts: readonly string[]): Promise<void>;
  /** The text, or `undefined` where there is none. @throws `BLOB_MISSING` if it is damaged. */
  getBlob(hash: string): Promise<string | undefined>;
  /** The session's notes; absent where a store keeps none. */
  readonly notes?: NotesFile;
  /** The files of the session's background tasks; absent where the store keeps none. */
  readonly tasks?: TaskFiles;
  /** What was derived from the log; absent where the store keeps nothing of the kind. */
  readonly derived?: DerivedFiles;
  /**
   * Plain copies of blocks, in another folder than the session's own if one is given. A store that keeps none leaves the
   * method out.
   */
  plainCopies?(folder?: string): PlainCopies;
  /** Bytes appended and blob bytes written since it was opened. */
  bytesWritten(): number;
  /** Releases files, locks and connections. Closing twice is fine; any other use afterwards throws `SESSION_CLOSED`. */
  close(): Promise<void>;
}

/**
 * A store of sessions. A session is named by its id *and* its scope (tenant and project): one scope
 * never sees another's sessions, whatever their ids. Implement it to keep sessions elsewhere, and test it with
 * `sessionStoreContract` of `palimpsest-testing`, which checks all that the engine relies on.
 */
export interface SessionStore {
  /**
   * Begins the log of a new session. Nothing is stored before the first append (or blob).
   * @throws `StoreError` `SESSION_EXISTS`; `OptionError` if the id cannot be a file name.
   */
  create(sessionId: string, scope?: Scope): Promise<SessionLog>;
  /** Opens an existing log. Reading never changes it; a torn last line is left and reported. @throws `SESSION_NOT_FOUND`. */
  open(sessionId: string, scope?: Scope): Promise<SessionLog>;
  /** Ids of the sessions that have at least one entry, sorted. */
  list(scope?: Scope): Promise<readonly string[]>;
  /** The latest sessions, a page at a time. The cost depends on the page, not on the size of the sessions. */
  describe(query?: SessionQuery): Promise<SessionPage>;
  /**
   * All sessions at once, the latest activity first, from the store's index: no session is opened. The index may be
   * out of date, so call `find` before doing anything to a session that cannot be undone. With `look` the store
   * inspects the idle sessions, which costs less than `find` for each; their rows have `isInUse`. A store without an
   * index leaves the method out; one that cannot inspect ignores `look`.
   */
  overview?(scope?: Scope, look?: OverviewLook): Promise<readonly OverviewRow[]>;
  /**
   * True if a message of the session may contain the text, ignoring case; `false` is certain. The text has only ASCII
   * letters, digits and `_ . / @ -`. A store that would have to read the whole session leaves the method out.
   */
  mayHold?(sessionId: string, text: string, scope?: Scope): Promise<boolean>;
  /** One session's info. @throws `StoreError` `SESSION_NOT_FOUND`. */
  find(sessionId: string, scope?: Scope): Promise<SessionInfo>;
  /**
   * Moves a session and all its files to the trash, completely or not at all; `restore` undoes it.
   * @throws `StoreError` `SESSION_NOT_FOUND`; `SESSION_IN_USE` if a process is writing to it; `SESSION_EXISTS` if
   * the trash already has a session of this id.
   */
  trash(sessionId: string, trashing: Trashing, scope?: Scope): Promise<void>;
  /**
   * Moves the session to the trash like `trash`, but only if it is unchanged since it was listed. Resolves to `true`
   * if it was moved. A store that would have to read the session to know leaves the method out.
   * @throws `StoreError` as `trash` does.
   */
  trashUnchanged?(seen: SeenSession, trashing: Trashing, scope?: Scope): Promise<boolean>;
  /** The sessions in the trash, sorted by id. */
  listTrash(scope?: Scope): Promise<readonly TrashedSession[]>;
  /** Brings a session back from the trash. @throws `StoreError` `SESSION_NOT_FOUND`, or `SESSION_EXISTS`. */
  restore(sessionId: string, scope?: Scope): Promise<void>;
  /** Deletes a session that is in the trash, for good. @throws `StoreError` `SESSION_NOT_FOUND` where the trash has none. */
  purge(sessionId: string, scope?: Scope): Promise<void>;
  /** Sessions that are best purged at a time, where a store shares work between them. */
  readonly purgesAtOnce?: number;
}

/** A value and a lock that the clean-up of old sessions keeps beside them, so that only one process cleans up. */
export interface CleanUpLedger {
  /** The value that `write` stored last; `undefined` if there is none or it is unreadable. */
  read(): Promise<JsonValue | undefined>;
  /** Replaces the value, completely or not at all. */
  write(value: JsonValue): Promise<void>;
  /**
   * Begins a clean-up run, after finishing what an interrupted run left half done. Resolves to a function that ends
   * the run, or to `undefined` if another process is running one.
   */
  begin(): Promise<(() => Promise<void>) | undefined>;
}
