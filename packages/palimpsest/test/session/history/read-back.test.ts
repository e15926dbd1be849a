/** Old messages and old windows are read without the rest of the log. */
import { FakeClock, InMemoryFileSystem, seededIds } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import type { SessionLog, SessionStore } from "#ports/session-store.ts";
import { createSession, openSession } from "#session/lifecycle/open-session.ts";
import { internalsOf } from "#session/session.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { assistant, call, result, user } from "#test/helpers/histories.ts";
import { assembleRequest } from "#transcript/request.ts";
import { bySize, usualFew } from "../../../../../test/helpers/size-of-run.ts";

const TURNS = bySize({ usual: 30, long: 120 });

function counting(store: SessionStore) {
  let wholeReads = 0;
  let blobReads = 0;
  const counted = new Proxy(store, {
    get(target, name) {
      if (name !== "create" && name !== "open") return Reflect.get(target, name, target) as unknown;
      return async (...args: Parameters<SessionStore["open"]>) =>
        new Proxy(await target[name](...args), {
          get(log: SessionLog, member) {
            if (member === "readAll") wholeReads++;
            if (member === "getBlob") blobReads++;
            const value = Reflect.get(log, member, log) as unknown;
            return typeof value === "function" ? value.bind(log) : value;
          },
        });
    },
  });
  return { store: counted, wholeReads: () => wholeReads, blobReads: () => blobReads };
}

function optionsOf(store: SessionStore, seed = 1) {
  const window = { windowTokens: 40_000 };
  return { store, clock: new FakeClock(), ids: seededIds(seed), hasher: nodeHasher, window };
}

describe.each([
  {
    name: "in files",
    make: () =>
      new FileSessionStore({
        root: "/sessions",
        fs: new InMemoryFileSystem(),
        hasher: nodeHasher,
        ids: seededIds(9),
      }),
  },
  { name: "in memory", make: () => new InMemorySessionStore() },
])("a session $name", ({ make }) => {
  it("reads a large result once for all of its pages, and again after another one", async () => {
    const { store, blobReads } = counting(make());
    const session = await createSession({ ...optionsOf(store), sessionId: "s" });
    const texts = ["a", "b"].map((letter) => `${letter} line of a long result\n`.repeat(8_000));
    const pointers: string[] = [];
    for (const [turn, text] of texts.entries()) {
      await session.append(user(`Read ${turn}.`));
      await session.prepare({ model: "claude-sonnet-4-5" });
      await session.record({ messages: [assistant(`r${turn}`, call(`c${turn}`, "Read", {}))] });
      const [seq] = await session.append(user(result(`c${turn}`, text)));
      pointers.push(`m${seq}.0`);
    }
    const before = blobReads();
    for (const [turn, pointer] of pointers.entries()) {
      let text = "";
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const page = await session.history.read(pointer, { offset, limit: 6_000 });
        text += page.text;
        offset = page.nextOffset;
      }
      expect(text).toBe(texts[turn]);
    }
    expect(blobReads() - before).toBe(2);
    await session.close();
  });

  it("reads an old message and the window of an old call from a stretch of its log", async () => {
    const { store, wholeReads } = counting(make());
    const written = await createSession({ ...optionsOf(store), sessionId: "s" });
    const calls: number[] = [];
    const ask = async (turn: number): Promise<void> => {
      const { callSeq } = await written.prepare({ model: "claude-sonnet-4-5" });
      calls.push(callSeq);
      await written.record({
        messages: [assistant(`r${turn}`, call(`c${turn}`, "Read", { path: `src/${turn}.ts` }))],
      });
      await written.append(user(result(`c${turn}`, `line ${turn} of a file\n`.repeat(400))));
    };
    for (let turn = 0; turn < TURNS; turn++) {
      if (turn % 10 === 0) await written.append(user(`Question ${turn}`));
      if (turn === TURNS / 2) await written.rewind(internalsOf(written).writer.nextSeq - 7);
      await ask(turn);
    }
    await written.close();

    const session = await openSession("s", optionsOf(store, 2));
    const { writer, reader } = internalsOf(session);
    const before = wholeReads();
    expect((await session.history.read("m2.0")).text).toContain("Question 0");
    expect(wholeReads()).toBe(before);
    const windows = [];
    for (const callSeq of calls) {
      const reads = wholeReads();
      windows.push(await session.windowAt(callSeq));
      expect(wholeReads() - reads, `call ${callSeq}`).toBe(0);
    }
    // The whole log is folded for each, so the default run compares few.
    for (const [index, callSeq] of usualFew([...calls.entries()], 7)) {
      const entry = await reader.findEntry(callSeq);
      const whole = await writer.readProjection(entry?.type === "call" ? entry.throughSeq : 0);
      expect(windows[index], `call ${callSeq}`).toEqual(assembleRequest(whole.visible, whole.callSeqs));
    }
    await session.close();
  });
});
