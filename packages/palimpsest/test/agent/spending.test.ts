/** What a session and a turn cost, with everything that they cause, also after the session was opened again. */
import { functionModel } from "palimpsest";
import { describe, expect, it, vi } from "vitest";
import type { AgentSession } from "#agent/agent-session.ts";
import type { AgentTool } from "#agent/options/turn/turn-options.ts";
import { createPalimpsest } from "#host/create-palimpsest.ts";
import { internalsOf } from "#session/session.ts";
import { docsTool, setTheStage } from "#test/agent/stage.ts";
import { usageCostUsd } from "#tokens/price/usage-cost.ts";
import { type ContentBlock, sumUsage, type Usage } from "#transcript/blocks.ts";

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

describe("what agents in the background cost", () => {
  const USAGE: Usage = {
    inputTokens: 10_000,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 0,
  };
  const agentOf = (model: string, isReported = true) => {
    const content = [{ type: "text" as const, text: "A report." }];
    const answer = { messages: [{ role: "assistant" as const, content }], stopReason: "end" as const };
    const client = functionModel(() => ({ ...answer, ...(isReported ? { usage: USAGE } : {}) }), { model });
    return { description: "looks around", model: client };
  };
  const agents = {
    known: agentOf("claude-haiku-5-5"),
    unknown: agentOf("a-model-of-nobody"),
    silent: agentOf("claude-haiku-5-5", false),
  };
  const work = async ({ tasks: own }: AgentSession, agent: keyof typeof agents): Promise<void> => {
    const { id } = await own.start("local_agent", { agent, prompt: "Look around." });
    await own.wait(id);
  };
  /** A tool by which a turn has an agent work. */
  const handOver = (session: AgentSession, agent: keyof typeof agents): AgentTool => ({
    name: "hand_over",
    description: "Hands over.",
    inputSchema: { type: "object" },
    run: async () => {
      await work(session, agent);
      return "Done.";
    },
  });
  const HAND_OVER: ContentBlock = { type: "tool_use", id: "c1", name: "hand_over", input: {} };

  it("is counted, at the price of the model that they asked, also after the session was opened again", async () => {
    const { palimpsest, session, model, store } = await setTheStage({ calls: 0, tasks: { agents } });
    await session.turn("Hello");
    const before = await session.spending();
    await work(session, "known");
    const after = await session.spending();
    expect(after.tasks).toEqual({ calls: 1, unmeteredCalls: 0, usage: USAGE, costUsd: 0.001 });
    expect(after.calls).toBe(before.calls + 1);
    expect(after.costUsd).toBeCloseTo(before.costUsd! + 0.001, 10);
    await palimpsest.close();
    const again = await createPalimpsest({ model, store, notes: "off", tasks: { agents } }).open("s1");
    expect(await again.spending()).toEqual(after);
    await work(again, "known");
    expect((await again.spending()).tasks).toMatchObject({ calls: 2, costUsd: 0.002 });
  });

  it("has no price where their model has none, and takes that of no later turn away", async () => {
    let replies: (string | readonly ContentBlock[])[] = [[HAND_OVER], "Done.", [HAND_OVER], "Done."];
    const { session } = await setTheStage({ answer: () => replies.shift() ?? "Done.", tasks: { agents } });
    const first = await session.turn("Hand over.", { tools: [handOver(session, "unknown")] });
    expect(first.spent.tasks).toEqual({ calls: 1, unmeteredCalls: 0, usage: USAGE, costUsd: undefined });
    expect([first.spent.calls, first.spent.costUsd]).toEqual([3, undefined]);
    const second = await session.turn("Hand over again.", { tools: [handOver(session, "known")] });
    expect(second.spent.tasks).toEqual({ calls: 1, unmeteredCalls: 0, usage: USAGE, costUsd: 0.001 });
    expect(second.spent.costUsd).toBeCloseTo(second.spent.answers.costUsd! + 0.001, 10);
    replies = ["Fine."];
    expect((await session.turn("And now?")).spent.tasks.costUsd).toBe(0);
    expect((await session.spending()).tasks).toMatchObject({ calls: 2, costUsd: undefined });
  });

  it("says which of their calls have no usage", async () => {
    const { session } = await setTheStage({ calls: 0, tasks: { agents } });
    await work(session, "silent");
    const { tasks: own, unmeteredCalls } = await session.spending();
    expect([own.calls, own.unmeteredCalls, own.costUsd, unmeteredCalls]).toEqual([1, 1, 0, 1]);
    expect(session.tasks.get("t1").usage).toBeUndefined();
    await work(session, "known");
    expect((await session.spending()).tasks).toMatchObject({ calls: 2, unmeteredCalls: 1, costUsd: 0.001 });
  });

  it("has what a step of a workflow cost", async () => {
    const { session } = await setTheStage({ calls: 0, tasks: { agents } });
    const steps = ["known", "silent"].map((agent) => ({
      kind: "local_agent",
      input: { agent, prompt: "Look around." },
    }));
    const { id } = await session.tasks.start("local_workflow", { steps });
    await session.tasks.wait(id);
    const { tasks: own } = await session.spending();
    expect(own).toEqual({ calls: 2, unmeteredCalls: 1, usage: USAGE, costUsd: 0.001 });
  });
});

