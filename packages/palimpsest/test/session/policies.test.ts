/** Effects of a policy on a live session: when the price alone rewrites its window, and when it must not. */

import type { FakeClock } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import type { WindowOptions } from "#session/options/session-options.ts";
import type { Session } from "#session/session.ts";
import { aSession } from "#test/helpers/sessions.ts";
import type { Message } from "#transcript/blocks.ts";
import type { LayerEdit } from "#transcript/edits.ts";

const MODEL = "claude-sonnet-4-5";
let calls = 0;

/** About a token for every four characters, and no two lines alike. */
function words(tokens: number): string {
  let text = "";
  for (let line = 0; text.length < tokens * 3; line++) text += `row ${calls}_${line} of ledger_${line * 7}\n`;
  return text;
}

function result(id: string, tokens: number): Message {
  return { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: words(tokens) }] };
}

async function begin(session: Session): Promise<void> {
  await session.append({ role: "user", content: [{ type: "text", text: "Read the ledgers." }] });
}

/** One call: the edits before it, and a tool call whose result has `tokens`. */
async function work(
  session: Session,
  { tokens = 1_000, tool = "Read", model = MODEL } = {},
): Promise<readonly LayerEdit[]> {
  const id = `call_${++calls}`;
  const { edits } = await session.prepare({ model });
  await session.record({
    messages: [
      {
        role: "assistant",
        responseId: `msg_${calls}`,
        content: [{ type: "tool_use", id, name: tool, input: { file_path: `/ledger-${calls}.txt` } }],
      },
    ],
  });
  await session.append(result(id, tokens));
  return edits.map(({ edit }) => edit);
}

async function run(
  window: WindowOptions,
  count: number,
  step: object = {},
): Promise<readonly (readonly LayerEdit[])[]> {
  const { session } = await aSession(window);
  await begin(session);
  const all: (readonly LayerEdit[])[] = [];
  for (let index = 0; index < count; index++) all.push(await work(session, step));
  return all;
}

/** Numbers of the calls before which a summary was made, from 1. */
const summariesIn = (all: readonly (readonly LayerEdit[])[], reason?: string): readonly number[] =>
  all.flatMap((edits, index) =>
    edits.some((edit) => edit.isBoundary === true && (reason === undefined || edit.reason === reason))
      ? [index + 1]
      : [],
  );

