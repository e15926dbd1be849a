/** A disabled layer never acts by itself; by hand it can still be requested. */
import { describe, expect, it } from "vitest";
import type { SwitchedLayer } from "#session/options/session-options.ts";
import { setTheStage, wordsOf } from "#test/agent/stage.ts";

describe("with the policy `off`", () => {
  it("a full window is refused, compacted by hand, and goes on", async () => {
    const { session, eventNames } = await setTheStage({
      answer: () => wordsOf(1_500),
      window: { policy: "off" },
    });
    let refused: unknown;
    for (let turn = 0; refused === undefined && turn < 40; turn++)
      await session.turn(`Question ${turn}.`).catch((error: unknown) => {
        refused = error;
      });
    expect(refused).toMatchObject({
      code: "WINDOW_TOO_SMALL",
      hint: "Compact by hand, use another policy, or use a model with a larger window.",
    });
    expect(eventNames()).toEqual([]);
    const { edits, writtenBy } = await session.compact();
    expect(edits.map(({ edit }) => edit.kind)).toEqual(["full"]);
    expect(writtenBy).toBe("claude-sonnet-4-5");
    expect((await session.turn("And now?")).endedBy).toBe("done");
  });

  it("what the provider refuses is not compacted by itself", async () => {
    const tooLong = Object.assign(new Error("prompt is too long: 40000 tokens > 32000 maximum"), {
      status: 400,
    });
    const { session, eventNames } = await setTheStage({
      answer: (_, index) => (index === 8 ? tooLong : wordsOf(600)),
      window: { policy: "off" },
    });
    for (let turn = 0; turn < 8; turn++) await session.turn(`Question ${turn}.`);
    await session.turn("And now?").catch(() => undefined);
    expect(eventNames().filter((name) => name.startsWith("full") || name.startsWith("extractive"))).toEqual(
      [],
    );
  });
});

describe("with `compact: false`", () => {
  it.each([
    "balanced",
    "off",
  ] as const)("a full window under `%s` is refused without the advice to compact by hand", async (policy) => {
    const { session } = await setTheStage({
      answer: () => wordsOf(1_500),
      window: { policy, compact: false },
    });
    let refused: unknown;
    for (let turn = 0; refused === undefined && turn < 40; turn++)
      await session.turn(`Question ${turn}.`).catch((error: unknown) => {
        refused = error;
      });
    expect(refused).toMatchObject({
      code: "WINDOW_TOO_SMALL",
      message: expect.stringContaining("and compaction is switched off"),
      hint: "Switch `compact` on (without `PALIMPSEST_DISABLE_COMPACT` in the environment), or use a model with a larger window.",
    });
    await expect(session.compact()).rejects.toMatchObject({ code: "COMPACTION_REFUSED" });
  });
});

describe("a compaction by hand", () => {
  it.each<{ disabledLayers: readonly SwitchedLayer[]; kind: string }>([
    { disabledLayers: ["full"], kind: "extractive" },
    { disabledLayers: ["extractive"], kind: "full" },
    { disabledLayers: ["full", "extractive"], kind: "extractive" },
    {
      disabledLayers: ["full", "extractive", "session-memory", "collapse", "microcompact"],
      kind: "extractive",
    },
  ])("is $kind with $disabledLayers switched off", async ({ disabledLayers, kind }) => {
    const { session } = await setTheStage({ answer: () => wordsOf(600), window: { disabledLayers } });
    for (let turn = 0; turn < 8; turn++) await session.turn(`Question ${turn}.`);
    const { edits, freedTokens } = await session.compact();
    expect(edits.map(({ edit }) => edit.kind)).toEqual([kind]);
    expect(freedTokens).toBeGreaterThan(3_000);
  });
});
