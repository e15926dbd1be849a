import { describe, expect, it } from "vitest";
import { assistant, call, result, TestLog, text, user } from "#test/helpers/histories.ts";
import type { ContentBlock } from "#transcript/blocks.ts";
import { checkRequest, type InvariantRule } from "#transcript/invariants.ts";
import { project } from "#transcript/projection.ts";
import { groupRounds, type RequestMessage } from "#transcript/window.ts";

const u = (...content: readonly ContentBlock[]): RequestMessage => ({ role: "user", content });
const a = (...content: readonly ContentBlock[]): RequestMessage => ({ role: "assistant", content });
const search = { type: "server_tool_use", id: "s1", name: "web_search", input: {} } as const;
const found = { type: "web_search_tool_result", tool_use_id: "s1", content: [] } as const;

describe("checkRequest", () => {
  it.each<{ why: string; request: readonly RequestMessage[]; rules: readonly InvariantRule[] }>([
    {
      why: "a turn with a call and its result",
      request: [u(text("go")), a(call("c")), u(result("c"))],
      rules: [],
    },
    { why: "an answer first", request: [a(text("hi")), u(text("go"))], rules: ["first-message-is-user"] },
    {
      why: "an answer last",
      request: [u(text("go")), a(text("hi"))],
      rules: ["last-message-is-not-assistant"],
    },
    { why: "a message without content", request: [u()], rules: ["message-has-content"] },
    { why: "blank text", request: [u(text(" "))], rules: ["text-is-not-empty"] },
    { why: "half a character", request: [u(text("\ud800"))], rules: ["text-is-well-formed"] },
    {
      why: "a call without an answer",
      request: [u(text("go")), a(call("c")), u(text("?"))],
      rules: ["call-is-answered-next"],
    },
    { why: "a result without its call", request: [u(result("c"))], rules: ["result-has-its-call"] },
    {
      why: "a result behind the user's words",
      request: [u(text("go")), a(call("c")), u(text("so"), result("c"))],
      rules: ["results-lead"],
    },
    {
      why: "a call id twice",
      request: [u(text("go")), a(call("c")), u(result("c")), a(call("c")), u(result("c"))],
      rules: ["ids-are-unique"],
    },
    {
      why: "a result twice",
      request: [u(text("go")), a(call("c")), u(result("c"), result("c"))],
      rules: ["ids-are-unique"],
    },
    {
      why: "a server tool that was never answered",
      request: [u(text("go")), a(search), u(text("?"))],
      rules: ["server-tools-are-answered"],
    },
    {
      why: "a server tool with its answer",
      request: [u(text("go")), a(search, found), u(text("?"))],
      rules: [],
    },
    {
      why: "a server tool beside a call of the host is answered in the next answer",
      request: [u(text("go")), a(search, call("c")), u(result("c")), a(found), u(text("?"))],
      rules: [],
    },
    {
      why: "a server tool waits for the result of the host",
      request: [u(text("go")), a(search, call("c")), u(result("c"))],
      rules: [],
    },
    {
      why: "a server tool that waits, and words after the result",
      request: [u(text("go")), a(search, call("c")), u(result("c"), text("?"))],
      rules: ["server-tools-are-answered"],
    },
    {
      why: "a server tool that the next answer does not answer",
      request: [u(text("go")), a(search, call("c")), u(result("c")), a(text("so")), u(text("?"))],
      rules: ["server-tools-are-answered"],
    },
    { why: "a server tool the provider still works on", request: [u(text("go")), a(search)], rules: [] },
    {
      why: "a signed compaction may come first",
      request: [a({ type: "compaction", content: "sum" }), u(text("go"))],
      rules: [],
    },
    {
      why: "a compaction the provider made in the middle",
      request: [u(text("go")), a({ type: "compaction", content: "sum" }, text("so")), u(text("on"))],
      rules: [],
    },
  ])("judges: $why", ({ request, rules }) => {
    expect(checkRequest(request, "anthropic").map((broken) => broken.rule)).toEqual(rules);
  });
});

describe("groupRounds", () => {
  it("begins a round with each new response; its results and chunks belong to it", () => {
    const log = new TestLog();
    for (const message of [
      user("go"),
      assistant("r1", call("a")),
      user(result("a")),
      assistant("r1", "more"),
      assistant("r2", "end"),
    ])
      log.message(message);
    expect(groupRounds(project(log.entries).visible)).toEqual([
      { start: 0, end: 1 },
      { start: 1, end: 4 },
      { start: 4, end: 5 },
    ]);
    expect(groupRounds([])).toEqual([]);
  });
});
