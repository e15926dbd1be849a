/** Exports of this library's sessions as recordings: what was said, whatever the session did with it. */
import { describe, expect, it } from "vitest";
import { importSessions } from "#importers/registry.ts";
import { exportLines } from "#session/lifecycle/export-session-lines.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { aSession } from "#test/helpers/sessions.ts";

const userText = (text: string) => ({ role: "user", content: [{ type: "text", text }] }) as const;
const usage = { inputTokens: 9, cacheReadTokens: 1, cacheWriteTokens: 2, outputTokens: 3 };

/** A session with large results, compactions and two rewinds. */
async function anExport(): Promise<readonly string[]> {
  const { session, options } = await aSession({ windowTokens: 12_000 });
  await session.setMetadata("title", "Ledgers");
  for (let round = 1; round <= 12; round++) {
    const [seq] = await session.append(userText(`Read ledger ${round}.`));
    await session.prepare({ model: "claude-sonnet-4-5", system: "Be exact.", tools: [{ name: "Read" }] });
    const id = `t${round}`;
    const call = { type: "tool_use", id, name: "Read", input: { path: `l${round}` } } as const;
    await session.record({
      messages: [{ role: "assistant", content: [call] }],
      usage,
      stopReason: "tool-use",
    });
    const content = `entry of ledger ${round}\n`.repeat(round % 2 === 0 ? 400 : 1_500);
    await session.append({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] });
    if (round === 4 || round === 7) await session.rewind(seq! - 1);
  }
  await session.close();
  const log = await options.store.open(session.id);
  const lines: string[] = [];
  for await (const line of exportLines(log, { isRedacted: false, hasher: nodeHasher })) lines.push(line);
  await log.close();
  return lines;
}

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

describe("an export of a session", () => {
  it("is read as it was said: whole texts, usage, system prompt, tools, without what was rewound", async () => {
    const lines = await anExport();
    expect(lines.some((line) => /"kind":"(?:offload|microcompact|extractive)"/.test(line))).toBe(true);
    const { format, sessions, repairs } = importSessions({ name: "s.jsonl", text: textOf(lines) });
    const [session] = sessions;
    expect([format, repairs]).toEqual(["palimpsest", []]);
    expect(session).toMatchObject({ title: "Ledgers", system: "Be exact.", tools: [{ name: "Read" }] });

    const messages = session!.items.flatMap((item) => (item.type === "message" ? [item] : []));
    const rounds = [1, 2, 3, 5, 6, 8, 9, 10, 11, 12];
    expect(messages.map(({ message }) => JSON.stringify(message.content).slice(0, 60))).toEqual(
      rounds.flatMap((round) => [
        JSON.stringify([{ type: "text", text: `Read ledger ${round}.` }]).slice(0, 60),
        expect.stringContaining(`"id":"t${round}"`),
        expect.stringContaining(`"tool_use_id":"t${round}"`),
      ]),
    );
    expect(JSON.stringify(messages[2]!.message.content)).toContain("entry of ledger 1\\n".repeat(1_500));
    expect(messages[1]).toMatchObject({ usage, stopReason: "tool-use" });
    expect(session!.leftOut.map(({ reason }) => reason)).toEqual(Array(6).fill("abandoned-branch"));
  });

  it("takes a rewind back that was itself rewound", async () => {
    const { session, options } = await aSession();
    const [one] = await session.append(userText("one"));
    const [two] = await session.append(userText("two"));
    await session.rewind(one!);
    await session.append(userText("three"));
    await session.rewind(two!);
    await session.close();
    const log = await options.store.open(session.id);
    const lines: string[] = [];
    for await (const line of exportLines(log, { isRedacted: false, hasher: nodeHasher })) lines.push(line);
    const [imported] = importSessions({ name: "s.jsonl", text: textOf(lines) }).sessions;
    const texts = imported!.items.flatMap((item) =>
      item.type === "message" ? [item.message.content[0]] : [],
    );
    expect(texts).toMatchObject([{ text: "one" }, { text: "two" }]);
    await log.close();
  });

  it("says which text is missing, and takes its preview", async () => {
    const lines = (await anExport()).filter((line) => !line.startsWith('{"type":"blob"'));
    const { repairs } = importSessions({ name: "s.jsonl", text: textOf(lines) });
    expect(repairs.length).toBeGreaterThan(5);
    for (const { kind, detail } of repairs)
      expect([kind, detail]).toEqual([
        "bad-record",
        expect.stringMatching(/^the text [0-9a-f]{8} is missing/),
      ]);
  });

  it("is asked for in place of the log file, whose large texts are elsewhere", async () => {
    const [, ...log] = await anExport();
    expect(() => importSessions({ name: "s.jsonl", text: textOf(log) })).toThrow(
      expect.objectContaining({
        code: "FORMAT_UNKNOWN",
        hint: expect.stringContaining("sessions export ID"),
      }),
    );
  });
});
