/**
 * Lists of the sessions of one folder: pages of what they hold, all of them by the index, one of them.
 *
 * Which sessions there are is what the folder says. The order is the index's where there is one, else
 * that of the files' times. What a page shows is read from the two ends of each log, so an index that
 * is behind can put a session in a late place, but never show what is not so.
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
  SessionLog,
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
import type { IndexNote } from "./index-lines.ts";
import type { IndexRow } from "./index-rows.ts";
import { type IndexView, rebuildIndex, type SessionLooks, viewIndex } from "./index-view.ts";
import { IndexedSessionLog } from "./indexed-session-log.ts";
import { readLastAt, readSessionInfo } from "./read-session-info.ts";
import { SessionIndex } from "./session-index.ts";
import { holdsText } from "./text-scan.ts";

/** Sessions that are looked at before others in the process have their turn. */
const LOOKED_AT_ONCE = 1_000;

interface SessionListerOptions {
  readonly folder: string;
  readonly fs: FileSystem;
  readonly clock: Clock;
  /** Whether somebody is the session's writer. */
  readonly isInUse: (paths: SessionPaths) => boolean;
  /** Whether the folder has an index. */
  readonly isIndexed: boolean;
}

/** A session as it is now, and when its file was last changed. */
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
  /** What the index is about to be told. */
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

  /** `undefined` where there is no such session. */
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
    // An index that is whole is believed; without one the folder is looked at.
    const view = viewIndex(index, index === undefined ? this.list() : undefined, this.#looks);
    const rows: IndexRow[] = [];
    // One by one: of a folder without an index all rows are one piece, and arguments have a limit.
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
      // Whatever an index says, nothing is older than its file.
      const lastActivityAt = Math.max(now.lastActivityAt, plausibleTime(now.modifiedAt));
      // What cannot be read was not looked at: its last entry may be younger than its file.
      const isLooked = lastActivityAt <= idleSince && !this.#unreadable.has(row.sessionId);
      if (!isLooked) looked.push({ ...now, lastActivityAt });
      else looked.push({ ...now, isInUse: this.#options.isInUse(this.#paths(row.sessionId)) });
    }
    return looked;
  }

  /** Whether one of the session's files holds the text, capital or small. */
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
      // Whoever reads the session hears of what is wrong with it.
      return true;
    }
  }

  /** The log, which tells the index what is written to it. */
  follow(log: SessionLog, { isNew, ids }: { readonly isNew: boolean; readonly ids: IdSource }): SessionLog {
    if (this.#index === undefined) return log;
    const rowOf = () => this.#describe(log.sessionId)?.row;
    return new IndexedSessionLog({ log, index: this.#index, isNew, writerId: ids.entryId(), rowOf });
  }

  /** The session is not in the folder any more. Those that go together are told to the index together. */
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
      // One more than was asked for tells that there is a next page.
      if (sessions.length === limit) return { sessions, isLast: false, corrections: page.corrections };
      sessions.push(info);
      // A list of all sessions is not to hold up everything else in the process.
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

  /** One that cannot be read does not keep the others from being listed. */
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
      const file = fs.open(paths.logFile, "read");
      try {
        const bytes = file.size();
        const builder = readSessionInfo(file, bytes);
        const info = builder.info({ sessionId, bytes, isInUse: isInUse(paths) }, stat.modifiedMs);
        return { info, row: { ...overviewRowOf(info), modifiedAt: stat.modifiedMs } };
      } finally {
        file.close();
      }
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
    const { fs } = this.#options;
    try {
      const file = fs.open(this.#paths(sessionId).logFile, "read");
      try {
        return readLastAt(file, bytes);
      } finally {
        file.close();
      }
    } catch {
      // Whoever opens the session hears of it; here it has the time of its file.
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
      // It is there, and cannot be read: as much as is known of it.
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

/** Puts sessions in the order of what they really are, reading as few as a page needs. */
class PageReader {
  readonly #after: string;
  readonly #describe: (sessionId: string) => Described | undefined;
  /** Read already; their place comes later than the index had them. */
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

/** Nothing there, or a file where a folder should be. */
export function isAbsence(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

function isSameRow(one: IndexRow, other: IndexRow): boolean {
  return (
    one.lastActivityAt === other.lastActivityAt &&
    one.bytes === other.bytes &&
    one.modifiedAt === other.modifiedAt &&
    one.title === other.title
  );
}
