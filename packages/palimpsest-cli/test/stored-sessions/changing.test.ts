/** `sessions fork`, `rename`, `tag`, `export`, `import`, `clean` and `restore`. */
import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { openHome } from "palimpsest";
import { describe, expect, it } from "vitest";
import type { ListedSession } from "#stored-sessions/listed-session.ts";
import { cliDouble } from "../../../../test/helpers/cli-double.ts";
import {
  claudeCodeCutShort,
  openaiChat,
  testFolder,
  writeTestFile,
} from "../../../../test/helpers/recordings.ts";
import { json, type StoredHome, storedHome, storeSession } from "../../../../test/helpers/stored.ts";

const DAY_MS = 86_400_000;

async function idsOf(place: StoredHome): Promise<readonly string[]> {
  const { sessions } = json<{ sessions: { sessionId: string }[] }>(
    await place.run(["sessions", "list", "--json"]),
  );
  return sessions.map(({ sessionId }) => sessionId);
}

describe("sessions fork, rename and tag", () => {
  it("fork at an entry, and name the fork", async () => {
    const place = storedHome();
    const id = await storeSession(place, { title: "Ledgers", rounds: 3 });
    const { code, out } = await place.run(["sessions", "fork", id, "--at", "6", "--title", "Another way"]);
    expect(code).toBe(0);
    const fork = out.trim();
    expect(json(await place.run(["sessions", "show", fork, "--json"]))).toMatchObject({
      title: "Another way",
      forkOf: id,
      counts: { userMessages: 1 },
    });
    expect(await place.run(["sessions", "fork", id, "--at", "999"])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^OPTION_INVALID There is no entry 999 .* with --at, such as 12 of m12/),
    });
    expect((await place.run(["sessions", "fork", id, "--at", "x"])).code).toBe(2);
  });

  it("rename and tag, and refuse what somebody else is writing", async () => {
    const place = storedHome();
    const id = await storeSession(place);
    expect((await place.run(["sessions", "rename", id, "A title"])).code).toBe(0);
    expect(
      json(await place.run(["sessions", "tag", "add", "A title", "b", "a", "b", "--json"])),
    ).toMatchObject({ tags: ["b", "a"] });
    expect(json(await place.run(["sessions", "tag", "remove", id, "b", "--json"]))).toMatchObject({
      tags: ["a"],
    });
    expect((await place.run(["sessions", "rename", id, "  "])).code).toBe(2);
    const opened = openHome({ home: place.home, workingCopy: place.folder, persistence: true });
    const session = await opened.resume(id);
    const refused = await place.run(["sessions", "rename", id, "Another"]);
    expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/^SESSION_IN_USE /) });
    await session.close();
  });
});

describe("sessions in a plain folder", () => {
  it("are called and tagged by the same rules as those of a home", async () => {
    const place = storedHome();
    const id = await storeSession(place);
    const { folder } = openHome({ home: place.home, workingCopy: place.folder }).project;
    const run = (...args: readonly string[]) => place.run(["sessions", ...args, "--folder", folder]);
    for (const where of [run, (...args: readonly string[]) => place.run(["sessions", ...args])]) {
      expect((await where("rename", id, "a".repeat(201))).err).toMatch(
        /^OPTION_INVALID A title has 1 to 200/,
      );
      expect((await where("tag", "add", id, "")).err).toMatch(
        /^OPTION_INVALID A tag has .* Give a tag, in words/,
      );
      const tags = Array.from({ length: 65 }, (_, number) => `tag-${number}`);
      expect((await where("tag", "add", id, ...tags)).err).toMatch(/^OPTION_INVALID .* 65 tags; /);
    }
    expect((await run("rename", id, "  Ledgers ")).code).toBe(0);
    expect((await run("tag", "add", id, "billing", "urgent")).out).toContain("billing, urgent");
    expect((await run("tag", "remove", id, "urgent")).out).toMatch(/ is tagged billing now/);
    expect(json(await place.run(["sessions", "show", id, "--json"]))).toMatchObject({ title: "Ledgers" });
  });
});

