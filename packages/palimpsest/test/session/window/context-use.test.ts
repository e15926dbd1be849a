/** What fills the window: each message in its category, and all of them together the size of the request. */

import { describe, expect, it } from "vitest";
import { thinkingBudget } from "#compaction/shared/layer-limits.ts";
import { resolveLimits } from "#session/options/window-limits.ts";
import { contextUse } from "#session/window/context-use.ts";
import { call, result, text, user } from "#test/helpers/histories.ts";
import { aSession } from "#test/helpers/sessions.ts";
import type { ContentBlock, Origin, Role } from "#transcript/blocks.ts";
import type { VisibleMessage } from "#transcript/window.ts";

const NO_THINKING = { thinking: 0, thinkingBudget: 32_000 };
const MODEL = { model: "claude-opus-4-5" };

function visible(
  origin: Origin,
  block: ContentBlock,
  more: { readonly role?: Role; readonly insertedBy?: number } = {},
): VisibleMessage {
  const blocks = [{ index: 0, block, form: "original" as const }];
  return { seq: 1, role: more.role ?? "user", origin, at: 0, blocks, ...more };
}

describe("contextUse", () => {
  const words = "word ".repeat(400);
  const use = contextUse({
    model: MODEL.model,
    visible: [
      visible("host", text("Instructions from CLAUDE.md:\n```\nBe brief.\n```")),
      visible("recalled", text(words)),
      visible("summary", text(words), { insertedBy: 8 }),
      visible("summary", text(words), { insertedBy: 9 }),
      visible("restored", text(words), { insertedBy: 9 }),
      visible("restored", text("State of version control at the start:\nclean"), { insertedBy: 9 }),
      visible("user", text("Hello")),
      visible("assistant", text("Well."), { role: "assistant" }),
      visible("assistant", { type: "thinking", thinking: words, signature: "s" }, { role: "assistant" }),
      visible("assistant", call("c1"), { role: "assistant" }),
      visible("tool", result("c1", words)),
      visible("tool", result("lost", "a")),
      visible("engine", text("A notice.")),
    ],
    edits: [
      { seq: 8, edit: { kind: "session-memory", reason: "threshold", effect: {}, freedTokens: 1 } },
      { seq: 9, edit: { kind: "full", reason: "threshold", effect: {}, freedTokens: 1 } },
    ],
    callSeqs: [],
    figures: { ...NO_THINKING, total: 10_000, padded: 10_500, fixed: 3_000, source: "reported" },
    budget: { windowTokens: 20_000, autoCompactGateTokens: 16_000 },
    windowSource: "option",
    fixed: { systemTokens: 100, toolsTokens: 200 },
  });
  const tokensOf = Object.fromEntries(use.shares.map(({ category, tokens }) => [category, tokens]));

  it("puts every block into one category, in the order of the request", () => {
    expect(use.shares.map(({ category, blocks }) => [category, blocks])).toEqual([
      ["system", 0],
      ["tools", 0],
      ["instructions", 2],
      ["memory", 1],
      ["notes", 1],
      ["summary", 1],
      ["restored", 1],
      ["results", 2],
      ["user", 1],
      ["assistant", 1],
      ["calls", 1],
      ["thinking", 1],
      ["other", 1],
    ]);
  });

  it("adds up to the request, and with what is free to the window", () => {
    const sum = use.shares.reduce((total, { tokens }) => total + tokens, 0);
    expect(Math.abs(sum - 10_000)).toBeLessThan(use.shares.length);
    expect([tokensOf["system"], tokensOf["tools"]]).toEqual([1_000, 2_000]);
    expect([use.usedTokens, use.freeTokens, use.reserveTokens]).toEqual([10_000, 6_000, 4_000]);
  });

  it("has results by tool, and says where the call is gone", () => {
    const parts = use.shares.find(({ category }) => category === "results")?.parts;
    expect(parts?.map(({ name, blocks }) => [name, blocks])).toEqual([
      ["Read", 1],
      ["unknown tool", 1],
    ]);
  });

  it("keeps to the window where it is full", () => {
    const figures = { ...NO_THINKING, total: 25_000, padded: 25_000, fixed: 0, source: "estimate" };
    const budget = { windowTokens: 20_000, autoCompactGateTokens: 16_000 };
    const fixed = { systemTokens: 0, toolsTokens: 0 };
    const full = contextUse({
      ...MODEL,
      visible: [],
      edits: [],
      callSeqs: [],
      figures,
      budget,
      windowSource: "option",
      fixed,
    });
    expect([full.freeTokens, full.reserveTokens]).toEqual([0, 0]);
  });
});

