/**
 * Whatever is in a recorded session or trajectory in the place of a value: what is read of it fits its types
 * and makes requests that no provider refuses, and no message has the id of another.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PalimpsestError } from "#base/errors.ts";
import type { ImportedSession } from "#importers/registry.ts";
import { importSessions } from "#importers/registry.ts";
import { AGENT_FILES } from "../../../../test/helpers/agent-samples.ts";
import { expectSendable } from "../../../../test/helpers/sendable.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";
import { linesText, TRAJECTORY_FILES } from "./trajectory-samples.ts";

const RUNS = bySize({ usual: 10, long: 40, soak: 3_000 });

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
