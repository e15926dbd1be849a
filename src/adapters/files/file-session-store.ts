/**
 * Sessions in a folder: one append-only log file each, and a folder of blobs beside it.
 *
 * The file of a session comes into being with its first append, so a session that never said anything
 * leaves nothing behind.
 */
import type { FileSystem, OpenFile } from "../../ports/file-system.ts";
import type { Hasher } from "../../ports/hasher.ts";
import type { IdSource } from "../../ports/id-source.ts";
import type { SessionLog, SessionStore } from "../../ports/session-store.ts";
import type { Scope } from "../../transcript/entries.ts";
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