describe("the last compaction", () => {
  const summary = visible("summary", text("word ".repeat(400)), { insertedBy: 9 });
  const again = visible("restored", text("word ".repeat(400)), { insertedBy: 9 });

  it.each([
    { shownAgain: [], total: 1_000 },
    { shownAgain: [again, again], total: 3_000 },
  ])("was at the size of the request before it, whatever is shown again: $total", ({ shownAgain, total }) => {
    const { lastCompaction } = contextUse({
      ...{ ...MODEL, callSeqs: [], visible: [summary, ...shownAgain] },
      edits: [
        {
          seq: 9,
          edit: { kind: "full", reason: "threshold", effect: {}, freedTokens: 15_000, isBoundary: true },
        },
      ],
      figures: { ...NO_THINKING, total, padded: total * 1.3, fixed: 0, source: "estimate" },
      budget: { windowTokens: 20_000, autoCompactGateTokens: 16_000 },
      windowSource: "option",
      fixed: { systemTokens: 0, toolsTokens: 0 },
    });
    expect(lastCompaction?.usedTokens).toBe(16_000);
  });
});

describe("session.context()", () => {
  it("is of the window as it is, before and after a call", async () => {
    const { session } = await aSession({ windowTokens: 64_000 });
    await session.append(user("What is in a.ts?"));
    expect(session.context().shares.map(({ category }) => category)).toEqual(["user"]);
    await session.prepare({ ...MODEL, system: "Be brief. ".repeat(100), tools: [{ name: "Read" }] });
    const { shares, usedTokens, windowTokens, model } = session.context();
    expect(shares.map(({ category }) => category)).toEqual(["system", "tools", "user"]);
    expect([usedTokens, windowTokens, model]).toEqual([session.tokens.total, 64_000, MODEL.model]);
  });

  it("has the bytes, images and documents of the messages, wherever they are", async () => {
    const { session } = await aSession({ windowTokens: 64_000 });
    const image = {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: "A".repeat(4_000) },
    } as const;
    const pdf = {
      type: "document",
      source: { type: "base64", media_type: "application/pdf", data: "B".repeat(1_000) },
    } as const;
    const note = {
      type: "document",
      source: { type: "text", media_type: "text/plain", data: "n".repeat(50) },
    } as const;
    await session.append({ role: "user", content: [text("Größe?"), image, pdf, note] });
    expect(session.context().body).toEqual({ bytes: 8 + 4_000 + 1_000 + 50, images: 1, documents: 1 });
    const thought = { type: "thinking", thinking: "Hm.", signature: "s".repeat(100) } as const;
    await session.append({ role: "assistant", content: [thought, call("c1")] });
    await session.append({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "two:" }, image, image] },
      ],
    });
    expect(session.context().body).toMatchObject({ images: 3, documents: 1 });
    expect(session.context().body.bytes).toBeGreaterThan(13_000);
  });

  it.each([
    {
      window: { windowTokens: 64_000 },
      model: "claude-opus-4-5",
      windowTokens: 64_000,
      windowSource: "option",
    },
    { window: {}, model: "claude-opus-4-5", windowTokens: 200_000, windowSource: "catalogue" },
    { window: {}, model: "no-such-model", windowTokens: 128_000, windowSource: "default" },
    {
      window: { ceilingTokens: 150_000 },
      model: "claude-opus-4-5",
      windowTokens: 150_000,
      windowSource: "option",
    },
    {
      window: { ceilingTokens: 150_000 },
      model: "no-such-model",
      windowTokens: 128_000,
      windowSource: "default",
    },
  ])("says where its window is from: $windowSource for $model with $window", async (given) => {
    const { window, model, windowTokens, windowSource } = given;
    const { session } = await aSession(window);
    await session.append(user("Hello"));
    await session.prepare({ model });
    expect(session.context()).toMatchObject({ windowTokens, windowSource });
  });

  it.each([
    { count: 1, signature: "s", limits: undefined, budgetTokens: 3_200, isOverBudget: false },
    { count: 1, signature: "s".repeat(90_000), limits: undefined, budgetTokens: 3_200, isOverBudget: false },
    { count: 12, signature: "s", limits: undefined, budgetTokens: 3_200, isOverBudget: true },
    {
      count: 12,
      signature: "s",
      limits: { thinkingTokens: 90_000 },
      budgetTokens: 9_000,
      isOverBudget: false,
    },
  ])("counts thinking apart, by its text, with a budget of $budgetTokens: over it is $isOverBudget", (given) => {
    const { count, signature, limits, budgetTokens, isOverBudget } = given;
    const thinking = { type: "thinking", thinking: "word ".repeat(400), signature } as const;
    const budget = { windowTokens: 20_000, autoCompactGateTokens: 16_000 };
    const thought = visible("assistant", thinking, { role: "assistant" });
    const { shares } = contextUse({
      model: MODEL.model,
      visible: Array.from({ length: count }, () => thought),
      edits: [],
      callSeqs: [],
      figures: {
        ...{ total: 404 * count, padded: 404 * count, fixed: 0, source: "estimate" },
        thinking: 404 * count,
        thinkingBudget: thinkingBudget({ budget, limits: resolveLimits(limits).layers }),
      },
      budget,
      windowSource: "option",
      fixed: { systemTokens: 0, toolsTokens: 0 },
    });
    expect(shares).toEqual([
      { category: "thinking", tokens: 404 * count, blocks: count, budgetTokens, isOverBudget },
    ]);
  });
});

