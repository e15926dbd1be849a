/** Facts that look like ones to be dropped or superseded, and are kept. */
import { describe, expect, it } from "vitest";
import { codeStates } from "#agent/memory/extraction/code-facts.ts";
import { isUnmeant, rememberRequestOf } from "#memory/cues/remember-request.ts";
import { memoryFileName } from "#memory/files/memory-file-name.ts";
import { compareFacts } from "#memory/subject/same-subject.ts";
import { inMemoryMemoryStore } from "#stores/in-memory/in-memory-memory-store.ts";
import { fakeModel } from "#test/agent/fake-model.ts";
import { aPersistentMemory } from "#test/agent/memory/a-persistent-memory.ts";
import { setTheStage } from "#test/agent/stage.ts";

describe("an older fact", () => {
  it.each([
    { fresh: "Ben no longer manages Anna.", known: "Anna manages Ben." },
    { fresh: "Im Gratisplan, wir unterstützen Node 18 nicht.", known: "Wir unterstützen Node 18." },
  ])("stays where a part of it, or the reverse, is denied: $fresh", ({ fresh, known }) => {
    expect(compareFacts(fresh, known)).not.toBe("corrects");
  });

  it("stays beside a move that does not end it", () => {
    expect(compareFacts("I moved from Lisbon to Oslo.", "I like Lisbon.")).toBe("revises");
    expect(compareFacts("I moved from Lisbon to Oslo.", "I live in Lisbon.")).toBe("corrects");
  });

  it("is corrected by its denial, behind a word that says nothing", () => {
    expect(compareFacts("Well, we no longer support Node 18.", "We support Node 18.")).toBe("corrects");
  });
});

describe("a request", () => {
  it.each([
    ["Remember that we pin the timeout on purpose.", "we pin the timeout on purpose."],
    ["Remember that the API behaves as if we were logged out.", "the API behaves as if we were logged out."],
    ["Merk dir, dass wir das Limit absichtlich senken.", "wir das Limit absichtlich senken."],
  ])("is no irony: %s", (sentence, statement) => {
    expect(rememberRequestOf(sentence)?.statement).toBe(statement);
  });

  it.each([
    "The user said that they prefer dark mode.",
    "The team wrote its own logger.",
  ])("is no report of what a stranger says: %s", (text) => {
    expect(isUnmeant(text)).toBe(false);
  });

  it("about a file is kept where the file says nothing of it", async () => {
    const files = { read: async () => ({ state: "present", text: "#!/bin/sh\n" }) as const };
    const deadline = { after: () => () => undefined };
    const text = "deploy.sh is run by Maria on Fridays.";
    expect(await codeStates(text, { files, deadline })).toBeUndefined();
    expect(await codeStates(text, { files: undefined, deadline })).toBeUndefined();
  });

  it("is kept at the session's end where the store failed at the end of its turn", async () => {
    const store = inMemoryMemoryStore();
    let failures = 1;
    const failing = new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        return (...given: unknown[]) => {
          if (name === "apply" && failures-- > 0) return Promise.reject(new Error("disk full"));
          return Reflect.apply(value, target, given);
        };
      },
    });
    const { memory } = aPersistentMemory({ store: failing });
    const { session } = await setTheStage({
      memory,
      lightModel: fakeModel(() => "{}"),
      answer: () => "Done.",
    });
    await session.turn("Remember that the deploy host is delta-7.");
    await session.memorySettled();
    expect((await memory.list()).memories).toEqual([]);
    await session.close();
    expect((await memory.list()).memories.map(({ body }) => body)).toEqual(["The deploy host is delta-7."]);
  });
});

it("a name of many memories gets the next number", () => {
  const taken = Array.from({ length: 3_000 }, (_, at) => (at === 0 ? "note.md" : `note-${at + 1}.md`));
  expect(memoryFileName("note", taken)).toBe("note-3001.md");
});
