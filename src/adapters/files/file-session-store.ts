/**
 * Sessions in a folder: one append-only log file each, and a folder of blobs beside it.
 *
 * The file of a session comes into being with its first append, so a session that never said anything
 * leaves nothing behind.
 */

import { AssertionError } from "../../base/assert.ts";
import type { FileSystem, OpenFile } from "../../ports/file-system.ts";
import type { Hasher } from "../../ports/hasher.ts";
import type { IdSource } from "../../ports/id-source.ts";
import type {
  SessionInfo,
  SessionLog,
  SessionPage,
  SessionQuery,
  SessionStore,
  TrashedSession,
  Trashing,
} from "../../ports/session-store.ts";
import type { Scope } from "../../transcript/entries.ts";
import { pageOf, SessionGist } from "../shared/session-info.ts";
import {
  assertSessionId,
  type SessionPaths,
  scopeFolder,
  sessionIdOfFile,
  sessionPaths,
} from "../shared/session-paths.ts";
import { errorCode, readFailure, sessionExists, sessionNotFound } from "../shared/store-failure.ts";
import { FileSessionLog } from "./file-session-log.ts";

/** What a {@link FileSessionStore} works with. */
export interface FileSessionStoreOptions {
  /** Folder of the sessions; made when the first is stored. */
  readonly root: string;
  /** `nodeFileSystem`, or something that looks like it. */
  readonly fs: FileSystem;
  /** Names the folders of scopes, and checks blobs against their names. */
  readonly hasher: Hasher;
  /** Names of temporary files. */
  readonly ids: IdSource;
}

/** Keeps sessions as files under one folder. */
export class FileSessionStore implements SessionStore {
  readonly #options: FileSessionStoreOptions;

  constructor(options: FileSessionStoreOptions) {
    this.#options = options;
  }

  async create(sessionId: string, scope?: Scope): Promise<SessionLog> {
    const paths = this.#paths(sessionId, scope);
    if (this.#isStored(paths)) throw sessionExists(sessionId);
    return this.#log(sessionId, paths, undefined);
  }

  async open(sessionId: string, scope?: Scope): Promise<SessionLog> {
    const paths = this.#paths(sessionId, scope);
    try {
      return this.#log(sessionId, paths, this.#options.fs.open(paths.logFile, "read"));
    } catch (error) {
      if (isAbsence(error)) throw sessionNotFound(sessionId, paths.rootFolder);
      throw readFailure(paths.logFile, error);
    }
  }

  async list(scope?: Scope): Promise<readonly string[]> {
    const { fs } = this.#options;
    const folder = this.#folder(scope);
    try {
      return fs
        .list(folder)
        .map(sessionIdOfFile)
        .filter((id) => id !== undefined)
        .sort();
    } catch (error) {
      if (isAbsence(error)) return [];
      throw readFailure(folder, error);
    }
  }

  async describe(query: SessionQuery = {}): Promise<SessionPage> {
    const ids = await this.list(query.scope);
    return pageOf(await Promise.all(ids.map((id) => this.find(id, query.scope))), query);
  }

  async find(sessionId: string, scope?: Scope): Promise<SessionInfo> {
    const log = await this.open(sessionId, scope);
    const gist = new SessionGist();
    for await (const part of log.readAll()) for (const { entry } of part.entries) gist.add(entry);
    await log.close();
    const stat = this.#options.fs.stat(this.#paths(sessionId, scope).logFile);
    return gist.info({ sessionId, bytes: stat?.size ?? 0, isInUse: false }, stat?.modifiedMs);
  }

  async trash(_sessionId: string, _trashing: Trashing, _scope?: Scope): Promise<void> {
    throw new AssertionError("to come");
  }

  async listTrash(_scope?: Scope): Promise<readonly TrashedSession[]> {
    throw new AssertionError("to come");
  }

  async restore(_sessionId: string, _scope?: Scope): Promise<void> {
    throw new AssertionError("to come");
  }

  async purge(_sessionId: string, _scope?: Scope): Promise<void> {
    throw new AssertionError("to come");
  }

  #paths(sessionId: string, scope: Scope | undefined): SessionPaths {
    assertSessionId(sessionId);
    return sessionPaths(this.#folder(scope), sessionId);
  }

  #folder(scope: Scope | undefined): string {
    return scopeFolder(this.#options.root, scope, this.#options.hasher);
  }

  #isStored(paths: SessionPaths): boolean {
    try {
      return this.#options.fs.stat(paths.logFile) !== undefined;
    } catch (error) {
      throw readFailure(paths.logFile, error);
    }
  }

  #log(sessionId: string, paths: SessionPaths, file: OpenFile | undefined): SessionLog {
    const { fs, hasher, ids } = this.#options;
    return new FileSessionLog({ sessionId, paths, fs, hasher, ids, file });
  }
}

/** Nothing there, or a file where a folder should be. */
function isAbsence(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}
