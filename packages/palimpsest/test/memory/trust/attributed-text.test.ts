/** A conversation in pieces, each with its speaker, whichever message contains it. */
import { describe, expect, it } from "vitest";
import type { JsonValue } from "#base/json/json.ts";
import { attributeTexts, type ConversationMessage } from "#memory/trust/attributed-text.ts";
import { fenceMemories } from "#memory/trust/fence.ts";
import { aMemory } from "#test/memory/consolidation/a-memory.ts";
import type { ContentBlock, Message, Origin } from "#transcript/blocks.ts";

const messageOf = (role: Message["role"], content: readonly ContentBlock[], origin?: Origin): Message => ({
  role,
  content,
  origin,
});
const text = (words: string): ContentBlock => ({ type: "text", text: words });
const numbered = (messages: readonly Message[]): readonly ConversationMessage[] =>
  messages.map((message, index) => ({ id: `m${index}`, message }));
const sources = (...messages: readonly Message[]): readonly string[] =>
  attributeTexts(numbered(messages)).map(({ source, text: words }) => `${source}: ${words}`);

const called = (name: string, input: JsonValue): readonly Message[] => [
  messageOf("assistant", [{ type: "tool_use", id: "t", name, input }]),
  messageOf("user", [{ type: "tool_result", tool_use_id: "t", content: "x" }]),
];

describe("spokenPieces", () => {
  it.each([
    ["a user's words", messageOf("user", [text("x")]), ["user: x"]],
    [
      "an agent's words, without its thinking",
      messageOf("assistant", [{ type: "thinking", thinking: "y" }, text("x")]),
      ["agent: x"],
    ],
    ["a host's reminder", messageOf("user", [text("x")], "host"), ["tool: x"]],
    ["a system message", messageOf("system", [text("x")]), ["tool: x"]],
    ["a summary", messageOf("user", [text("x")], "summary"), ["tool: x"]],
    ["what was restored", messageOf("user", [text("x")], "restored"), ["tool: x"]],
    ["what was recalled", messageOf("user", [text("x")], "recalled"), ["recalled: x"]],
    [
      "an attached file",
      messageOf("user", [{ type: "document", source: { type: "text", data: "x" } }]),
      ["tool: x"],
    ],
    ["a picture", messageOf("user", [{ type: "image", source: { type: "base64", data: "x" } }]), []],
    ["a pasted block", messageOf("user", [text("why?\n```\nx\n```")]), ["user: why?", "tool: ```\nx\n```"]],
    [
      "the provider's search",
      messageOf("assistant", [{ type: "web_search_tool_result", tool_use_id: "s", content: "x" }]),
      ['web: "x"'],
    ],
    [
      "the provider's shell",
      messageOf("assistant", [{ type: "code_execution_tool_result", tool_use_id: "s", content: "x" }]),
      ['tool: "x"'],
    ],
  ])("%s", (_what, message, pieces) => {
    expect(sources(message)).toEqual(pieces);
  });

  it.each([
    ["Read", { file_path: "a.md" }, "tool"],
    ["Bash", { command: "ls" }, "tool"],
    ["Bash", { command: "curl -s https://a.example" }, "web"],
    ["shell", { command: ["bash", "-lc", "wget a.example"] }, "web"],
    ["WebFetch", { url: "https://a.example" }, "web"],
    ["mcp__playwright__browser_snapshot", {}, "web"],
    ["mcp__tracker__get_issue", {}, "tool"],
    ["memory", { command: "view", path: "/memories" }, "recalled"],
    ["mcp__notes__recall", {}, "recalled"],
    ["Bash", null, "tool"],
  ] as const)("a result of %s with %j is the %s's", (name, input, source) => {
    expect(sources(...called(name, input))).toEqual([`${source}: x`]);
  });

  it("tells recalled text apart inside any message", () => {
    const fence = fenceMemories([{ memory: aMemory({ body: "y" }) }], { nowMs: 0 });
    const pieces = attributeTexts(
      numbered([messageOf("user", [text(`x ${fence}`)]), messageOf("assistant", [text(`${fence} z`)])]),
    );
    expect(pieces.map(({ source }) => source)).toEqual(["recalled", "user", "recalled", "agent"]);
    expect(pieces.map((piece) => piece.text.trim()).filter((words) => !words.includes("y"))).toEqual([
      "x",
      "z",
    ]);
  });

  it("counts the turns by the user's own words", () => {
    const conversation = [
      messageOf("assistant", [text("hi")]),
      messageOf("user", [text("one")]),
      messageOf("user", [text("<task-notification>n</task-notification>")]),
      messageOf("assistant", [text("a")]),
      messageOf("user", [text("two")]),
    ];
    expect(attributeTexts(numbered(conversation)).map(({ id, turn }) => [id, turn])).toEqual([
      ["m0", 0],
      ["m1", 1],
      ["m2", 1],
      ["m3", 1],
      ["m4", 2],
    ]);
  });

  it("takes what cannot be paired for a tool's", () => {
    expect(
      sources(messageOf("user", [{ type: "tool_result", tool_use_id: "unknown", content: "x" }])),
    ).toEqual(["tool: x"]);
    expect(sources(messageOf("user", [{ type: "tool_result", tool_use_id: "unknown" }]))).toEqual([]);
  });
});
