/**
 * Sessions for tests: in memory, with a fake clock and seeded ids, and a few ready-made shapes.
 */

import { FakeClock, seededIds } from "palimpsest-testing";
import type { SessionLog } from "#ports/session-store.ts";
import type { SessionEvent } from "#session/events/events.ts";
import { createSession, openSession } from "#session/lifecycle/open-session.ts";
import type { SessionOptions, WindowOptions } from "#session/options/session-options.ts";
import type { Session } from "#session/session.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import type { Scope } from "#transcript/entries.ts";

export interface TestSession {
  readonly session: Session;
  readonly options: SessionOptions;
  readonly events: SessionEvent[];
  readonly reopen: () => Promise<Session>;
  /** Ends the process that has the session open: nothing is closed, and another process may open it. */
  readonly kill: () => Promise<void>;
}

/** Knows the last log that was opened, to let go of it as the end of a process does. */
export class MortalStore extends InMemorySessionStore {
  #last: SessionLog | undefined;

  override async create(sessionId: string, scope?: Scope): Promise<SessionLog> {
    this.#last = await super.create(sessionId, scope);
    return this.#last;
  }

  override async open(sessionId: string, scope?: Scope): Promise<SessionLog> {
    this.#last = await super.open(sessionId, scope);
    return this.#last;
  }

  async kill(): Promise<void> {
    await this.#last?.close();
  }
}

export async function aSession(window: WindowOptions = {}): Promise<TestSession> {
  const events: SessionEvent[] = [];
  const store = new MortalStore();
  const options: SessionOptions = {
    store,
    clock: new FakeClock(),
    ids: seededIds(1),
    hasher: nodeHasher,
    observer: { onEvent: (event) => events.push(event) },
    window,
  };
  const session = await createSession(options);
  const reopen = () => openSession(session.id, options);
  return { session, options, events, reopen, kill: () => store.kill() };
}
