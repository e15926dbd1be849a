/** What a session and a turn cost, with everything that they cause, also after the session was opened again. */
import { functionModel } from "palimpsest";
import { describe, expect, it, vi } from "vitest";
import { createPalimpsest } from "#host/create-palimpsest.ts";
import { internalsOf } from "#session/session.ts";
import { docsTool, setTheStage } from "#test/agent/stage.ts";
import { usageCostUsd } from "#tokens/price/usage-cost.ts";
import { sumUsage, type Usage } from "#transcript/blocks.ts";

const total = (usages: readonly (Usage | undefined)[]): Usage =>
  sumUsage(usages.flatMap((usage) => usage ?? []));
const tools = [docsTool(1_500)];

describe("what is spent", () => {
  it("on a turn and on the whole session is the sum of everything that a model was asked", async () => {
    const { session, events } = await setTheStage({ notes: {} });
    const first = await session.turn("Read the documents.", { tools });
    await session.notesSettled();
    const usagesOf = (type: string) =>
      events.flatMap((event) => (event.type === type && "usage" in event ? [event.usage] : []));
    const { spent } = first;
    expect(spent.answers).toMatchObject({ calls: first.iterations, usage: first.usage });
    expect(usagesOf("summary-call").length + usagesOf("notes-update").length).toBeGreaterThan(0);
    const all = await session.spending();
    expect(all.answers).toEqual(spent.answers);
    expect(all.summaries.usage).toEqual(total(usagesOf("summary-call")));
    expect(all.notes.usage).toEqual(total(usagesOf("notes-update")));
    const parts = [all.answers, all.summaries, all.notes, all.memory, all.tasks];
    expect(all.usage).toEqual(total(parts.map(({ usage }) => usage)));
    expect(all.calls).toBe(parts.reduce((sum, { calls }) => sum + calls, 0));
    expect(all.costUsd).toBeCloseTo(
      events.reduce((sum, event) => {
        const usage = "usage" in event ? event.usage : undefined;
        return usage === undefined ? sum : sum + usageCostUsd(usage, "claude-sonnet-4-5")!;
      }, 0),
      10,
    );
    const second = await session.turn("Thank you.", { tools });
    expect(second.spent.answers).toMatchObject({ calls: 1, usage: second.usage });
  });

  it("is known after the session was closed and opened again", async () => {
    const { palimpsest, session, model, store } = await setTheStage({ calls: 60 });
    await session.turn("Read the documents.", { tools });
    const before = await session.spending();
    expect(before.summaries.calls).toBeGreaterThan(0);
    await palimpsest.close();
    const again = await createPalimpsest({ model, store, notes: "off" }).open("s1");
    expect(await again.spending()).toEqual(before);
    await again.turn("And now?");
    const after = await again.spending();
    expect([after.answers.calls, after.summaries.calls]).toEqual([
      before.answers.calls + 1,
      before.summaries.calls,
    ]);
  });

  it("is read from the log once, however many turns follow", async () => {
    const { palimpsest, session, model, store } = await setTheStage({ calls: 20 });
    await session.turn("Read the documents.", { tools });
    await palimpsest.close();
    const again = await createPalimpsest({ model, store, notes: "off" }).open("s1");
    const reads = vi.spyOn(internalsOf(again.session).log, "readAll");
    const calls: number[] = [];
    for (let turn = 0; turn < 4; turn++) {
      await again.turn("And now?");
      calls.push((await again.spending()).answers.calls);
    }
    expect(calls.map((count) => count - calls[0]!)).toEqual([0, 1, 2, 3]);
    expect(reads).toHaveBeenCalledTimes(1);
  });

  it("on notes and memories has the price of the model that was asked for them", async () => {
    const small = functionModel(() => "", { model: "claude-haiku-5-5" });
    const { session } = await setTheStage({ calls: 0, lightModel: small, notes: { model: small } });
    await session.turn("Hello");
    const { emit } = internalsOf(session.session);
    const usage = { inputTokens: 1_000_000, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
    emit({ type: "memory-extracted", by: "model", receipts: [], usage });
    const update = { outcome: "unchanged", changed: [], refusedCount: 0, usage, tookMs: 1 } as const;
    emit({ type: "notes-update", form: "cold", ...update });
    const { memory, notes } = await session.spending();
    expect([memory.costUsd, notes.costUsd]).toEqual([0.5, 0.5]);
    // The conversation itself, with an instruction behind it.
    emit({ type: "notes-update", form: "forked", ...update });
    expect((await session.spending()).notes.costUsd).toBe(6.5);
  });

  it("has no price where a model has none", async () => {
    const { session } = await setTheStage({ calls: 0 });
    const { spent } = await session.turn("Hello", { model: "a-model-of-nobody" });
    expect([spent.calls, spent.costUsd]).toEqual([1, undefined]);
  });
});

describe("the price of a call", () => {
  it("is that of the catalogue, also for long prompts", () => {
    const usage = { inputTokens: 1_000_000, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
    const short = { ...usage, inputTokens: 1_000 };
    expect(usageCostUsd(short, "claude-sonnet-4-5")).toBeCloseTo(0.003, 10);
    expect(usageCostUsd(usage, "claude-haiku-5-5")).toBeCloseTo(0.5, 10);
    expect(usageCostUsd({ ...short, inputTokens: 0, outputTokens: 1_000 }, "claude-sonnet-4-5")).toBeCloseTo(
      0.015,
      10,
    );
    expect(usageCostUsd(usage, "a-model-of-nobody")).toBeUndefined();
  });
});
