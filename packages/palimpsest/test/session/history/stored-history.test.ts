/** The history of a stored session, read by someone else while it may be in use. */
import { InMemoryFileSystem } from "palimpsest-testing";
import { describe, expect, it, vi } from "vitest";
import { openHome } from "#host/home/open-home.ts";
import { openHistory } from "#session/history/stored-history.ts";
import { createSession } from "#session/lifecycle/open-session.ts";
import { converse, onDisk, optionsOf } from "#test/helpers/derived-files.ts";
import { testFolder } from "../../../../../test/helpers/compiled-once.ts";
import { SECRET } from "../../../../../test/helpers/stored.ts";

/** Goes on from one test to the next: all stored histories of a process have one clock. */
let nowMs = performance.now();

describe("the history of a stored session", () => {
  it("is searched and read while the session is in use, without keys and without a lease", async () => {
    const home = openHome({ home: testFolder(), workingCopy: testFolder(), env: {}, isBare: true });
    const session = await home.create();
    const say = (text: string) => session.append({ role: "user", content: [{ type: "text", text }] });
    await say("The harbour ledger is kept by Ada.");
    await say(`Her key is ${SECRET}, for emergencies.`);
    const history = await openHistory(home.storeOf(), session.id);
    const [hit] = await history.search("ledger");
    expect(hit?.snippet).toContain("harbour ledger");
    expect(await history.read(hit!.pointer, { limit: 11 })).toEqual({
      text: "The harbour",
      offset: 0,
      nextOffset: 11,
      totalCharacters: 34,
    });
    const texts: string[] = [];
    for await (const { role, texts: blocks } of history.messages()) texts.push(`${role}: ${blocks.join("")}`);
    expect(texts).toHaveLength(2);
    expect(texts[0]).toBe("user: The harbour ledger is kept by Ada.");
    expect(texts[1]).toMatch(/^user: Her key is .*, for emergencies\.$/);
    expect(texts[1]).not.toContain(SECRET);
    await expect(history.read("m999.0")).rejects.toMatchObject({ code: "ENTRY_NOT_FOUND" });
    expect(history.lossCount).toBe(0);
    await history.close();
    await say("It still has its writer.");
    await home.close();
  });

  it("is not there for a session that is not", async () => {
    const home = openHome({ home: testFolder(), workingCopy: testFolder(), env: {}, isBare: true });
    await expect(openHistory(home.storeOf(), "missing")).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
    await home.close();
  });

  it.each([
    { why: "it reads and indexes the log", isIndexed: false },
    { why: "it reads segments", isIndexed: true },
  ])("lets the process go on while $why", async ({ isIndexed }) => {
    const fs = new InMemoryFileSystem();
    const session = await createSession({ ...optionsOf(onDisk(fs)), sessionId: "s" });
    if (isIndexed) await session.history.search("a word");
    await converse(session, 0, 25);
    await session.close();
    const history = await openHistory(onDisk(fs, 2), "s");
    // Each step takes so long that others are due after it.
    vi.spyOn(performance, "now").mockImplementation(() => {
      nowMs += 10;
      return nowMs;
    });
    let passes = 0;
    let isOver = false;
    const pass = (): void => {
      passes++;
      if (!isOver) setImmediate(pass);
    };
    setImmediate(pass);
    await history.search("Question 12 line");
    isOver = true;
    vi.restoreAllMocks();
    await history.close();
    expect(passes).toBeGreaterThan(isIndexed ? 2 : 20);
  });
});
