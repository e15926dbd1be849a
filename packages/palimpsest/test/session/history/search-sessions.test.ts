/** Finding a text in the sessions of a store. */
import fc from "fast-check";
import { FakeClock, InMemoryFileSystem, seededIds } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import type { SessionStore } from "#ports/session-store.ts";
import { type SessionSearchOptions, searchSessions } from "#session/history/search-sessions.ts";
import { createSession } from "#session/lifecycle/open-session.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { assistant, call, result, user } from "#test/helpers/histories.ts";
import { blockText, type Message } from "#transcript/blocks.ts";

function aFileStore() {
  const clock = new FakeClock();
  const disk = new InMemoryFileSystem(() => clock.nowMs());
  const options = { root: "/s", fs: disk, hasher: nodeHasher, ids: seededIds(4), isIndexed: true };
  return { clock, disk, store: new FileSessionStore(options) };
}

const ids = seededIds(8);
async function tell(
  store: SessionStore,
  clock: FakeClock,
  sessionId: string,
  messages: readonly Message[],
  title?: string,
): Promise<void> {
  clock.advance(1_000);
  const session = await createSession({ store, clock, ids, hasher: nodeHasher, sessionId });
  await session.append(messages);
  if (title !== undefined) await session.setMetadata("title", title);
  await session.close();
}

async function found(store: SessionStore, query: string, options?: SessionSearchOptions) {
  const hits = [];
  for await (const hit of searchSessions(store, query, options)) hits.push(hit);
  return hits;
}

const LONG = `${"a line of output\n".repeat(4_000)}the needle lies here\n${"more output\n".repeat(4_000)}`;

describe("a search in all sessions", () => {
  it("finds prompts, answers, calls, results, titles and what lies in blobs, the latest session first", async () => {
    for (const store of [aFileStore().store, new InMemorySessionStore()]) {
      const clock = new FakeClock();
      await tell(store, clock, "prompt", [user("Where is the NEEDLE?")]);
      await tell(store, clock, "answer", [user("Hm"), assistant("r1", "In the Needle box.")]);
      await tell(store, clock, "titled", [user("Hm")], "The needle");
      await tell(store, clock, "blob", [user("Hm"), assistant("r1", call("c1")), user(result("c1", LONG))]);
      await tell(store, clock, "none", [user("Nothing of the kind")]);
      const hits = await found(store, "needle");
      expect(hits.map(({ sessionId, snippet }) => [sessionId, snippet])).toEqual([
        ["blob", expect.stringMatching(/^….*the needle lies here.*…$/)],
        ["titled", "title: The needle"],
        ["answer", "In the Needle box."],
        ["prompt", "Where is the NEEDLE?"],
      ]);
    }
  });

  it("tells a title once, however often it was written again", async () => {
    const { store, clock } = aFileStore();
    await tell(store, clock, "titled", [user("Hm"), assistant("r1", LONG)], "Once only");
    expect(await found(store, "once ONLY")).toHaveLength(1);
  });

  it("stops at its limits, and when it is told to", async () => {
    const { store, clock } = aFileStore();
    for (const id of ["a", "b", "c"])
      await tell(store, clock, id, [user("same"), user("same"), user("same")]);
    const places = async (options: SessionSearchOptions) =>
      (await found(store, "same", options)).map(({ sessionId }) => sessionId).join("");
    expect(await places({ limitPerSession: 2 })).toBe("ccbbaa");
    expect(await places({ limit: 4, limitPerSession: 3 })).toBe("cccb");
    const controller = new AbortController();
    const hits = searchSessions(store, "same", { signal: controller.signal });
    await hits.next();
    controller.abort(new Error("enough"));
    await expect(hits.next()).rejects.toThrow("enough");
  });

  it("passes over a session that cannot be read any more", async () => {
    const { store, clock, disk } = aFileStore();
    await tell(store, clock, "a", [user("needle")]);
    await tell(store, clock, "b", [user("needle")]);
    disk.remove("/s/b.jsonl");
    expect((await found(store, "needle")).map(({ sessionId }) => sessionId)).toEqual(["a"]);
  });

  it.each(["", "  \n"])("refuses a text without anything in it: %j", async (query) => {
    await expect(found(aFileStore().store, query)).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });

  it("finds whatever piece of whatever was said, where the bytes are looked at first, too", async () => {
    const text = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 60 })
      .filter((text) => text.trim() !== "");
    await fc.assert(
      fc.asyncProperty(text, fc.nat(), fc.nat(), async (text, from, length) => {
        const { store, clock } = aFileStore();
        const message = user(text);
        await tell(store, clock, "a", [message]);
        const whole = blockText(message.content[0]!);
        const start = from % whole.length;
        const piece = whole.slice(start, start + 1 + (length % (whole.length - start)));
        if (piece.trim() === "") return;
        expect(await found(store, piece)).toHaveLength(1);
        expect(
          await found(
            store,
            piece.replace(/[a-z]/g, (letter) => letter.toUpperCase()),
          ),
        ).toHaveLength(1);
        expect(await found(store, `${piece}Q9~`)).toHaveLength(0);
      }),
      { numRuns: 60 },
    );
  });
});
