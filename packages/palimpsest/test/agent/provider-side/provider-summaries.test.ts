/**
 * Strict sessions whose provider summarises, over HTTP with the vendors' SDKs: summaries with an answer and by hand, and what
 * another model is sent of them.
 */
import { describe, expect, it } from "vitest";
import { forkSession } from "#session/lifecycle/fork-session.ts";
import { internalsOf } from "#session/session.ts";
import { answersOf, expectExact, failuresOf, layersOf, PORTS, stage } from "./provider-stage.ts";

describe.each(["anthropic", "openai"] as const)("a summary by %s", (wire) => {
  it("replaces what came before, is sent back as it came, and is in the bill", async () => {
    const staged = await stage(wire, { compact: true });
    const session = await staged.open("one");
    await staged.work(session, wire === "openai" ? 20 : 27);
    expectExact(staged, wire === "openai" ? 0.35 : 0.15);
    const count = wire === "openai" ? 1 : 2;
    expect(layersOf(staged)).toEqual(Array.from({ length: count }, () => "provider-clear compacted"));
    const compactions = answersOf(staged).filter(({ compaction }) => compaction !== undefined);
    expect(compactions).toHaveLength(count);
    // Nothing is sent that the summary replaced.
    const text = JSON.stringify(staged.provider.requests.at(-1)?.body);
    expect(text).not.toContain('\\"name\\":\\"file-1\\"}');
    expect(text).toContain('"type":"compaction"');
    const [first] = session.visible;
    expect(first?.role).toBe("assistant");
    const spending = await session.spending();
    if (wire === "anthropic") expect(spending.summaries.calls).toBe(count);
    // All of it is in the log.
    expect(await session.history.search("file-1 ")).not.toEqual([]);
  });

  it("survives being opened again, a fork, a pin and a rewind", async () => {
    const staged = await stage(wire, { compact: true });
    const first = await staged.open("one");
    await first.session.pinFact("Never touch file-99.");
    await staged.work(first, wire === "openai" ? 20 : 15);
    expect(layersOf(staged)).toEqual(["provider-clear compacted"]);
    const compactedSeq = staged.events.find((event) => event.type === "layer")!.seq;
    await first.close();

    const again = await staged.open("one");
    await staged.work(again, 2);
    expect(JSON.stringify(staged.provider.requests.at(-1)?.body)).toContain("Never touch file-99.");
    const fork = await forkSession("one", { ...PORTS, store: staged.store, sessionId: "two" });
    await fork.close();
    const forked = await staged.open("two");
    await staged.work(forked, 1);
    await forked.close();
    await expect(again.undo(compactedSeq)).rejects.toMatchObject({ code: "UNDO_REFUSED" });

    await again.rewind(compactedSeq - 8);
    const index = staged.provider.requests.length;
    await staged.work(again, 1);
    expect(JSON.stringify(staged.provider.requests[index]?.body)).toContain('\\"file-1\\"}');
    expect(staged.provider.violations).toEqual([]);
    expect(staged.provider.overflows).toEqual([]);
  });
});

it("shows again what only OpenAI could read, when another model goes on", async () => {
  const staged = await stage("openai", { compact: true });
  const session = await staged.open("one");
  await staged.work(session, 20);
  expect(layersOf(staged)).toEqual(["provider-clear compacted"]);
  await session.close();
  const index = staged.provider.requests.length;
  const other = await staged.open("one", {}, "anthropic");
  await staged.work(other, 1);
  const body = JSON.stringify(
    staged.provider.requests.slice(index).find(({ purpose }) => purpose === "answer")?.body,
  );
  expect(body).toContain("file-1");
  expect(body).not.toContain('"type":"compaction"');
  expect(staged.provider.violations).toEqual([]);
  expect(staged.provider.overflows).toEqual([]);
});

it("shows it again after a later checkpoint, too", async () => {
  const staged = await stage("openai", { compact: true });
  const session = await staged.open("one");
  await staged.work(session, 42);
  expect(layersOf(staged)).toEqual(["provider-clear compacted", "provider-clear compacted"]);
  await internalsOf(session.session).writer.checkpoint();
  await session.close();

  const other = await staged.open("one", { windowTokens: 400_000 }, "anthropic");
  const { writer } = internalsOf(other.session);
  const kinds = (): readonly string[] => writer.projection.activeEdits.map(({ edit }) => edit.kind);
  expect(kinds()).toContain("provider-clear");
  await other.prepare();
  expect(kinds()).not.toContain("provider-clear");
  expect(writer.projection.visible.find(({ insertedBy }) => insertedBy === undefined)?.seq).toBe(2);
});

