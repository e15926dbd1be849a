/** Recordings whose entries refer to each other in the worst way: reading takes steps in proportion to their length. */
import { describe, expect, it } from "vitest";
import { importSessions } from "#importers/registry.ts";
import { growth, LINEAR_LIMIT } from "../../../../test/helpers/counted-steps.ts";
import { usualFew } from "../../../../test/helpers/size-of-run.ts";
import { answer, base, jsonl, user } from "./claude-code-samples.ts";
import { GEMINI_LINES, linesText, OPENCODE } from "./trajectory-samples.ts";

describe("reading a recorded session of Claude Code takes linear time", () => {
  const chain = (count: number): string =>
    jsonl(
      ...Array.from({ length: count }, (_, index) =>
        user(`u${index}`, index === 0 ? null : `u${index - 1}`, `message ${index}`),
      ),
    );
  it.each(
    usualFew(
      [
        { why: "a plain conversation", make: chain },
        {
          why: "nothing has a parent in the file",
          make: (count: number) =>
            jsonl(...Array.from({ length: count }, (_, index) => user(`u${index}`, `gone${index}`, "x"))),
        },
        {
          why: "every record has the same id",
          make: (count: number) =>
            jsonl(...Array.from({ length: count }, (_, index) => user("u", null, `x${index}`))),
        },
        {
          why: "every parent comes later",
          make: (count: number) =>
            jsonl(...Array.from({ length: count }, (_, index) => user(`u${index}`, `u${index + 1}`, "x"))),
        },
        {
          why: "attachments hang in one long chain off an abandoned branch",
          make: (count: number) =>
            jsonl(
              user("u0", null, "x"),
              ...Array.from({ length: count }, (_, index) => ({
                ...base,
                type: "attachment",
                uuid: `a${index}`,
                parentUuid: index === 0 ? "dead" : `a${index - 1}`,
                attachment: { type: "x", content: "y" },
              })),
              user("dead", "u0", "x"),
              user("u1", "u0", "x"),
            ),
        },
        {
          why: "one response of many lines",
          make: (count: number) =>
            jsonl(
              user("u0", null, "x"),
              ...Array.from({ length: count }, (_, index) => ({
                ...answer(`a${index}`, index === 0 ? "u0" : `a${index - 1}`, [
                  { type: "tool_use", id: `t${index}`, name: "f", input: {} },
                ]),
                message: {
                  id: "m",
                  role: "assistant",
                  content: [{ type: "tool_use", id: `t${index}`, name: "f", input: {} }],
                },
              })),
            ),
        },
        {
          why: "every record is a boundary",
          make: (count: number) =>
            jsonl(
              user("u0", null, "x"),
              ...Array.from({ length: count }, (_, index) => ({
                ...base,
                type: "system",
                subtype: "compact_boundary",
                uuid: `b${index}`,
                parentUuid: null,
              })),
            ),
        },
        {
          why: "one string of backslashes and quotes",
          make: (count: number) => jsonl(user("u0", null, '\\"'.repeat(count * 20))),
        },
        {
          why: "an unclosed string of backslashes",
          make: (count: number) =>
            jsonl(user("u0", null, "x"), `{"a":"${"\\".repeat(count * 40)}`, user("u1", "u0", "x")),
        },
      ],
      3,
    ),
  )("$why", ({ make }) => {
    const [small, large] = [make(200), make(1_600)];
    const read = (text: string) => () => importSessions({ name: "x", text });
    expect(growth(read(small), read(large))).toBeLessThan(LINEAR_LIMIT);
  });
});

describe("reading a recorded trajectory takes linear time", () => {
  const repeated = (count: number, make: (index: number) => unknown): readonly unknown[] =>
    Array.from({ length: count }, (_, index) => make(index));
  const message = (id: string): unknown => ({ id, type: "user", content: "hello" });

  it.each(
    usualFew(
      [
        {
          why: "gemini-cli takes back one message after the other",
          make: (count: number) => [
            ...GEMINI_LINES.slice(0, 1),
            ...repeated(count, (index) => message(`m${index}`)),
            ...repeated(count, (index) => ({ $rewindTo: `m${count - index}` })),
            message("last"),
          ],
        },
        {
          why: "gemini-cli writes one message again and again",
          make: (count: number) => [GEMINI_LINES[0], ...repeated(count, () => message("m"))],
        },
        {
          why: "gemini-cli replaces its context at every line",
          make: (count: number) => [
            GEMINI_LINES[0],
            ...repeated(count, (index) => ({ id: `i${index}`, type: "info", content: "x" })),
            ...repeated(count, (index) => message(`m${index}`)),
            ...repeated(count, (index) => ({ $set: { [`k${index}`]: 1, messages: [{ id: `m${index}` }] } })),
          ],
        },
        {
          why: "a context of gemini-cli names one large message again and again",
          make: (count: number) => [
            GEMINI_LINES[0],
            {
              id: "m",
              type: "gemini",
              content: "x",
              toolCalls: repeated(count, (index) => ({ id: `c${index}`, name: "f", args: {}, result: "x" })),
            },
            ...repeated(count, (index) => ({
              $set: { messages: [{ id: "m", toolCalls: [{ id: `c${index}`, result: "y" }] }] },
            })),
          ],
        },
        {
          why: "calls of gemini-cli have no ids",
          make: (count: number) => [
            GEMINI_LINES[0],
            ...repeated(count, (index) => ({
              id: `m${index}`,
              type: "gemini",
              content: [{ functionCall: { name: "f", args: {} } }],
            })),
          ],
        },
        {
          why: "one message of opencode has many steps",
          make: (count: number) => [
            {
              ...OPENCODE,
              messages: [
                OPENCODE.messages[0],
                {
                  info: { id: "m", role: "assistant", time: { created: 1 } },
                  parts: repeated(count, (index) => ({
                    id: `prt_${(count - index).toString(16).padStart(12, "0")}`,
                    ...(index % 2 === 0 ? { type: "text", text: "x" } : { type: "step-start" }),
                  })),
                },
              ],
            },
          ],
        },
        {
          why: "opencode compacts and clears at every message",
          make: (count: number) => [
            {
              info: {},
              messages: repeated(count, (index) => ({
                info: { id: `m${index}`, role: "user", time: { created: index } },
                parts: [
                  { type: "compaction", auto: true },
                  { type: "tool", callID: `c${index}`, state: { time: { compacted: count - index } } },
                  { type: "text", text: "x" },
                ],
              })),
            },
          ],
        },
        {
          why: "OpenHands condenses at every event, one event at a time",
          make: (count: number) => [
            ...repeated(count, (id) => ({ id, source: "user", action: "message", args: { content: "x" } })),
            ...repeated(count, (index) => ({
              source: "agent",
              action: "condensation",
              args: { forgotten_event_ids: [count - index], summary: "x" },
            })),
          ],
        },
        {
          why: "every event of OpenHands repeats one response of many calls",
          make: (count: number) =>
            repeated(count, (id) => ({
              id,
              source: "agent",
              action: "run",
              args: {},
              tool_call_metadata: { tool_call_id: `t${id}`, model_response: { id: "r", choices: [] } },
            })),
        },
      ],
      3,
    ),
  )("$why", ({ make }) => {
    const [small, large] = [linesText(make(200)), linesText(make(1_600))];
    const read = (text: string) => () => importSessions({ name: "x", text });
    expect(growth(read(small), read(large))).toBeLessThan(LINEAR_LIMIT);
  });
});
