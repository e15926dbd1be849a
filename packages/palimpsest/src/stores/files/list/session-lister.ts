/**
 * Lists the sessions of one folder: in pages, all of them from the index, or a single one.
 *
 * The folder decides which sessions exist. The index decides their order, or without one the times of the files. A page
 * reads its content from the two ends of each log, so an index that is behind can misplace a session but never show
 * wrong content.
 */
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { SESSION_LIST_DEFAULTS } from "../../../base/defaults/session-list.ts";
import { errorCode } from "../../../base/errors.ts";
import type { FileSystem } from "../../../ports/file-system.ts";
import type { Clock, IdSource } from "../../../ports/runtime.ts";
import type {
  OverviewLook,
  OverviewRow,
  SessionInfo,
  SessionPage,
  SessionQuery,
} from "../../../ports/session-store.ts";
import {
  compareByActivity,
  cursorOf,
  overviewRowOf,
  pageLimit,
  plausibleTime,
} from "../../shared/session-info.ts";
import { type SessionPaths, sessionIdOfFile, sessionPaths } from "../../shared/session-paths.ts";
import { readFailure } from "../../shared/store-failure.ts";
import { holdsText } from "../blobs/packed-blob.ts";
import { isAbsence } from "../replace/file-steps.ts";
import { withFile } from "../replace/whole-file.ts";
import type { IndexNote } from "./index-lines.ts";
import type { IndexRow } from "./index-rows.ts";
import { type IndexView, rebuildIndex, type SessionLooks, viewIndex } from "./index-view.ts";
import { readLastAt, readSessionInfo } from "./read-session-info.ts";
import { IndexedWriter, SessionIndex } from "./session-index.ts";

/** Sessions read before the rest of the process gets a turn. */
const LOOKED_AT_ONCE = 1_000;

interface SessionListerOptions {
  readonly folder: string;
  readonly fs: FileSystem;
  readonly clock: Clock;
  /** True if the session has a writer. */
  readonly isInUse: (paths: SessionPaths) => boolean;
  /** True if the folder has an index. */
  readonly isIndexed: boolean;
}

/** A session as it is now, and its index row. */
interface Described {
  readonly info: SessionInfo;
  readonly row: IndexRow;
}

export class SessionLister {
  readonly #options: SessionListerOptions;
  readonly #index: SessionIndex | undefined;
  readonly #looks: SessionLooks;
  /** Logs that the last look at the folder could not read. */
  readonly #unreadable = new Set<string>();
  /** Lines to be added to the index. */
  #gone: IndexNote[] = [];
  #telling: Promise<void> | undefined;

