/** Being recalled and used raises what a memory is worth: counted cheaply, within bounds. */
import { describe, expect, it } from "vitest";
import type { MemoryStore } from "#ports/memory-store.ts";
import { inMemoryMemoryStore } from "#stores/in-memory/in-memory-memory-store.ts";
import { aPersistentMemory, DAY_MS, START_MS } from "#test/agent/memory/a-persistent-memory.ts";

const MINUTE_MS = 60_000;
const DEPLOY = "we-deploy-on-tuesdays-only.md";

async function withDeployDay(store: MemoryStore = inMemoryMemoryStore()) {
  const staged = aPersistentMemory({ store });
  const { memory } = staged;
  await memory.remember("We deploy on Tuesdays only.", { source: "user", decays: true });
  const use = (sessionId?: string) =>
    memory.answered("On Tuesday.", {
      shown: [DEPLOY],
      userText: "When can I deploy?",
      sessionId,
    });
  const relevanceScore = async () =>
    (await memory.recall("deploy?", { isLogged: false })).memories[0]!.relevanceScore;
  return { ...staged, store, use, relevanceScore };
}

/** The names of the records that are read of a store from now on, in order. */
function watchReads(store: MemoryStore): string[] {
  const reads: string[] = [];
  const read = store.readRecord.bind(store);
  Object.assign(store, {
    readRecord: (name: string) => {
      reads.push(name);
      return read(name);
    },
  });
  return reads;
}

describe("a memory that was of use", () => {
  it("is worth more at the next recall, and one that was only shown is not", async () => {
    const { memory, use, relevanceScore } = await withDeployDay();
    await memory.recall("deploy?");
    expect(await relevanceScore()).toBe(1);
    expect(await use("s1")).toEqual([DEPLOY]);
    expect(await relevanceScore()).toBe(1.05);
  });

  it("was of use once in a session, however often that used it", async () => {
    const { use, relevanceScore, store } = await withDeployDay();
    await use("s1");
    await use("s1");
    await use("s2");
    expect(await relevanceScore()).toBe(1.1);
    expect((await store.readRecord("uses.jsonl"))!.trim().split("\n")).toHaveLength(2);
  });

  it("was not where the answer has none of its words, or it is gone", async () => {
    const { memory, relevanceScore } = await withDeployDay();
    const shown = [DEPLOY, "gone.md"];
    expect(await memory.answered("You can deploy now.", { shown, userText: "Can I deploy?" })).toEqual([]);
    expect(await relevanceScore()).toBe(1);
  });

  it("is written down as often as counts, and not more", async () => {
    const { use, relevanceScore, store } = await withDeployDay();
    for (let session = 0; session < 30; session++) await use(`s${session}`);
    expect(await relevanceScore()).toBe(1.5);
    expect((await store.readRecord("uses.jsonl"))!.trim().split("\n")).toHaveLength(10);
  });

  it("is known to other processes within a minute", async () => {
    const store = inMemoryMemoryStore();
    const { use } = await withDeployDay(store);
    const other = aPersistentMemory({ store });
    const relevanceScore = async () => (await other.memory.recall("deploy?")).memories[0]!.relevanceScore;
    expect(await relevanceScore()).toBe(1);
    await use("s1");
    expect(await relevanceScore()).toBe(1);
    other.clock.nowMs += MINUTE_MS;
    expect(await relevanceScore()).toBeCloseTo(1.05, 3);
  });

  it("keeps its line in a full index before one that was of no use", async () => {
    const { memory, use } = await withDeployDay();
    await memory.remember("The office is in Ghent.", { source: "user" });
    await use("s1");
    for (let number = 0; number < 210; number++)
      await memory.remember(`Rack ${number} holds machine ${number * 7}.`, { source: "user" });
    const { text } = await memory.index();
    expect(text.includes(DEPLOY)).toBe(true);
    expect(text.includes("the-office-is-in-ghent.md")).toBe(false);
  });

  it("is not called worthless by an audit while its uses say otherwise", async () => {
    const { memory, use, clock } = await withDeployDay();
    clock.nowMs = START_MS + 110 * DAY_MS;
    expect((await memory.audit()).counts.worthless).toBe(1);
    for (const session of ["s1", "s2", "s3", "s4", "s5", "s6"]) await use(session);
    expect((await memory.audit()).counts.worthless).toBe(0);
  });
});

describe("what a recall reads of the logs", () => {
  it("is nothing of what was shown, however much that is, and of what was used only what is new", async () => {
    const { memory, store, clock } = await withDeployDay();
    const line = JSON.stringify({ atMs: 0, path: DEPLOY, version: "v", words: [], chosenBy: "rank" });
    await store.writeRecord("injections/2026-03.jsonl", `${line}\n`.repeat(100_000));
    const reads = watchReads(store);
    for (let recall = 0; recall < 20; recall++) await memory.recall("deploy?", { isLogged: false });
    clock.nowMs += MINUTE_MS;
    await memory.recall("deploy?", { isLogged: false });
    expect(reads).toEqual(["uses.jsonl"]);
  });

  it("may be damaged, half a line, or made anew", async () => {
    const { store, relevanceScore, clock } = await withDeployDay();
    for (const line of ["{", "null", "7", '{"path":7}']) await store.appendRecord("uses.jsonl", line);
    await store.appendRecord("uses.jsonl", JSON.stringify({ path: DEPLOY, sessionId: "s1" }));
    clock.nowMs += MINUTE_MS;
    expect(await relevanceScore()).toBeCloseTo(1.05, 3);
    const text = (await store.readRecord("uses.jsonl"))!;
    await store.writeRecord("uses.jsonl", `${text}{"path":"${DEPLOY}"`);
    clock.nowMs += MINUTE_MS;
    expect(await relevanceScore()).toBeCloseTo(1.05, 3);
    await store.writeRecord("uses.jsonl", "");
    clock.nowMs += MINUTE_MS;
    expect(await relevanceScore()).toBeCloseTo(1, 3);
  });

  it("may not be readable: the memories are recalled all the same", async () => {
    const store = inMemoryMemoryStore();
    Object.assign(store, { readRecord: () => Promise.reject(new Error("unreadable")) });
    const { relevanceScore } = await withDeployDay(store);
    expect(await relevanceScore()).toBe(1);
  });
});
