/**
 * Sessions for tests: in memory, with a fake clock and seeded ids, and a few ready-made shapes.
 */
import { InMemorySessionStore } from "../../src/adapters/in-memory/in-memory-session-store.ts";
import { nodeHasher } from "../../src/adapters/node/node-hasher.ts";
import type { SessionEvent } from "../../src/engine/events.ts";
import { createSession, openSession } from "../../src/engine/open-session.ts";
import type { Session } from "../../src/engine/session.ts";
import type { SessionOptions, WindowOptions } from "../../src/engine/session-options.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { seededIds } from "../../src/testing/seeded-ids.ts";

export interface TestSession {
  readonly session: Session;
  readonly options: SessionOptions;
  readonly events: SessionEvent[];
  readonly reopen: () => Promise<Session>;
}

export async function aSession(window: WindowOptions = {}): Promise<TestSession> {
  const events: SessionEvent[] = [];
  const options: SessionOptions = {
    store: new InMemorySessionStore(),
    clock: new FakeClock(),
    ids: seededIds(1),
    hasher: nodeHasher,
    observer: { onEvent: (event) => events.push(event) },
    window,
  };
  const session = await createSession(options);
  return { session, options, events, reopen: () => openSession(session.id, options) };
}