describe("sessions export and import", () => {
  it("give back the same session, through a file, plain and compressed, and a plain folder", async () => {
    const from = storedHome();
    const id = await storeSession(from, { title: "Ledgers", rounds: 4, resultLines: 600 });
    const file = join(from.folder, "backup.jsonl");
    expect((await from.run(["sessions", "export", id, "-o", "backup.jsonl"])).err).toContain("to the letter");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(`${file}.gz`, gzipSync(readFileSync(file)));
    const shown = json(await from.run(["sessions", "show", id, "-m", "100", "--json"]));

    for (const [name, place] of [
      [file, []],
      [`${file}.gz`, ["--folder", testFolder()]],
    ] as const) {
      const to = storedHome();
      const ran = json(await to.run(["sessions", "import", name, "--json", ...place]));
      expect(ran).toMatchObject({
        failed: [],
        imported: [{ sessionId: id, format: "palimpsest", problems: [] }],
      });
      const again = json(await to.run(["sessions", "show", id, "-m", "100", "--json", ...place]));
      for (const field of ["metadata", "counts", "blobs", "tokens", "usage", "models", "messages", "title"])
        expect(again[field], field).toEqual(shown[field]);
      const { out } = await to.run(["sessions", "export", id, "-f", "jsonl", ...place]);
      const withoutPositions = (text: string): string => text.replace(/"position":\d+/g, '"position":0');
      expect(withoutPositions(out)).toBe(withoutPositions(readFileSync(file, "utf8")));
    }
  });

  it("import an export twice under another id, and not over the first", async () => {
    const place = storedHome();
    const id = await storeSession(place, { title: "Ledgers" });
    await place.run(["sessions", "export", id, "-o", "backup.jsonl"]);
    const file = join(place.folder, "backup.jsonl");
    const refused = await place.run(["sessions", "import", file]);
    expect(refused).toMatchObject({ code: 1, out: expect.stringMatching(/SESSION_EXISTS .* --new-id /) });
    expect((await place.run(["sessions", "import", file, "--new-id"])).code).toBe(0);
    const ids = await idsOf(place);
    expect(ids).toHaveLength(2);
    const other = ids.find((one) => one !== id)!;
    expect(json(await place.run(["sessions", "show", other, "--json"]))).toMatchObject({
      title: "Ledgers",
      source: { format: "palimpsest", sessionId: id },
    });
  });

  it("import recordings of other tools, and go on where one cannot be read", async () => {
    const place = storedHome();
    const files = [
      writeTestFile("one.jsonl", claudeCodeCutShort()),
      writeTestFile("gone.txt", "Dear harbour master,"),
      writeTestFile("chat.json", openaiChat(2)),
    ];
    const ran = await place.run(["sessions", "import", ...files, "nothing-here.jsonl", "--json"]);
    expect(ran.code).toBe(1);
    expect(json(ran)).toMatchObject({
      imported: [
        { format: "claude-code", originalId: "11111111-2222-4333-8444-555555555555" },
        {
          format: "openai-chat",
          messages: 8,
          problems: ["the system prompt (24 characters) is not carried over"],
        },
      ],
      failed: [{ error: { code: "FORMAT_UNKNOWN" } }, { error: { code: "INPUT_NOT_FOUND" } }],
    });
    expect(await idsOf(place)).toHaveLength(2);
  });

  it("date an import by its recording, and by the import where the recording has no times", async () => {
    const place = storedHome();
    const startedAt = Date.now();
    const files = [
      writeTestFile("chat.json", openaiChat(2)),
      writeTestFile("one.jsonl", claudeCodeCutShort()),
    ];
    await place.run(["sessions", "import", ...files]);
    const { sessions } = json<{ sessions: ListedSession[] }>(await place.run(["sessions", "list", "--json"]));
    const [timeless, dated] = ["openai-chat", "claude-code"].map(
      (format) => sessions.find(({ source }) => source?.format === format)!,
    );
    expect(dated).toMatchObject({
      createdAt: 1_735_689_600_000,
      source: {
        sessionId: "11111111-2222-4333-8444-555555555555",
        firstAt: 1_735_689_600_000,
        lastAt: 1_735_689_601_000,
      },
    });
    expect(timeless!.source).toEqual({ format: "openai-chat" });
    expect(timeless!.createdAt).toBeGreaterThanOrEqual(startedAt);
    // What happened on this machine sorts lists and lets a clean-up wait.
    for (const { lastActivityAt } of sessions) expect(lastActivityAt).toBeGreaterThanOrEqual(startedAt - 1);
    const shown = (await place.run(["sessions", "show", dated!.sessionId])).out;
    expect(shown).toMatch(/Begun +(2024-12-31|2025-01-01) \d\d:\d\d, last active \d+ y ago/);

    await place.run(["sessions", "export", dated!.sessionId, "-o", "dated.jsonl"]);
    const again = json<{ imported: { sessionId: string }[] }>(
      await place.run(["sessions", "import", join(place.folder, "dated.jsonl"), "--new-id", "--json"]),
    );
    const copy = await place.run(["sessions", "show", again.imported[0]!.sessionId, "--json"]);
    expect(json(copy)).toMatchObject({
      createdAt: 1_735_689_600_000,
      source: { format: "palimpsest", sessionId: dated!.sessionId },
    });
  });

  it("are followed by no clean-up of what was imported just now, however old it is", async () => {
    const from = storedHome();
    const old = await storeSession(from, { title: "old", at: Date.now() - 45 * DAY_MS });
    await from.run(["sessions", "export", old, "-o", "old.jsonl"]);
    const place = storedHome();
    const files = [join(from.folder, "old.jsonl"), writeTestFile("one.jsonl", claudeCodeCutShort())];
    expect((await place.run(["sessions", "import", ...files])).code).toBe(0);
    const project = join(place.home, "projects", readdirSync(join(place.home, "projects"))[0]!);
    for (const index of ["kept", "gone"]) {
      if (index === "gone") rmSync(join(project, ".index.jsonl"), { force: true });
      expect(json(await place.run(["sessions", "clean", "--json"])), index).toMatchObject({
        projects: [{ outcome: "done", trashed: 0, kept: { recent: 2 } }],
      });
    }
  });

  it("write to standard output where - is the file, and tell which large texts are gone", async () => {
    const place = storedHome();
    const id = await storeSession(place, { rounds: 1, resultLines: 4_000 });
    const whole = await place.run(["sessions", "export", id, "-o", "-"]);
    expect(whole).toMatchObject({ code: 0, out: expect.stringMatching(/^# /) });
    expect(whole.err).not.toContain("missing");
    expect(readdirSync(place.folder)).toEqual([]);
    const { folder } = openHome({ home: place.home, workingCopy: place.folder }).project;
    rmSync(join(folder, id, "blobs"), { recursive: true });
    for (const format of ["md", "html"]) {
      const { code, out, err } = await place.run(["sessions", "export", id, "-f", format]);
      expect(code).toBe(0);
      expect(out).toContain("cannot be read from the store; the preview is shown instead");
      expect(err).toContain("1 large text missing in the store");
    }
  });

  it("and a search tell that a part of the log cannot be read", async () => {
    const place = storedHome();
    const id = await storeSession(place, { rounds: 5 });
    const log = join(openHome({ home: place.home, workingCopy: place.folder }).project.folder, `${id}.jsonl`);
    writeFileSync(log, readFileSync(log, "utf8").replace("entry of ledger 2", "entry of ledger 7"));
    for (const format of ["md", "html", "jsonl"]) {
      const { code, err } = await place.run(["sessions", "export", id, "-f", format]);
      expect({ code, err }).toEqual({
        code: 0,
        err: expect.stringContaining("1 damaged stretch passed over"),
      });
    }
    for (const word of ["ledger 5", "nowhere"]) {
      const { err } = await place.run(["sessions", "search", word]);
      const isReported = err.includes(
        "1 session damaged, and searched as far as can be read; palimpsest doctor says more",
      );
      // Without a trace of the word in its bytes a log is not read at all.
      expect(isReported, err).toBe(word === "ledger 5");
      const { damagedSessions } = json(await place.run(["sessions", "search", word, "--json"]));
      expect(damagedSessions).toEqual(word === "ledger 5" ? [id] : undefined);
    }
  });

  it("leave nothing where they are stopped or cannot write", async () => {
    const place = storedHome();
    const id = await storeSession(place);
    const context = cliDouble({ folder: place.folder, env: { PALIMPSEST_HOME: place.home } });
    context.stop.abort();
    const recording = writeTestFile("chat.json", openaiChat(3));
    for (const args of [
      ["export", id, "-o", "a.html"],
      ["export", id, "-o", "a.jsonl"],
      ["import", recording],
      ["fork", id],
    ])
      expect((await place.run(["sessions", ...args], { context })).code, args.join(" ")).toBe(1);
    expect(context.written.err).toMatch(/^(?:ABORTED .*\n){4}$/);
    expect(readdirSync(place.folder)).toEqual([]);
    expect(await idsOf(place)).toEqual([id]);
    expect((await place.run(["sessions", "export", id, "--json"])).code).toBe(2);
    const { code, err } = await place.run(["sessions", "export", id, "-o", "no/such/folder/a.md"]);
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringMatching(/^STORE_FAILED .*ENOENT/) });
  });
});

describe("sessions trash", () => {
  it.each([
    { kind: "home", where: [] },
    { kind: "folder", where: ["--folder", "sessions"] },
  ])("moves one session to the trash of a $kind, and restore brings it back", async ({ kind, where }) => {
    const place = storedHome();
    const sessionId = await storeSession(place, { title: "Draft" });
    if (kind === "folder") {
      const { out } = await place.run(["sessions", "export", "-f", "jsonl"]);
      await place.run(["sessions", "import", writeTestFile("draft.jsonl", out), ...where]);
    }
    expect(await place.run(["sessions", "trash", "Draft", ...where])).toMatchObject({
      code: 0,
      out: `${sessionId} (Draft) is in the trash; palimpsest sessions restore ${sessionId} brings it back.\n`,
    });
    expect((await place.run(["sessions", "show", "Draft", ...where])).err).toMatch(/^SESSION_NOT_FOUND /);
    expect((await place.run(["sessions", "list", "--trash", ...where])).out).toContain(sessionId);
    // The trash has no titles.
    expect(await place.run(["sessions", "restore", "Draft", ...where])).toMatchObject({
      code: 1,
      err: expect.stringContaining("sessions list --trash"),
    });
    expect((await place.run(["sessions", "restore", sessionId, ...where])).code).toBe(0);
    const again = await place.run(["sessions", "rm", sessionId, "--json", ...where]);
    expect(json(again)).toMatchObject({ session: { sessionId } });
  });

  it("refuses a session that is being written", async () => {
    const place = storedHome();
    const sessionId = await storeSession(place, { title: "Draft" });
    const home = openHome({ home: place.home, workingCopy: place.folder, persistence: true, env: {} });
    const session = await home.resume(sessionId);
    expect((await place.run(["sessions", "trash", sessionId])).err).toMatch(/^SESSION_IN_USE /);
    await session.close();
    await home.close();
  });
});

describe("sessions clean and restore", () => {
  it("moves to the trash what is old, says so before, and brings it back", async () => {
    const place = storedHome();
    const old = await storeSession(place, { title: "old", at: Date.now() - 45 * DAY_MS });
    const young = await storeSession(place, { title: "young" });
    // Its file is as old as its entries say; what the index remembers of it is not.
    const project = join(place.home, "projects", readdirSync(join(place.home, "projects"))[0]!);
    const oldSeconds = (Date.now() - 45 * DAY_MS) / 1_000;
    utimesSync(join(project, `${old}.jsonl`), oldSeconds, oldSeconds);
    rmSync(join(project, ".index.jsonl"), { force: true });

    expect((await place.run(["sessions", "clean", "--dry-run", "--period", "60"])).out).toContain(
      "0 sessions would go",
    );
    const dry = await place.run(["sessions", "clean", "--dry-run"]);
    expect(dry.out).toContain(`${old}  to the trash: no activity for 45 days`);
    expect(await idsOf(place)).toEqual([young, old]);

    const done = await place.run(["sessions", "clean", "--json"]);
    expect(done.code).toBe(0);
    expect(json(done)).toMatchObject({
      isDryRun: false,
      projects: [{ outcome: "done", trashed: 1, kept: { recent: 1 } }],
    });
    expect(await idsOf(place)).toEqual([young]);
    expect((await place.run(["sessions", "list", "--trash"])).out).toContain(old);

    const back = await place.run(["sessions", "restore", old.slice(0, 8)]);
    expect(back).toMatchObject({ code: 0, out: `${old} (old) is back.\n` });
    expect(await idsOf(place)).toHaveLength(2);
    expect((await place.run(["sessions", "list", "--trash"])).out).toBe("The trash is empty.\n");
    expect((await place.run(["sessions", "restore", old])).err).toMatch(/^SESSION_NOT_FOUND /);
  });

  it("does nothing while nobody can tell how long sessions are to be kept", async () => {
    const place = storedHome();
    await storeSession(place);
    writeFileSync(join(place.home, "settings.json"), '{"cleanupPeriodDays":"a month"}');
    expect(await place.run(["sessions", "clean"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("settings.json"),
    });
    expect((await place.run(["sessions", "clean", "--period", "30"])).code).toBe(0);
  });

  it("moves nothing in a folder that holds what is no session", async () => {
    const place = storedHome();
    const file = join(place.folder, "rows.jsonl");
    writeFileSync(file, '{"row":1}\n');
    utimesSync(file, 1_600_000_000, 1_600_000_000);
    const { code, err } = await place.run(["sessions", "clean", "--folder", "."]);
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining("rows.jsonl") });
    expect(readdirSync(place.folder)).toEqual(["rows.jsonl"]);
  });
});
