import { describe, expect, it } from "vitest";
import { text } from "#test/helpers/histories.ts";
import { TARIFFS } from "#tokens/price/tariff.ts";
import { MarkMemory } from "#tokens/prompt-cache/breakpoints.ts";
import { PromptCacheMonitor, type SentPrompt } from "#tokens/prompt-cache/prompt-cache-monitor.ts";
import type { RequestMessage } from "#transcript/window.ts";

const messageOf = (...texts: string[]): RequestMessage[] =>
  texts.map((value) => ({ role: "user", content: [text(value), text(`${value}.`)] }));

const END = { message: 2, block: 1 };
const MIDDLE = { message: 1, block: 0 };

/** A request of three messages left with two marks; then comes another one. */
function marksIn(
  messages: RequestMessage[],
  { atMs = 1, model = "m", system = "s" }: { atMs?: number; model?: string; system?: string } = {},
) {
  const monitor = new PromptCacheMonitor();
  const memory = new MarkMemory();
  const tariff = TARIFFS["anthropic-5m"];
  const prompt = { model: "m", system: "s", messages: messageOf("a", "b", "c") };
  const sent: SentPrompt = monitor.sent(prompt, { atMs: 0, tariff });
  expect(memory.earlierMarks(sent)).toEqual([]);
  memory.left(sent, [MIDDLE, END]);
  return memory.earlierMarks(monitor.sent({ model, system, messages }, { atMs, tariff }));
}

describe("MarkMemory", () => {
  it.each([
    { messages: messageOf("a", "b", "c"), marks: [MIDDLE, END], why: "nothing changed" },
    { messages: messageOf("a", "b", "c", "d"), marks: [MIDDLE, END], why: "something was added" },
    { messages: messageOf("a", "b", "x", "d"), marks: [MIDDLE], why: "the last message changed" },
    { messages: messageOf("a", "b"), marks: [MIDDLE], why: "the last message is gone" },
    { messages: messageOf("a", "x", "c"), marks: [], why: "the marked block itself changed" },
    { messages: messageOf("x", "b", "c"), marks: [], why: "everything stands behind the change" },
    { messages: [], marks: [], why: "nothing is left" },
  ])("gives $marks: $why", ({ messages, marks }) => {
    expect(marksIn(messages)).toEqual(marks);
  });

  it("gives none where the whole prompt is another one, or the cache has expired", () => {
    const same = messageOf("a", "b", "c");
    expect(marksIn(same, { model: "n" })).toEqual([]);
    expect(marksIn(same, { system: "t" })).toEqual([]);
    expect(marksIn(same, { atMs: 300_000 })).toEqual([MIDDLE, END]);
    expect(marksIn(same, { atMs: 300_001 })).toEqual([]);
  });

  it("keeps the newest marks of a long session", () => {
    const monitor = new PromptCacheMonitor();
    const memory = new MarkMemory();
    const tariff = TARIFFS["anthropic-5m"];
    const messages: RequestMessage[] = [];
    for (let call = 0; call < 200; call++) {
      messages.push(...messageOf(`${call}`));
      const sent = monitor.sent({ model: "m", messages: [...messages] }, { atMs: call, tariff });
      memory.left(sent, [{ message: call, block: 1 }]);
    }
    const sent = monitor.sent({ model: "m", messages: [...messages] }, { atMs: 200, tariff });
    const marks = memory.earlierMarks(sent);
    expect(marks).toHaveLength(64);
    expect(marks[0]).toEqual({ message: 136, block: 1 });
    expect(marks.at(-1)).toEqual({ message: 199, block: 1 });
  });
});