describe("tokens of a prepared call", () => {
  const thinking = (count: number, signature = "s") =>
    ({
      role: "assistant",
      content: [{ type: "thinking", thinking: "word ".repeat(count), signature }, text("Done.")],
    }) as const;

  it("has thinking apart, as session.context() does, with its budget", async () => {
    const { session } = await aSession({ windowTokens: 100_000 });
    await session.append(user("Think."));
    expect((await session.prepare(MODEL)).tokens).toMatchObject({ thinking: 0, thinkingBudget: 16_000 });
    await session.record({ messages: thinking(400) });
    await session.append(user("Go on."));
    const { tokens } = await session.prepare(MODEL);
    const share = session.context().shares.find(({ category }) => category === "thinking");
    expect(tokens).toMatchObject({ thinking: 432, thinkingBudget: 16_000 });
    expect([share?.tokens, share?.budgetTokens]).toEqual([tokens.thinking, 16_000]);
  });

  it.each([
    { windowTokens: 1_000_000, limits: {}, thinkingBudget: 32_000 },
    { windowTokens: 200_000, limits: {}, thinkingBudget: 32_000 },
    { windowTokens: 8_000, limits: {}, thinkingBudget: 1_280 },
    { windowTokens: 200_000, limits: { thinkingTokens: 10_000 }, thinkingBudget: 10_000 },
  ])("has a budget for thinking of $thinkingBudget in a window of $windowTokens", async (given) => {
    const { thinkingBudget, ...window } = given;
    const { session } = await aSession(window);
    await session.append(user("Think."));
    expect((await session.prepare(MODEL)).tokens.thinkingBudget).toBe(thinkingBudget);
  });

  it("counts thinking by its text, message by message as after opening again, and less after a rewind", async () => {
    const { session, reopen } = await aSession();
    for (const signature of ["s", "s".repeat(40_000)]) {
      await session.append(user("Think."));
      await session.prepare(MODEL);
      await session.record({ messages: thinking(200, signature) });
    }
    const { thinking: once } = session.tokens;
    expect(once).toBeGreaterThan(400);
    expect(once).toBeLessThan(600);
    await session.close();
    const opened = await reopen();
    expect(opened.tokens.thinking).toBe(once);
    await opened.rewind(1);
    expect(opened.tokens.thinking).toBe(0);
  });
});
