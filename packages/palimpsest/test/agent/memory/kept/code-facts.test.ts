/** What the code or version control says is not remembered: by its form, and looked up where there is a working copy. */
import { describe, expect, it } from "vitest";
import { codeStates } from "#agent/memory/extraction/code-facts.ts";
import type { CurrentFile, FileRestorer } from "#ports/restorer.ts";
import { fakeModel } from "#test/agent/fake-model.ts";
import { aPersistentMemory } from "#test/agent/memory/a-persistent-memory.ts";
import { setTheStage } from "#test/agent/stage.ts";

const FILES: Readonly<Record<string, string>> = {
  "package.json": '{ "devDependencies": { "typescript": "5.9.2" } }',
  "src/date/parse.ts": "export function parseDate(text: string): Date {}",
  ".git/logs/HEAD": "0 8c1d2e3f4a5b A <a@example.com> 1 +0000\tcommit: rename the parser\n",
};
const files: FileRestorer = {
  read: async (path): Promise<CurrentFile> => {
    const text = FILES[path];
    return text === undefined ? { state: "gone" } : { state: "present", text };
  },
};

const deadline = { after: () => () => undefined };

describe("a fact that code may say", () => {
  it.each([
    {
      text: "package.json pins typescript to 5.9.2.",
      says: "package.json says so.",
      why: "the manifest has it",
    },
    {
      text: "package.json pins typescript to 4.0.1.",
      says: undefined,
      why: "the manifest has another version",
    },
    { text: "The function parseDate is defined in src/date/parse.ts.", says: "src/date/parse.ts says so." },
    {
      text: "The function parseTime is defined in src/date/parse.ts.",
      says: undefined,
      why: "it is not there",
    },
    { text: "The function parseDate is in src/gone.ts.", says: undefined, why: "there is no such file" },
    { text: "Commit 8c1d2e3 renamed the parser.", says: "The log of version control says so." },
    { text: "Commit 1111111 renamed the parser.", says: undefined, why: "there is no such commit" },
    { text: "Never edit src/date/parse.ts by hand.", says: undefined, why: "a rule" },
    { text: "src/date/parse.ts is slow because of the time zones.", says: undefined, why: "a reason" },
    { text: "Staging is on version 4.2.", says: undefined, why: "no file is named" },
  ])("is looked up in the working copy: $text", async ({ text, says }) => {
    expect(await codeStates(text, { files, deadline })).toBe(says);
  });

  it.each([
    { text: "package.json pins typescript to 5.9.2.", says: "The code says so: package.json." },
    {
      text: "Die Funktion parseDate steht in src/date/parse.ts.",
      says: "The code says so: src/date/parse.ts.",
    },
    { text: "上一次提交重命名了解析器。", says: "Version control says so." },
    { text: "The last commit renamed the parser.", says: "Version control says so." },
    { text: "Wir schreiben Commits auf Englisch.", says: undefined },
  ])("is known by its form without a working copy: $text", async ({ text, says }) => {
    expect(await codeStates(text, { files: undefined, deadline })).toBe(says);
  });

  it("is kept where the file takes too long to read, or reading fails", async () => {
    const text = "package.json pins typescript to 5.9.2.";
    const never: FileRestorer = { read: () => new Promise(() => {}) };
    const isOver = {
      after: (_: number, act: () => void) => {
        queueMicrotask(act);
        return () => undefined;
      },
    };
    expect(await codeStates(text, { files: never, deadline: isOver })).toBeUndefined();
    const broken: FileRestorer = { read: () => Promise.reject(new Error("broken")) };
    expect(await codeStates(text, { files: broken, deadline })).toBeUndefined();
  });

  it("is not remembered by rules, and the receipt says why", async () => {
    const { memory } = aPersistentMemory();
    const { session, events } = await setTheStage({
      ...{ memory, fileReader: files, memoryExtraction: "rules", answer: () => "Done." },
    });
    await session.turn("Remember that package.json pins typescript to 5.9.2.");
    await session.turn("Remember that package.json pins zod to 3.1.4 for the old client.");
    await session.close();
    const receipts = events.flatMap((event) => (event.type === "memory-extracted" ? event.receipts : []));
    expect(receipts.map(({ status, reason }) => [status, reason])).toEqual([
      ["rejected", "package.json says so."],
      ["written", "It is new."],
    ]);
    expect((await memory.list()).memories).toHaveLength(1);
  });

  it("is refused where a model proposes it", async () => {
    const { memory } = aPersistentMemory();
    const text = "The function parseDate is defined in src/date/parse.ts.";
    const input = { name: "Dates", description: "", type: "project", text, messages: ["m1.0"] };
    const lightModel = fakeModel(() => [{ type: "tool_use", id: "w", name: "memory_write", input }]);
    const { session, events } = await setTheStage({
      ...{ memory, lightModel, fileReader: files, memoryExtraction: "model", answer: () => "Done." },
    });
    await session.turn(text);
    await session.close();
    const refused = events.flatMap((event) =>
      event.type === "memory-extracted" ? (event.refused ?? []) : [],
    );
    expect(refused).toEqual(["src/date/parse.ts says so."]);
    expect((await memory.list()).memories).toEqual([]);
  });
});
