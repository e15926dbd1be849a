/**
 * Whatever is in a recorded session or trajectory in the place of a value: what is read of it fits its types
 * and makes requests that no provider refuses, no message has the id of another, and time is linear.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PalimpsestError } from "#base/errors.ts";
import type { ImportedSession } from "#importers/registry.ts";
import { importSessions } from "#importers/registry.ts";
import { AGENT_FILES } from "../../../../test/helpers/agent-samples.ts";
import { growth } from "../../../../test/helpers/growth.ts";
import { expectSendable } from "../../../../test/helpers/sendable.ts";
import { bySize, usualFew } from "../../../../test/helpers/size-of-run.ts";
import { GEMINI_LINES, linesText, OPENCODE, TRAJECTORY_FILES } from "./trajectory-samples.ts";

const RUNS = bySize({ usual: 10, long: 100, soak: 3_000 });

type Path = readonly (string | number)[];

/** Values that replace other values, ids of other things among them. */
const odd = fc.constantFrom<unknown>(
  ...[null, 5, -1e308, "", " ", "x", true, [], {}, [null], [[]], [{ type: "text" }], [{ type: 7 }]],
  ...[
    { type: "tool_use", id: "t1", name: "f", input: {} },
    { text: 5 },
    { data: "!", mimeType: "image/png" },
  ],
  ...[
    "t1",
    "call_1",
    "c1",
    "msg_1",
    "g1",
    "e1",
    "user",
    "assistant",
    "gemini",
    "half \ud83d",
    "/x",
    "data:,",
  ],
);

function sessionsOf(text: string): readonly ImportedSession[] {
  try {
    return importSessions({ name: "any", text }).sessions;
  } catch (error) {
    expect(error).toBeInstanceOf(PalimpsestError);
    expect(error).toMatchObject({ code: expect.stringMatching(/^(NO_MESSAGES|FORMAT_UNKNOWN)$/) });
    return [];
  }
}

describe.each([...AGENT_FILES, ...TRAJECTORY_FILES])("a damaged $format file ($what)", ({
  text,
  isDocument,
}) => {
  const whole = isDocument
    ? [JSON.parse(text) as unknown]
    : text.split("\n").map((line) => JSON.parse(line) as unknown);
  const paths = pathsIn(whole);

  it("gives messages that can be sent, each under an id of its own", async () => {
    const damage = fc.array(fc.tuple(fc.constantFrom(...paths), odd), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(damage, async (places) => {
        const damaged = places.reduce<unknown>(
          (value, [path, other]) => withValue(value, path, other),
          whole,
        );
        for (const { items } of sessionsOf(linesText(damaged as readonly unknown[]))) {
          await expectSendable(items);
          const ids = items.flatMap((item) => (item.type === "message" ? [item.message.hostId] : []));
          const named = ids.filter((id) => id !== undefined);
          expect(new Set(named).size).toBe(named.length);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it("keeps what stands in records that were doubled, dropped or moved", async () => {
    const order = fc.array(fc.nat(Math.max(0, whole.length - 1)), {
      minLength: 1,
      maxLength: 2 * whole.length,
    });
    await fc.assert(
      fc.asyncProperty(order, async (indexes) => {
        for (const { items } of sessionsOf(linesText(indexes.map((index) => whole[index]))))
          await expectSendable(items);
      }),
      { numRuns: isDocument ? 5 : RUNS },
    );
  });
});

describe("reading takes linear time", () => {
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
      5,
    ),
  )("$why", ({ make }) => {
    const [small, large] = [linesText(make(1_000)), linesText(make(16_000))];
    const read = (text: string) => () => importSessions({ name: "x", text });
    // 16 times the input; quadratic work would take 256 times as long.
    expect(growth(read(small), read(large), { enough: 80, leastMs: 1 })).toBeLessThan(80);
  });
});

function pathsIn(value: unknown, at: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [at];
  const children = Object.entries(value).flatMap(([key, item]) =>
    pathsIn(item, [...at, Array.isArray(value) ? Number(key) : key]),
  );
  return at.length === 0 ? children : [at, ...children];
}

/** The value with another at a path; what is not there any longer stays away. */
function withValue(target: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  if (typeof target !== "object" || target === null) return target;
  const copy = (Array.isArray(target) ? [...target] : { ...target }) as Record<string | number, unknown>;
  copy[key] = withValue(copy[key], rest, value);
  return copy;
}
