/** `sessions list`, `show`, `search` and `resume-info`: they tell what is stored, and change nothing. */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openHome } from "palimpsest";
import { describe, expect, it } from "vitest";
import { testFolder, writeTestFile } from "../../../../test/helpers/recordings.ts";
import { HOSTILE, json, SECRET, storedHome, storeSession } from "../../../../test/helpers/stored.ts";

/** Every file below, with its size and the time it was changed. The index of a list is a cache. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => !name.includes(".index"))
    .map((name) => {
      const found = statSync(join(folder, name));
      return found.isDirectory() ? name : `${name} ${found.size} ${found.mtimeMs}`;
    })
    .sort();
}

describe("sessions list", () => {
  it("says so where there are none, and makes no home", async () => {
    const place = storedHome();
    const { code, out } = await place.run(["sessions", "list"]);
    expect(code).toBe(0);
    expect(out).toContain("No sessions in this project.");
    expect(() => statSync(place.home)).toThrow();
    expect(json(await place.run(["sessions", "list", "--json"]))).toEqual({ version: 1, sessions: [] });
  });

  it("shows the newest first, a page at a time", async () => {
    const place = storedHome();
    const ids: string[] = [];
    for (const title of ["one", "two", "three"]) ids.push(await storeSession(place, { title }));
    const first = json<{ sessions: { sessionId: string; name: string }[]; next: string }>(
      await place.run(["sessions", "list", "--limit", "2", "--json"]),
    );
    expect(first.sessions.map(({ name }) => name)).toEqual(["three", "two"]);
    const second = json<typeof first>(
      await place.run(["sessions", "list", "--limit", "2", "--after", first.next, "--json"]),
    );
    expect(second.sessions.map(({ sessionId }) => sessionId)).toEqual([ids[0]]);
    expect(second.next).toBeUndefined();
    const { out } = await place.run(["sessions", "list", "-n", "2"]);
    expect(out).toMatch(
      /^id\s+name.*\n.*three.*\n.*two.*\n\nMore: palimpsest sessions list --limit 2 --after /,
    );
  });

  it("names the same list when it tells how to see more of it", async () => {
    const place = storedHome();
    for (const title of ["one", "two"]) await storeSession(place, { title });
    const opened = openHome({ home: place.home, workingCopy: place.folder, persistence: true });
    const { folder } = opened.project;
    const { out } = await place.run(["sessions", "list", "-n", "1", "--folder", folder]);
    const [, options] = /More: palimpsest (sessions list .*)\n$/.exec(out) ?? [];
    expect(options).toContain(`--folder ${folder} --limit 1 --after '`);
    const words = options!.match(/'[^']*'|\S+/g)!.map((word) => word.replaceAll("'", ""));
    expect((await place.run([...words.slice(0, -1), "~"])).out).toMatch(/^No more sessions: /);
    expect((await place.run(words)).out).toMatch(/^id.*\n\S+ +one /);
  });

  it("tells a path that was mistyped from a place without sessions", async () => {
    const place = storedHome();
    const file = join(place.folder, "notes.txt");
    writeFileSync(file, "Dear harbour master,");
    for (const args of [
      ["sessions", "list", "--home", file],
      ["sessions", "list", "--folder", file],
      ["doctor", "--folder", file],
    ]) {
      const { code, err } = await place.run(args);
      expect({ code, err }).toMatchObject({
        code: 2,
        err: expect.stringMatching(/^OPTION_INVALID .* is a file/),
      });
    }
    const gone = await place.run(["sessions", "list", "--folder", join(place.folder, "gone")]);
    expect(gone).toMatchObject({ code: 0, out: expect.stringMatching(/^There is no folder .*gone\.\n$/) });
  });

  it("has every project with --all, and only the tagged with --tag", async () => {
    const place = storedHome();
    const here = await storeSession(place, { title: "here" });
    const elsewhere = await storeSession(place, { title: "elsewhere", workingCopy: testFolder() });
    const listed = async (...args: readonly string[]) =>
      json<{ sessions: { sessionId: string }[] }>(
        await place.run(["sessions", "list", "--json", ...args]),
      ).sessions.map(({ sessionId }) => sessionId);
    expect(await listed()).toEqual([here]);
    expect(await listed("--all")).toEqual([elsewhere, here]);
    expect(await listed("--all", "--limit", "1", "--after", "1")).toEqual([here]);
    await place.run(["sessions", "tag", "add", elsewhere, "billing"]);
    expect(await listed("--all", "--tag", "billing")).toEqual([elsewhere]);
    expect(await listed("--tag", "billing")).toEqual([]);
    const more = await storeSession(place, { title: "more" });
    for (const id of [here, more]) await place.run(["sessions", "tag", "add", id, "billing"]);
    const page = json<{ sessions: { sessionId: string }[]; next: string }>(
      await place.run(["sessions", "list", "--tag", "billing", "--limit", "1", "--json"]),
    );
    expect(page.sessions.map(({ sessionId }) => sessionId)).toEqual([more]);
    expect(await listed("--tag", "billing", "--limit", "1", "--after", page.next)).toEqual([here]);
  });

  it.each([20, 40, 60, 80, 100, 200])("fits into %i columns", async (columns) => {
    const place = storedHome();
    await storeSession(place, { title: "日本語のタイトル and a long tail ".repeat(8) });
    const { out } = await place.run(["sessions", "list"], { columns });
    for (const line of out.trimEnd().split("\n"))
      expect(
        [...line].reduce((sum, character) => sum + (/[\u3000-\u9fff]/.test(character) ? 2 : 1), 0),
        line,
      ).toBeLessThanOrEqual(Math.max(columns, 28));
  });

  it("marks what is open now", async () => {
    const place = storedHome();
    const id = await storeSession(place, { title: "open" });
    const opened = openHome({ home: place.home, workingCopy: place.folder, persistence: true });
    const session = await opened.resume(id);
    expect((await place.run(["sessions", "list"])).out).toContain("●");
    expect(json(await place.run(["sessions", "list", "--json"]))).toMatchObject({
      sessions: [{ isInUse: true }],
    });
    await session.close();
    expect((await place.run(["sessions", "list"])).out).not.toContain("●");
  });
});

describe("sessions show", () => {
  it("shows a small cost as small, and one that leaves calls out as a lower bound", async () => {
    const place = storedHome();
    const usage = { inputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 50 };
    const home = openHome({ home: place.home, workingCopy: place.folder, env: {}, persistence: true });
    const session = await home.create();
    const call = async (figures: { readonly usage?: typeof usage }): Promise<void> => {
      await session.append("And?");
      await session.prepare({ model: "claude-sonnet-4-5" });
      const messages = [{ role: "assistant" as const, content: "Fine." }];
      await session.record({ messages, ...figures });
    };
    await call({ usage });
    const shown = () => place.run(["sessions", "show", session.id]);
    expect((await shown()).out).toContain("50 out, <$0.01 at list prices");
    await call({});
    await call({ usage: { ...usage, outputTokens: 10_000 } });
    await session.close();
    await home.close();
    expect((await shown()).out).toContain("out, at least $0.15 at list prices");
    expect(json(await place.run(["sessions", "show", session.id, "--json"]))).toMatchObject({
      counts: { calls: 3 },
      unmeteredCalls: 1,
    });
  });

  it("tells figures and what was said last", async () => {
    const place = storedHome();
    const id = await storeSession(place, { title: "Ledgers", rounds: 3 });
    const { code, out } = await place.run(["sessions", "show", id.slice(0, 10), "-m", "2"]);
    expect(code).toBe(0);
    expect(out).toContain("Ledgers\n");
    expect(out).toContain("3 prompts, 3 answers, 3 tool calls");
    expect(out).toContain("3, by claude-sonnet-4-5");
    expect(out).toContain("$0.01 at list prices");
    expect(out).toContain("  call Read\n  path: l3\n");
    expect(out).not.toContain("path: l2");
    expect(json(await place.run(["sessions", "show", "Ledgers", "--json"]))).toMatchObject({
      version: 1,
      unmeteredCalls: 0,
      sessionId: id,
      title: "Ledgers",
      counts: { messages: 9, userMessages: 3, toolCalls: 3, calls: 3, compactions: 0 },
      usage: { inputTokens: 3_000, outputTokens: 300 },
      models: { "claude-sonnet-4-5": 3 },
      damage: [],
    });
  });

  it.each([
    { which: "ffff-missing", code: "SESSION_NOT_FOUND", why: "no session" },
    { which: "Twins", code: "SESSION_AMBIGUOUS", why: "two of one title" },
  ])("refuses a name that fits $why", async ({ which, code }) => {
    const place = storedHome();
    await storeSession(place, { title: "Twins" });
    await storeSession(place, { title: "Twins" });
    const ran = await place.run(["sessions", "show", which]);
    expect(ran.code).toBe(1);
    expect(ran.err).toMatch(new RegExp(`^${code} `));
    expect(ran.out).toBe("");
  });
});

describe("sessions resume-info", () => {
  it("tells what a resume would read, and whether it can", async () => {
    const place = storedHome();
    const id = await storeSession(place, { rounds: 5 });
    const ran = await place.run(["sessions", "resume-info", id, "--json"]);
    expect(ran.code).toBe(0);
    const info = json<{
      bytes: number;
      lastSeq: number;
      checkpoint: { bytesFromEnd: number };
      read: { bytes: number };
    }>(ran);
    expect(info).toMatchObject({
      sessionId: id,
      canResume: true,
      isInUse: false,
      window: { messages: 15 },
      damage: [],
    });
    expect(info.checkpoint.bytesFromEnd).toBeLessThan(2_000);
    expect(info.read.bytes).toBeLessThanOrEqual(info.bytes);
    const opened = openHome({ home: place.home, workingCopy: place.folder, persistence: true });
    const session = await opened.resume(id);
    const inUse = await place.run(["sessions", "resume-info", id]);
    expect(inUse.code).toBe(3);
    expect(inUse.out).toContain("● Another process is writing it.");
    await session.close();
  });

  it("counts once what had to be read again because a checkpoint was of no use", async () => {
    const place = storedHome();
    const id = await storeSession(place, { rounds: 5 });
    const log = join(openHome({ home: place.home, workingCopy: place.folder }).project.folder, `${id}.jsonl`);
    const bytes = readFileSync(log);
    const count = bytes.indexOf("entry of ledger 2");
    bytes[count]! ^= 0x20;
    writeFileSync(log, bytes);
    const entries = bytes.toString().trimEnd().split("\n").length;
    const { code, out } = await place.run(["sessions", "resume-info", id]);
    expect(code).toBe(0);
    expect(out).toContain("cannot be used: the log it points to is damaged");
    expect(out).toContain(`Reads       ${entries - 1} entries`);
    expect(out).toContain("Damage      1 stretch,");
  });
});

describe("reading commands", () => {
  it("change no file", async () => {
    const place = storedHome();
    const id = await storeSession(place, { title: "Ledgers", resultLines: 2_500 });
    const before = filesIn(place.home);
    for (const args of [
      ["list"],
      ["list", "--all", "--trash"],
      ["show", id],
      ["search", "ledger"],
      ["resume-info", id],
      ["export", id],
      ["export", id, "-f", "jsonl"],
      ["clean", "--dry-run"],
    ])
      await place.run(["sessions", ...args]);
    await place.run(["doctor"]);
    expect(filesIn(place.home)).toEqual(before);
  });

  it("show no text of a session as it is where that could steer the terminal", async () => {
    const place = storedHome();
    const id = await storeSession(place, { title: HOSTILE, text: HOSTILE });
    await place.run(["sessions", "tag", "add", id, "x\u202ey"]);
    for (const args of [
      ["list"],
      ["show", id],
      ["search", "end"],
      ["resume-info", id],
      ["export", id],
      ["fork", id],
      ["rename", id, HOSTILE],
    ])
      for (const flags of [[], ["--json"]]) {
        const isExport = args[0] === "export" && flags.length > 0;
        const { out, err } = await place.run([
          "sessions",
          ...args,
          ...flags,
          ...(isExport ? ["-o", "x.md"] : []),
        ]);
        expect(out + err, args.join(" ")).not.toMatch(
          /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069]/,
        );
        expect(out + err).not.toBe("");
      }
    expect(json(await place.run(["sessions", "show", id, "--json"]))).toMatchObject({ title: HOSTILE });
  });

  it("show secrets of the log in no export that is for reading", async () => {
    const place = storedHome();
    const id = await storeSession(place);
    expect((await place.run(["sessions", "export", id])).out).not.toContain(SECRET);
    expect((await place.run(["sessions", "export", id, "-f", "html"])).out).not.toContain(SECRET);
    expect((await place.run(["sessions", "export", id, "--no-redact"])).out).toContain(SECRET);
    expect((await place.run(["sessions", "export", id, "-f", "jsonl", "--redact"])).out).not.toContain(
      SECRET,
    );
  });

  it("show no secret that stands in the name of a field, or over several lines of a large text", async () => {
    const place = storedHome();
    const opened = openHome({ home: place.home, workingCopy: place.folder, persistence: true });
    const session = await opened.create();
    const marks = ["-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"];
    const pem = [marks[0], "MIIEpAIBAAKCAQEAx7", marks[1]].join("\n");
    await session.append({ role: "user", content: [{ type: "text", text: "go" }] });
    await session.append({
      role: "assistant",
      content: [{ type: "tool_use", id: "t", name: "curl", input: { headers: { [SECRET]: "x-api-key" } } }],
    });
    const content = `${"line\n".repeat(30_000)}${pem}\n`;
    await session.append({ role: "user", content: [{ type: "tool_result", tool_use_id: "t", content }] });
    await opened.close();
    for (const format of ["md", "html", "jsonl"]) {
      const { out } = await place.run(["sessions", "export", session.id, "-f", format, "--redact"]);
      expect(out.length).toBeGreaterThan(100_000);
      for (const secret of [SECRET, "MIIEpAIBAAKCAQEAx7"]) expect(out.includes(secret), format).toBe(false);
    }
    const { out } = await place.run(["sessions", "export", session.id, "-f", "jsonl", "--redact"]);
    const copy = writeTestFile("redacted.jsonl", out);
    expect((await place.run(["sessions", "import", copy, "--new-id"])).code).toBe(0);
    expect((await place.run(["doctor"])).code).toBe(0);
  });

  it.each([
    ["list"],
    ["show"],
    ["search"],
    ["resume-info"],
    ["fork"],
    ["rename"],
    ["export"],
    ["import"],
    ["clean"],
    ["trash"],
    ["restore"],
  ])("%s has help with an example", async (name) => {
    const { code, out } = await storedHome().run(["sessions", name, "--help"]);
    expect(code).toBe(0);
    expect(out).toMatch(/Examples:\n {2}palimpsest sessions /);
    expect(out).toContain("Exit codes:\n  0  ");
    expect(out).toContain("--json");
  });
});

it.each([
  ["show"],
  ["export"],
  ["resume-info"],
])("%s takes the latest session if none is named", async (name) => {
  const place = storedHome();
  await storeSession(place, { title: "older", at: Date.now() - 60_000 });
  const latest = await storeSession(place, { title: "The ledger" });
  const named = await place.run(["sessions", name, latest]);
  expect(named.code).toBe(0);
  expect(await place.run(["sessions", name])).toEqual(named);
});

it("has every field of its JSON in the reference", async () => {
  const place = storedHome();
  const parent = await storeSession(place, { title: "Ledgers" });
  const id = (await place.run(["sessions", "fork", parent])).out.trim();
  await place.run(["sessions", "tag", "add", id, "billing"]);
  const document = readFileSync(
    new URL("../../../../docs/reference/sessions-json.md", import.meta.url),
    "utf8",
  );
  const fields = new Set<string>();
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(collect);
    else if (typeof value === "object" && value !== null)
      for (const [name, field] of Object.entries(value)) {
        fields.add(name);
        // These are the user's own names, and those of edits and models.
        if (!["metadata", "models", "edits", "kept", "clock"].includes(name)) collect(field);
      }
  };
  for (const args of [
    ["list"],
    ["show", id],
    ["resume-info", id],
    ["search", "ledger"],
    ["clean", "--dry-run"],
    ["fork", id],
    ["export", id, "-o", "x.md"],
  ])
    collect(json(await place.run(["sessions", ...args, "--json"])));
  collect(json(await place.run(["doctor", "--json"])));
  const ofReports = new Set(["isDryRun", "seen", "seenInTrash", "startedAt", "ms"]);
  const missing = [...fields].filter(
    (name) => !ofReports.has(name) && !new RegExp(`[\\x60 .{]${name}\\b`).test(document),
  );
  expect(missing).toEqual([]);
});
