import { describe, expect, it } from "vitest";
import { WindowTooSmallError } from "#base/errors.ts";
import { assistant, call, result, text, user } from "#test/helpers/histories.ts";
import { aSession } from "#test/helpers/sessions.ts";
import type { Message } from "#transcript/blocks.ts";

const MODEL = { model: "claude-opus-4-5" };
const line = (index: number): string => `line ${index}: const value${index} = compute(${index});`;
const longText = (lines: number): string =>
  Array.from({ length: lines }, (_, index) => line(index)).join("\n");

describe("a session", () => {
  it("stores nothing before the first message", async () => {
    const { session, options } = await aSession();
    await session.close();
    expect(await options.store.list()).toEqual([]);
  });

  it("sends what was appended and hangs the answer on its call", async () => {
    const { session } = await aSession();
    await session.append(user("What is in a.ts?"));
    const prepared = await session.prepare({ ...MODEL, system: "Be brief." });
    expect(prepared.messages).toEqual([{ role: "user", content: [text("What is in a.ts?")] }]);
    expect(prepared.edits).toEqual([]);
    await session.record({ messages: [assistant("r1", "Nothing.")], stopReason: "end_turn" });
    expect(session.visible.map((message) => message.role)).toEqual(["user", "assistant"]);
  });

  it("takes the provider's report as the size of the window, and only estimates what came since", async () => {
    const { session } = await aSession();
    await session.append(user(longText(200)));
    const first = await session.prepare(MODEL);
    expect(first.tokens.source).toBe("estimate");
    const usage = { inputTokens: 5_000, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 10 };
    await session.record({ messages: [assistant("r1", "Read.")], usage });
    await session.append(user("And now?"));
    const second = await session.prepare(MODEL);
    expect(second.tokens.source).toBe("anchored");
    expect(second.tokens.total).toBeGreaterThan(5_009);
    expect(second.tokens.total).toBeLessThan(5_030);
  });

  it("shows a preview of a block that is too large, and reads the whole back", async () => {
    const { session, events } = await aSession({ windowTokens: 32_000 });
    const whole = longText(2_000);
    await session.append([user("Read it."), assistant("r1", call("c1")), user(result("c1", whole))]);
    const { messages } = await session.prepare(MODEL);
    const shown = JSON.stringify(messages);
    expect(shown.length).toBeLessThan(10_000);
    expect(shown).toContain(line(0));
    expect(shown).toContain(line(1_999));
    expect(events.some((event) => event.type === "offloaded")).toBe(true);
    const pointer = /m\d+\.\d+/.exec(shown)![0];
    expect(await session.history.block(pointer)).toEqual(result("c1", whole));
  });

  it("shows an image whole although it lies outside the log, also after opening", async () => {
    const { session, reopen } = await aSession();
    const image = {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: "A".repeat(200_000) },
    } as const;
    await session.append(user("Look:", image));
    const before = (await session.prepare(MODEL)).messages;
    expect(before[0]!.content[1]).toEqual(image);
    await session.close();
    expect((await (await reopen()).prepare(MODEL)).messages).toEqual(before);
  });

  it("compacts by itself, says what was lost, and takes it back while it fits", async () => {
    const { session, events } = await aSession({ windowTokens: 16_000 });
    for (let turn = 0; turn < 80; turn++) {
      await session.append(user(`Step ${turn}: ${longText(12)}`));
      await session.prepare({ ...MODEL, tools: session.history.tools });
      await session.record({ messages: [assistant(`r${turn}`, `Done with step ${turn}.`)] });
    }
    const compactions = events.filter((event) => event.type === "layer" && event.layer === "extractive");
    expect(compactions.length).toBeGreaterThan(0);
    const [first] = compactions;
    expect(first).toMatchObject({
      edit: { isBoundary: true, loss: { recovery: expect.stringContaining("history_") } },
    });
    await expect(session.undo((first as { seq: number }).seq)).rejects.toMatchObject({
      code: "UNDO_REFUSED",
    });
    // A message is not an edit.
    await expect(session.undo(2)).rejects.toMatchObject({
      code: "UNDO_REFUSED",
      hint: expect.stringMatching(/^`layer` events .* for messages use `rewind`\.$/),
    });
  });

  it("goes back to an earlier message; what came after stays readable", async () => {
    const { session } = await aSession();
    const [first] = await session.append(user("one"));
    await session.append(user("two"));
    await session.rewind(first!);
    expect(session.visible).toHaveLength(1);
    await session.append(user("three"));
    const { messages } = await session.prepare(MODEL);
    expect(messages[0]!.content).toEqual([text("one"), text("three")]);
    expect((await session.history.search("two"))[0]).toMatchObject({
      snippet: expect.stringContaining("two"),
    });
  });

  it("refuses a window that system prompt and tools already fill, with the figures", async () => {
    const { session } = await aSession({ windowTokens: 4_000 });
    await session.append(user("hello"));
    const refused = session.prepare({ ...MODEL, system: longText(500) });
    await expect(refused).rejects.toBeInstanceOf(WindowTooSmallError);
    await expect(refused).rejects.toMatchObject({
      code: "WINDOW_TOO_SMALL",
      hint: expect.stringContaining("larger window"),
    });
    // The session is not harmed: a shorter prompt goes through.
    expect((await session.prepare({ ...MODEL, system: "Be brief." })).messages).toHaveLength(1);
  });

  it("runs operations in the order they were called, whoever calls them", async () => {
    const { session } = await aSession();
    await Promise.all([
      session.append(user("a")),
      session.append(user("b")),
      session.prepare(MODEL),
      session.append(user("c")),
    ]);
    expect(session.visible.map((message) => message.blocks[0]!.block)).toEqual([
      text("a"),
      text("b"),
      text("c"),
    ]);
  });

  it("says so when it is used after it was closed", async () => {
    const { session } = await aSession();
    await session.append(user("a"));
    await session.close();
    await session.close();
    await expect(session.append(user("b"))).rejects.toMatchObject({ code: "SESSION_CLOSED" });
  });

  it.each([
    { pointer: "m99.0", why: "no such entry" },
    { pointer: "m2.7", why: "no such block" },
    { pointer: "../../etc/passwd", why: "not a pointer" },
    { pointer: "m1e9", why: "not a pointer either" },
  ])("answers a model in words where a pointer leads nowhere: $why", async ({ pointer }) => {
    const { session } = await aSession();
    await session.append(user("a"));
    const answer = await session.history.runTool("history_read", { pointer });
    expect(answer).toMatch(/There is no|needs a pointer/);
    await expect(session.history.read(pointer)).rejects.toMatchObject({ code: "ENTRY_NOT_FOUND" });
  });
});

