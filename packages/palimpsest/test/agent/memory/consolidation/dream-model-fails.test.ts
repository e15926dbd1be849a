/** Dreams whose model fails, or answers while other writers go on: the rules' dream remains, and no text is lost. */
import { describe, expect, it } from "vitest";
import type { ModelClient } from "#ports/model-client.ts";
import { fakeModel } from "#test/agent/fake-model.ts";
import { aPersistentMemory, put } from "#test/agent/memory/a-persistent-memory.ts";
import {
  asksForFacts,
  call,
  dreamer,
  fact,
  filesOf,
  merge,
  says,
  sessionsWith,
  write,
} from "#test/agent/memory/dreaming.ts";

describe("a model that does not answer as it should", () => {
  const failing = (generate: ModelClient["generate"]): ModelClient => ({ provider: "fake", generate });
  it.each([
    { why: "an error", generate: () => Promise.reject(new Error("529 overloaded")), note: "529 overloaded" },
    {
      why: "an error at once",
      generate: () => {
        throw new TypeError("boom");
      },
      note: "boom",
    },
    {
      why: "an abort of its own",
      generate: () => Promise.reject(new DOMException("gone", "AbortError")),
      note: "gone",
    },
    {
      why: "nothing",
      generate: async () => ({ messages: [], stopReason: "end" as const }),
      note: "answered nothing",
    },
    { why: "no answer", generate: async () => undefined as never, note: "answered nothing" },
    {
      why: "what is no message",
      generate: async () => ({ messages: [7, { content: [undefined, 3] }] }) as never,
      note: "",
    },
    { why: "no end", generate: () => new Promise<never>(() => {}), note: "did not answer within" },
  ])("leaves it to the rules, and says so: $why", async ({ generate, note }) => {
    // Its time is up at once.
    const after = (_: number, act: () => void): (() => void) => {
      queueMicrotask(act);
      return () => undefined;
    };
    const { memory, store } = aPersistentMemory(
      note === "did not answer within" ? { deadline: { after } } : {},
    );
    await fact(store, "a.md", "The API listens on port 8080.", { days: 9 });
    await fact(store, "b.md", "The API listens on port 9090.");
    await fact(store, "c.md", "Ada prefers tea.");
    const report = await memory.dream({ force: true, model: failing(generate) });
    expect(report.status).toBe("applied");
    expect(report.actions.map(({ kind }) => kind)).toEqual(["supersede", "index"]);
    expect(report.notes.join("\n")).toContain(note);
  });

  it("leaves facts to the rules where it fails half-way", async () => {
    const { memory } = aPersistentMemory();
    let calls = 0;
    const model = fakeModel(() => {
      if (calls++ > 0) throw new RangeError("529 overloaded");
      return [call("memory_grep", { words: "otter" }), write("The staging server is called otter.")];
    });
    const sessions = sessionsWith([says("user", "The staging server is called otter.")]);
    const { notes } = await memory.dream({ force: true, model, sessions });
    expect((await memory.list()).memories).toEqual([]);
    expect(notes).toEqual([
      "What was said in sessions could not be looked at by the model, and the rules alone decided: 529 overloaded",
    ]);
  });

  it("hides keys that an error tells", async () => {
    const key = `sk-ant-${"api03-Ab1".repeat(12)}`;
    const { memory, store } = aPersistentMemory();
    await fact(store, "a.md", "Ada prefers tea.");
    await fact(store, "b.md", "The build is slow.");
    const model = failing(() => Promise.reject(new Error(`bad key ${key}`)));
    expect(JSON.stringify(await memory.dream({ force: true, model }))).not.toContain(key);
  });

  it("changes nothing where the dream was stopped meanwhile", async () => {
    const { memory, store } = aPersistentMemory();
    await fact(store, "a.md", "Ada prefers tea.");
    await fact(store, "b.md", "The build is slow.");
    const before = await filesOf(store);
    const stop = new AbortController();
    const model = failing(() => {
      stop.abort();
      return new Promise(() => {});
    });
    await expect(memory.dream({ force: true, model, signal: stop.signal })).rejects.toMatchObject({
      code: "ABORTED",
    });
    expect(await filesOf(store)).toEqual(before);
    // Nor does it keep anybody from dreaming.
    expect(await memory.dream({ force: true })).toMatchObject({ status: "applied" });
  });
});

describe("memories that change while a model thinks", () => {
  const TEA = "Ada prefers tea in the morning.";
  const AGAIN = "In the morning, Ada would rather drink tea.";

  it("stay as they were left, and the model is not asked again", async () => {
    const { memory, store } = aPersistentMemory();
    await fact(store, "a.md", TEA);
    await fact(store, "b.md", AGAIN);
    const model = fakeModel(async () => {
      await put(store, "b.md", "Ben is allergic to nuts.");
      await put(store, "c.md", "A new one.");
      return [merge(["a.md", "b.md"])];
    });
    const report = await memory.dream({ force: true, model });
    expect(report.refused).toEqual(["A memory that it names has changed since it was shown."]);
    expect((await store.read("b.md"))!.text).toBe("Ben is allergic to nuts.");
    expect((await store.read("c.md"))!.text).toBe("A new one.");
    expect((await memory.show("a.md")).body).toBe(TEA);
    expect(model.requests).toHaveLength(1);
  });

  it("are judged anew where somebody is faster than the change itself", async () => {
    const { memory, store } = aPersistentMemory();
    for (const path of ["a.md", "c.md"])
      await fact(store, path, `${TEA} ${path === "a.md" ? "Only." : "Always."}`);
    for (const path of ["b.md", "d.md"])
      await fact(store, path, `${AGAIN} ${path === "b.md" ? "Only." : "Always."}`);
    const model = dreamer([merge(["a.md", "b.md"]), merge(["c.md", "d.md"])]);
    const apply = store.apply.bind(store);
    let isFirst = true;
    store.apply = async (changes) => {
      if (isFirst && changes.length > 2) {
        isFirst = false;
        await put(store, "b.md", "A person's own words.");
      }
      return apply(changes);
    };
    const report = await memory.dream({ force: true, model });
    expect(report.actions.filter(({ kind }) => kind === "merge").map(({ paths }) => paths)).toEqual([
      ["c.md", "d.md"],
    ]);
    expect((await store.read("b.md"))!.text).toBe("A person's own words.");
    expect(model.requests).toHaveLength(1);
  });

  it("are not superseded by a fact that corrected what they said before", async () => {
    const { memory, store } = aPersistentMemory();
    await fact(store, "logo.md", "The logo is red.", { source: "agent" });
    const model = fakeModel(async (request) => {
      if (!asksForFacts(request)) return "Nothing.";
      await put(store, "logo.md", "The logo is a green otter, drawn by hand.");
      return [write("The logo became green in the end.", { replaces: "logo.md" })];
    });
    const sessions = sessionsWith([says("assistant", "The logo became green in the end.")]);
    await memory.dream({ force: true, model, sessions });
    expect((await store.read("logo.md"))!.text).toBe("The logo is a green otter, drawn by hand.");
    expect((await memory.list({ state: "active" })).memories).toHaveLength(2);
  });

  it("are left to whoever took the dream over", async () => {
    const { memory, store } = aPersistentMemory();
    await fact(store, "a.md", TEA);
    await fact(store, "b.md", TEA);
    const before = await filesOf(store);
    store.tryLock = async () => ({ isHeld: () => false, release: async () => {} });
    expect(await memory.dream({ force: true, model: dreamer("Nothing.") })).toMatchObject({ status: "busy" });
    expect(await filesOf(store)).toEqual(before);
  });
});
