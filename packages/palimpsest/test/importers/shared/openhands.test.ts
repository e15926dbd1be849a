/** Events of OpenHands, before its SDK and of its SDK, alone and as the output of an evaluation. */
import { describe, expect, it } from "vitest";
import { corpusFiles, hasCorpus } from "../../../../../test/helpers/corpus.ts";
import { importAs, importOneAs, recorded, reported, textsOf } from "./imported.ts";
import { OPENHANDS_EVENTS, OPENHANDS_SDK_EVENTS } from "./openhands-samples.ts";

type Fields = Readonly<Record<string, unknown>>;

const says = (source: string, content: string, more: Fields = {}): Fields => ({
  source,
  action: "message",
  args: { content },
  ...more,
});
const read = (...events: readonly unknown[]) => importOneAs("openhands", events);

describe("events of OpenHands before its SDK", () => {
  it("are told with every call of a response in one answer, results after them", () => {
    const session = importOneAs("openhands", ...OPENHANDS_EVENTS);
    expect(session).toMatchObject({ system: "Be brief.", workingCopy: "/workspace" });
    expect(session.tools).toHaveLength(1);
    expect(reported(session.items)).toEqual([
      "user: look at é😀 | [image]",
      "host*: Use tabs. | Use git.",
      "assistant: Look. | execute_bash#t1 | execute_bash#t2",
      "tool: #t1=a.txt\n[exit code 0]",
      "tool: #t2!=b.txt",
      "host: not a command",
      "assistant: delegate#event_9",
      "tool: #event_9=found",
      "== auto: We looked.",
      "host*: User executed the command:\npwd",
      "host: /workspace",
      "assistant: done",
    ]);
    expect(session.items[0]).toMatchObject({ message: { hostId: "1", at: Date.UTC(2026, 0, 1) } });
    expect(session.items[2]).toMatchObject({
      message: { responseId: "r1", model: "llama" },
      usage: { inputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 7 },
      stopReason: "tool_calls",
    });
    expect(session.items[8]).toMatchObject({ preserved: ["1", "3", "8", "9", "11"] });
    expect(session.leftOut.map(({ reason }) => reason)).toEqual(["side-chain"]);
    expect(session.repairs).toEqual([]);
  });

  it.each([
    {
      why: "an action without a response is a call, what names it as its cause the result",
      events: [
        { id: 1, source: "agent", action: "run", args: { command: "ls", thought: "Look." } },
        { source: "agent", observation: "run", cause: 1, content: "a.txt" },
      ],
      items: ["assistant: Look. | run#event_1", "tool: #event_1=a.txt"],
    },
    {
      why: "an error is the result of its call",
      events: [
        { id: 1, source: "agent", action: "run", args: {} },
        { source: "agent", observation: "error", cause: 1, content: "no" },
      ],
      items: ["assistant: run#event_1", "tool: #event_1!=no"],
    },
    {
      why: "what the user interface is told",
      events: [
        says("user", "look"),
        { source: "agent", action: "change_agent_state", args: {} },
        { source: "agent", observation: "agent_state_changed", content: "", extras: {} },
      ],
      items: ["user: look"],
    },
    {
      why: "a picture in a result",
      events: [
        { id: 1, source: "agent", action: "browse", args: {} },
        {
          source: "agent",
          observation: "browse",
          cause: 1,
          content: "seen",
          extras: { image_urls: ["https://example.com/a.png"] },
        },
      ],
      items: ["assistant: browse#event_1", "tool: #event_1=seen+[image]"],
    },
    {
      why: "a condensation by a list, and one of nothing",
      events: [
        says("user", "one", { id: 1 }),
        says("agent", "two", { id: 2 }),
        { source: "agent", action: "condensation", args: { forgotten_event_ids: [2] } },
        { source: "agent", action: "condensation", args: { forgotten_event_ids: [2] } },
      ],
      items: ["user: one", "assistant: two", "== auto: nothing"],
    },
    {
      why: "a sub-agent that never came back",
      events: [
        says("user", "look", { id: 1 }),
        { id: 2, source: "agent", action: "delegate", args: {} },
        says("agent", "a helper's words", { id: 3 }),
      ],
      items: ["user: look", "assistant: delegate#event_2"],
    },
  ])("are the whole conversation: $why", ({ events, items }) => {
    const session = read(...events);
    expect(reported(session.items)).toEqual(items);
    expect(session.repairs).toEqual([]);
  });

  it("may be pairs of an action and its observation", () => {
    const [session] = importAs("openhands", {
      instance_id: "a",
      history: [
        [says("user", "look"), { source: "agent", observation: "null", content: "" }],
        [
          { id: 2, source: "agent", action: "run", args: { command: "ls" } },
          { source: "agent", observation: "run", cause: 2, content: "a.txt" },
        ],
      ],
    });
    expect(reported(session!.items)).toEqual([
      "user: look",
      "assistant: run#event_2",
      "tool: #event_2=a.txt",
    ]);
  });
});

