/**
 * A plain folder of sessions, as `nodeSessions` keeps them, with the parts of a home that commands use.
 */

import type { Session, SessionStore } from "palimpsest";
import { forkSession, nodeHasher, openSession, randomIds, systemClock } from "palimpsest";
import type {
  FoundSession,
  HomeForkOptions,
  HomeImport,
  HomeProject,
  SessionPage,
  TrashedSession,
} from "palimpsest/internal";
import {
  changedTags,
  checkName,
  findSession,
  findTrashed,
  HOME_DEFAULTS,
  importRecording,
} from "palimpsest/internal";

export class FolderPlace {
  readonly folder: string;
  /** The folder itself: there are no others. */
  readonly project: HomeProject;
  readonly retention = HOME_DEFAULTS;
  readonly isRetentionKnown = true;
  readonly #store: SessionStore;

  constructor(folder: string, store: SessionStore) {
    this.folder = folder;
    this.project = { name: "", folder, trashFolder: "" };
    this.#store = store;
  }

  async projects(): Promise<readonly HomeProject[]> {
    return [this.project];
  }

  storeOf(): SessionStore {
    return this.#store;
  }

  async list({
    limit,
    after,
  }: {
    readonly limit?: number;
    readonly after?: string;
  } = {}): Promise<SessionPage> {
    return this.#store.describe({
      limit,
      after,
    });
  }

  async find(which: string): Promise<FoundSession> {
    const { sessionId } = await findSession(which, this.#places, this.folder);
    return { project: this.project, info: await this.#store.find(sessionId) };
  }

  async fork(which: string, { atSeq, title, signal }: HomeForkOptions = {}): Promise<Session> {
    const { info } = await this.find(which);
    return forkSession(info.sessionId, {
      ...this.#wired,
      atSeq,
      title,
      signal,
    });
  }

  async rename(which: string, title: string): Promise<void> {
    const named = checkName("title", title);
    await this.#change(which, (session) => session.setMetadata("title", named));
  }

  async tag(
    which: string,
    { add = [], remove = [] }: { readonly add?: readonly string[]; readonly remove?: readonly string[] },
  ): Promise<readonly string[]> {
    const added = add.map((tag) => checkName("tag", tag));
    let tags: readonly string[] = [];
    await this.#change(which, async (session) => {
      // Read once we are the writer: what another one added before stays.
      tags = changedTags(session.metadata["tags"], { add: added, remove });
      await session.setMetadata("tags", tags);
    });
    return tags;
  }

  async importFrom(
    path: string,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<readonly HomeImport[]> {
    return importRecording(path, { ...this.#wired, ...options });
  }

  async trash(which: string): Promise<FoundSession> {
    const found = await this.find(which);
    await this.#store.trash(found.info.sessionId, { at: systemClock.nowMs(), reason: "by hand" });
    return found;
  }

  async listTrash(): Promise<readonly TrashedSession[]> {
    return this.#store.listTrash();
  }

  async restore(which: string): Promise<FoundSession> {
    const { sessionId } = await findTrashed(which, this.#places, this.folder);
    await this.#store.restore(sessionId);
    return { project: this.project, info: await this.#store.find(sessionId) };
  }

  async close(): Promise<void> {
    // Every session was closed by who opened it.
  }

  get #places() {
    return [{ project: this.project, store: this.#store }];
  }

  get #wired() {
    return { store: this.#store, clock: systemClock, ids: randomIds, hasher: nodeHasher };
  }

  async #change(which: string, change: (session: Session) => Promise<void>): Promise<void> {
    const { info } = await this.find(which);
    const session = await openSession(info.sessionId, this.#wired);
    try {
      await change(session);
    } finally {
      await session.close();
    }
  }
}
