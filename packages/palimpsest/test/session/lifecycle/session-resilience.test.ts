import { describe, expect, it } from "vitest";
import { createSession } from "#session/lifecycle/open-session.ts";
import { assistant, call, result, text, user } from "#test/helpers/histories.ts";
import { aSession } from "#test/helpers/sessions.ts";
import type { Message } from "#transcript/blocks.ts";

const MODEL = { model: "claude-opus-4-5" };
const lines = (count: number): string => "const value = compute(1);\n".repeat(count);
const usage = (inputTokens: number) => ({
  inputTokens,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 5,
});
const shownTexts = (request: readonly { readonly content: readonly object[] }[]): string =>
  JSON.stringify(request);

/** A conversation long enough that a window of 8,000 tokens was compacted. */
function aLongList(turns: number): Message[] {
  return Array.from({ length: turns }, (_, turn) => [
    user(`Task ${turn}: ${lines(12)}`),
    assistant(`r${turn}`, `Done with task ${turn}.`),
  ]).flat();
}

describe("a session that its host treats roughly", () => {
  it("keeps the summary when the host changes one message that it tells of", async () => {
    const { session } = await aSession({ windowTokens: 8_000 });
    const list = aLongList(60);
    await session.reconcile([...list, user("And now?")]);
    const { edits } = await session.prepare(MODEL);
    expect(edits.map(({ edit }) => edit.kind)).toContain("extractive");
    list[100] = user("Task 50, in other words");
    await session.reconcile([...list, user("And now?")]);
    const { messages } = await session.prepare(MODEL);
    expect(shownTexts(messages)).toContain("Task 0:");
  });

  it("puts what was said while the model was speaking behind its answer", async () => {
    const { session, reopen } = await aSession();
    await session.append(user("first"));
    const before = (await session.prepare(MODEL)).messages;
    await session.append(user("by the way"));
    await session.record({ messages: [assistant("r1", "the answer to first")] });
    const { messages } = await session.prepare(MODEL);
    expect(messages.map(({ role, content }) => [role, ...content])).toEqual([
      ["user", text("first")],
      ["assistant", text("the answer to first")],
      ["user", text("by the way")],
    ]);
    expect(messages[0]).toEqual(before[0]);
    await session.close();
    expect((await (await reopen()).prepare(MODEL)).messages).toEqual(messages);
  });

  it("sets a report aside that would end the session although everything fits", async () => {
    const { session, events } = await aSession();
    await session.append(user("hello"));
    await session.prepare(MODEL);
    await session.record({ messages: [assistant("r1", "hi")], usage: usage(900_000) });
    await session.append(user("still there?"));
    const { tokens } = await session.prepare(MODEL);
    expect(tokens.total).toBeLessThan(100);
    expect(events.some((event) => event.type === "usage-distrusted")).toBe(true);
  });

  it.each([
    { why: "a text", block: text(lines(4_000)) },
    { why: "the argument of a call", block: call("t1", "Write", { content: lines(4_000) }) },
  ])("counts an answer by what is shown of it, also after a crash: $why", async ({ block }) => {
    const { session, events, kill, reopen } = await aSession();
    await session.append(user(lines(400)));
    const { tokens } = await session.prepare({ ...MODEL, system: "SYS" });
    const reported = { ...usage(tokens.total), outputTokens: 30_000 };
    const answer = { role: "assistant", responseId: "r1", content: [block] } as const;
    await session.record({ messages: [answer], usage: reported });
    expect(events.filter(({ type }) => type === "offloaded")).toHaveLength(1);
    const { total } = session.tokens;
    expect(total).toBeLessThan(tokens.total + 2_500);
    await kill();
    expect((await reopen()).tokens.total).toBe(total);
  });

  it("hangs a late answer on the call it belongs to", async () => {
    const { session } = await aSession();
    await session.append(user("first"));
    const first = await session.prepare(MODEL);
    await session.append(user(lines(300)));
    await session.prepare(MODEL);
    await session.record({ callSeq: first.callSeq, messages: [assistant("r1", "late")], usage: usage(12) });
    // The report is about "first" alone; what came since is estimated on top of it.
    expect(session.tokens.total).toBeGreaterThan(1_000);
  });

  it("goes on although its observer throws", async () => {
    const { options } = await aSession();
    const observer = {
      onEvent: (): void => {
        throw new TypeError("a broken meter");
      },
    };
    const session = await createSession({ ...options, observer, window: { windowTokens: 8_000 } });
    await session.append([user("read"), assistant("r1", call("c1")), user(result("c1", lines(3_000)))]);
    await session.prepare(MODEL);
    expect(session.visible).toHaveLength(3);
  });

  it("tells a second writer of the same session, and loses nothing of the first", async () => {
    const { session, reopen } = await aSession();
    await session.append(user("one"));
    await expect(reopen()).rejects.toMatchObject({ code: "SESSION_IN_USE" });
    await session.append(user("two"));
    await session.close();
    const other = await reopen();
    expect(other.visible.map(({ blocks }) => blocks[0]!.block)).toEqual([text("one"), text("two")]);
  });

  it("is not changed by what a host does with its objects afterwards", async () => {
    const { session } = await aSession();
    const block = { type: "text" as const, text: "as it was said" };
    await session.append({ role: "user", content: [block] });
    block.text = "changed";
    const { messages } = await session.prepare(MODEL);
    expect(messages[0]!.content).toEqual([text("as it was said")]);
  });

  it("keeps its summary and fits after a deep undo was refused on a model that binds its thinking", async () => {
    const { session } = await aSession({ windowTokens: 8_000, editSafety: "strict" });
    for (const message of aLongList(60)) await session.append(message);
    await session.append(user("And now?"));
    const { edits } = await session.prepare(MODEL);
    await session.record({ messages: [assistant("r", "so")] });
    await expect(session.undo(edits.at(-1)!.seq)).rejects.toMatchObject({ code: "UNDO_REFUSED" });
    await session.append(user("go on"));
    expect(shownTexts((await session.prepare(MODEL)).messages)).toContain("Task 0:");
  });

  it("has nothing to send before anything is said", async () => {
    const { session, options } = await aSession();
    await expect(session.prepare(MODEL)).rejects.toMatchObject({ code: "NO_MESSAGES" });
    expect(await options.store.list()).toEqual([]);
  });

  it.each([
    { window: { windowTokens: 0 }, why: "no room at all" },
    { window: { windowTokens: Number.NaN }, why: "no number" },
    { window: { maxOutputTokens: -1 }, why: "less than nothing" },
  ])("refuses a window that cannot be: $why", async ({ window }) => {
    await expect(aSession(window)).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });

  it.each([
    { request: {}, why: "without a model" },
    { request: { model: "m", system: 5 }, why: "with a prompt that is no text" },
    { request: { model: "m", tools: {} }, why: "with tools that are no list" },
  ])("refuses a request $why in words", async ({ request }) => {
    const { session } = await aSession();
    await session.append(user("hello"));
    await expect(session.prepare(request as never)).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });

  it("joins thousands of messages of one role in linear time", async () => {
    const { session } = await aSession({ windowTokens: 1_000_000 });
    await session.append(Array.from({ length: 5_000 }, (_, index) => user(`line ${index}`)));
    const { messages } = await session.prepare(MODEL);
    expect(messages).toHaveLength(1);
    expect(messages[0]!.content).toHaveLength(5_000);
  });
});