describe("events of the OpenHands SDK", () => {
  it("are told with every call of a response in one answer, results after them", () => {
    const session = importOneAs("openhands", ...OPENHANDS_SDK_EVENTS);
    expect(session).toMatchObject({ system: "Be brief.\nIt is Monday.", workingCopy: "/workspace" });
    expect(reported(session.items)).toEqual([
      "user: look | [image]",
      "host*: A skill",
      "assistant: (Hm signed) | Look. | terminal#t1 | terminal#t2",
      "tool: #t1=a.txt",
      "tool: #t2!=no command",
      "== auto: We looked.",
      "assistant: (Enough) | done",
    ]);
    expect(session.items[5]).toMatchObject({ preserved: ["e1"], hostId: "e7" });
    expect(session.skipped).toEqual([{ recordType: "ConversationStateUpdateEvent", count: 1 }]);
    expect(session.repairs).toEqual([]);
  });

  it.each([
    {
      event: { kind: "UserRejectObservation", tool_call_id: "t", rejection_reason: "not that" },
      text: "tool: #t!=Action rejected: not that",
    },
    { event: { kind: "ObservationEvent", tool_call_id: "t", observation: {} }, text: "tool: #t=" },
    {
      event: { kind: "ObservationEvent", tool_call_id: "t", observation: { content: "no", is_error: true } },
      text: "tool: #t!=no",
    },
    {
      event: {
        kind: "MessageEvent",
        llm_message: { role: "user", content: [{ type: "text", text: "by the way" }] },
      },
      text: "host: by the way",
    },
    {
      event: {
        kind: "ActionEvent",
        tool_name: "terminal",
        tool_call_id: "s",
        tool_call: { id: "s", name: "terminal", arguments: "not json" },
        responses_reasoning_item: { id: "rs_1", summary: ["Hm"], encrypted_content: "x" },
      },
      text: "assistant: [openai-responses] | terminal#s",
    },
  ])("are the whole conversation: $text", ({ event, text }) => {
    const call = {
      kind: "ActionEvent",
      source: "agent",
      tool_name: "terminal",
      tool_call_id: "t",
      tool_call: {},
    };
    expect(reported(read(call, { source: "environment", ...event }).items)[1]).toBe(text);
  });
});

describe("the output of an evaluation", () => {
  it("is one session a line, under the name of what was evaluated", () => {
    const sessions = importAs(
      "openhands",
      { instance_id: "a", history: OPENHANDS_EVENTS, metadata: { llm_config: { model: "gpt-4o" } } },
      { instance_id: "b", history: OPENHANDS_SDK_EVENTS, metadata: { llm: { model: "gpt-5" } } },
    );
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual(["a", "b"]);
    expect(sessions.map(({ items }) => items.at(-1))).toMatchObject([
      { message: { model: "gpt-4o" } },
      { message: { model: "gpt-5" } },
    ]);
  });

  it.each([
    { event: 5, kind: "bad-record", notRead: 1, why: "no event" },
    { event: { a: 1 }, kind: "unknown-record", notRead: 0, why: "neither an action nor an observation" },
    {
      event: says("user", "again", { id: 1 }),
      kind: "duplicate-id",
      notRead: 0,
      why: "an id that is used twice",
    },
    { event: says("user", ""), kind: "empty-message", notRead: 0, why: "nothing said" },
  ])("tells of damage: $why", ({ event, kind, notRead }) => {
    const session = importOneAs("openhands", { history: [says("user", "look", { id: 1 }), event] });
    expect(session.repairs.map((repair) => repair.kind)).toEqual([kind]);
    expect(session.notRead?.records).toBe(notRead);
    expect(reported(session.items)[0]).toBe("user: look");
  });

  it.skipIf(!hasCorpus)("says every word of the recorded ones", () => {
    const [file] = corpusFiles("openhands");
    for (const line of recorded(file!.path).trim().split("\n")) {
      const raw = JSON.parse(line) as { history: readonly (Fields & { args: Fields; content: string })[] };
      const session = importOneAs("openhands", raw);
      const answered = raw.history.filter((event) => "tool_call_metadata" in event && "action" in event);
      const lines = answered.map(
        ({ tool_call_metadata }) =>
          (tool_call_metadata as { model_response: { choices: readonly { message: { content: string } }[] } })
            .model_response.choices[0]!.message.content,
      );
      const texts = textsOf(session, "text");
      expect(texts).toEqual(expect.arrayContaining(lines));
      const errors = raw.history
        .filter(({ observation }) => observation === "error")
        .map(({ content }) => content);
      const asked = raw.history
        .filter(({ action }) => action === "message")
        .map(({ args }) => args["content"]);
      expect(texts).toEqual(expect.arrayContaining([...errors, ...asked]));
      const results = raw.history.filter(
        ({ observation, tool_call_metadata: call }) => observation !== undefined && call !== undefined,
      );
      const recordedResults = results.map(({ content }) => content);
      const given = textsOf(session, "tool_result");
      expect(given).toHaveLength(recordedResults.length);
      // The exit code follows what a command said.
      expect(given.filter((text, index) => !text.startsWith(recordedResults[index]!))).toEqual([]);
      expect(session.system).toBe(raw.history[0]!.args["content"]);
    }
  });
});