describe("a policy", () => {
  it.each([
    { policy: "economy", isEarly: true },
    { policy: "balanced", isEarly: true },
    { policy: undefined, isEarly: true },
    { policy: "faithful", isEarly: false },
    { policy: "off", isEarly: false },
  ] as const)("$policy rewrites for the price's sake: $isEarly", async ({ policy, isEarly }) => {
    // The default waits until most of the window is in use; where results may be cleared, that comes before.
    const all = await run({ editSafety: "strict", ...(policy && { policy }) }, policy === "off" ? 90 : 165);
    expect(summariesIn(all, "rent").length > 0).toBe(isEarly);
    if (policy === "off") expect(all.flat()).toEqual([]);
  });

  it("that is cheaper summarises earlier", async () => {
    const [first] = summariesIn(await run({ policy: "economy", editSafety: "strict" }, 60));
    const [later] = summariesIn(await run({ policy: "balanced", editSafety: "strict" }, 165));
    expect(first).toBeLessThan(later!);
  });

  it("off refuses what does not fit, and says why", async () => {
    await expect(
      run({ policy: "off", windowTokens: 16_000, disabledLayers: ["arrival"] }, 30),
    ).rejects.toThrow(/policy `off` takes nothing out/);
  });

  it("never shortens for the price's sake what no model has seen", async () => {
    const { session } = await aSession({ policy: "economy" });
    await begin(session);
    for (let index = 0; index < 14; index++) await work(session, { tokens: 1_600 });
    // Due by now; but the newest result is large and was not sent yet.
    await session.append({ role: "user", content: [{ type: "text", text: words(5_000) }] });
    const { edits, messages } = await session.prepare({ model: MODEL });
    expect(edits.filter(({ edit }) => edit.isBoundary === true)).toEqual([]);
    expect(JSON.stringify(messages.at(-1))).not.toContain("left out here");
  });

  it.each([
    { why: "reading costs as much as writing", tariff: { read: 1, write: 1 } },
    { why: "every call is cold", tariff: { cacheLifetimeMs: 0 } },
    { why: "the cache halves the price", tariff: "openai-50" as const },
  ])("does not summarise more often than every eighth call where $why", async ({ tariff }) => {
    const summaries = summariesIn(await run({ policy: "economy", tariff }, 60, { tokens: 2_500 }), "rent");
    expect(summaries.length).toBeGreaterThan(1);
    for (let index = 1; index < summaries.length; index++)
      expect(summaries[index]! - summaries[index - 1]!).toBeGreaterThanOrEqual(8);
  });

  it("goes on with the rent after reopening", async () => {
    const through = summariesIn(await run({ policy: "economy" }, 45));
    const { session, reopen } = await aSession({ policy: "economy" });
    await begin(session);
    let open = session;
    const all: (readonly LayerEdit[])[] = [];
    for (let index = 0; index < 45; index++) {
      if (index % 3 === 2) {
        await open.close();
        open = await reopen();
      }
      all.push(await work(open));
    }
    // The calls before are known by their number, not one by one: it may be a little later.
    expect(summariesIn(all, "rent").length).toBeGreaterThanOrEqual(through.length / 2);
  });

  it("goes on with the rent when models alternate", async () => {
    const { session } = await aSession({ policy: "economy" });
    await begin(session);
    const all: (readonly LayerEdit[])[] = [];
    for (let index = 0; index < 45; index++)
      all.push(await work(session, { model: index % 2 === 0 ? MODEL : "claude-opus-4-5" }));
    expect(summariesIn(all, "rent").length).toBeGreaterThan(1);
  });

  it("pays once for a call that is prepared again", async () => {
    const { session } = await aSession({ policy: "economy" });
    await begin(session);
    for (let index = 0; index < 7; index++) await work(session, { tokens: 2_000 });
    for (let again = 0; again < 60; again++)
      expect((await session.prepare({ model: MODEL })).edits).toEqual([]);
  });

  it("charges what is left after a rewind for its own part only", async () => {
    const window = { policy: "economy", editSafety: "strict" } as const;
    const { session } = await aSession(window);
    await begin(session);
    const [first] = summariesIn(await run(window, 60), "rent");
    expect(first).toBeGreaterThan(10);
    const start = session.visible[0]!.seq;
    for (let index = 0; index < first! - 2; index++) await work(session);
    await session.rewind(start);
    const all: (readonly LayerEdit[])[] = [];
    for (let index = 0; index < first! - 4; index++) all.push(await work(session));
    expect(summariesIn(all)).toEqual([]);
  });
});

describe("a cold cache", () => {
  it("is known after reopening: what may be cleared goes at once, and the edit says what it took", async () => {
    const { session, options, reopen } = await aSession({
      policy: "economy",
      limits: { summaryMultiple: 8 },
    });
    await begin(session);
    for (let index = 0; index < 12; index++) await work(session, { tokens: 3_000 });
    await session.close();
    (options.clock as FakeClock).advance(3 * 86_400_000);
    const reopened = await reopen();
    const edits = await work(reopened);
    expect(edits).toHaveLength(1);
    expect(["cache-cold", "rent"]).toContain(edits[0]!.reason);
    expect(edits[0]!.loss!.messages).toBeGreaterThan(0);
  });
});

