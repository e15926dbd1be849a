/** The screen as text: events in, lines out, at the widths of terminals. */
import type { SessionEvent } from "palimpsest";
import { describe, expect, it } from "vitest";
import type { ChatEvent } from "#chat/base/chat-events.ts";
import { ChatView, cutFinished } from "#chat/terminal/chat-view.ts";
import { choiceLines } from "#chat/terminal/choice-list.ts";
import { permissionChoices, questionTitle } from "#chat/terminal/dialogs.ts";
import { eventWords } from "#chat/terminal/event-words.ts";
import { fit, itemLines, liveLines } from "#chat/terminal/render-view.ts";
import { statusLine } from "#chat/terminal/status-line.ts";
import { columnsOf } from "#terminal/columns.ts";
import { createStyles } from "#terminal/styles.ts";

const PLAIN = createStyles({ isColored: false });
const COLORED = createStyles({ isColored: true });
const ESCAPE = "\u001b";

/** A view after these events, and its lines. */
function viewOf(events: readonly ChatEvent[], columns = 60) {
  let now = 0;
  const view = new ChatView(
    () => now,
    () => "s1",
  );
  for (const event of events) view.onEvent(event);
  now = 12_000;
  const layout = { columns, styles: PLAIN };
  return {
    view,
    above: view.items.flatMap((item) => itemLines(item, layout)),
    live: liveLines(view, [], layout),
  };
}

const text = (piece: string): ChatEvent => ({ type: "model", event: { type: "text", text: piece } });
const session = (event: SessionEvent, sessionId = "s1"): ChatEvent => ({ type: "session", event, sessionId });
const started: ChatEvent = { type: "turn-started", input: "Hi" };
const call = { id: "c1", name: "shell", input: { command: "npm test" } };
const caller = { sessionId: "s1", isSubAgent: false };

describe("the view of a chat", () => {
  it("shows an answer as it streams, and how long it takes", () => {
    const { above, live } = viewOf([started, text("# Title\n\nOne **bold** word.\n\nThe newest")]);
    expect(above).toEqual(["", "Title", "", "One bold word.", ""]);
    expect(live).toEqual(["The newest", "", "◐ Answering · 12 s · Esc stops"]);
  });

  it("keeps the time and the way to stop it where an activity is long", () => {
    const { view } = viewOf([started]);
    view.ended();
    view.began("/a-command-with-a-very-long-name");
    expect(liveLines(view, [], { columns: 36, styles: PLAIN }).at(-1)).toBe(
      "◐ /a-command-with… · 0 s · Esc stops",
    );
  });

  it("says that a model is asked for a summary when it begins", () => {
    const asked = { trigger: "auto", model: "m", form: "forked", attempt: 0, tokens: 164_000 } as const;
    const { above, live } = viewOf([
      started,
      session({ type: "summary-started", ...asked, isBackground: false }),
      session({ type: "summary-started", ...asked, isBackground: true }),
    ]);
    expect(above).toEqual([
      "· Compacting: asking m for a summary of 164K tokens. Esc",
      "  leaves the window as it is.",
      "· In the background: asking m for a summary of 164K tokens",
    ]);
    expect(live.at(-1)).toBe("◐ Summarising · 12 s · Esc stops");
  });

  it("says who is waited for while a question is open", async () => {
    const view = new ChatView(
      () => 0,
      () => "s",
    );
    view.onEvent(started);
    let answer: (index: number) => void = () => undefined;
    const asked = view.asking(new Promise<number>((resolve) => (answer = resolve)));
    expect(view.busy?.activity).toBe("Waiting for you");
    answer(1);
    expect([await asked, view.busy?.activity]).toEqual([1, "Thinking"]);
  });

  it("shows the one line that is left of an output", () => {
    const output = Array.from({ length: 7 }, (_, index) => `line ${index + 1}`).join("\n");
    const ended: ChatEvent = { type: "tool-ended", call, output, isError: false, tookMs: 5, ...caller };
    expect(viewOf([started, ended]).above.at(-1)).toBe("  line 7");
  });

  it("shows a tool while it runs, and its output once it has ended", () => {
    const events: ChatEvent[] = [started, { type: "tool-started", call, ...caller }];
    expect(viewOf(events).live).toEqual(["", "○ shell npm test  12 s", "◐ Thinking · 12 s · Esc stops"]);
    const output = Array.from({ length: 9 }, (_, index) => `line ${index + 1}`).join("\n");
    const ended: ChatEvent = { type: "tool-ended", call, output, isError: false, tookMs: 5, ...caller };
    expect(viewOf([...events, ended]).above).toEqual([
      ...["", "● shell npm test"],
      ...["  line 1", "  line 2", "  line 3", "  line 4", "  line 5", "  line 6", "  … 3 more lines"],
    ]);
  });

  it("shows a command that the model waits for once, and tasks of the background with their wishes", () => {
    const task = (title: string, what: "started" | "waiting"): ChatEvent =>
      session({ type: "task", what, id: "t1", kind: "local_bash", title, status: "running" });
    const { above } = viewOf(
      [
        started,
        { type: "tool-started", call, ...caller },
        task("npm test", "started"),
        task("deploy", "waiting"),
      ],
      90,
    );
    expect(above).toEqual([
      "",
      "! Task t1 deploy waits for input. /tasks t1, /tasks send t1 TEXT, /tasks stop t1",
    ]);
  });

  it.each([
    {
      why: "stopped by the person",
      event: { type: "turn-failed", error: new Error("aborted"), isAborted: true } as const,
      lines: ["", "! Stopped. What was finished stays in the session."],
    },
    {
      why: "refused by the provider",
      event: {
        type: "turn-failed",
        error: Object.assign(new Error("The key is wrong."), { hint: "Set ANTHROPIC_API_KEY." }),
        isAborted: false,
      } as const,
      lines: ["", "✗ The key is wrong.", "  Set ANTHROPIC_API_KEY."],
    },
  ])("says why a turn ended: $why", ({ event, lines }) => {
    const { above, view } = viewOf([started, event]);
    expect(above).toEqual(lines);
    expect(view.busy).toBeUndefined();
  });

  it("draws no escape of a model, a tool or a file", () => {
    const evil = `${ESCAPE}[2J${ESCAPE}]52;c;ZXZpbA==\u0007safe\u202Egnp.exe\u009B31m`;
    const { above } = viewOf([
      started,
      text(`${evil}\n\nnext`),
      {
        type: "tool-ended",
        call: { ...call, name: evil },
        output: evil,
        isError: true,
        tookMs: 1,
        ...caller,
      },
      { type: "tool-denied", call, reason: evil, ...caller },
      { type: "notice", text: evil },
      session({ type: "hook-failed", hook: "preCompact", error: new Error(evil) } as SessionEvent),
    ]);
    const drawn = above.join("\n");
    expect(drawn).toContain("safe");
    expect(drawn).toMatch(/^[\n -~●!○…·✗]*$/);
  });

  it("has no colour and no escape where colours are off, and both where they are on", () => {
    const item = { type: "answer", text: "# A\n\n`b` **c**\n\n> d", isContinued: false } as const;
    expect(itemLines(item, { columns: 40, styles: PLAIN }).join("\n")).not.toContain(`${ESCAPE}[3`);
    expect(itemLines(item, { columns: 40, styles: COLORED }).join("\n")).toContain(`${ESCAPE}[36m`);
  });

  it.each([12, 20, 40, 80])("fits %i columns, with Chinese, emoji and Hebrew", (columns) => {
    const mixed = "漢字とかなの長い文章です。👩‍👩‍👧‍👦 family ".repeat(6) + "שלום עולם ".repeat(6);
    const { above, live } = viewOf(
      [
        started,
        { type: "notice", text: mixed },
        {
          type: "tool-ended",
          call: { ...call, input: { command: mixed } },
          output: mixed,
          isError: false,
          tookMs: 1,
          ...caller,
        },
        text(`${mixed}\n\n| a | b |\n|---|---|\n| ${mixed} | x |\n\nend`),
      ],
      columns,
    );
    const lines = fit([...above, ...live], columns);
    expect(lines.filter((line) => columnsOf(line) > columns)).toEqual([]);
    expect(lines.join("")).toContain("漢字");
  });
});

