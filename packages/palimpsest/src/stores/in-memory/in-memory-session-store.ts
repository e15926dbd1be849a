/**
 * Sessions in memory: for switched-off persistence and for tests.
 *
 * Entries are kept as the lines that a file would hold, so that what is read back went through the
 * same JSON, and nothing that a caller holds can change what is stored.
 */
import { assert } from "../../base/assert.ts";
import { STORE_DEFAULTS } from "../../base/defaults/store.ts";
import { toWellFormed } from "../../base/text/text.ts";
import type {
  DerivedFiles,
  LogContents,
  NotesFile,
  SeenSession,
  SessionInfo,
  SessionLog,
  SessionPage,
  SessionQuery,
  SessionStore,
  StoredEntry,
  TrashedSession,
  Trashing,
} from "../../ports/session-store.ts";
import type { TaskFiles } from "../../ports/tasks.ts";
import type { Entry, Scope } from "../../transcript/entries.ts";
import { formatEntry, parseEntry } from "../../transcript/entry-line.ts";
import { assertGoesOn, RepeatedAppend } from "../shared/append-rules.ts";
import { pageOf, SessionInfoBuilder } from "../shared/session-info.ts";
import { assertSessionId } from "../shared/session-paths.ts";
import {
  logClosed,
  sessionExists,
  sessionInUse,
  sessionNotFound,
  storeFailure,
  trashHolds,
} from "../shared/store-failure.ts";
import { encodeNotes } from "../shared/text-bytes.ts";
import { InMemoryTaskFiles } from "./in-memory-task-files.ts";

/** Describes the other writer in an error. */
const OTHER_LOG = "another log of it is open in this process and its writer";
const HASH_PATTERN = /^[0-9a-f]{64}$/;

/** State shared by all logs of one session. */
interface StoredSession {
  lastSeq: number;
  readonly lines: string[];
  readonly checkpoints: number[];
  /** Texts, those that were stored in parts as such until they are read. */
  readonly blobs: Map<string, string | readonly string[]>;
  notes: string | undefined;
  readonly tasks: TaskFiles;
  readonly derived: Map<string, string | readonly Uint8Array[]>;
  /** The log that may append; until it is closed no other may. */
  writer: SessionLog | undefined;
}

/** Keeps sessions as long as the object lives. */
export class InMemorySessionStore implements SessionStore {
  readonly #sessions = new Map<string, StoredSession>();
  readonly #trash = new Map<string, { readonly session: StoredSession; readonly trashing: Trashing }>();

