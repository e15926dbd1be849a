/** `autoCompact: false` and `compact: false`: a full window is refused with a typed error, and a person may or may not compact it. */
import { describe, expect, it } from "vitest";
import type { AgentSession } from "#agent/agent-session.ts";
import { PalimpsestError } from "#base/errors.ts";
import { setTheStage, wordsOf } from "#test/agent/stage.ts";

/** Turns until one is refused. */
async function fill(session: AgentSession): Promise<unknown> {
  for (let turn = 0; turn < 60; turn++) {
    const refused = await session.turn(`Question ${turn}.`).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refused !== undefined) return refused;
  }
  return undefined;
}

const COMPACTIONS = /^(?:full|extractive|session-memory|collapse|peel|summary-call)/;

describe("with `autoCompact: false`", () => {
  it.each([
    { policy: "balanced" },
    { policy: "economy" },
    { policy: "faithful" },
    { policy: "classic" },
  ] as const)("nothing is summarised by itself under $policy; a full window is refused, compacted by hand, and goes on", async ({
    policy,
  }) => {
    const { session, eventNames, model } = await setTheStage({
      answer: () => wordsOf(1_500),
      window: { policy, autoCompact: false },
    });
    const refused = await fill(session);
    expect(refused).toBeInstanceOf(PalimpsestError);
    expect(refused).toMatchObject({
      code: "WINDOW_TOO_SMALL",
      hint: expect.stringMatching(/^Compact by hand with `compact\(\)`.*PALIMPSEST_DISABLE_AUTO_COMPACT/s),
    });
    expect(eventNames().filter((name) => COMPACTIONS.test(name))).toEqual([]);
    const { edits } = await session.compact();
    expect(edits.map(({ edit }) => edit.kind)).toEqual(["full"]);
    expect((await session.turn("And now?")).endedBy).toBe("done");
    expect(model.requests.length).toBeGreaterThan(5);
  });

  it("old results still become smaller", async () => {
    const { session, eventNames } = await setTheStage({
      window: { autoCompact: false, disabledLayers: [], clearableTools: ["mcp__docs__get"] },
      calls: 30,
    });
    const docs = { name: "mcp__docs__get", description: "Reads.", inputSchema: { type: "object" as const } };
    await session
      .turn("Read the documents.", { tools: [{ ...docs, run: () => wordsOf(1_200) }] })
      .catch(() => undefined);
    expect(eventNames().some((name) => /^(?:offload|microcompact) /.test(name))).toBe(true);
    expect(eventNames().filter((name) => COMPACTIONS.test(name))).toEqual([]);
  });

  it("what the provider refuses as too long is not compacted by itself", async () => {
    const tooLong = Object.assign(new Error("prompt is too long: 40000 tokens > 32000 maximum"), {
      status: 400,
    });
    const { session, eventNames } = await setTheStage({
      answer: (_, index) => (index >= 8 ? tooLong : wordsOf(600)),
      window: { autoCompact: false },
    });
    for (let turn = 0; turn < 8; turn++) await session.turn(`Question ${turn}.`);
    const refused = await session.turn("And now?").then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(PalimpsestError);
    expect((refused as PalimpsestError).code).toMatch(/^(?:PROMPT_TOO_LONG|WINDOW_TOO_SMALL)$/);
    expect(eventNames().filter((name) => COMPACTIONS.test(name))).toEqual([]);
  });
});

it("with `compact: false` a compaction by hand is refused as well", async () => {
  const { session, eventNames } = await setTheStage({
    answer: () => wordsOf(1_500),
    window: { compact: false },
  });
  expect(await fill(session)).toMatchObject({ code: "WINDOW_TOO_SMALL" });
  await expect(session.compact()).rejects.toMatchObject({
    code: "COMPACTION_REFUSED",
    message: "Compaction is switched off, also by hand.",
  });
  expect(eventNames().filter((name) => COMPACTIONS.test(name))).toEqual([]);
});
