/** A rewrite leaves the process its turns, and is the same as one that is made in one stretch. */

import { setImmediate as nextPass } from "node:timers/promises";
import { FakeClock, seededIds } from "palimpsest-testing";
import { expect, it } from "vitest";
import type { SessionLog, SessionStore } from "#ports/session-store.ts";
import { createSession } from "#session/lifecycle/open-session.ts";
import type { PreparedCall } from "#session/options/prepared-call.ts";
import type { Session } from "#session/session.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";

const REQUEST = { model: "claude-sonnet-4-5" };

/** A clock by which every step takes longer than a stretch of work may, or one that does not tell. */
class SlowClock extends FakeClock {
  #steadyMs = 0;
  readonly steadyMs = (): number => {
    this.#steadyMs += 5;
    return this.#steadyMs;
  };
}

/** A session whose next request needs a rewrite. */
async function aFullSession(
  clock: FakeClock,
  store: SessionStore = new InMemorySessionStore(),
): Promise<Session> {
  const ports = { store, clock, ids: seededIds(1), hasher: nodeHasher };
  const session = await createSession({ ...ports, window: { windowTokens: 40_000 } });
  await session.append("Find out why parseLedgerEntry() fails in src/ledger/entry.ts.");
  for (let number = 0; number < 100; number++) {
    const path = `/project/src/module-${number}/file_${number}.ts`;
    const id = `call-${number}`;
    const call = { type: "tool_use", id, name: "Read", input: { file_path: path } } as const;
    await session.append({ role: "assistant", responseId: `r${number}`, content: [call] });
    const content = Array.from(
      { length: 60 },
      (_, line) => `${line + 1}\tconst value${number}_${line} = readSetting("module.${number}.key_${line}");`,
    ).join("\n");
    await session.append({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] });
    if (session.tokens.padded > 36_000) break;
  }
  return session;
}

/** The passes of the event loop until something is done. */
async function passesOf(work: Promise<unknown>): Promise<number> {
  let passes = 0;
  let isOver = false;
  const passing = (async () => {
    while (!isOver) {
      await nextPass();
      passes++;
    }
  })();
  await work;
  isOver = true;
  await passing;
  return passes;
}

async function prepare(session: Session): Promise<{ readonly call: PreparedCall; readonly passes: number }> {
  const preparing = session.prepare(REQUEST);
  const passes = await passesOf(preparing);
  return { call: await preparing, passes };
}

it("leaves the process its turns, whatever it writes", async () => {
  const whole = await prepare(await aFullSession(new FakeClock()));
  const sliced = await prepare(await aFullSession(new SlowClock()));
  expect(whole.call.edits.some(({ edit }) => edit.isBoundary === true)).toBe(true);
  expect(whole.passes).toBeLessThan(5);
  expect(sliced.passes).toBeGreaterThan(100);
  expect(JSON.stringify(sliced.call)).toBe(JSON.stringify(whole.call));
});

/** Calls back with the types of entries before it stores them. */
class WatchedStore extends InMemorySessionStore {
  onAppend: (types: readonly string[]) => void = () => undefined;

  override async create(sessionId: string): Promise<SessionLog> {
    const log = await super.create(sessionId);
    const append = log.append.bind(log);
    log.append = (entries) => {
      this.onAppend(entries.map(({ type }) => type));
      return append(entries);
    };
    return log;
  }
}

it("leaves the process a turn between storing a rewrite, the call and the checkpoint", async () => {
  const store = new WatchedStore();
  const session = await aFullSession(new SlowClock(), store);
  const passOf = new Map<string, number>();
  let passes = 0;
  let isOver = false;
  store.onAppend = (types) => {
    for (const type of types) passOf.set(type, passes);
  };
  const passing = (async () => {
    for (; !isOver; passes++) await nextPass();
  })();
  await session.prepare(REQUEST);
  isOver = true;
  await passing;
  const stored = ["edit", "call", "checkpoint"].map((type) => passOf.get(type));
  expect(new Set(stored).size).toBe(3);
  expect(stored).not.toContain(undefined);
});

it("leaves the process its turns while a large result comes in", async () => {
  const content = "[12] compiled src/module-7/unit_3.ts in 41 ms: symbolName12 is never read\n".repeat(
    40_000,
  );
  const takeIn = async (clock: FakeClock) => {
    const ports = { store: new InMemorySessionStore(), clock, ids: seededIds(1), hasher: nodeHasher };
    const session = await createSession(ports);
    const call = { type: "tool_use", id: "big", name: "Bash", input: { command: "make" } } as const;
    await session.append(["Build it.", { role: "assistant", content: [call] }]);
    const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "big", content }] } as const;
    const passes = await passesOf(session.append(result));
    return { passes, call: JSON.stringify(await session.prepare(REQUEST)) };
  };
  const whole = await takeIn(new FakeClock());
  const sliced = await takeIn(new SlowClock());
  expect(sliced.passes).toBeGreaterThan(whole.passes + 30);
  expect(sliced.call).toBe(whole.call);
});

it("takes input meanwhile, which follows the rewrite", async () => {
  const session = await aFullSession(new SlowClock());
  const preparing = session.prepare(REQUEST);
  await nextPass();
  await nextPass();
  const [[seq], call] = await Promise.all([session.append("And tell me its line."), preparing]);
  expect(JSON.stringify(call.messages)).not.toContain("And tell me its line.");
  expect(seq).toBeGreaterThan(Math.max(...call.edits.map((edit) => edit.seq)));
  const next = await session.prepare(REQUEST);
  expect(next.edits).toEqual([]);
  expect(JSON.stringify(next.messages.at(-1))).toContain("And tell me its line.");
});