  async create(sessionId: string, scope?: Scope): Promise<SessionLog> {
    assertSessionId(sessionId);
    const key = keyOf(sessionId, scope);
    if (this.#sessions.has(key)) throw sessionExists(sessionId);
    const session: StoredSession = {
      lastSeq: 0,
      lines: [],
      checkpoints: [],
      blobs: new Map(),
      notes: undefined,
      tasks: new InMemoryTaskFiles(),
      derived: new Map(),
      writer: undefined,
    };
    // As in a folder: a session is there once it has an entry.
    const register = () => {
      if (this.#sessions.has(key)) throw sessionExists(sessionId);
      this.#sessions.set(key, session);
    };
    return new InMemorySessionLog(sessionId, session, register);
  }

  async open(sessionId: string, scope?: Scope): Promise<SessionLog> {
    return new InMemorySessionLog(sessionId, this.#stored(sessionId, scope), undefined);
  }

  async list(scope?: Scope): Promise<readonly string[]> {
    return idsIn(this.#sessions, scope);
  }

  async describe(query: SessionQuery = {}): Promise<SessionPage> {
    const ids = await this.list(query.scope);
    return pageOf(await Promise.all(ids.map((id) => this.find(id, query.scope))), query);
  }

  async find(sessionId: string, scope?: Scope): Promise<SessionInfo> {
    const { lines, writer } = this.#stored(sessionId, scope);
    const builder = new SessionInfoBuilder();
    for (const line of lines) builder.add(parseLine(line));
    const bytes = lines.reduce((sum, line) => sum + byteLength(line) + 1, 0);
    return builder.info({ sessionId, bytes, isInUse: writer !== undefined });
  }

  async trash(sessionId: string, trashing: Trashing, scope?: Scope): Promise<void> {
    const session = this.#stored(sessionId, scope);
    if (session.writer !== undefined) throw sessionInUse(sessionId, OTHER_LOG);
    const key = keyOf(sessionId, scope);
    if (this.#trash.has(key)) throw trashHolds(sessionId);
    this.#trash.set(key, { session, trashing });
    this.#sessions.delete(key);
  }

  async trashUnchanged(seen: SeenSession, trashing: Trashing, scope?: Scope): Promise<boolean> {
    const { lastActivityAt, bytes } = await this.find(seen.sessionId, scope);
    if (lastActivityAt !== seen.lastActivityAt || bytes !== seen.bytes) return false;
    await this.trash(seen.sessionId, trashing, scope);
    return true;
  }

  async listTrash(scope?: Scope): Promise<readonly TrashedSession[]> {
    return idsIn(this.#trash, scope).map((sessionId) => {
      const { at, reason } = this.#trash.get(keyOf(sessionId, scope))!.trashing;
      return { sessionId, trashedAt: at, reason };
    });
  }

  async restore(sessionId: string, scope?: Scope): Promise<void> {
    const key = keyOf(sessionId, scope);
    const trashed = this.#trash.get(key);
    if (trashed === undefined) throw sessionNotFound(sessionId, "the trash");
    if (this.#sessions.has(key)) throw sessionExists(sessionId);
    this.#sessions.set(key, trashed.session);
    this.#trash.delete(key);
  }

  async purge(sessionId: string, scope?: Scope): Promise<void> {
    if (!this.#trash.delete(keyOf(sessionId, scope))) throw sessionNotFound(sessionId, "the trash");
  }

  #stored(sessionId: string, scope: Scope | undefined): StoredSession {
    assertSessionId(sessionId);
    const session = this.#sessions.get(keyOf(sessionId, scope));
    if (session === undefined) throw sessionNotFound(sessionId, "memory");
    return session;
  }
}

function idsIn(sessions: ReadonlyMap<string, unknown>, scope: Scope | undefined): readonly string[] {
  const prefix = keyOf("", scope);
  const keys = [...sessions.keys()].filter((key) => key.startsWith(prefix));
  return keys.map((key) => key.slice(prefix.length)).sort();
}

function parseLine(line: string): Entry {
  const parsed = parseEntry(line);
  assert(parsed.ok, "a line that was formatted can be parsed");
  return parsed.entry;
}

/** A session id holds no line break, and JSON ends before it: no two keys are equal by chance. */
function keyOf(sessionId: string, { tenant, project }: Scope = {}): string {
  return `${JSON.stringify([tenant ?? null, project ?? null])}\n${sessionId}`;
}

class InMemorySessionLog implements SessionLog {
  readonly sessionId: string;
  readonly notes: NotesFile = {
    read: async () => {
      this.#assertOpen();
      return this.#session.notes;
    },
    replace: async (base, text) => {
      this.#assertOpen();
      const kept = encodeNotes(text).toString("utf8");
      if (this.#session.notes !== base) return false;
      this.#session.notes = kept;
      return true;
    },
  };
  readonly derived: DerivedFiles = {
    list: async () => [...this.#session.derived.keys()],
    read: async (name) => {
      const text = this.#session.derived.get(name);
      return typeof text === "string" ? text : undefined;
    },
    write: async (name, text) => {
      this.#assertOpen();
      this.#acquire();
      this.#session.derived.set(name, toWellFormed(text));
    },
    writeParts: async (name, parts) => {
      this.#assertOpen();
      this.#acquire();
      this.#session.derived.set(name, parts);
    },
    readPart: async (name, index) => {
      const parts = this.#session.derived.get(name);
      return typeof parts === "string" ? undefined : parts?.[index];
    },
    remove: async (name) => {
      this.#assertOpen();
      this.#acquire();
      this.#session.derived.delete(name);
    },
  };
  get tasks(): TaskFiles {
    return this.#session.tasks;
  }
  readonly #repeated = new RepeatedAppend();
  readonly #session: StoredSession;
  #register: (() => void) | undefined;
  #bytesWritten = 0;
  #isClosed = false;

  constructor(sessionId: string, session: StoredSession, register: (() => void) | undefined) {
    this.sessionId = sessionId;
    this.#session = session;
    this.#register = register;
  }

  async acquire(): Promise<void> {
    this.#assertOpen();
    this.#acquire();
  }

  #acquire(): void {
    const { writer } = this.#session;
    if (writer !== undefined && writer !== this) throw sessionInUse(this.sessionId, OTHER_LOG);
    this.#session.writer = this;
  }

  async append(entries: readonly Entry[]): Promise<readonly number[]> {
    this.#assertOpen();
    if (entries.length === 0) return [];
    const repeated = this.#repeated.find(entries);
    if (repeated !== undefined) return repeated;
    const lines = this.#format(entries);
    // A new session is not there before its first entry, and has no other writer.
    if (this.#register === undefined) this.#acquire();
    assertGoesOn(entries, this.#session.lastSeq, this.sessionId);
    this.#register?.();
    this.#acquire();
    this.#register = undefined;
    const positions = lines.map((line, index) => {
      const position = this.#session.lines.push(line) - 1;
      if (entries[index]?.type === "checkpoint") this.#session.checkpoints.push(position);
      this.#bytesWritten += byteLength(line) + 1;
      return position;
    });
    this.#session.lastSeq += entries.length;
    return this.#repeated.keep(entries, positions);
  }

  #format(entries: readonly Entry[]): readonly string[] {
    try {
      return entries.map(formatEntry);
    } catch (error) {
      throw storeFailure(`${entries.length} entries could not be written`, error);
    }
  }

  async sync(): Promise<void> {
    this.#assertOpen();
  }

  async readTail(throughSeq = this.#session.lastSeq): Promise<LogContents> {
    this.#assertOpen();
    const { checkpoints, lines } = this.#session;
    const from = throughSeq > lines.length ? undefined : checkpoints.findLast((at) => at < throughSeq);
    return this.#slice(from ?? lines.length, Math.min(throughSeq, lines.length));
  }

  async find(seq: number): Promise<StoredEntry | undefined> {
    this.#assertOpen();
    const hasEntry = seq >= 1 && seq <= this.#session.lines.length;
    return hasEntry ? { entry: this.#entryAt(seq - 1), position: seq - 1 } : undefined;
  }

  async readFrom(position: number, toSeq: number): Promise<LogContents> {
    this.#assertOpen();
    const entries: StoredEntry[] = [];
    for (let at = Math.max(0, position); at < this.#session.lines.length; at++) {
      const entry = this.#entryAt(at);
      if (entry.seq <= toSeq) entries.push({ entry, position: at });
      if (entry.seq >= toSeq) break;
    }
    return { entries, damage: [] };
  }

  async *readAll(): AsyncGenerator<LogContents> {
    this.#assertOpen();
    const end = this.#session.lines.length;
    for (let from = 0; from < end; from += STORE_DEFAULTS.readBatchEntries) {
      yield this.#slice(from, Math.min(end, from + STORE_DEFAULTS.readBatchEntries));
      this.#assertOpen();
    }
  }

  #slice(from: number, to = this.#session.lines.length): LogContents {
    const entries: StoredEntry[] = [];
    for (let position = from; position < to; position++)
      entries.push({ entry: this.#entryAt(position), position });
    return { entries, damage: [] };
  }

  #entryAt(position: number): Entry {
    return parseLine(this.#session.lines[position] ?? "");
  }

  putBlob(hash: string, text: string): Promise<void> {
    return this.putBlobInParts(hash, [text]);
  }

  async putBlobInParts(hash: string, parts: readonly string[]): Promise<void> {
    this.#assertOpen();
    this.#acquire();
    assert(HASH_PATTERN.test(hash), "a blob is named by a SHA-256 in small hex digits");
    if (this.#session.blobs.has(hash)) return;
    // As in a UTF-8 file: half a surrogate pair is lost.
    const kept = parts.map(toWellFormed);
    this.#session.blobs.set(hash, kept);
    for (const part of kept) this.#bytesWritten += byteLength(part);
  }

  async getBlob(hash: string): Promise<string | undefined> {
    this.#assertOpen();
    const { blobs } = this.#session;
    const kept = blobs.get(hash);
    if (kept === undefined || typeof kept === "string") return kept;
    const text = kept.join("");
    blobs.set(hash, text);
    return text;
  }

  bytesWritten(): number {
    return this.#bytesWritten;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#session.writer === this) this.#session.writer = undefined;
  }

  #assertOpen(): void {
    if (this.#isClosed) throw logClosed(this.sessionId);
  }
}

function byteLength(text: string): number {
  return Buffer.byteLength(text, "utf8");
}
