/** Recordings of Codex and Copilot whose events refer to each other in the worst way: reading takes linear time. */
import { importSessions } from "palimpsest/formats";
import { describe, expect, it } from "vitest";
import {
  CODEX_META,
  codexBill,
  codexEvent,
  codexLines,
  codexMessage,
  codexText,
  copilotLines,
  jsonl,
} from "../../../../test/helpers/agent-samples.ts";
import { growth, LINEAR_LIMIT } from "../../../../test/helpers/counted-steps.ts";

type Fields = Readonly<Record<string, unknown>>;

describe("reading takes linear time", () => {
  const repeated = <T>(times: number, make: (index: number) => T): readonly T[] =>
    Array.from({ length: times }, (_, index) => make(index));
  const codex = (records: Parameters<typeof codexLines>[0]): string =>
    jsonl(codexLines([CODEX_META, ...records]));
  const compacted = (...history: readonly Fields[]) =>
    ["compacted", { message: "", replacement_history: history }] as const;

  it.each([
    {
      why: "every message of Codex says the same, and every one stays",
      make: (times: number) =>
        codex([
          ...repeated(times, () => codexMessage("user", "go on")),
          compacted(...repeated(times, () => codexText("user", "go on"))),
        ]),
    },
    {
      why: "Codex compacts after every message",
      make: (times: number) =>
        codex(
          repeated(
            times,
            (index) => [codexMessage("user", `${index}`), compacted(codexText("user", "0"))] as const,
          ).flat(),
        ),
    },
    {
      why: "Codex writes one instruction after a compaction again and again",
      make: (times: number) =>
        codex([
          codexMessage("user", "<skill>x</skill>"),
          compacted(),
          ...repeated(times, () => codexMessage("user", "<skill>x</skill>")),
          codexMessage("user", "x"),
        ]),
    },
    {
      why: "Codex finds many messages that were cut",
      make: (times: number) =>
        codex([
          ...repeated(times, () => codexMessage("user", "abc")),
          compacted(...repeated(times, () => codexText("user", "a…1 tokens truncated…c"))),
        ]),
    },
    {
      why: "turns of Codex are taken back one by one",
      make: (times: number) =>
        codex([
          ...repeated(times, (index) => codexMessage("user", `${index}`)),
          ...repeated(times - 1, () => codexEvent("thread_rolled_back", { num_turns: 1 })),
        ]),
    },
    {
      why: "all turns of Codex are taken back again and again",
      make: (times: number) =>
        codex(
          repeated(times, () => [
            codexMessage("user", "go on"),
            codexEvent("thread_rolled_back", { num_turns: times }),
          ])
            .flat()
            .concat([codexMessage("user", "x")]),
        ),
    },
    {
      why: "a response of Codex has many items and counts",
      make: (times: number) =>
        codex(repeated(times, (index) => [codexMessage("assistant", "x"), codexBill(index, 0, 1)]).flat()),
    },
    {
      why: "a response of Copilot has many chunks, and events hang on what comes later",
      make: (times: number) =>
        jsonl(
          copilotLines(
            repeated(times, (index) => [
              "assistant.message",
              { content: "x", apiCallId: "r" },
              { parentId: `e${index + 1}` },
            ]),
          ),
        ),
    },
    {
      why: "all events of Copilot have one id",
      make: (times: number) =>
        jsonl(
          copilotLines(
            repeated(times, (index) => ["user.message", { content: `${index}` }, { id: "e", parentId: "e" }]),
          ),
        ),
    },
  ])("$why", ({ make }) => {
    const [small, large] = [make(200), make(1_600)];
    const read = (text: string) => () => importSessions({ name: "x", text });
    expect(growth(read(small), read(large))).toBeLessThan(LINEAR_LIMIT);
  });
});
