/**
 * Strict sessions whose context the provider edits, over HTTP with the vendors' SDKs: the edits that are asked for and
 * recorded, and our figures beside the provider's.
 */
import { describe, expect, it } from "vitest";
import { forkSession } from "#session/lifecycle/fork-session.ts";
import type { WindowOptions } from "#session/options/session-options.ts";
import { internalsOf } from "#session/session.ts";
import { docsTool } from "../stage.ts";
import { answersOf, expectExact, failuresOf, layersOf, PORTS, SIZES, stage } from "./provider-stage.ts";

describe("clearing at Anthropic", () => {
  it("is asked for in one piece, and stays where it is until more pays", async () => {
    const staged = await stage("anthropic", { clear: true });
    const session = await staged.open("one");
    await staged.work(session, 40);
    expectExact(staged, 0.2);
    const cleared = answersOf(staged).map(({ appliedEdits }) =>
      Number(Reflect.get(appliedEdits.at(-1) ?? {}, "cleared_tool_uses") ?? 0),
    );
    // The cached prefix holds between two of them.
    expect([...new Set(cleared)]).toEqual([0, 5, 10, 15, 19, 23, 27, 31]);
    expect(layersOf(staged)).toEqual(Array.from({ length: 7 }, () => "provider-clear cleared"));
    const hits = answersOf(staged).filter(({ cache, promptTokens }) => cache.readTokens > promptTokens / 2);
    expect(hits.length).toBeGreaterThan(30);

    // The log and the messages are whole.
    const { requests } = staged.provider;
    expect(JSON.stringify(requests.at(-1)?.body)).toContain('{\\"name\\":\\"file-1\\"}');
    expect(session.context().providerClearedTokens).toBeGreaterThan(30_000);
    expect(session.context().usedTokens).toBeLessThan(15_000);
    const call = staged.events.findLast((event) => event.type === "call")!;
    const log = await internalsOf(session.session).reader.findEntry(call.seq);
    expect(log).toMatchObject({
      serverEdits: { clearResults: { clearedCount: 31, keptCount: 9 }, clearThinking: { keptTurns: 9 } },
    });
  });

  it("goes on after the session was opened again, forked, and rewound", async () => {
    const staged = await stage("anthropic", { clear: true });
    const first = await staged.open("one");
    await staged.work(first, 20);
    const clearedAt = internalsOf(first.session).tracker.cleared!.throughSeq;
    const beforeClear = staged.events.find((event) => event.type === "layer")!.seq - 4;
    await first.close();

    const again = await staged.open("one");
    expect(internalsOf(again.session).tracker.cleared?.throughSeq).toBe(clearedAt);
    await staged.work(again, 3);
    expect(staged.provider.requests.at(-1)?.appliedEdits).toHaveLength(2);
    expectExact(staged, 0.15);

    const fork = await forkSession("one", { ...PORTS, store: staged.store, sessionId: "two" });
    await fork.close();
    const forked = await staged.open("two");
    expect(internalsOf(forked.session).tracker.cleared?.throughSeq).toBe(
      internalsOf(again.session).tracker.cleared?.throughSeq,
    );
    await staged.work(forked, 2);
    expectExact(staged, 0.15);
    await forked.close();

    // Behind the first clearing nothing was cleared yet.
    await again.rewind(beforeClear);
    expect(
      internalsOf(again.session).tracker.recorded(internalsOf(again.session).writer.projection),
    ).toBeUndefined();
    await staged.work(again, 1);
    expectExact(staged, 0.15);
    await again.close();
  });

  it.each([
    { providerEdits: { clear: false }, window: {}, why: "it is off" },
    { providerEdits: { clear: true }, window: { editSafety: "permissive" }, why: "history may be rewritten" },
    {
      providerEdits: { clear: true },
      window: { disabledLayers: ["provider-side"] },
      why: "the layer is off",
    },
  ] as const)("is not asked for where $why", async ({ providerEdits, window }) => {
    const staged = await stage("anthropic", providerEdits);
    const session = await staged.open("one", window as WindowOptions);
    await staged.work(session, 16);
    expect(answersOf(staged).every(({ body }) => !Reflect.has(body as object, "context_management"))).toBe(
      true,
    );
  });

  it("is given up where the endpoint refuses it", async () => {
    const staged = await stage("anthropic", { clear: true }, true);
    const session = await staged.open("one");
    await staged.work(session, 16);
    const statuses = answersOf(staged).map(({ status }) => status);
    expect(statuses.filter((status) => status === 400)).toHaveLength(1);
    expect(layersOf(staged)).toEqual(["extractive threshold"]);
    expect(failuresOf(staged)).toEqual(["provider-side 1"]);
  });

  it("is asked for three times in the life of a session that is refused it, and again after a compaction by hand", async () => {
    const staged = await stage("anthropic", { clear: true }, true);
    const refusals = (): number => answersOf(staged).filter(({ status }) => status === 400).length;
    let session = await staged.open("one");
    for (let opening = 0; opening < 5; opening++) {
      await staged.work(session, 16);
      await session.close();
      session = await staged.open("one");
    }
    expect(failuresOf(staged)).toEqual(["provider-side 1", "provider-side 2", "provider-side 3"]);
    expect(refusals()).toBe(3);
    await session.compact();
    await staged.work(session, 16);
    expect(refusals()).toBe(4);
  });

  it("is recorded and counted where the host's own request asks for it", async () => {
    const staged = await stage("anthropic", {});
    const session = await staged.open("one", { editSafety: "strict" });
    await staged.work(session, 8);
    const tools = [{ ...docsTool(SIZES.clear.resultTokens), name: "Read" }];
    const clear = {
      type: "clear_tool_uses_20250919",
      trigger: { type: "tool_uses", value: 1 },
      keep: { type: "tool_uses", value: 3 },
    };
    const managed = {
      parameters: { context_management: { edits: [clear] } },
      betas: ["context-management-2025-06-27"],
    };
    for (const text of ["Go on.", "And on."]) await session.turn(text, { tools, ...managed });
    expect(layersOf(staged)).toEqual(["provider-clear cleared"]);

    expect(session.context().usedTokens).toBeLessThan(5_000);
    await session.turn("Without it.", { tools });
    expect(staged.provider.violations).toEqual([]);
    expect(session.context().usedTokens).toBeGreaterThan(9_000);
  });

  it("leaves out thinking where a request has it switched off", async () => {
    const staged = await stage("anthropic", { clear: true });
    const session = await staged.open("one");
    await staged.work(session, 16);
    expect(JSON.stringify(staged.provider.requests.at(-1)?.body)).toContain("clear_thinking");
    const tools = [{ ...docsTool(SIZES.clear.resultTokens), name: "Read" }];
    await session.turn("And now without it.", { tools, parameters: { thinking: { type: "disabled" } } });
    const last = JSON.stringify(staged.provider.requests.at(-1)?.body);
    expect(last).toContain("clear_tool_uses");
    expect(last).not.toContain("clear_thinking");
    expect(staged.provider.violations).toEqual([]);
    expect(staged.events.filter(({ type }) => type === "model-failed")).toEqual([]);
  });
});