describe("a host that owns its list", () => {
  const list: readonly Message[] = [user("one"), assistant("r1", "two"), user("three")];

  it("appends only what is new in the list", async () => {
    const { session } = await aSession();
    await session.reconcile(list.slice(0, 2));
    await session.reconcile(list);
    await session.reconcile(list);
    expect(session.visible).toHaveLength(3);
  });

  it("knows messages again by content, also after opening", async () => {
    const { session, reopen } = await aSession();
    await session.reconcile(list);
    await session.close();
    const opened = await reopen();
    await opened.reconcile(structuredClone(list) as Message[]);
    expect(opened.visible).toHaveLength(3);
  });

  it("hides what the host took out, as the host's edit, and keeps it readable", async () => {
    const { session, events } = await aSession();
    await session.reconcile(list);
    await session.reconcile([list[0]!, list[2]!]);
    expect(session.visible.map((message) => message.blocks[0]!.block)).toEqual([text("one"), text("three")]);
    expect(events.at(-1)).toMatchObject({ type: "host-edit", hiddenMessages: 1 });
    expect(await session.history.search("two")).toHaveLength(1);
  });

  it("goes on with the host's version where a message was changed", async () => {
    const { session } = await aSession();
    await session.reconcile(list);
    await session.reconcile([list[0]!, assistant("r1", "TWO"), user("three")]);
    expect(session.visible.map((message) => message.blocks[0]!.block)).toEqual([
      text("one"),
      text("TWO"),
      text("three"),
    ]);
  });
});
