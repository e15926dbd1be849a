/**
 * Interfaces of the stores of sessions: append-only logs and the blobs beside them.
 *
 * An append is *acknowledged* when it resolves (the bytes survive a killed process) and *durable*
 * once `sync` has resolved after it (they survive a power loss). A log never changes what is in it.
 */

import type { JsonObject, JsonValue } from "../base/json/json.ts";
import type { Entry, HeaderEntry, Scope } from "../transcript/entries.ts";
import type { TaskFiles } from "./tasks.ts";

/** An entry and where it lies: an opaque, growing number that `readFrom` takes. */
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
   * `duplicate-seq` and `forked`: whole entries of a writer that came too late, because another had gone on.
   * A `duplicate-seq` has a number that is not above that of the entry before, which is kept; a `forked` one
   * goes on from an entry that does not count. `out-of-order`: a whole entry whose number is far from those
   * around it. `missing`: numbers that are nowhere, without a trace; no bytes. `missing-tail`: the log ends earlier
   * than the store has recorded. `wrong-end`: it ends later; the next append records its end again. `wrong-checkpoint`:
   * a checkpoint that does not say where things are; everything is read instead.
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

/** Entries in the order of the log, and what lay between them that could not be read. */
export interface LogContents {
  readonly entries: readonly StoredEntry[];
  readonly damage: readonly LogDamage[];
}

/** A session in a list, without reading it through. Damage never hides a session: unreadable fields are absent. */
export interface SessionInfo {
  readonly sessionId: string;
  /** Size of the log in bytes, without blobs. */
  readonly bytes: number;
  /** When the newest entry was appended, or the log was last changed: the later of both; milliseconds since the epoch. */
  readonly lastActivityAt: number;
  /** The first entry, where it is whole: working copy, parent of a fork, when it was created. */
  readonly header?: HeaderEntry;
  /** Title, tags …: the last value of each key, as far as the ends of the log hold it. */
  readonly metadata: JsonObject;
  /** The first words of the first thing a user said. */
  readonly firstPrompt?: string;
  /** Someone is its writer now. */
  readonly isInUse: boolean;
}

/** Which sessions to describe. */
export interface SessionQuery {
  readonly scope?: Scope;
  /** A whole number above 0, or Infinity for all of them; anything else is refused with `OPTION_INVALID`. @defaultValue 50 */
  readonly limit?: number;
  /** End of the page before: its `next`. */
  readonly after?: string;
}

/** Some of the sessions, the latest activity first. */
export interface SessionPage {
  readonly sessions: readonly SessionInfo[];
  /** Asks for the page after this one; absent where there is none. */
  readonly next?: string;
}

/** One session in a list of all of them, as an index has it. */
export interface OverviewRow {
  readonly sessionId: string;
  /** As in {@link SessionInfo}. */
  readonly lastActivityAt: number;
  /** As in {@link SessionInfo}. */
  readonly bytes: number;
  /** Its title, or the first words of its first prompt; absent where neither is known. */
  readonly title?: string;
  /** Someone is its writer now. Present only where the session was looked at; then all of this is as it is now. */
  readonly isInUse?: boolean;
}

/** Which sessions of a list of all are looked at, each by itself. */
export interface OverviewLook {
  /** Those without activity since then; milliseconds since the epoch. */
  readonly idleSince: number;
}

/** A session as it was seen. */
export type SeenSession = Pick<SessionInfo, "sessionId" | "lastActivityAt" | "bytes">;

/** A session that was moved to the trash. */
export interface TrashedSession {
  readonly sessionId: string;
  /** Milliseconds since the epoch; absent where the record of it is damaged, and then no one may purge it by age. */
  readonly trashedAt?: number;
  readonly reason?: string;
}

/** When and why a session goes to the trash. */
export interface Trashing {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Kept with it: `by hand`, `no activity for 30 days` … */
  readonly reason: string;
}

/** Options of reading a whole log. */
export interface LogReading {
  /**
   * The contents of messages, calls and answers are not needed: their own fields may be left empty, where that
   * is cheaper than reading them. Numbers, ids, order and every other entry are as they are stored.
   */
  readonly outline?: boolean;
  /**
   * Only the damage is needed: entries may be left out, where that is cheaper. Every line is verified (its
   * checksum, and that it goes on from the one before), a piece of bounded size at a time.
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
   * Puts `text` in the place of `base` (`undefined`: of nothing). Resolves with whether it did: `false`, and
   * nothing is changed, where the notes are something else by now. All or nothing, durable when it resolves `true`.
   */
  replace(base: string | undefined, text: string): Promise<boolean>;
}

