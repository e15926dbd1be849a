/** Compactions of Codex: which messages stayed, the summary, and the messages put in again. */
import { describe, expect, it } from "vitest";
import type { ImportedSession } from "#importers/registry.ts";
import {
  CODEX_META,
  CODEX_TURN,
  codexBill,
  codexEvent,
  codexLines,
  codexMessage,
  codexText,
  codexWindow,
  jsonl,
} from "../../../../../test/helpers/agent-samples.ts";
import { boundariesIn, messagesIn, reported, sessionOf } from "./imported-texts.ts";

type Records = Parameters<typeof codexLines>[0];

/** The session of these records after the header and the settings of a turn. */
const importAll = (records: Records): ImportedSession =>
  sessionOf("codex", jsonl(codexLines([CODEX_META, CODEX_TURN, ...records])));

describe("a compaction of Codex", () => {
  const compacted = (payload: Readonly<Record<string, unknown>>): readonly [string, typeof payload] => [
    "compacted",
    payload,
  ];

  it("tells which of several messages of the same words stayed: the newest", () => {
    const session = importAll([
      codexMessage("user", "go on"),
      codexMessage("user", "go on"),
      codexMessage("user", "stop"),
      codexMessage("user", "go on"),
      compacted({
        message: "",
        replacement_history: [
          codexText("user", "go on"),
          codexText("user", "stop"),
          codexText("user", "go on"),
        ],
      }),
    ]);
    expect(boundariesIn(session)).toMatchObject([{ preserved: ["line-4", "line-5", "line-6"] }]);
  });

  it("shows its summary as text where Codex wrote it itself, and not in the conversation", () => {
    const summary = "Another language model started to solve this problem …\nWe renamed f to g.";
    const session = importAll([
      codexMessage("user", "rename f"),
      codexMessage("assistant", "We renamed f to g."),
      codexBill(100, 0, 7),
      compacted({
        message: summary,
        replacement_history: [codexText("user", "rename f"), codexText("user", summary)],
      }),
      codexMessage("user", "thanks"),
    ]);
    expect(reported(session)).toEqual(["user: rename f", "-- boundary", "user: thanks"]);
    expect(boundariesIn(session)).toMatchObject([{ summary, preserved: ["line-3"], preTokens: 100 }]);
    expect(session.leftOut).toMatchObject([{ reason: "transcript-only", item: { line: 4 } }]);
  });

  it("of older versions names no messages", () => {
    const session = importAll([
      codexMessage("user", "a"),
      compacted({ message: "so far" }),
      codexMessage("user", "b"),
    ]);
    expect(boundariesIn(session)).toEqual([
      {
        type: "boundary",
        trigger: "unknown",
        hostId: "line-4",
        summary: "so far",
        at: expect.any(Number),
        line: 4,
      },
    ]);
  });

  it("keeps what was put in anew as messages after it, and what only looks new as what it is", () => {
    const long = `Please ${"read this ".repeat(20)}and say yes.`;
    const session = importAll([
      codexMessage("user", long),
      codexMessage("user", "<skill>old</skill>"),
      codexMessage("assistant", "yes"),
      compacted({
        message: "",
        replacement_history: [
          codexText("user", `${long.slice(0, 20)}…40 tokens truncated…${long.slice(-12)}`),
          codexText("user", "<skill>new</skill>"),
          codexText("user", "who said this?"),
          null,
        ],
      }),
      codexMessage("user", "<skill>old</skill>"),
      codexMessage("assistant", "done"),
    ]);
    expect(reported(session).slice(3)).toEqual([
      "-- boundary",
      "user: <skill>new</skill>",
      "user: who said this?",
      "assistant: done",
    ]);
    expect(boundariesIn(session)).toMatchObject([{ preserved: ["line-3", "line-4"] }]);
    expect(messagesIn(session).map(({ message }) => message.hostId)).toEqual([
      ..."line-3 line-4 line-5 line-6.1 line-6.2 line-8".split(" "),
    ]);
    expect(session.skipped).toEqual([{ recordType: "response_item/message (again)", count: 1 }]);
    expect(session.repairs.map(({ kind, line }) => [kind, line])).toEqual([["bad-record", 6]]);
  });

  it.each([
    { trigger: "auto", why: "in the middle of a turn", before: [codexMessage("assistant", "one")] },
    { trigger: "unknown", why: "at the start of a turn", before: [] },
  ])("is $trigger $why", ({ trigger, before }) => {
    const session = importAll([
      codexMessage("user", "a"),
      codexEvent("task_started"),
      ...before,
      compacted({ message: "so far" }),
    ]);
    expect(boundariesIn(session)).toMatchObject([{ trigger }]);
  });

  it("measures the context before it by the call before, and not by an earlier compaction's", () => {
    const session = importAll([
      codexMessage("assistant", "one"),
      codexBill(100, 0, 7),
      compacted({ message: "so far" }),
      codexWindow(30),
      compacted({ message: "again" }),
    ]);
    expect(boundariesIn(session).map(({ preTokens, postTokens }) => [preTokens, postTokens])).toEqual([
      [107, 30],
      [undefined, undefined],
    ]);
  });
});
