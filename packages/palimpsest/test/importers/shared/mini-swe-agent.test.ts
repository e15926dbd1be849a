/** Trajectories of mini-swe-agent: commands in text, calls of Chat Completions, and whole responses. */
import { describe, expect, it } from "vitest";
import { MINI_CALLS, MINI_TEXT } from "#test/importers/trajectory-samples.ts";
import { corpusFiles, hasCorpus } from "../../../../../test/helpers/corpus.ts";
import { importOneAs, recorded, reported, textsOf } from "./imported.ts";

const read = (...messages: readonly unknown[]) =>
  importOneAs("mini-swe-agent", { trajectory_format: "mini-swe-agent-1.1", messages });
const ASKED = { role: "user", content: "Fix it" };
const ANSWERED = { role: "assistant", content: "Look." };

describe("a trajectory of mini-swe-agent", () => {
  it("keeps the commands of its text mode, and what they gave, as the text that they were", () => {
    const session = importOneAs("mini-swe-agent", MINI_TEXT);
    expect(session).toMatchObject({ sessionId: "issue-1", system: "Be brief.", workingCopy: "/testbed" });
    expect(reported(session.items)).toEqual([
      "user: Fix é😀",
      "assistant: (Hm) | ```bash\nls\n```",
      "host: <output>a.txt</output>",
      "assistant: ```bash\nsubmit\n```",
      "user: Command not executed. The user rejected your command: look twice",
    ]);
    expect(session.items[1]).toMatchObject({
      message: { model: "google/gemini-3-pro", at: 1_700_000_000_000 },
      usage: { inputTokens: 60, cacheReadTokens: 40, cacheWriteTokens: 0, outputTokens: 7 },
      stopReason: "stop",
    });
    expect(session.items[3]).toMatchObject({ message: { model: "m" } });
  });

  it("has real calls and results of both of OpenAI's APIs, and not how the run ended", () => {
    const session = importOneAs("mini-swe-agent", MINI_CALLS);
    expect(reported(session.items)).toEqual([
      "user: Fix it",
      "assistant: bash#t1",
      "tool: #t1=a.txt",
      "assistant: [openai-responses] | bash#t2",
      "tool: #t2=hello",
      "user: The user added a new task: and this",
    ]);
    expect(session.items[1]).toMatchObject({ message: { at: 1_700_000_001_500 } });
    expect(session.items[3]).toMatchObject({
      message: { model: "gpt-5" },
      usage: { inputTokens: 50, cacheReadTokens: 150, cacheWriteTokens: 0, outputTokens: 9 },
    });
    expect(session.leftOut.map(({ reason }) => reason)).toEqual(["transcript-only"]);
    expect(session.repairs).toEqual([]);
  });

  it.each([
    { message: { role: "user", content: "<output>" }, origin: "host", why: "what a command gave" },
    {
      message: { role: "user", content: "Interrupted by user: wait" },
      origin: "user",
      why: "an interruption",
    },
    {
      message: { role: "user", content: "User command: \nls" },
      origin: "user",
      why: "a command of the user's",
    },
    {
      message: { role: "user", content: "User command: no", extra: { raw_output: "User command: no" } },
      origin: "host",
      why: "an output that says so",
    },
    {
      message: { role: "user", content: "Wait.", extra: { interrupt_type: "UserInterruption" } },
      origin: "user",
      why: "marked as the user's",
    },
    {
      message: { role: "user", content: "One command, please.", extra: { interrupt_type: "FormatError" } },
      origin: "host",
      why: "marked as the tool's",
    },
  ])("tells the user's words from the tool's: $why", ({ message, origin }) => {
    const session = read(ASKED, ANSWERED, message);
    expect(session.items[2]).toMatchObject({ message: { origin } });
  });

  it.each([
    {
      extra: { thinking_blocks: [{ type: "thinking", thinking: "Hm", signature: "s" }] },
      text: "(Hm signed)",
    },
    { extra: { reasoning_content: "Hm" }, text: "(Hm)" },
    { extra: { reasoning_content: " " }, text: undefined },
  ])("has the reasoning beside an answer: $extra", ({ extra, text }) => {
    const session = read(ASKED, { ...ANSWERED, ...extra });
    expect(reported(session.items)[1]).toBe(`assistant: ${text === undefined ? "" : `${text} | `}Look.`);
  });

  it("reads a system prompt of parts", () => {
    expect(read({ role: "system", content: [{ type: "text", text: "Be brief." }] }, ASKED).system).toBe(
      "Be brief.",
    );
  });

  it("is known by its version where it does not say its format", () => {
    const session = importOneAs("mini-swe-agent", { info: { mini_version: "1.0.0" }, messages: [ASKED] });
    expect(reported(session.items)).toEqual(["user: Fix it"]);
  });

  it.each([
    { message: 5, kind: "bad-record", notRead: 1, why: "no message" },
    { message: { role: "judge", content: "x" }, kind: "bad-record", notRead: 0, why: "a role nobody has" },
    {
      message: {
        object: "response",
        output: [{ type: "function_call", call_id: "t", name: "", arguments: "{}" }],
      },
      kind: "bad-record",
      notRead: 0,
      why: "a call without a name",
    },
    { message: { object: "response", output: [] }, kind: "empty-message", notRead: 0, why: "nothing said" },
  ])("tells of damage: $why", ({ message, kind, notRead }) => {
    const session = read(ASKED, message, ANSWERED);
    expect(session.repairs.map((repair) => repair.kind)).toContain(kind);
    expect(session.notRead?.records).toBe(notRead);
    expect(reported(session.items)).toEqual(["user: Fix it", "assistant: Look."]);
  });

  it.skipIf(!hasCorpus)("says every word of the recorded ones, the longest of 868,170 characters", () => {
    const longest: number[] = [];
    for (const { path } of corpusFiles("mini-swe-agent")) {
      const raw = JSON.parse(recorded(path)) as { messages: readonly { content: string }[] };
      const session = importOneAs("mini-swe-agent", raw);
      const [system, ...texts] = raw.messages.map(({ content }) => content);
      expect(session.system).toBe(system);
      expect(textsOf(session, "text")).toEqual(texts);
      longest.push(Math.max(...texts.map((text) => text.length)));
    }
    expect(Math.max(...longest)).toBe(868_170);
  });
});
