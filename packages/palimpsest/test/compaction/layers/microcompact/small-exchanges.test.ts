import { describe, expect, it } from "vitest";
import { findClearableResults } from "#compaction/layers/microcompact/clearable-results.ts";
import { findRemovableExchanges, isSmallQuery } from "#compaction/layers/microcompact/small-exchanges.ts";
import type { ContentBlock, Message, ToolResultBlock, ToolUseBlock } from "#transcript/blocks.ts";
import { asWindow } from "../../../../../../test/helpers/recorded.ts";
import { assistant, call, result, text, user } from "../../../../../../test/helpers/windows.ts";

const query = (id: string): ContentBlock => call(id, "Grep", { pattern: id });
const answer = (id: string): ContentBlock => result(id, `found ${id}`).content[0]!;
const from = (...content: readonly ContentBlock[]): Message => ({ role: "user", content });
const thinking: ContentBlock = { type: "thinking", thinking: "hm", signature: "s" };
const system: Message = { role: "system", content: [text("be kind")] };
const sealed: ContentBlock = { type: "opaque", provider: "openai-responses", value: { type: "reasoning" } };
const madeBy = (type: string) => Object.assign({ caller: { type } }, query("a"));
const signed = { ...query("a"), signature: "s" } as ContentBlock;
const byCode = madeBy("code_execution_20250825");
const direct = madeBy("direct");

/** Ids of the calls that may leave; every window ends with a newer exchange, which never does. */
function removable(...messages: readonly Message[]): readonly string[] {
  const newest = [assistant("last", query("z")), from(answer("z"))];
  const visible = asWindow([user("go"), ...messages, ...newest]);
  const small = findClearableResults(visible, { clearableTools: new Set(["grep"]) });
  return findRemovableExchanges(visible, small).map(({ call: { block } }) => block.id);
}

describe("a small exchange", () => {
  it.each<{ messages: readonly Message[]; leaves: readonly string[]; why: string }>([
    {
      messages: [assistant("r", query("a")), from(answer("a"))],
      leaves: ["a"],
      why: "the response was nothing but this call",
    },
    {
      messages: [assistant("r", query("a"), query("b")), from(answer("a"), answer("b"))],
      leaves: ["a", "b"],
      why: "the response was nothing but such calls",
    },
    {
      messages: [assistant("r", text("I look"), query("a")), from(answer("a"))],
      leaves: ["a"],
      why: "the response keeps its words",
    },
    {
      messages: [assistant("r", direct), from(answer("a"))],
      leaves: ["a"],
      why: "a direct caller is what every call has",
    },
    {
      messages: [
        assistant("r", query("a"), call("b", "Bash", { command: "ls" })),
        from(answer("a"), answer("b")),
      ],
      leaves: ["a"],
      why: "the other call keeps its result",
    },
    {
      messages: [
        assistant("r", query("a")),
        assistant("r", query("b")),
        from(answer("a")),
        from(answer("b")),
      ],
      leaves: ["a", "b"],
      why: "chunks and single results are one round",
    },
    {
      messages: [assistant("r", thinking, query("a")), from(answer("a"))],
      leaves: [],
      why: "thinking needs the call behind it",
    },
    {
      messages: [assistant("r", sealed, query("a")), from(answer("a"))],
      leaves: [],
      why: "sealed reasoning needs the call behind it",
    },
    {
      messages: [assistant("r", signed, query("b")), from(answer("a"), answer("b"))],
      leaves: [],
      why: "a field of its provider's may bind the calls of a response together",
    },
    { messages: [assistant("r", byCode), from(answer("a"))], leaves: [], why: "another tool made this call" },
    {
      messages: [assistant("r", query("a")), from(answer("a")), system],
      leaves: [],
      why: "a system message stands behind the result",
    },
    {
      messages: [
        assistant("r", text("I look"), query("a")),
        from(answer("a")),
        assistant("s", thinking, text("so it is")),
        user("go on"),
      ],
      leaves: [],
      why: "an answer that begins with thinking would join the words before it",
    },
    {
      messages: [
        assistant("r", text("I look"), query("a"), query("b")),
        from(answer("a"), answer("b")),
        assistant("s", thinking, text("so it is")),
        user("go on"),
      ],
      leaves: ["b"],
      why: "one call that stays keeps the answers apart",
    },
    {
      messages: [
        assistant("r", text("I look"), query("a")),
        from(answer("a"), text("and hurry")),
        assistant("s", thinking, text("so it is")),
        user("go on"),
      ],
      leaves: ["a"],
      why: "the user's words stand between the answers",
    },
    {
      messages: [
        assistant("r", text("I look"), query("a")),
        from(answer("a")),
        assistant("s", query("b")),
        from(answer("b")),
        assistant("t", thinking, text("so it is")),
        user("go on"),
      ],
      leaves: ["b"],
      why: "what stands between the answers leaves, too",
    },
    {
      messages: [assistant("r", query("a")), from(answer("a"), text("and hurry"))],
      leaves: [],
      why: "the user's words would lose the response they followed",
    },
    {
      messages: [assistant("p", text("one moment")), assistant("r", query("a")), from(answer("a"))],
      leaves: [],
      why: "the answers before and after it would meet",
    },
    {
      messages: [
        assistant("r", query("a")),
        from(answer("a")),
        assistant("s", query("a")),
        from(answer("a")),
      ],
      leaves: [],
      why: "which result is whose cannot be told",
    },
  ])("leaves as $leaves: $why", ({ messages, leaves }) => {
    expect(removable(...messages)).toEqual(leaves);
  });

  it("stays in the newest round", () => {
    expect(removable()).toEqual([]);
  });
});

describe("a small query", () => {
  const policy = { smallResultCharacters: 10, readOnlyTools: new Set(["grep"]) };
  const ask = (name: string): ToolUseBlock => ({ type: "tool_use", id: "a", name, input: {} });
  const messageOf = (content: ToolResultBlock["content"], isError = false): ToolResultBlock => ({
    type: "tool_result",
    tool_use_id: "a",
    ...(content === undefined ? {} : { content }),
    ...(isError ? { is_error: true } : {}),
  });
  const image = { type: "image", source: { type: "url", url: "https://example.org/a.png" } } as const;

  it.each([
    {
      name: "Grep",
      result: messageOf("nine char"),
      isSmall: true,
      why: "nine characters of a read-only tool",
    },
    { name: "Grep", result: messageOf(undefined), isSmall: true, why: "nothing at all" },
    { name: "Grep", result: messageOf([{ type: "text", text: "hit" }]), isSmall: true, why: "text in parts" },
    { name: "Grep", result: messageOf("ten chars!"), isSmall: false, why: "exactly the limit" },
    { name: "Bash", result: messageOf("ok"), isSmall: false, why: "the tool may have changed something" },
    { name: "Grep", result: messageOf("no", true), isSmall: false, why: "a failure is worth its line" },
    { name: "Grep", result: messageOf([image]), isSmall: false, why: "a picture is not small" },
  ])("is $isSmall for $why", ({ name, result, isSmall }) => {
    expect(isSmallQuery({ result, call: ask(name) }, policy)).toBe(isSmall);
  });
});
