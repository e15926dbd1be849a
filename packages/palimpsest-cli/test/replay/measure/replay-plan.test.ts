/** From a recording to the steps of a host. */

import type { ContentBlock } from "palimpsest";
import type { ImportedItem, ImportedMessage } from "palimpsest/formats";
import { describe, expect, it } from "vitest";
import { planReplay, type ReplayStep } from "#replay/measure/replay-plan.ts";

const says = (role: "user" | "assistant", text: string, responseId?: string): ImportedMessage => ({
  type: "message",
  message: { role, content: [{ type: "text", text }], responseId },
});
const calls = (id: string, responseId: string): ImportedMessage => ({
  type: "message",
  message: { role: "assistant", responseId, content: [{ type: "tool_use", id, name: "Read", input: {} }] },
});
const result = (id: string): ImportedMessage => ({
  type: "message",
  message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "read" }] },
});

function nameOf(block: ContentBlock): string {
  if (block.type === "text") return block.text;
  return block.type === "tool_use" ? `call ${block.id}` : `result`;
}

/** The steps in short: `+a` appended, `>a,b` a call answered by a and b, `#key` metadata. */
function brief(steps: readonly ReplayStep[]): readonly string[] {
  const words = (item: ImportedMessage): string => item.message.content.map(nameOf).join();
  return steps.map((step) => {
    if (step.type === "append") return `+${words(step.item)}`;
    return step.type === "call" ? `>${step.answer.map(words).join()}` : `#${step.key}`;
  });
}

describe("planReplay", () => {
  it.each([
    { items: [], steps: [], why: "nothing was said" },
    {
      items: [says("user", "a"), says("assistant", "b")],
      steps: ["+a", ">b"],
      why: "a question and its answer",
    },
    { items: [says("user", "a")], steps: ["+a", ">"], why: "the call that would have come" },
    {
      items: [says("user", "a"), calls("t", "r1"), result("t"), says("assistant", "b", "r2")],
      steps: ["+a", ">call t", "+result", ">b"],
      why: "a call for each response",
    },
    {
      items: [says("user", "a"), says("assistant", "b", "r1"), calls("t", "r1"), result("t")],
      steps: ["+a", ">b,call t", "+result", ">"],
      why: "chunks of one response are one answer",
    },
    {
      items: [
        says("user", "a"),
        calls("s", "r1"),
        result("s"),
        calls("t", "r1"),
        result("t"),
        says("assistant", "b", "r2"),
      ],
      steps: ["+a", ">call s", "+result", "+call t", "+result", ">b"],
      why: "a chunk that came after a result is not a separate call",
    },
    {
      items: [says("user", "a"), calls("t", "r1")],
      steps: ["+a", ">call t", ">"],
      why: "a call without a result is left open, and the next request must mend it",
    },
    {
      items: [says("assistant", "hello"), says("user", "a"), says("assistant", "b")],
      steps: ["+hello", "+a", ">b"],
      why: "no request can be made of an empty window",
    },
  ] satisfies { items: ImportedItem[]; steps: string[]; why: string }[])("$why", ({ items, steps }) => {
    expect(brief(planReplay(items))).toEqual(steps);
  });

  it("keeps what the tool did to its own context as metadata, each under its own key, and applies none of it", () => {
    const boundary = {
      type: "boundary",
      trigger: "auto",
      preTokens: 155_000,
      summary: "So far.",
      line: 3,
    } as const;
    const cleared = { type: "microcompact", trigger: "auto", toolUseIds: ["t"] } as const;
    const titled = { type: "metadata", key: "title", value: "Harbour" } as const;
    const steps = planReplay([says("user", "a"), boundary, titled, cleared, says("assistant", "b")]);
    expect(brief(steps)).toEqual([
      "+a",
      "#recorded-boundary.1",
      "#recorded.title",
      "#recorded-microcompact.2",
      ">b",
    ]);
    expect(steps[1]).toMatchObject({
      isBoundary: true,
      value: { trigger: "auto", preTokens: 155_000, summary: "So far." },
    });
    expect(steps[2]).toMatchObject({ isBoundary: false, value: "Harbour" });
  });
});
