import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldTasks, isTaskId, statusOf } from "#tasks/fold-tasks.ts";

const OWNER = { pid: 12, startedAt: "99", space: "box", host: "box" };
const start = (id: string, at = 1) =>
  JSON.stringify({
    type: "start",
    id,
    at,
    kind: "local_bash",
    title: "npm test",
    input: { command: "npm test" },
    owner: OWNER,
  });
const end = (id: string, no: number, outcome = "done") =>
  JSON.stringify({ type: "end", id, at: 9, no, outcome, exitCode: 0, outputBytes: 5 });
const notice = (id: string, no: number) =>
  JSON.stringify({ type: "notice", id, at: 5, no, what: "waiting", text: "Continue?" });
const facts = (id: string, step: number) => JSON.stringify({ type: "facts", id, at: 3, facts: { step } });

describe("the journal of tasks", () => {
  it("says what became of each task", () => {
    const fold = foldTasks([
      start("t1"),
      start("t2", 2),
      facts("t1", 1),
      notice("t2", 1),
      facts("t1", 2),
      end("t1", 2),
    ]);
    expect([...fold.tasks.values()]).toEqual([
      {
        id: "t1",
        kind: "local_bash",
        title: "npm test",
        input: { command: "npm test" },
        owner: OWNER,
        startedAt: 1,
        status: "done",
        end: { type: "end", id: "t1", at: 9, no: 2, outcome: "done", exitCode: 0, outputBytes: 5 },
        endedAt: 9,
        facts: [{ step: 1 }, { step: 2 }],
        notices: [],
      },
      {
        id: "t2",
        kind: "local_bash",
        title: "npm test",
        input: { command: "npm test" },
        owner: OWNER,
        startedAt: 2,
        status: "running",
        facts: [],
        notices: [{ type: "notice", id: "t2", at: 5, no: 1, what: "waiting", text: "Continue?" }],
      },
    ]);
    expect([fold.nextTaskId, fold.nextNoticeNo, fold.skippedLines]).toEqual(["t3", 3, 0]);
  });

  it("is empty at first", () => {
    const fold = foldTasks([]);
    expect([fold.tasks.size, fold.nextTaskId, fold.nextNoticeNo]).toEqual([0, "t1", 1]);
  });

  it("lets a task go on after an interruption, with its facts", () => {
    const fold = foldTasks([start("t1"), facts("t1", 1), end("t1", 1, "interrupted"), start("t1", 50)]);
    const task = fold.tasks.get("t1");
    expect([task?.status, task?.startedAt, task?.end, task?.facts]).toEqual([
      "running",
      1,
      undefined,
      [{ step: 1 }],
    ]);
    expect(fold.nextNoticeNo).toBe(2);
  });

  it("counts the first end only", () => {
    const fold = foldTasks([start("t1"), end("t1", 1, "interrupted"), end("t1", 2, "done")]);
    expect([fold.tasks.get("t1")?.status, fold.tasks.get("t1")?.end?.no, fold.nextNoticeNo]).toEqual([
      "interrupted",
      1,
      3,
    ]);
  });

  it.each([
    ["", "empty"],
    ["{", "torn"],
    ["[]", "not an object"],
    [facts("t9", 1), "of a task that never started"],
    [start("../t1"), "an id that is a path"],
    [start("t0"), "an id that counts from nothing"],
    [start("t9999999999"), "an id that uses the numbers up"],
    [end("t1", 0), "a notice without a number"],
    [end("t1", 1e15), "a number that uses the numbers up"],
    [end("t1", 1, "exploded"), "an unknown outcome"],
    [start("t2").replace("local_bash", "toString"), "an unknown kind"],
    [start("t2").replace('"pid":12', '"pid":-1'), "an owner that is not a process"],
    [start("t2").replace('"at":1', '"at":"now"'), "a time that is not a number"],
    [`{"type":"facts","id":"t1","at":1,"facts":${"[".repeat(5_000)}${"]".repeat(5_000)}}`, "nested too deep"],
  ])("skips and counts %j: %s", (line) => {
    const fold = foldTasks([start("t1"), line]);
    expect([fold.tasks.size, fold.tasks.get("t1")?.status, fold.skippedLines]).toEqual([1, "running", 1]);
    expect(Number(fold.nextTaskId.slice(1))).toBeLessThan(11);
  });

  it("never throws, whatever the lines are", () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom("start", "end", "facts", "notice", "t1", 1, "local_bash"),
    );
    const fields = [
      "type",
      "id",
      "at",
      "kind",
      "title",
      "input",
      "owner",
      "facts",
      "no",
      "what",
      "text",
      "outcome",
    ];
    const line = fc.dictionary(fc.constantFrom(...fields), value).map((record) => JSON.stringify(record));
    fc.assert(fc.property(fc.array(fc.oneof(line, fc.string())), (lines) => void foldTasks(lines)));
  });
});

describe("the status of a task", () => {
  it.each([
    { status: "running" as const, isAlive: true, found: "running" },
    { status: "running" as const, isAlive: false, found: "interrupted" },
    { status: "done" as const, isAlive: false, found: "done" },
  ])("is $found if it is $status and its owner lives: $isAlive", ({ status, isAlive, found }) => {
    expect(statusOf({ status, owner: OWNER }, () => isAlive)).toBe(found);
  });
});

describe("an id of a task", () => {
  it.each(["t1", "t12", "t1000000001"])("may be %s", (id) => expect(isTaskId(id)).toBe(true));
  it.each([
    "",
    "t",
    "t0",
    "t01",
    "T1",
    "t1/../x",
    "t1\n",
    "t1.log",
    "t-1",
    1,
    undefined,
  ])("is never %j", (id) => expect(isTaskId(id)).toBe(false));
});
