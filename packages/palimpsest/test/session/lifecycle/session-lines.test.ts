/** A session written out and read back is the same session, in any store. */

import { FakeClock, seededIds } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import type { SessionStore } from "#ports/session-store.ts";
import { exportLines } from "#session/lifecycle/export-session-lines.ts";
import { type ImportLinesOptions, importLines } from "#session/lifecycle/import-session-lines.ts";
import { openSession } from "#session/lifecycle/open-session.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { aSession } from "#test/helpers/sessions.ts";

const SECRET = ["sk-", "ant-api03-", "a1B2".repeat(12)].join("");

/** Large results beside the log, edits, a rewind, a call, checkpoints: a session that was worked with. */
async function aWorkedSession() {
  const made = await aSession({ windowTokens: 16_000 });
  const { session } = made;
  await session.setMetadata("title", "Ledgers");
  for (let round = 1; round <= 12; round++) {
    await session.append({
      role: "user",
      content: [{ type: "text", text: `Read ledger ${round}. ${SECRET}` }],
    });
    await session.prepare({ model: "claude-sonnet-4-5", system: "Be exact." });
    const id = `t${round}`;
    await session.record({
      messages: [
        {
          role: "assistant",
          content: [{ type: "tool_use", id, name: "Read", input: { path: `l${round}` } }],
        },
      ],
    });
    const content = `entry of ledger ${round} ${SECRET}\n`.repeat(400);
    await session.append({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] });
  }
  await session.rewind(20);
  await session.append({
    role: "user",
    content: [{ type: "text", text: "Half a pair: \ud83d, and \u2028." }],
  });
  const { visible } = session;
  await session.close();
  return { ...made, id: session.id, visible };
}

async function linesOf(store: SessionStore, id: string, isRedacted = false): Promise<readonly string[]> {
  const log = await store.open(id);
  const lines: string[] = [];
  for await (const line of exportLines(log, { isRedacted, hasher: nodeHasher })) lines.push(line);
  await log.close();
  return lines;
}

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

const target = (more: Partial<ImportLinesOptions> = {}): ImportLinesOptions => ({
  store: new InMemorySessionStore(),
  clock: new FakeClock(),
  ids: seededIds(9),
  hasher: nodeHasher,
  name: "session.jsonl",
  ...more,
});

describe("a session as lines", () => {
  it("comes back the same: entries, large texts, window", async () => {
    const { id, options, visible } = await aWorkedSession();
    const lines = await linesOf(options.store, id);
    for (const line of lines) expect(line).not.toContain("\n");
    expect(lines.filter((line) => line.startsWith('{"type":"blob"')).length).toBeGreaterThan(5);

    const to = target();
    const result = await importLines(each(lines), to);
    expect(result).toMatchObject({ sessionId: id, originalId: id, problems: [] });
    expect(await linesOf(to.store, id)).toEqual(lines);
    const reopened = await openSession(id, { ...options, store: to.store });
    expect(reopened.visible).toEqual(visible);
    expect((await reopened.history.search("ledger 12")).length).toBeGreaterThan(0);
    await reopened.close();
  });

  it("comes back under another id, and says what it was", async () => {
    const { id, options } = await aWorkedSession();
    const to = target({ sessionId: "another" });
    await importLines(each(await linesOf(options.store, id)), to);
    const info = await to.store.find("another");
    expect(info.header).toMatchObject({
      sessionId: "another",
      source: { format: "palimpsest", sessionId: id },
    });
    expect(info.metadata["title"]).toBe("Ledgers");
  });

  it("holds no secret when they are taken out, and still opens with every large text", async () => {
    const { id, options } = await aWorkedSession();
    const lines = await linesOf(options.store, id, true);
    expect(lines.join("\n")).not.toContain(SECRET);
    const to = target();
    const { problems } = await importLines(each(lines), to);
    expect(problems).toEqual(["secrets were taken out when it was exported"]);
    const reopened = await openSession(id, { ...options, store: to.store });
    const hit = (await reopened.history.search("entry of ledger 12"))[0]!;
    expect((await reopened.history.read(hit.pointer)).text).toContain("[redacted: anthropic]");
    await reopened.close();
  });

  it("marks what is missing and says so", async () => {
    const { id, options } = await aWorkedSession();
    const lines = await linesOf(options.store, id);
    const damaged = lines.filter((_, index) => index !== 4).slice(0, -1);
    damaged.splice(7, 1, "{ not json");
    const to = target();
    const { problems } = await importLines(each(damaged), to);
    expect(problems).toEqual([
      "lines that could not be read: 1",
      "the file was cut off: its last line is missing",
    ]);
    const reopened = await openSession(id, { ...options, store: to.store });
    expect(reopened.visible.length).toBeGreaterThan(5);
    await reopened.close();
  });

  it.each([
    { why: "nothing at all", lines: [], code: "FORMAT_UNKNOWN" },
    { why: "another file", lines: ['{"role":"user"}'], code: "FORMAT_UNKNOWN" },
    {
      why: "only a first line",
      lines: ['{"type":"palimpsest-session","version":1,"sessionId":"s"}'],
      code: "NO_MESSAGES",
    },
  ])("is refused and leaves nothing: $why", async ({ lines, code }) => {
    const to = target();
    await expect(importLines(each(lines), to)).rejects.toMatchObject({ code });
    expect(await to.store.list()).toEqual([]);
  });

  it("leaves nothing when it is stopped", async () => {
    const { id, options } = await aWorkedSession();
    const lines = await linesOf(options.store, id);
    const stop = new AbortController();
    async function* stopping(): AsyncGenerator<string> {
      for (const [index, line] of lines.entries()) {
        if (index === 30) stop.abort();
        yield line;
      }
    }
    const to = target({ signal: stop.signal });
    await expect(importLines(stopping(), to)).rejects.toMatchObject({ code: "ABORTED" });
    expect(await to.store.list()).toEqual([]);
    expect(await to.store.listTrash()).toEqual([]);
  });

  it("does not replace a session that is there", async () => {
    const { id, options } = await aWorkedSession();
    const lines = await linesOf(options.store, id);
    await expect(importLines(each(lines), target({ store: options.store }))).rejects.toMatchObject({
      code: "SESSION_EXISTS",
    });
    expect(await linesOf(options.store, id)).toEqual(lines);
  });
});
