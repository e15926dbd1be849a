import { InMemoryFileSystem } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import { SessionError } from "#base/errors.ts";
import type { FileSystem } from "#ports/file-system.ts";
import { PIN_TOOL } from "#session/history/pin-tool.ts";
import { createSession, openSession } from "#session/lifecycle/open-session.ts";
import type { Session } from "#session/session.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { assistant, call, result, text, user } from "#test/helpers/histories.ts";
import { aSession } from "#test/helpers/sessions.ts";
import type { Message } from "#transcript/blocks.ts";
import type { SeqPin } from "#transcript/projection.ts";

const MODEL = { model: "claude-opus-4-5" };
const RULE = "Never touch legacy.ts: it is frozen until release 4711.";
const filler = (turn: number, lines = 60): string => `line ${turn} of something long\n`.repeat(lines);

/** Turns that overflow a small window several times; resolves with the text of each request. */
async function live(session: Session, turns: number, tag = "t"): Promise<readonly string[]> {
  const requests: string[] = [];
  for (let turn = 0; turn < turns; turn++) {
    await session.append(user(`Step ${turn}: ${filler(turn, 120)}`));
    const { messages } = await session.prepare(MODEL);
    requests.push(wordsOf(messages));
    const id = `${tag}${turn}`;
    await session.record({ messages: [assistant(id, call(id, "Read", { file_path: `${id}.ts` }))] });
    await session.append(user(result(id, filler(turn, 120))));
  }
  return requests;
}

const wordsOf = (messages: readonly Pick<Message, "content">[]): string =>
  messages
    .flatMap(({ content }) => content.map((block) => (block.type === "text" ? block.text : "")))
    .join("\n");

const pinnedSection = (session: Session): string =>
  session.visible
    .filter(({ origin }) => origin === "summary")
    .flatMap(({ blocks }) => blocks.map(({ block }) => (block.type === "text" ? block.text : "")))
    .filter((text) => text.startsWith("## Pinned"))
    .join("\n");

describe("a pinned message", () => {
  it("is in every request to the letter, through compactions and reopening", async () => {
    const test = await aSession({ windowTokens: 16_000 });
    const [seq] = await test.session.append(user(`<rule>\n${RULE}`));
    expect(await test.session.pin({ seq: seq! })).toEqual({ seq });
    for (const request of await live(test.session, 30)) expect(request).toContain(RULE);
    expect(pinnedSection(test.session)).toContain(`m${seq}.0 (user):\n> <rule>\n> ${RULE}`);
    await test.session.close();
    const reopened = await test.reopen();
    expect(reopened.pins).toEqual([{ seq }]);
    for (const request of await live(reopened, 30, "u")) expect(request).toContain(RULE);
    const compactions = test.events.filter(({ type }) => type === "layer");
    expect(compactions.length).toBeGreaterThan(4);
  });

  it("is known after a crash, too", async () => {
    const disk = new InMemoryFileSystem();
    const { options } = await aSession();
    const on = (fs: FileSystem) => ({
      ...options,
      store: new FileSessionStore({ root: "/sessions", fs, hasher: options.hasher, ids: options.ids }),
    });
    const session = await createSession(on(disk));
    const [seq] = await session.append(user(RULE));
    await session.pin({ seq: seq!, block: 0 });
    const reopened = await openSession(session.id, on(disk.crashedCopy("process")));
    expect(reopened.pins).toEqual([{ seq, block: 0 }]);
  });

  it("is let go of, and told by the summary alone from then on", async () => {
    const { session, events } = await aSession({ windowTokens: 16_000 });
    const [seq] = await session.append(user(RULE));
    await session.pin({ seq: seq! });
    await live(session, 15);
    expect(pinnedSection(session)).not.toBe("");
    expect(await session.unpin({ seq: seq! })).toBe(true);
    expect(await session.unpin({ seq: seq! })).toBe(false);
    expect(session.pins).toEqual([]);
    await live(session, 15, "u");
    expect(pinnedSection(session)).toBe("");
    expect(events.filter(({ type }) => type === "pinned" || type === "unpinned")).toMatchObject([
      { type: "pinned", pin: { seq }, limitTokens: 500 },
      { type: "unpinned", pin: { seq } },
    ]);
  });

  it("is pinned once, however often it is asked for", async () => {
    const { session, events } = await aSession();
    const [seq] = await session.append(user(RULE, "more"));
    await session.pin({ seq: seq! });
    await session.pin({ seq: seq! });
    await session.pin({ seq: seq!, block: 1 });
    expect(session.pins).toEqual([{ seq }]);
    expect(events.filter(({ type }) => type === "pinned")).toHaveLength(1);
  });

  it("is not pinned any more after going back to before it was", async () => {
    const { session } = await aSession();
    const [seq] = await session.append(user(RULE));
    await session.pin({ seq: seq! });
    await session.rewind(seq!);
    expect(session.pins).toEqual([]);
  });
});