it.each(["anthropic", "openai"] as const)("is asked for by hand: %s", async (wire) => {
  const staged = await stage(wire, { compact: true });
  const session = await staged.open("one");
  await staged.work(session, 4);
  const { edits, writtenBy } = await session.compact();
  expect(edits.map(({ edit }) => [edit.kind, edit.reason])).toEqual([["provider-clear", "manual"]]);
  expect(writtenBy).toBe(wire === "openai" ? "gpt-6-sol" : "claude-opus-5-5");
  await staged.work(session, 2);
  await session.close();
  const again = await staged.open("one");
  await staged.work(again, 1);
  const body = JSON.stringify(staged.provider.requests.at(-1)?.body);
  expect(body).toContain('"type":"compaction"');
  expect(body).not.toContain('\\"file-1\\"}');
  await again.compact();
  await staged.work(again, 1);
  expect(staged.provider.violations).toEqual([]);
  expect(staged.provider.overflows).toEqual([]);
});

it("counts what it sends where the next endpoint clears nothing", async () => {
  const staged = await stage("anthropic", { clear: true });
  const session = await staged.open("one");
  await staged.work(session, 40);
  await session.close();
  const other = await staged.open("one", {}, "gateway");
  await staged.work(other, 2);
  const last = staged.provider.requests.at(-1);
  expect(last?.appliedEdits).toEqual([]);
  expect(staged.provider.violations).toEqual([]);
  expect(staged.provider.overflows).toEqual([]);
  expect(staged.events.filter(({ type }) => type === "model-failed")).toEqual([]);
  const sent = staged.events.findLast((event) => event.type === "call")!.tokens;
  expect(Math.abs(sent - last!.promptTokens)).toBeLessThan(500);
});

it("shows all of it again where OpenAI summarised its own summary", async () => {
  const staged = await stage("openai", { compact: true });
  const session = await staged.open("one");
  await staged.work(session, 42);
  expect(layersOf(staged)).toEqual(["provider-clear compacted", "provider-clear compacted"]);
  await session.close();
  const other = await staged.open("one", { windowTokens: 400_000 }, "anthropic");
  const { writer } = internalsOf(other.session);
  await other.prepare();
  expect(writer.projection.activeEdits.map(({ edit }) => edit.kind)).not.toContain("provider-clear");
  expect(writer.projection.visible.find(({ insertedBy }) => insertedBy === undefined)?.seq).toBe(2);
});

it("asks the hooks about a compaction by hand", async () => {
  const staged = await stage("openai", { compact: true });
  const asked: string[] = [];
  const session = await staged.open("one", {}, "openai", {
    preCompact: ({ trigger }) => {
      asked.push(trigger);
      return { veto: "not now" };
    },
  });
  await staged.work(session, 4);
  await expect(session.compact()).rejects.toMatchObject({ code: "COMPACTION_VETOED" });
  expect(asked).toEqual(["manual"]);
});

it("tells the hooks of a compaction by hand", async () => {
  const staged = await stage("openai", { compact: true });
  const seen: string[] = [];
  const session = await staged.open("one", {}, "openai", {
    postCompact: ({ trigger, edits }) => {
      seen.push(`${trigger} ${edits[0]?.edit.kind}`);
    },
  });
  await staged.work(session, 4);
  await session.compact();
  expect(seen).toEqual(["manual provider-clear"]);
});

it("tells the hooks of a summary that came with an answer", async () => {
  const staged = await stage("openai", { compact: true });
  const seen: string[] = [];
  const session = await staged.open("one", {}, "openai", {
    postCompact: ({ trigger, edits }) => {
      seen.push(`${trigger} ${edits.map(({ edit }) => `${edit.kind} ${edit.reason}`).join()}`);
    },
  });
  await staged.work(session, 20);
  expect(seen).toEqual(["auto provider-clear compacted"]);
});

it("says a readable summary as a text to a model that makes none", async () => {
  const staged = await stage("anthropic", { compact: true });
  const session = await staged.open("one");
  await staged.work(session, 15);
  expect(layersOf(staged)).toEqual(["provider-clear compacted"]);
  await session.close();
  const index = staged.provider.requests.length;
  const other = await staged.open("one", {}, "older");
  await staged.work(other, 1);
  const { body } = staged.provider.requests.slice(index).find(({ purpose }) => purpose === "answer")!;
  const { messages } = body as {
    readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  };
  expect(JSON.stringify(body)).not.toMatch(/"type":"compaction"|compact_20260112/);
  expect(messages[0]).toMatchObject({
    role: "user",
    content: [{ type: "text", text: expect.stringMatching(/Read up to file \d+\./) }],
  });
  expect(messages[1]?.role).toBe("assistant");
  expect(staged.provider.violations).toEqual([]);
  expect(staged.events.filter(({ type }) => type === "model-failed")).toEqual([]);
});

it("counts a summary by hand that failed, and makes one itself", async () => {
  const staged = await stage("openai", { compact: true });
  const session = await staged.open("one");
  await staged.work(session, 12);
  await staged.provider.close();
  const { edits } = await session.compact();
  expect(edits.map(({ edit }) => edit.kind)).toEqual(["extractive"]);
  expect(failuresOf(staged)).toEqual(["provider-side 1"]);
});
