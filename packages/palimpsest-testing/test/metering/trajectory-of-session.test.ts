import type { ContentBlock, Message } from "palimpsest";
import type { ImportedItem, ImportedMessage, ImportedSession } from "palimpsest/formats";
import type { Usage } from "palimpsest/transcript";
import { describe, expect, it } from "vitest";
import { trajectoryOf } from "#metering/trajectory-of-session.ts";

const text = (text: string): ContentBlock => ({ type: "text", text });
const call = (id: string, name = "Read", input = {}): ContentBlock => ({ type: "tool_use", id, name, input });
const answer = (id: string, content = "done"): ContentBlock => ({
  type: "tool_result",
  tool_use_id: id,
  content,
});
const billed = (promptTokens: number): Usage => ({
  inputTokens: promptTokens - 300,
  cacheReadTokens: 200,
  cacheWriteTokens: 100,
  outputTokens: 50,
});

function messageOf(
  role: Message["role"],
  content: readonly ContentBlock[],
  { usage, isAttachment, ...rest }: Partial<Message> & Pick<ImportedMessage, "usage" | "isAttachment"> = {},
): ImportedMessage {
  return {
    type: "message",
    message: { ...rest, role, content },
    usage,
    isAttachment,
  };
}

const session = (
  items: readonly ImportedItem[],
  more: Pick<ImportedSession, "system"> = {},
): ImportedSession => ({
  format: "claude-code",
  items,
  leftOut: [],
  repairs: [],
  skipped: [],
  ...more,
});

const of = (items: readonly ImportedItem[]) =>
  trajectoryOf(session(items), { name: "s", model: "claude-opus-4-5" });

describe("trajectoryOf", () => {
  it("joins the chunks of one response where its first one stands", () => {
    const { messages } = of([
      messageOf("user", [text("go")]),
      messageOf("assistant", [text("one")], { responseId: "r1" }),
      messageOf("assistant", [call("a")], { responseId: "r1" }),
      messageOf("user", [answer("a")]),
      messageOf("assistant", [call("b")], { responseId: "r1" }),
      messageOf("user", [answer("b")]),
      messageOf("assistant", [text("two")], { responseId: "r2" }),
      messageOf("assistant", [text("three")]),
    ]);
    expect(messages.map(({ message }) => message.content.map(({ type }) => type))).toEqual([
      ["text"],
      ["text", "tool_use", "tool_use"],
      ["tool_result"],
      ["tool_result"],
      ["text"],
      ["text"],
    ]);
  });

  it("says who is behind a message, and which tool answered", () => {
    const { messages } = of([
      messageOf("user", [text("go")]),
      messageOf("user", [text("a reminder")], { isAttachment: true }),
      messageOf("user", [text("a summary")], { origin: "summary" }),
      messageOf("system", [text("be brief")]),
      messageOf("assistant", [call("a", "Bash")]),
      messageOf("user", [answer("a")]),
    ]);
    expect(messages.map(({ author, tool }) => tool ?? author)).toEqual([
      "user",
      "note",
      "note",
      "note",
      "assistant",
      "Bash",
    ]);
  });

  it("leaves out results without a call, and tells calls without a result as text", () => {
    const { messages } = of([
      messageOf("user", [answer("nobody")]),
      messageOf("assistant", [call("lost", "Edit", { file_path: "src/lost/file.ts" })]),
      messageOf("user", [text("and?")]),
      messageOf("assistant", [text("src/lost/file.ts")]),
    ]);
    expect(messages.map(({ message }) => message.content)).toEqual([
      [text("Edit\nsrc/lost/file.ts")],
      [text("and?")],
      [text("src/lost/file.ts")],
    ]);
    expect(messages[2]!.references.map((reference) => reference.text)).toContain("src/lost/file.ts");
  });

  it("reads the values of arguments, after what was said", () => {
    const [message] = of([
      messageOf("assistant", [call("a", "Edit", { file_path: "a.ts", text: "x\ty" }), text("so")]),
      messageOf("user", [answer("a")]),
    ]).messages;
    expect(message).toMatchObject({ text: "so\na.ts\nx\ty", argumentsText: "a.ts\nx\ty" });
  });

  it.each([
    { items: [], fixed: 4_000, why: "nothing is known" },
    {
      items: [messageOf("assistant", [text("hi")], { usage: billed(9_000) })],
      fixed: 9_000,
      why: "all was fixed",
    },
    { items: [messageOf("assistant", [text("hi")], { usage: billed(310) })], fixed: 1_500, why: "no less" },
    {
      items: [messageOf("assistant", [text("hi")], { usage: billed(90_000) })],
      fixed: 60_000,
      why: "no more",
    },
    {
      items: [
        messageOf("assistant", [text("hi")]),
        messageOf("assistant", [text("hi")], { usage: billed(9_000) }),
        messageOf("assistant", [text("hi")], { usage: billed(50_000) }),
      ],
      fixed: 9_000,
      why: "what the first billed call had beside the messages",
    },
  ])("takes the fixed part from the recording, or guesses: $fixed, $why", ({ items, fixed }) => {
    // A short message before the call is part of its prompt.
    expect(Math.abs(of(items).fixedTokens - fixed)).toBeLessThan(20);
  });

  it("estimates the recorded prompt where no call was billed, and takes what it is told", () => {
    const recorded = session([messageOf("user", [text("go")])], { system: "word ".repeat(5_000) });
    const options = { name: "s", model: "claude-opus-4-5" };
    expect(Math.abs(trajectoryOf(recorded, options).fixedTokens - 5_500)).toBeLessThan(1_000);
    expect(trajectoryOf(recorded, { ...options, fixedTokens: 12 }).fixedTokens).toBe(12);
  });

  it("never goes back in time, and takes a step where no time was recorded", () => {
    const { messages } = of([
      messageOf("user", [text("one")]),
      messageOf("assistant", [text("two")], { at: 60_000 }),
      messageOf("user", [text("three")], { at: 50_000 }),
      messageOf("assistant", [text("four")]),
    ]);
    expect(messages.map(({ atMs }) => atMs)).toEqual([0, 60_000, 60_000, 70_000]);
  });

  it("counts in the tokens of the model", () => {
    const items = [messageOf("user", [text("one two three four five six seven eight nine ten ".repeat(50))])];
    const tokens = (model: string): number => trajectoryOf(session(items), { name: "s", model }).tokens;
    // The newer tokenizer has 1.34 of the older one's tokens.
    expect(tokens("claude-opus-5") / tokens("claude-opus-4-5")).toBeCloseTo(1.34, 1);
  });

  it("does not mind an empty session", () => {
    expect(of([])).toMatchObject({ messages: [], tokens: 0, tokensBefore: [0] });
  });
});