describe("pinning", () => {
  it("says again what the window shows in another form, and pins that", async () => {
    const { session } = await aSession({ windowTokens: 16_000 });
    const [seq] = await session.append(user(RULE));
    await live(session, 20);
    expect(session.visible.some((message) => message.insertedBy === undefined && message.seq === seq)).toBe(
      false,
    );
    const pin = await session.pin({ seq: seq!, block: 0 });
    expect(pin.seq).toBeGreaterThan(seq!);
    expect(session.visible.at(-1)).toMatchObject({
      seq: pin.seq,
      origin: "engine",
      blocks: [{ block: text(`[Pinned from m${seq}.0]\n${RULE}`) }],
    });
    expect(await session.pin({ seq: seq!, block: 0 })).toEqual(pin);
    for (const request of await live(session, 15, "u")) expect(request).toContain(RULE);
  });

  it("is refused with the figures where there is no room, and leaves no trace", async () => {
    const { session } = await aSession({ windowTokens: 16_000 });
    await session.pinFact("a".repeat(20));
    const [seq] = await session.append(user(filler(1).repeat(3)));
    const before = { pins: session.pins, visible: [...session.visible] };
    const error = await session.pin({ seq: seq! }).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(SessionError);
    expect(error).toMatchObject({ code: "PIN_REFUSED" });
    expect((error as Error).message).toMatch(
      /^m\d+ has \d,?\d+ tokens, and \d+ of the 500 tokens for pins are taken\.$/,
    );
    await expect(session.pinFact(filler(1).repeat(3))).rejects.toMatchObject({ code: "PIN_REFUSED" });
    expect({ pins: session.pins, visible: [...session.visible] }).toEqual(before);
  });

  it.each([
    { place: { seq: 0 }, why: "there is no entry 0" },
    { place: { seq: 1 }, why: "it is the header" },
    { place: { seq: 99 }, why: "there is no such entry" },
    { place: { seq: 2, block: 1 }, why: "the message has one block" },
    { place: { seq: 2, block: -1 }, why: "blocks are counted from 0" },
    { place: { seq: 1.5 }, why: "it is no whole number" },
    { place: { seq: "2" }, why: "it is a string" },
    { place: {}, why: "it names nothing" },
    { place: undefined, why: "there is none" },
  ])("is refused of $place: $why", async ({ place }) => {
    const { session } = await aSession();
    await session.append(user(RULE));
    await expect(session.pin(place as SeqPin)).rejects.toMatchObject({ code: "ENTRY_NOT_FOUND" });
    expect(session.pins).toEqual([]);
  });

  it("is let go of only as a place, which the error shows", async () => {
    const { session } = await aSession();
    await session.append(user(RULE));
    await expect(session.unpin(99 as never)).rejects.toMatchObject({
      code: "ENTRY_NOT_FOUND",
      message: "There is nothing to unpin at 99 in this conversation.",
      hint: "Pass a place, such as { seq: 99 }: `pins` has them.",
    });
    expect(await session.unpin({ seq: 99 })).toBe(false);
    await session.close();
    await expect(session.unpin({ seq: 2 })).rejects.toMatchObject({
      code: "SESSION_CLOSED",
      hint: expect.stringContaining("as it was opened before"),
    });
  });

  it("is refused of thinking, which no compaction may say again", async () => {
    const { session } = await aSession();
    const [seq] = await session.append(
      assistant("r1", { type: "thinking", thinking: "hm", signature: "s" }, "So it is."),
    );
    await expect(session.pin({ seq: seq!, block: 0 })).rejects.toMatchObject({ code: "PIN_REFUSED" });
    expect(await session.pin({ seq: seq! })).toEqual({ seq });
  });

  it.each(["", " \n", 42, undefined])("is refused of the fact %j", async (fact) => {
    const { session } = await aSession();
    await expect(session.pinFact(fact as string)).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });
});

