/** The engine keeps a whole conversation in the store: it compacts in a small window and is opened again. */

import { FakeClock, seededIds } from "palimpsest-testing";
import { expect } from "vitest";
import type { SessionStore } from "#ports/session-store.ts";
import { createSession, openSession } from "#session/lifecycle/open-session.ts";
import type { Session } from "#session/session.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { emptyStore, type TestDatabase } from "../../../../../test/helpers/postgres.ts";

/** Something that holds on every server. */
export interface Case {
  readonly name: string;
  readonly run: (database: TestDatabase) => Promise<void>;
}

const TURNS = 12;
const SCOPE = { tenant: "acme", project: "web" };
const MODEL = "claude-sonnet-4-5";

function options(store: SessionStore, layers: string[] = []) {
  return {
    store,
    scope: SCOPE,
    clock: new FakeClock(),
    ids: seededIds(1),
    hasher: nodeHasher,
    window: { windowTokens: 16_000 },
    observer: { onEvent: (event: { type: string }) => layers.push(event.type) },
  };
}

/** Reads file after file, far more than the window holds; some of them go to blobs. */
async function work(session: Session, from: number, to: number): Promise<void> {
  for (let turn = from; turn <= to; turn++) {
    await session.append({ role: "user", content: [{ type: "text", text: `Read file ${turn} \u0000.` }] });
    await session.prepare({ model: MODEL, system: "You read files." });
    const id = `toolu_${turn}`;
    const call = { type: "tool_use", id, name: "read_file", input: { path: `file-${turn}.txt` } } as const;
    await session.record({ messages: [{ role: "assistant", responseId: `msg_${turn}`, content: [call] }] });
    const lines = Array.from(
      { length: turn % 4 === 0 ? 2_000 : 240 },
      (_, at) => `value_${turn}_${at} = ${at}`,
    );
    const result = { type: "tool_result", tool_use_id: id, content: lines.join("\n") } as const;
    await session.append({ role: "user", content: [result] });
  }
}

const windowOf = async (session: Session) => (await session.prepare({ model: MODEL, system: "s" })).messages;

export const engineCases: readonly Case[] = [
  {
    name: "a long conversation has the same windows as in memory, also after it was opened again",
    run: async (database) => {
      const { store, again } = await emptyStore(database);
      const events: string[] = [];
      const memory = new InMemorySessionStore();
      const expected = await createSession(options(memory));
      const session = await createSession(options(store, events));
      await work(expected, 1, TURNS);
      await work(session, 1, TURNS);
      expect(events).toContain("layer");
      expect(await windowOf(session)).toEqual(await windowOf(expected));
      const [hit] = await session.history.search('"value_3_7"');
      expect((await session.history.read(hit!.pointer)).text).toContain("value_3_239");
      await expected.close();
      await session.close();

      const expectedAgain = await openSession(expected.id, options(memory));
      const opened = await openSession(session.id, options(again()));
      expect(await windowOf(opened)).toEqual(await windowOf(expectedAgain));
      await work(opened, TURNS + 1, TURNS + 4);
      await work(expectedAgain, TURNS + 1, TURNS + 4);
      expect(await windowOf(opened)).toEqual(await windowOf(expectedAgain));
      await opened.close();
      await expectedAgain.close();
      expect((await again().find(session.id, SCOPE)).firstPrompt).toBe("Read file 1 \u0000.");
      expect(await again().list()).toEqual([]);
    },
  },
  {
    name: "a second program is refused while the first has the session open",
    run: async (database) => {
      const { store, again } = await emptyStore(database);
      const session = await createSession(options(store));
      await work(session, 1, 1);
      await expect(openSession(session.id, options(again()))).rejects.toMatchObject({
        code: "SESSION_IN_USE",
      });
      await work(session, 2, 2);
      await session.close();
      const opened = await openSession(session.id, options(again()));
      await work(opened, 3, 3);
      await opened.close();
    },
  },
];