describe("Markdown that streams", () => {
  it.each([
    { why: "a paragraph is over", given: "One.\n\nTwo", length: 6 },
    { why: "the list goes on", given: "1. One\n\n2. Two", length: 0 },
    { why: "a blank line in a code block ends nothing", given: "```\na\n\nb", length: 0 },
    { why: "the code block is over", given: "```\na\n```\n\nThen", length: 11 },
    { why: "nothing began yet", given: "One.\n\n", length: 0 },
  ])("is cut at $length: $why", ({ given, length }) => {
    expect(cutFinished(given)).toEqual({ length, fence: "" });
  });

  it("is cut inside of a code block that does not end, and goes on as code", () => {
    const line = "const a = 1;\n";
    const cut = cutFinished(`\`\`\`ts\n${line.repeat(2_000)}`);
    expect(cut.fence).toBe("```ts\n");
    expect((cut.length - 6) % line.length).toBe(0);
    expect(cut.length).toBeGreaterThan(15_000);
  });
});

describe("events in words", () => {
  it("say of a compaction why it was, what it freed, what is out of view, and how to get it back", () => {
    const words = eventWords({
      type: "layer",
      seq: 9,
      layer: "full",
      why: "compacted at 167K of 200K tokens, because the window is full",
      edit: {
        kind: "full",
        effect: {},
        reason: "threshold",
        freedTokens: 120_400,
        loss: {
          ...{ messages: 212, blocks: 300, userMessages: 14, strings: [], commands: ["npm test"] },
          files: ["src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts"],
          recovery: "history_search",
        },
      },
    });
    expect(words).toEqual({
      tone: "mark",
      lines: [
        "Compacted with a summary by the model: 120K tokens less",
        "compacted at 167K of 200K tokens, because the window is full",
        "No longer in view: 212 messages, 14 of yours, 4 files (src/a.ts, src/b.ts, src/c.ts …), 1 command (npm test).",
        "Nothing is lost: the model finds all of it with history_search; /undo takes it back.",
      ],
    });
  });

  it.each([
    {
      event: {
        type: "restored",
        restorer: "files",
        kind: "file",
        key: "src/a.ts",
        tokens: 1_240,
        isCut: true,
      },
      line: "Shown again: file src/a.ts (1.24K tokens, a part)",
    },
    {
      event: { type: "memory-recalled", paths: ["deploy.md"], tokens: 90, chosenBy: "rank" },
      line: "Recalled: deploy.md",
    },
    {
      event: {
        type: "notes-update",
        tookMs: 2_100,
        form: "forked",
        outcome: "written",
        changed: ["Files"],
        refusedCount: 0,
      },
      line: "Notes updated in 2.1 s: Files",
    },
    {
      event: { type: "background", job: "clean-up", outcome: "done", detail: "0 sessions were moved" },
      line: undefined,
    },
    {
      event: { type: "background", job: "dream", outcome: "failed", detail: "no model" },
      line: "dream: no model",
    },
    {
      event: {
        type: "summary-call",
        trigger: "manual",
        model: "m",
        form: "forked",
        attempt: 0,
        outcome: "called-a-tool",
        tookMs: 20,
      },
      line: "The summary by m failed: it called a tool instead (20 ms).",
    },
    { event: { type: "closed" }, line: undefined },
  ] as const)("$event.type: $line", ({ event, line }) => {
    expect(eventWords(event as SessionEvent)?.lines[0]).toBe(line);
  });
});

