import { describe, expect, it } from "vitest";
import { finish } from "#base/steps.ts";
import { addToDigest, addToDigestInSteps, createDigest, type Digest } from "#compaction/digest/digest.ts";
import { openTodos } from "#compaction/digest/todo-state.ts";
import { textLiteralsInSteps } from "#compaction/literals/block-literals.ts";
import { addLiterals, createLedger, rankLiterals } from "#compaction/literals/literal-ledger.ts";
import type { Message } from "#transcript/blocks.ts";
import { assistant, call, result, text, user } from "../../../../../test/helpers/windows.ts";

const literalsOf = (text: string) => finish(textLiteralsInSteps(text));

function digestOf(...messages: readonly Message[]): Digest {
  const digest = createDigest();
  for (const [index, message] of messages.entries()) addToDigest(digest, index + 1, message);
  return digest;
}

describe("a digest", () => {
  it("keeps the user's words to the letter, without what the host wrapped into them", () => {
    const digest = digestOf(
      user("fix <T> in the parser<system-reminder>never do x</system-reminder>"),
      { ...user("a reminder"), origin: "host" },
      { ...user("an old summary"), origin: "summary" },
    );
    expect(digest.userWords).toEqual([
      { seq: 1, pointer: "m1.0", text: "fix <T> in the parser", characters: 21 },
    ]);
  });

  it.each([
    { name: "AskUserQuestion", agent: "Claude Code" },
    { name: "mcp__conductor__AskUserQuestion", agent: "Conductor" },
    { name: "ask_followup_question", agent: "Cline" },
    { name: "question", agent: "opencode" },
    { name: "request_user_input", agent: "Codex" },
  ])("takes what the user answers to $name of $agent for the user's words", ({ name }) => {
    const digest = digestOf(
      assistant("r1", call("1", name, { questions: [] })),
      result("1", "Use the small one."),
      assistant("r2", call("2", "question_bank", { query: "x" })),
      result("2", "No question."),
    );
    expect(digest.userWords.map(({ text: words }) => words)).toEqual(["Use the small one."]);
  });

  it("takes a step for each piece of a long argument, as for one of a long result", () => {
    const written = "const size = measure(theWindow); // a line of a file that is written\n".repeat(4_000);
    const stepsOf = (message: Message) => [...addToDigestInSteps(createDigest(), 1, message)].length;
    expect(stepsOf(result("1", written))).toBeGreaterThan(20);
    const write = call("1", "Write", { file_path: "src/a.ts", content: written });
    expect(stepsOf(assistant("r1", write))).toBeGreaterThan(20);
  });

  it("knows how files were touched, through a patch and a shell, too", () => {
    const patch = "*** Begin Patch\n*** Update File: src/a.ts\n+x\n*** Add File: src/b.ts\n+y\n*** End Patch";
    const digest = digestOf(
      assistant(
        "r1",
        call("1", "Read", { file_path: "src/a.ts" }),
        call("2", "Edit", { file_path: "src/a.ts", new_string: "let x = 1" }),
      ),
      assistant("r2", call("3", "apply_patch", { input: patch })),
      assistant("r3", call("4", "shell", { command: ["bash", "-lc", "sed -n 1,40p src/c.ts"] })),
    );
    expect(
      [...digest.files.values()].map(({ path, reads, edits, lastHow }) => ({ path, reads, edits, lastHow })),
    ).toEqual([
      { path: "src/a.ts", reads: 1, edits: 2, lastHow: "edited" },
      { path: "src/b.ts", reads: 0, edits: 1, lastHow: "written" },
      { path: "src/c.ts", reads: 1, edits: 0, lastHow: "read" },
    ]);
  });

  it("tells commands, failures and what followed until it worked", () => {
    const digest = digestOf(
      assistant("r1", call("1", "Bash", { command: "npm test" })),
      result("1", "Exit code 1\n> test\nError: expected 4 to be 5", true),
      assistant("r2", call("2", "Edit", { file_path: "src/a.ts", new_string: "5" })),
      result("2", "The file has been updated"),
      assistant("r3", call("3", "Bash", { command: "npm test" })),
      result("3", "12 passed"),
    );
    expect(digest.errors).toEqual([
      {
        seq: 2,
        pointer: "m2.0",
        call: "Bash: npm test",
        line: "Error: expected 4 to be 5",
        followed: ["Edit: src/a.ts"],
        resolvedPointer: "m6.0",
      },
    ]);
    expect(digest.commands.get("npm test")).toMatchObject({
      runs: 2,
      failures: 1,
      hasFailed: false,
      line: "12 passed",
    });
  });

  it.each<{ name: string; input: never; why: string }>([
    {
      name: "TodoWrite",
      input: {
        todos: [
          { content: "write it", status: "completed" },
          { content: "test it", status: "in_progress" },
        ],
      } as never,
      why: "Claude Code",
    },
    {
      name: "update_plan",
      input: {
        plan: [
          { step: "write it", status: "completed" },
          { step: "test it", status: "in_progress" },
        ],
      } as never,
      why: "Codex",
    },
  ])("knows the open tasks from $name: $why", ({ name, input }) => {
    expect(openTodos(digestOf(assistant("r1", call("1", name, input))).todos)).toEqual([
      { text: "test it", status: "active", seq: 1 },
    ]);
  });

  it("knows tasks that are made one by one, and check boxes where no tool keeps a list", () => {
    const tasks = digestOf(
      assistant(
        "r1",
        call("1", "TaskCreate", { subject: "write it" }),
        call("2", "TaskCreate", { subject: "test it" }),
      ),
      assistant("r2", call("3", "TaskUpdate", { taskId: "1", status: "completed" })),
    );
    expect(openTodos(tasks.todos).map(({ text: words }) => words)).toEqual(["test it"]);
    const boxes = digestOf(assistant("r1", text("Plan:\n- [x] write it\n- [ ] test it")));
    expect(openTodos(boxes.todos).map(({ text: words }) => words)).toEqual(["test it"]);
  });

  it("is bounded: a thousand long messages take no more room than it says", () => {
    const digest = createDigest(500);
    for (let seq = 1; seq <= 1_000; seq++) {
      addToDigest(digest, seq, user(`${"~".repeat(5_000)} uniqueName${seq} otherName${seq}`));
      addToDigest(
        digest,
        seq,
        assistant(
          `r${seq}`,
          text("because it is so and not otherwise, the reason is plain"),
          call(`c${seq}`, "Read", { file_path: `f${seq}` }),
        ),
      );
    }
    expect(digest.literals.records.size).toBeLessThanOrEqual(500);
    expect(digest.userCharacters).toBeLessThan(410_000);
    expect(digest.userWords[0]!.text).toHaveLength(5_000 + " uniqueName1 otherName1".length);
    expect(digest.openCalls.size).toBeLessThanOrEqual(2_000);
    expect(digest.findings.length).toBeLessThanOrEqual(360);
  });

  it("is not stopped by values of any shape", () => {
    const odd = [null, 7, "x", [], { command: [1, 2] }, { file_path: 3, todos: "no" }, { plan: [null, 4] }];
    const digest = digestOf(
      ...odd.map((input, index) => assistant(`r${index}`, call(`c${index}`, "Bash", input as never))),
    );
    expect(digest.messageCount).toBe(7);
  });
});

describe("the literals ledger", () => {
  it("ranks what the assistant wrote lately before what a tool printed", () => {
    const ledger = createLedger(100);
    addLiterals(ledger, 1, "assistant", literalsOf("oldName"));
    addLiterals(ledger, 2, "tool", literalsOf("printedName printedName printedName"));
    addLiterals(ledger, 9, "assistant", literalsOf("freshName"));
    expect(finish(rankLiterals(ledger)).map(({ text: literal }) => literal)).toEqual([
      "freshName",
      "oldName",
      "printedName",
    ]);
  });

  it("forgets the least valuable when it is full, and counts what it forgot", () => {
    const ledger = createLedger(40);
    addLiterals(ledger, 1, "user", literalsOf("keepMe_please"));
    for (let seq = 2; seq < 200; seq++) addLiterals(ledger, seq, "tool", literalsOf(`printed_${seq}`));
    expect(ledger.records.size).toBeLessThanOrEqual(40);
    expect(finish(rankLiterals(ledger)).map(({ text }) => text)).toContain("keepMe_please");
    expect(ledger.records.size + ledger.forgottenCount).toBe(199);
  });
});