describe("under `faithful`", () => {
  const days = 3 * 86_400_000;

  it.each([
    { why: "the cache is cold", advanceMs: days, window: {}, cleared: true },
    { why: "the cache is warm", advanceMs: 1_000, window: {}, cleared: false },
    {
      why: "the gap is longer",
      advanceMs: 3_600_000,
      window: { limits: { coldGapMs: days } },
      cleared: false,
    },
    {
      why: "the gap is shorter",
      advanceMs: 60_001,
      window: { limits: { coldGapMs: 60_000 } },
      cleared: true,
    },
    { why: "the session is strict", advanceMs: days, window: { editSafety: "strict" }, cleared: false },
  ] as const)("old results are cleared where $why: $cleared", async ({ advanceMs, window, cleared }) => {
    const { session, options } = await aSession({
      policy: "faithful",
      disabledLayers: ["offload"],
      ...window,
    });
    await begin(session);
    for (let index = 0; index < 20; index++) expect(await work(session, { tokens: 3_000 })).toEqual([]);
    (options.clock as FakeClock).advance(advanceMs);
    const edits = await work(session);
    expect(edits.map(({ kind, reason }) => `${kind} ${reason}`)).toEqual(
      cleared ? ["microcompact cache-cold"] : [],
    );
  });
});

describe("a cold cache under each policy", () => {
  const cold = "microcompact cache-cold";

  it.each([
    { policy: "economy", editSafety: "permissive", edits: [cold] },
    { policy: "balanced", editSafety: "permissive", edits: [] },
    { policy: undefined, editSafety: "permissive", edits: [] },
    { policy: "faithful", editSafety: "permissive", edits: [cold] },
    { policy: "classic", editSafety: "permissive", edits: [cold] },
    { policy: "off", editSafety: "permissive", edits: [] },
    // What was sent to a strict model only changes all at once.
    { policy: "economy", editSafety: "strict", edits: [] },
    { policy: "balanced", editSafety: "strict", edits: [] },
    { policy: "faithful", editSafety: "strict", edits: [] },
    { policy: "classic", editSafety: "strict", edits: [] },
  ] as const)("$policy, $editSafety: $edits", async ({ policy, editSafety, edits }) => {
    const { session, options } = await aSession({
      ...(policy && { policy }),
      editSafety,
      // Early summaries of `economy` are another matter.
      limits: { summaryMultiple: 1_000 },
      disabledLayers: ["offload"],
    });
    await begin(session);
    for (let index = 0; index < 12; index++) expect(await work(session, { tokens: 3_000 })).toEqual([]);
    (options.clock as FakeClock).advance(2 * 3_600_000);
    const made = await work(session);
    expect(made.map(({ kind, reason }) => `${kind} ${reason}`)).toEqual(edits);
  });

  it("stays as it is under `balanced` whatever the gap, up to the gates", async () => {
    const { session, options } = await aSession({
      policy: "balanced",
      windowTokens: 64_000,
      limits: { coldGapMs: 1_000 },
      disabledLayers: ["offload"],
    });
    await begin(session);
    let made: readonly LayerEdit[] = [];
    let before = 0;
    for (let index = 0; index < 40 && made.length === 0; index++) {
      before = session.tokens.padded;
      (options.clock as FakeClock).advance(3_600_000);
      made = await work(session, { tokens: 1_500 });
    }
    expect(made.map(({ reason }) => reason)).not.toContain("cache-cold");
    // Four fifths of what is left of the window behind the room for a summary.
    expect(before).toBeGreaterThan(0.75 * 0.8 * 64_000);
  });
});

describe("switches of a window", () => {
  it.each([
    { window: { policy: "cheap" }, why: "a policy that there is not" },
    { window: { policy: "constructor" }, why: "a name that objects have" },
    { window: { editSafety: "loose" }, why: "a class that there is not" },
    { window: { disabledLayers: ["everything"] }, why: "a layer that there is not" },
    { window: { keptTools: "Read" }, why: "a name where a list belongs" },
    { window: { clearableTools: [1] }, why: "names that are none" },
  ])("refuse $why", async ({ window }) => {
    await expect(aSession(window as WindowOptions)).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });

  it("let the host say which tools can be run again", async () => {
    const window = { policy: "faithful", windowTokens: 32_000, disabledLayers: ["offload"] } as const;
    const kindsOf = async (more: WindowOptions): Promise<ReadonlySet<string>> =>
      new Set(
        (await run({ ...window, ...more }, 40, { tool: "mcp__db__rows" })).flat().map(({ kind }) => kind),
      );
    expect(await kindsOf({})).not.toContain("microcompact");
    expect(await kindsOf({ clearableTools: ["mcp__db__rows"] })).toContain("microcompact");
  });
});