/** One open session. */
export interface SessionLog {
  readonly sessionId: string;
  /**
   * Becomes the one writer of the session, until it is closed. The first append does so by itself; ask
   * before reading what is to be gone on with. A second call changes nothing.
   * @throws `StoreError` `SESSION_IN_USE` where someone else is its writer.
   */
  acquire(): Promise<void>;
  /**
   * Appends entries in order, all or none as far as a reader can tell; returns their positions.
   * Their numbers go on by one from the last entry of the log, and begin at 1 in an empty one.
   * The last append made again is acknowledged again and stored once.
   * @throws `StoreError` in the same call: `SESSION_TAKEN` where the numbers do not go on because another
   * writer has appended, and nothing is stored; `STORE_FAILED` if the bytes could not be written: the
   * written part is removed, at the next append if a lost connection hides it until then, and the log can be
   * appended to again.
   */
  append(entries: readonly Entry[]): Promise<readonly number[]>;
  /** Resolves once everything appended so far, and every blob, is durable. */
  sync(): Promise<void>;
  /** From the last checkpoint to the end; nothing where there is no checkpoint, and then `readAll` is what is left. */
  readTail(): Promise<LogContents>;
  /** Entries from the one at `position` on, up to and including `toSeq`. */
  readFrom(position: number, toSeq: number): Promise<LogContents>;
  /** Everything, oldest first, in batches of bounded size. */
  readAll(reading?: LogReading): AsyncIterable<LogContents>;
  /**
   * Stores a text once; a text that is there already is not written again. `hash` is the SHA-256 of
   * its UTF-8 bytes, so half a surrogate pair reads back as U+FFFD: keep JSON text, which escapes it.
   */
  putBlob(hash: string, text: string): Promise<void>;
  /** The text, or `undefined` where there is none. @throws `BLOB_MISSING` if it is damaged. */
  getBlob(hash: string): Promise<string | undefined>;
  /** The session's notes; absent where a store keeps none. */
  readonly notes?: NotesFile;
  /** The files of the session's background tasks; absent where the store keeps none. */
  readonly tasks?: TaskFiles;
  /** Bytes appended and blob bytes written since it was opened. */
  bytesWritten(): number;
  /** Releases what the log holds. Closing twice is fine; any other use after it throws `SESSION_CLOSED`. */
  close(): Promise<void>;
}

/**
 * A store of sessions. A session is named by its id *and* its scope (tenant and project): one scope
 * never sees another's sessions, whatever their ids. Implement it to keep them elsewhere, and run
 * `sessionStoreContract` of `palimpsest-testing` against it: what it asks for is what the engine relies on.
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
  /** The latest sessions, a page at a time. Costs what the page takes, not what the sessions hold. */
  describe(query?: SessionQuery): Promise<SessionPage>;
  /**
   * All sessions at once, the latest activity first, by what the store keeps of them: without opening any.
   * It may be behind, so ask `find` before a session is done something to that cannot be undone. With `look`
   * those that are idle are looked at, where that costs less than `find`: their rows have `isInUse`. A store
   * without such a thing leaves the method out, or takes no notice of `look`.
   */
  overview?(scope?: Scope, look?: OverviewLook): Promise<readonly OverviewRow[]>;
  /**
   * True if something said in the session may hold the text, which is of ASCII letters, digits and
   * `_ . / @ -`, capital or small: `false` is certain. A store that cannot tell without reading the
   * session through leaves the method out.
   */
  mayHold?(sessionId: string, text: string, scope?: Scope): Promise<boolean>;
  /** One session's info. @throws `StoreError` `SESSION_NOT_FOUND`. */
  find(sessionId: string, scope?: Scope): Promise<SessionInfo>;
  /**
   * Moves a session and all that belongs to it out of every list, whole or not at all; `restore` brings it back.
   * @throws `StoreError` `SESSION_NOT_FOUND`; `SESSION_IN_USE` where someone is its writer; `SESSION_EXISTS` where
   * the trash holds one of this id already.
   */
  trash(sessionId: string, trashing: Trashing, scope?: Scope): Promise<void>;
  /**
   * Does what `trash` does, if nothing has happened to the session since it was seen so; else nothing.
   * Tells whether it was moved. A store that would have to read the session to know leaves the method out.
   * @throws `StoreError` as `trash` does.
   */
  trashUnchanged?(seen: SeenSession, trashing: Trashing, scope?: Scope): Promise<boolean>;
  /** The sessions in the trash, sorted by id. */
  listTrash(scope?: Scope): Promise<readonly TrashedSession[]>;
  /** Brings a session back from the trash. @throws `StoreError` `SESSION_NOT_FOUND`, or `SESSION_EXISTS`. */
  restore(sessionId: string, scope?: Scope): Promise<void>;
  /** Deletes a session that is in the trash, for good. @throws `StoreError` `SESSION_NOT_FOUND` where the trash has none. */
  purge(sessionId: string, scope?: Scope): Promise<void>;
}

/** Kept beside the sessions that are cleaned up. */
export interface CleanUpLedger {
  /** The value that `write` kept last; `undefined` where there is none, or none that can be read. */
  read(): Promise<JsonValue | undefined>;
  /** Replaces what is kept, as a whole or not at all. */
  write(value: JsonValue): Promise<void>;
  /**
   * Begins a run, after what an earlier one left half done was settled; resolves to what ends the run.
   * `undefined` where another process is in the middle of one.
   */
  begin(): Promise<(() => Promise<void>) | undefined>;
}