describe("a host that owns its list", () => {
  const list: Message[] = [user(RULE), assistant("r1", "Understood."), user("Go on.")];

  it("does not hide a pinned fact, which it never had", async () => {
    const test = await aSession();
    await test.session.reconcile(list);
    const pin = await test.session.pinFact("The key is kept in vault 7.");
    await test.session.close();
    const session = await test.reopen();
    await session.reconcile([...list, assistant("r2", "Yes."), user("And now?")]);
    expect(session.visible.map(({ seq }) => seq)).toContain(pin.seq);
    expect(session.visible).toHaveLength(6);
    expect(session.pins).toEqual([pin]);
  });

  it("takes out what it had, pinned or not", async () => {
    const { session } = await aSession({ windowTokens: 16_000 });
    const [seq] = await session.reconcile(list);
    await session.pin({ seq: seq! });
    await session.reconcile(list.slice(1));
    expect(session.pins).toEqual([]);
    await live(session, 15);
    expect(wordsOf((await session.prepare(MODEL)).messages)).not.toContain("4711");
  });
});

describe("the tool to pin", () => {
  const run = (session: Session, input: unknown) => session.runTool(PIN_TOOL.name, input);

  it("pins a place or a fact, and lets go of it", async () => {
    const { session } = await aSession();
    const [seq] = await session.append(user(RULE));
    expect(await run(session, { pointer: `m${seq}.0` })).toBe(
      `Pinned as m${seq}.0; 21 of 2,560 tokens for pins are taken. Let go of it with history_pin({ pointer: "m${seq}.0", remove: true }).`,
    );
    const fact = await run(session, { text: "The key is kept in vault 7." });
    expect(fact).toContain("Pinned as m4.0; 40 of 2,560 tokens");
    expect(session.pins).toEqual([
      { seq, block: 0 },
      { seq: 4, block: 0 },
    ]);
    expect(await run(session, { pointer: `m${seq}.0`, remove: true })).toBe(
      `m${seq}.0 is not pinned any more.`,
    );
    expect(await run(session, { pointer: `m${seq}.0`, remove: true })).toBe(
      `m${seq}.0 is not pinned. Pinned: m4.0.`,
    );
  });

  it("lets go of a whole message that the host pinned", async () => {
    const { session } = await aSession();
    const [seq] = await session.append(user(RULE));
    await session.pin({ seq: seq! });
    expect(await run(session, { pointer: `m${seq}`, remove: true })).toBe(`m${seq} is not pinned any more.`);
    expect(session.pins).toEqual([]);
  });

  it.each([
    { input: undefined, says: /needs a pointer or a text/ },
    { input: { pointer: "over there" }, says: /"over there" is not a pointer/ },
    { input: { pointer: "m99.0" }, says: /There is no m99\.0/ },
    { input: { text: " " }, says: /needs a pointer or a text/ },
    {
      input: { text: "x y z ".repeat(3_000) },
      says: /^Not pinned: The fact has [\d,]+ tokens, and 0 of the 500/,
    },
    { input: "a fact as a bare string", says: /^Pinned as m/ },
  ])("answers $input in words", async ({ input, says }) => {
    const { session } = await aSession({ windowTokens: 16_000 });
    await session.append(user(RULE));
    expect(await run(session, input)).toMatch(says);
  });

  it("leaves the other tools to the history, and unknown names to the host", async () => {
    const { session } = await aSession();
    await session.append(user(RULE));
    expect(await session.runTool("history_search", { query: "legacy.ts" })).toContain("m2.0");
    expect(await session.runTool("weather", {})).toBeUndefined();
  });
});