const aStatus = {
  model: "claude-opus-5-5",
  mode: "ask",
  usedTokens: 150_000,
  windowTokens: 200_000,
  warning: {
    percentLeft: 8,
    isAboveWarningThreshold: true,
    isAboveErrorThreshold: false,
    isAboveAutoCompactThreshold: false,
    isAtBlockingLimit: false,
  },
  costUsd: 1.234,
  isCostAtLeast: false,
  cacheShare: 0.912,
  runningTasks: 2,
} as const;

describe("the status line", () => {
  it.each([
    { columns: 80, line: "8 % left: compacts soon · 2 tasks · asks · $1.23 · cache 91 % · claude-opus-5-5" },
    { columns: 40, line: "8 % left: compacts soon · 2 tasks · asks" },
    { columns: 30, line: "8 % left: compacts soon" },
    { columns: 10, line: "8 % left…" },
  ])("has the most important at $columns columns", ({ columns, line }) => {
    const drawn = statusLine(aStatus, { columns, styles: PLAIN });
    expect(columnsOf(drawn)).toBeLessThan(columns + 1);
    if (columns !== 40) expect(drawn).toBe(line);
    else expect(line.startsWith(drawn)).toBe(true);
  });
});

describe("the cost in the status line", () => {
  it.each([
    { costUsd: 0.0012, isCostAtLeast: false, shown: "<$0.01" },
    { costUsd: 1.2, isCostAtLeast: true, shown: "at least $1.20" },
    { costUsd: undefined, isCostAtLeast: true, shown: undefined },
  ])("is $shown", ({ shown, ...cost }) => {
    const line = statusLine({ ...aStatus, ...cost }, { columns: 120, styles: PLAIN });
    expect(line).toBe(
      ["8 % left: compacts soon", "2 tasks", "asks", shown, "cache 91 %", "claude-opus-5-5"]
        .filter((part) => part !== undefined)
        .join(" · "),
    );
  });
});

describe("a question", () => {
  it("shows the command as it will be run, and offers the rule", () => {
    const question = {
      call,
      ...caller,
      what: `run npm test ${ESCAPE}[8m&& rm -rf ~`,
      rule: "shell(npm test)",
    };
    expect(questionTitle(question, { columns: 40, styles: PLAIN })).toEqual([
      "May I do this?",
      "  run npm test && rm -rf ~",
    ]);
    expect(permissionChoices(question).map(({ label, answer }) => [label, answer])).toEqual([
      ["Yes, this time", { allow: "once" }],
      ["Yes, in this session: shell(npm test)", { allow: "session" }],
      ["Yes, in this project: shell(npm test)", { allow: "project" }],
      ["No", { deny: "the user said no; ask what to do instead" }],
    ]);
  });

  it("says how much of a long command is not shown", () => {
    const what = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`).join("\n");
    const lines = questionTitle({ call, ...caller, what }, { columns: 40, styles: PLAIN });
    expect(lines.at(-1)).toBe("  … and 8 more lines that are not shown");
  });

  it("is a list whose rows scroll around the chosen one", () => {
    const choices = Array.from({ length: 30 }, (_, index) => ({
      label: `row ${index + 1}`,
      detail: "today",
    }));
    expect(
      choiceLines({ title: ["Which?"], choices, at: 20, height: 3 }, { columns: 30, styles: PLAIN }),
    ).toEqual([
      "─".repeat(30),
      "Which?",
      "     row 20              today",
      ">    row 21              today",
      "     row 22              today",
      "27 more · ↑ ↓ Enter · Esc",
    ]);
  });
});
