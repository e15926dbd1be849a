import { describe, expect, it } from "vitest";
import { assistant, call, result, system, TestLog, text, user } from "#test/helpers/histories.ts";
import type { Message } from "#transcript/blocks.ts";
import { checkRequest } from "#transcript/invariants.ts";
import { project } from "#transcript/projection.ts";
import {
  INTERRUPTED_RESULT_TEXT,
  LEADING_USER_TEXT,
  planRepair,
  TRAILING_USER_TEXT,
} from "#transcript/repair.ts";
import { assembleRequest } from "#transcript/request.ts";

/** Repairs a history and returns the reasons, with the request that would be sent. */
function repaired(messages: readonly Message[]) {
  const log = new TestLog();
  for (const message of messages) log.message(message);
  const projection = project(log.entries);
  const repair = planRepair(projection.visible);
  if (repair !== undefined) projection.apply(log.edit(repair));
  const request = assembleRequest(projection.visible);
  const reasons = repair?.repairs.map(({ reason }) => reason) ?? [];
  return { reasons, request, again: planRepair(projection.visible) };
}

const contents = (request: ReturnType<typeof assembleRequest>) =>
  request.map((message) => [message.role, ...message.content]);

describe("planRepair", () => {
  it.each([
    {
      why: "a process died between a call and its result",
      messages: [user("go"), assistant("r1", call("a")), user("are you there?")],
      reasons: ["unanswered-call"],
      request: [
        ["user", text("go")],
        ["assistant", call("a")],
        [
          "user",
          { type: "tool_result", tool_use_id: "a", content: INTERRUPTED_RESULT_TEXT, is_error: true },
          text("are you there?"),
        ],
      ],
    },
    {
      why: "a result without its call is kept as text",
      messages: [user("go"), user(result("gone", "42"))],
      reasons: ["orphan-result"],
      request: [
        ["user", text("go"), text("[Result of tool call gone, which has no call in this conversation:]\n42")],
      ],
    },
    {
      why: "the same result was delivered twice: the last one counts",
      messages: [user("go"), assistant("r1", call("a")), user(result("a", "old")), user(result("a", "new"))],
      reasons: ["duplicate-result"],
      request: [
        ["user", text("go")],
        ["assistant", call("a")],
        ["user", result("a", "new")],
      ],
    },
    {
      why: "a call id used again by a later response gets its own name, and its result too",
      messages: [
        user("go"),
        assistant("r1", call("a")),
        user(result("a", "1")),
        assistant("r2", call("a")),
        user(result("a", "2")),
      ],
      reasons: ["duplicate-call-id", "duplicate-call-id"],
      request: [
        ["user", text("go")],
        ["assistant", call("a")],
        ["user", result("a", "1")],
        ["assistant", { ...call("a"), id: "a_2" }],
        ["user", { ...result("a", "2"), tool_use_id: "a_2" }],
      ],
    },
    {
      why: "a conversation cannot start with the assistant",
      messages: [assistant("r1", "hello"), user("go")],
      reasons: ["missing-first-user"],
      request: [
        ["user", text(LEADING_USER_TEXT)],
        ["assistant", text("hello")],
        ["user", text("go")],
      ],
    },
    {
      why: "the assistant cannot be asked to speak after itself without a message",
      messages: [user("go"), assistant("r1", "done")],
      reasons: ["missing-last-user"],
      request: [
        ["user", text("go")],
        ["assistant", text("done")],
        ["user", text(TRAILING_USER_TEXT)],
      ],
    },
    {
      why: "chunks of one response with results in between are one turn; a reminder waits behind results and words",
      messages: [
        user("go"),
        assistant("r1", "thinking aloud", call("a")),
        system("the time is noon"),
        user(result("a")),
        assistant("r1", call("b")),
        user("by the way", result("b")),
      ],
      reasons: [],
      request: [
        ["user", text("go")],
        ["assistant", text("thinking aloud"), call("a"), call("b")],
        ["user", result("a"), result("b"), text("by the way")],
        ["system", text("the time is noon")],
      ],
    },
  ])("mends: $why", ({ messages, reasons, request }) => {
    const fixed = repaired(messages as readonly Message[]);
    expect(fixed.reasons).toEqual(reasons);
    expect(contents(fixed.request)).toEqual(request);
    expect(checkRequest(fixed.request, "anthropic")).toEqual([]);
    expect(fixed.again).toBeUndefined();
  });

  it("leaves a server tool that the provider is still running", () => {
    const running = { type: "server_tool_use", id: "s1", name: "web_search", input: {} } as const;
    expect(repaired([user("go"), assistant("r1", running)]).reasons).toEqual([]);
  });

  it.each([
    "first",
    "last",
  ])("answers a call of the host beside a server tool's open call that is %s", (place) => {
    const open = { type: "server_tool_use", id: "s1", name: "web_search", input: {} } as const;
    const blocks = place === "first" ? [open, call("a")] : [call("a"), open];
    const { reasons, request, again } = repaired([user("go"), assistant("r1", ...blocks)]);
    expect(reasons).toEqual(["unpaired-server-tool", "unanswered-call"]);
    expect(contents(request)).toEqual([
      ["user", text("go")],
      ["assistant", call("a")],
      ["user", { type: "tool_result", tool_use_id: "a", content: INTERRUPTED_RESULT_TEXT, is_error: true }],
    ]);
    expect(checkRequest(request, "anthropic")).toEqual([]);
    expect(again).toBeUndefined();
  });

  it("hides a server tool whose answer never came", () => {
    const lost = { type: "server_tool_use", id: "s1", name: "web_search", input: {} } as const;
    const { reasons, request } = repaired([user("go"), assistant("r1", "so:", lost), user("and?")]);
    expect(reasons).toEqual(["unpaired-server-tool"]);
    expect(contents(request)[1]).toEqual(["assistant", text("so:")]);
  });

  const program = { type: "server_tool_use", id: "s1", name: "code_execution", input: {} } as const;
  const search = { type: "server_tool_use", id: "s1", name: "web_search", input: {} } as const;
  const made = (id: string) => ({ ...call(id), caller: { type: "code_execution_20250825", tool_id: "s1" } });
  const output = { type: "code_execution_tool_result", tool_use_id: "s1", content: {} } as const;
  const found = { type: "web_search_tool_result", tool_use_id: "s1", content: [] } as const;

  it.each([
    {
      why: "a program waits for the host's result",
      messages: [user("go"), assistant("r1", program, made("a")), user(result("a"))],
    },
    {
      why: "a program is answered in the next response",
      messages: [
        user("go"),
        assistant("r1", program, made("a")),
        user(result("a")),
        assistant("r2", output, "so:"),
        user("and?"),
      ],
    },
    {
      why: "a program calls in several responses",
      messages: [
        user("go"),
        assistant("r1", program, made("a")),
        user(result("a")),
        assistant("r2", made("b")),
        user(result("b")),
        assistant("r3", output, "so:"),
        user("and?"),
      ],
    },
    {
      why: "a server tool that the model called beside a call of the host is answered in the next response",
      messages: [
        user("go"),
        assistant("r1", search, call("a")),
        user(result("a")),
        assistant("r2", found, "so:"),
        user("and?"),
      ],
    },
  ])("sends as it came: $why", ({ messages }) => {
    const { reasons, request } = repaired(messages as readonly Message[]);
    expect(reasons).toEqual([]);
    expect(contents(request)).toEqual(messages.map((message) => [message.role, ...message.content]));
    expect(checkRequest(request, "anthropic")).toEqual([]);
  });

  it.each([
    {
      why: "the user speaks before a program ends",
      messages: [user("go"), assistant("r1", program, made("a")), user(result("a"), "stop")],
      reasons: ["unpaired-server-tool"],
      request: [
        ["user", text("go")],
        ["assistant", call("a")],
        ["user", result("a"), text("stop")],
      ],
    },
    {
      why: "a process died while a program waited",
      messages: [user("go"), assistant("r1", program, made("a"), made("b")), user(result("a"))],
      reasons: ["unpaired-server-tool", "unanswered-call"],
      request: [
        ["user", text("go")],
        ["assistant", call("a"), call("b")],
        [
          "user",
          { type: "tool_result", tool_use_id: "b", content: INTERRUPTED_RESULT_TEXT, is_error: true },
          result("a"),
        ],
      ],
    },
    {
      why: "the answer of a program never came",
      messages: [
        user("go"),
        assistant("r1", program, made("a")),
        user(result("a")),
        assistant("r2", made("b")),
        user(result("b")),
        assistant("r3", "so:"),
        user("and?"),
      ],
      reasons: ["unpaired-server-tool"],
      request: [
        ["user", text("go")],
        ["assistant", call("a")],
        ["user", result("a")],
        ["assistant", call("b")],
        ["user", result("b")],
        ["assistant", text("so:")],
        ["user", text("and?")],
      ],
    },
    {
      why: "a call and an answer whose program is gone",
      messages: [
        user("go"),
        assistant("r1", made("a")),
        user(result("a")),
        assistant("r2", output, "so:"),
        user("and?"),
      ],
      reasons: ["unpaired-server-tool", "unpaired-server-tool"],
      request: [
        ["user", text("go")],
        ["assistant", call("a")],
        ["user", result("a")],
        ["assistant", text("so:")],
        ["user", text("and?")],
      ],
    },
    {
      why: "a call of a program whose id is in use",
      messages: [
        user("go"),
        assistant("r1", call("a")),
        user(result("a")),
        assistant("r2", program, made("a")),
        user(result("a"), "stop"),
      ],
      reasons: ["duplicate-call-id", "duplicate-call-id", "unpaired-server-tool"],
      request: [
        ["user", text("go")],
        ["assistant", call("a")],
        ["user", result("a")],
        ["assistant", { ...call("a"), id: "a_2" }],
        ["user", { ...result("a"), tool_use_id: "a_2" }, text("stop")],
      ],
    },
  ])("leaves a program out with everything that names it: $why", ({ messages, reasons, request }) => {
    const fixed = repaired(messages as readonly Message[]);
    expect(fixed.reasons).toEqual(reasons);
    expect(contents(fixed.request)).toEqual(request);
    expect(checkRequest(fixed.request, "anthropic")).toEqual([]);
    expect(fixed.again).toBeUndefined();
  });
});