  constructor(options: SessionListerOptions) {
    this.#options = options;
    this.#index = options.isIndexed ? new SessionIndex(options) : undefined;
    this.#looks = {
      glance: (sessionId) => this.#glance(sessionId),
      refresh: (sessionId, known) => this.#refresh(sessionId, known),
    };
  }

  /** Ids of the sessions in the folder, in no order. @throws `SESSION_UNREADABLE`. */
  list(): readonly string[] {
    const { folder, fs } = this.#options;
    try {
      return fs.list(folder).flatMap((name) => sessionIdOfFile(name) ?? []);
    } catch (error) {
      if (isAbsence(error)) return [];
      throw readFailure(folder, error);
    }
  }

  /** Returns `undefined` for an unknown session. */
  find(sessionId: string): SessionInfo | undefined {
    return this.#describe(sessionId)?.info;
  }

  async describe(query: SessionQuery): Promise<SessionPage> {
    const limit = pageLimit(query);
    const names = this.list();
    const view = viewIndex(this.#index?.read(), names, this.#looks);
    const { sessions, isLast, corrections } = await this.#readPage(
      rowsIn(view.pieces),
      query.after ?? "",
      limit,
    );
    await this.#correct(view, corrections);
    const last = sessions.at(-1);
    return isLast || last === undefined ? { sessions } : { sessions, next: cursorOf(last) };
  }

  async overview(look?: OverviewLook): Promise<readonly OverviewRow[]> {
    this.#unreadable.clear();
    const index = this.#index?.read();
    // A whole index is trusted; without one the folder is read.
    const view = viewIndex(index, index === undefined ? this.list() : undefined, this.#looks);
    const rows: IndexRow[] = [];
    // Not `push(...piece)`: without an index all rows are one piece, and the number of arguments is limited.
    for (const piece of view.pieces) for (const row of piece) rows.push(row);
    await this.#correct(view, []);
    return look === undefined ? rows : await this.#lookAtIdle(rows, look);
  }

  async #lookAtIdle(rows: readonly IndexRow[], { idleSince }: OverviewLook): Promise<readonly OverviewRow[]> {
    const looked: OverviewRow[] = [];
    for (const [index, row] of rows.entries()) {
      if (index % LOOKED_AT_ONCE === LOOKED_AT_ONCE - 1) await setImmediate();
      const now = row.lastActivityAt > idleSince ? row : this.#refresh(row.sessionId, row);
      if (now === undefined) continue;
      // A session is never older than its file.
      const lastActivityAt = Math.max(now.lastActivityAt, plausibleTime(now.modifiedAt));
      // The last entry of an unreadable log may be younger than its file.
      const isLooked = lastActivityAt <= idleSince && !this.#unreadable.has(row.sessionId);
      if (!isLooked) looked.push({ ...now, lastActivityAt });
      else looked.push({ ...now, isInUse: this.#options.isInUse(this.#paths(row.sessionId)) });
    }
    return looked;
  }

  /** True if one of the session's files contains the text in any case, or cannot be read. */
  async mayHold(sessionId: string, text: string): Promise<boolean> {
    const { fs } = this.#options;
    const { logFile, blobFolder } = this.#paths(sessionId);
    try {
      if (await holdsText(fs, logFile, text)) return true;
      if (fs.stat(blobFolder) === undefined) return false;
      for (const name of fs.list(blobFolder))
        if (await holdsText(fs, join(blobFolder, name), text)) return true;
      return false;
    } catch {
      // The search reads the session and gets the error.
      return true;
    }
  }

  /** Keeps the index up to date for a writer of the session, if there is an index. */
  indexedWriter(sessionId: string, isNew: boolean, ids: IdSource): IndexedWriter | undefined {
    const index = this.#index;
    const rowOf = () => this.#describe(sessionId)?.row;
    return index && new IndexedWriter({ index, sessionId, isNew, writerId: ids.entryId(), rowOf });
  }

  /** Records that the session left the folder. Concurrent calls share one write to the index. */
  forget(sessionId: string): Promise<void> | undefined {
    const index = this.#index;
    if (index === undefined) return undefined;
    this.#gone.push({ on: "gone", sessionId });
    this.#telling ??= setImmediate().then(() => {
      const gone = this.#gone;
      this.#gone = [];
      this.#telling = undefined;
      index.add(gone);
    });
    return this.#telling;
  }

  async #readPage(rows: Iterable<IndexRow>, after: string, limit: number) {
    const page = new PageReader(after, (sessionId) => this.#tryDescribe(sessionId));
    const sessions: SessionInfo[] = [];
    for (const info of page.read(rows)) {
      // One session more than the limit: there is a next page.
      if (sessions.length === limit) return { sessions, isLast: false, corrections: page.corrections };
      sessions.push(info);
      // A list of all sessions must not block the rest of the process.
      if (sessions.length % SESSION_LIST_DEFAULTS.pageSessions === 0) await setImmediate();
    }
    return { sessions, isLast: true, corrections: page.corrections };
  }

  async #correct({ isWorn, corrections }: IndexView, more: readonly IndexNote[]): Promise<void> {
    if (this.#index === undefined) return;
    const isDone = isWorn
      ? await this.#index.remake((index) => rebuildIndex(index, this.list(), this.#looks))
      : this.#index.add(corrections);
    if (isDone) this.#index.add(more);
  }

  /** An unreadable session is listed with what its file tells, so that it does not fail the list. */
  #tryDescribe(sessionId: string): Described | undefined {
    try {
      return this.#describe(sessionId);
    } catch {
      const row = this.#glance(sessionId);
      if (row === undefined) return undefined;
      const { bytes, lastActivityAt } = row;
      return { row, info: { sessionId, bytes, lastActivityAt, metadata: {}, isInUse: false } };
    }
  }

  #describe(sessionId: string): Described | undefined {
    const { fs, isInUse } = this.#options;
    const paths = this.#paths(sessionId);
    try {
      const stat = fs.stat(paths.logFile);
      if (stat === undefined || stat.isDirectory) return undefined;
      return withFile(fs, paths.logFile, "read", (file) => {
        const bytes = file.size();
        const builder = readSessionInfo(file, bytes);
        const info = builder.info({ sessionId, bytes, isInUse: isInUse(paths) }, stat.modifiedMs);
        return { info, row: { ...overviewRowOf(info), modifiedAt: stat.modifiedMs } };
      });
    } catch (error) {
      if (isAbsence(error)) return undefined;
      throw readFailure(paths.logFile, error);
    }
  }

  #glance(sessionId: string): IndexRow | undefined {
    const stat = this.#stat(sessionId);
    if (stat === undefined) return undefined;
    const { size: bytes, modifiedMs } = stat;
    const lastAt = this.#lastAt(sessionId, bytes);
    if (lastAt === undefined) return this.#refresh(sessionId, undefined);
    const lastActivityAt = plausibleTime(Math.max(modifiedMs, lastAt));
    return { sessionId, bytes, lastActivityAt, modifiedAt: modifiedMs };
  }

  #lastAt(sessionId: string, bytes: number): number | undefined {
    try {
      const { logFile } = this.#paths(sessionId);
      return withFile(this.#options.fs, logFile, "read", (file) => readLastAt(file, bytes));
    } catch {
      // Opening the session gives the error; here it gets the time of its file.
      this.#unreadable.add(sessionId);
      return 0;
    }
  }

  #refresh(sessionId: string, known: IndexRow | undefined): IndexRow | undefined {
    const stat = this.#stat(sessionId);
    if (stat === undefined) return undefined;
    const { size: bytes, modifiedMs: modifiedAt } = stat;
    if (known?.bytes === bytes && known.modifiedAt === modifiedAt) return known;
    try {
      return this.#describe(sessionId)?.row;
    } catch {
      // The session exists but is unreadable: use what is known.
      if (known !== undefined) return known;
      this.#unreadable.add(sessionId);
      return { sessionId, bytes, lastActivityAt: plausibleTime(modifiedAt), modifiedAt };
    }
  }

  #stat(sessionId: string) {
    const { fs } = this.#options;
    try {
      const stat = fs.stat(this.#paths(sessionId).logFile);
      return stat?.isDirectory === true ? undefined : stat;
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      return undefined;
    }
  }

  #paths(sessionId: string): SessionPaths {
    return sessionPaths(this.#options.folder, sessionId);
  }
}