describe("calls without a reported usage", () => {
  const content = [{ type: "text" as const, text: "Fine." }];
  const unmetered = { messages: [{ role: "assistant" as const, content }], stopReason: "end" as const };

  it("are counted, so that the cost is known to be a lower bound", async () => {
    let isReported = true;
    const { palimpsest, session, model, store } = await setTheStage({
      answer: () => (isReported ? "Fine." : unmetered),
    });
    const first = await session.turn("One.");
    isReported = false;
    const second = await session.turn("Two.");
    expect([first.spent.calls, first.spent.unmeteredCalls]).toEqual([1, 0]);
    expect([second.spent.calls, second.spent.unmeteredCalls, second.spent.costUsd]).toEqual([1, 1, 0]);
    const all = await session.spending();
    expect(all.answers).toMatchObject({ calls: 2, unmeteredCalls: 1, usage: first.usage });
    expect(all.costUsd).toBe(first.spent.costUsd);
    await palimpsest.close();
    const again = await createPalimpsest({ model, store, notes: "off" }).open("s1");
    expect(await again.spending()).toEqual(all);
  });

  it("are counted for summaries and notes, too, and calls that failed are not", async () => {
    const { palimpsest, session, model, store } = await setTheStage({ calls: 0, notes: {} });
    await session.turn("Hello");
    const { emit } = internalsOf(session.session);
    const asked = {
      trigger: "auto",
      model: "claude-haiku-5-5",
      form: "cold",
      attempt: 0,
      tookMs: 1,
    } as const;
    for (const outcome of ["written", "empty", "timeout"] as const)
      emit({ type: "summary-call", ...asked, outcome });
    for (const form of ["forked", "log"] as const)
      for (const outcome of ["written", "failed"] as const)
        emit({ type: "notes-update", form, outcome, changed: [], refusedCount: 0, tookMs: 1 });
    emit({ type: "memory-extracted", by: "model", receipts: [] });
    emit({ type: "memory-extracted", by: "rules", receipts: [] });
    const { summaries, notes, memory } = await session.spending();
    expect([summaries, notes, memory].map(({ calls, unmeteredCalls }) => [calls, unmeteredCalls])).toEqual([
      [2, 2],
      [1, 1],
      [1, 1],
    ]);
    await session.append("One more, so that there is a checkpoint.");
    await palimpsest.close();
    const again = await createPalimpsest({ model, store, notes: "off" }).open("s1");
    expect((await again.spending()).summaries).toMatchObject({ calls: 2, unmeteredCalls: 2 });
  });

  it("are not those that the log has as failed", async () => {
    const { palimpsest, session, model, store } = await setTheStage({ answer: () => new Error("no") });
    await expect(session.turn("Hello")).rejects.toThrow();
    await palimpsest.close();
    const again = await createPalimpsest({ model, store, notes: "off" }).open("s1");
    expect(await again.spending()).toMatchObject({ calls: 0, unmeteredCalls: 0, costUsd: 0 });
  });
});
