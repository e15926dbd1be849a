/** Forks and exports of a session whose previews name plain files: nothing depends on the files, and no secret leaves with them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { openHome } from "palimpsest";
import { describe, expect, it } from "vitest";
import { json, SECRET, type StoredHome, storedHome } from "../../../../test/helpers/stored.ts";

const NAMED = /all of it is in the file ([^\s"\\]+\.txt)/;
const LINES = Array.from({ length: 4_000 }, (_, index) => `row ${index} of the ledger, nothing else`);
/** In the middle, which no preview shows, and at its end. */
const TEXT = [...LINES.slice(0, 2_000), `export TOKEN=${SECRET}`, ...LINES.slice(2_000), SECRET].join("\n");
const WINDOW = { windowTokens: 64_000, plainFiles: true };

function opened({ home, folder }: StoredHome) {
  return openHome({ home, workingCopy: folder, env: {}, persistence: true });
}

async function readLedger(
  session: Awaited<ReturnType<ReturnType<typeof opened>["create"]>>,
): Promise<string> {
  await session.append("What does the ledger say?");
  await session.prepare({ model: "claude-sonnet-4-5" });
  const call = { type: "tool_use", id: `t${session.visible.length}`, name: "Read", input: {} } as const;
  await session.record({ messages: [{ role: "assistant", content: [call] }] });
  const result = { type: "tool_result", tool_use_id: call.id, content: TEXT } as const;
  await session.append({ role: "user", content: [result] });
  const { messages } = await session.prepare({ model: "claude-sonnet-4-5" });
  return JSON.stringify(messages.at(-1));
}

/** A stored session whose preview names a plain file. */
async function withPlainFile() {
  const place = storedHome();
  const home = opened(place);
  const session = await home.create({ window: WINDOW });
  const shown = await readLedger(session);
  await session.close();
  await home.close();
  return { place, id: session.id, shown, path: NAMED.exec(shown)![1]! };
}

describe("a fork of a session with plain files", () => {
  it("shows the same previews, keeps every text without the files, and writes files of its own", async () => {
    const { place, id, shown, path } = await withPlainFile();
    expect(readFileSync(path, "utf8")).toBe(TEXT);
    const fork = (await place.run(["sessions", "fork", id])).out.trim();

    const home = opened(place);
    await home.trash(id);
    expect(existsSync(path)).toBe(false);
    const session = await home.resume(fork, { window: WINDOW });
    const { messages } = await session.prepare({ model: "claude-sonnet-4-5" });
    expect(JSON.stringify(messages.at(-1))).toBe(shown);
    const pointer = basename(path, ".txt");
    expect((await session.history.read(pointer, { limit: 20_000 })).totalCharacters).toBe(TEXT.length);

    await session.record({ messages: "It says a lot." });
    const later = NAMED.exec(await readLedger(session))![1]!;
    expect(later).toContain(join(fork, "plain"));
    expect(readFileSync(later, "utf8")).toBe(TEXT);
    await session.close();
    await home.close();
  });
});

describe("an export of a session with plain files", () => {
  it.each([
    "jsonl",
    "md",
    "html",
  ])("as %s holds no secret when it is redacted, and leaves the file alone", async (format) => {
    const { place, id, path } = await withPlainFile();
    const { code, out } = await place.run(["sessions", "export", id, "-f", format, "--redact"]);
    expect(code).toBe(0);
    expect(out).not.toContain(SECRET.slice(0, 20));
    expect(out).toContain("row 1999 of the ledger");
    expect(out).toContain("row 3999 of the ledger");
    // The file is the session's log in another form: as raw, and readable by its owner only.
    expect(readFileSync(path, "utf8")).toContain(SECRET);
    const home = opened(place);
    const folder = join(home.project.folder, id, "plain");
    expect(readdirSync(folder).length).toBe(1);
    await home.close();
  });

  it("goes on in another home, where the text is read from the log", async () => {
    const { place, id, path } = await withPlainFile();
    await place.run(["sessions", "export", id, "-o", "clean.jsonl", "--redact"]);
    const to = storedHome();
    const { code } = await to.run(["sessions", "import", join(place.folder, "clean.jsonl")]);
    expect(code).toBe(0);
    const home = opened(to);
    const session = await home.resume(id, { window: WINDOW });
    const { messages } = await session.prepare({ model: "claude-sonnet-4-5" });
    const pointer = basename(path, ".txt");
    // The file it names is on the other machine.
    expect(JSON.stringify(messages.at(-1))).toContain(path);
    const { totalCharacters } = await session.history.read(pointer, { limit: 20_000 });
    expect(totalCharacters).toBeGreaterThan(TEXT.length * 0.99);
    expect(JSON.stringify(messages)).not.toContain(SECRET.slice(0, 20));
    const matches = await session.history.search("export TOKEN");
    expect(JSON.stringify(matches)).not.toContain(SECRET.slice(0, 20));
    await session.close();
    await home.close();
    expect(json(await to.run(["sessions", "list", "--json"]))).toMatchObject({
      sessions: [{ sessionId: id }],
    });
  });
});