/** Sorts sessions by their real activity, reading as few as a page needs. */
class PageReader {
  readonly #after: string;
  readonly #describe: (sessionId: string) => Described | undefined;
  /** Sessions that were read already and belong later than the index says. */
  readonly #waiting: SessionInfo[] = [];
  readonly #seen = new Set<string>();
  readonly corrections: IndexNote[] = [];

  constructor(after: string, describe: (sessionId: string) => Described | undefined) {
    this.#after = after;
    this.#describe = describe;
  }

  *read(rows: Iterable<IndexRow>): Generator<SessionInfo> {
    for (const row of rows) {
      while (this.#waiting.length > 0 && compareByActivity(this.#waiting[0]!, row) < 0)
        yield this.#waiting.shift()!;
      if (this.#seen.has(row.sessionId) || (this.#after !== "" && cursorOf(row) <= this.#after)) continue;
      this.#seen.add(row.sessionId);
      const found = this.#describe(row.sessionId);
      if (found === undefined) continue;
      if (!isSameRow(found.row, row)) this.corrections.push({ on: "row", row: found.row, isNew: false });
      if (this.#after !== "" && cursorOf(found.info) <= this.#after) continue;
      if (compareByActivity(found.info, row) <= 0) yield found.info;
      else this.#wait(found.info);
    }
    yield* this.#waiting;
  }

  #wait(info: SessionInfo): void {
    const place = this.#waiting.findIndex((other) => compareByActivity(info, other) < 0);
    this.#waiting.splice(place === -1 ? this.#waiting.length : place, 0, info);
  }
}

function* rowsIn(pieces: Iterable<readonly IndexRow[]>): Generator<IndexRow> {
  for (const piece of pieces) yield* piece;
}

function isSameRow(one: IndexRow, other: IndexRow): boolean {
  return (
    one.lastActivityAt === other.lastActivityAt &&
    one.bytes === other.bytes &&
    one.modifiedAt === other.modifiedAt &&
    one.title === other.title
  );
}
