import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Session } from "../../src/engine/session.ts";
import { type HomeOptions, openHome, type PalimpsestHome } from "../../src/hosts/palimpsest-home.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { assistant, user } from "../helpers/histories.ts";

let folder: string;
let left: PalimpsestHome[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-home-"));
  left = [];
  for (const name of ["app", "other"]) mkdirSync(join(folder, name));
});
afterEach(async () => {
  for (const home of left) await home.close();
  rmSync(folder, { recursive: true, force: true });
});

const at = (...names: readonly string[]): string => join(folder, ...names);

function open(options: HomeOptions = {}): PalimpsestHome {
  const env = { PATH: process.env["PATH"], HOME: at("nobody") };
  const home = openHome({ home: at("home"), workingCopy: at("app"), env, ...options });
  left.push(home);
  return home;
}

async function say(session: Session, ...words: readonly string[]): Promise<Session> {
  for (const word of words) await session.append(user(word));
  return session;
}

async function leftBehind(home: PalimpsestHome, ...words: readonly string[]): Promise<string> {
  const session = await say(await home.create(), ...words);
  await session.close();
  return session.id;
}

const texts = (session: Session): readonly string[] =>
  session.visible.flatMap(({ blocks }) =>
    blocks.flatMap(({ block }) => (block.type === "text" ? [block.text] : [])),
  );

/** Every path below a folder with its mode. */
function tree(root: string, below = ""): readonly string[] {
  return readdirSync(join(root, below))
    .sort()
    .flatMap((name) => {
      const path = below === "" ? name : `${below}/${name}`;
      const stat = statSync(join(root, path));
      const mode = (stat.mode & 0o777).toString(8);
      return [
        `${mode} ${path}${stat.isDirectory() ? "/" : ""}`,
        ...(stat.isDirectory() ? tree(root, path) : []),
      ];
    });
}

describe("a home on the disk", () => {
  it("has this form after a session with a large block, whatever the umask", async () => {
    const umask = process.umask(0);
    try {
      const home = open();
      const session = await say(await home.create(), "hello", "x".repeat(300_000));
      await session.prepare({ model: "claude-opus-4-5", system: "be brief" });
      await session.record({ messages: [assistant("r1", "hi")] });
      await session.close();
      await home.changeSettings({ trashGraceDays: 10 });
      const trashed = await leftBehind(home, "to go");
      await home.trash(trashed);
      const shape = tree(at("home")).map((line) =>
        line
          .replaceAll(session.id, "<session>")
          .replaceAll(trashed, "<trashed>")
          .replaceAll(home.project.name, "<project>")
          .replace(/[0-9a-f]{64}/, "<hash>"),
      );
      expect([...new Set(shape)]).toMatchInlineSnapshot(`
        [
          "700 projects/",
          "700 projects/<project>/",
          "600 projects/<project>/.index.jsonl",
          "700 projects/<project>/<session>/",
          "700 projects/<project>/<session>/blobs/",
          "600 projects/<project>/<session>/blobs/<hash>",
          "600 projects/<project>/<session>.jsonl",
          "600 settings.json",
          "700 trash/",
          "700 trash/<project>/",
          "700 trash/<project>/.busy/",
          "700 trash/<project>/<trashed>/",
          "600 trash/<project>/<trashed>/log.jsonl",
          "600 trash/<project>/<trashed>/trashed.json",
          "600 trash/<project>/audit.jsonl",
        ]
      `);
    } finally {
      process.umask(umask);
    }
  });

  it("is not written to before the first message, by nothing that reads", async () => {
    const home = open();
    const session = await home.create();
    await home.startContext();
    expect(await home.list()).toEqual({ sessions: [] });
    expect(await home.resumeLatest()).toBeUndefined();
    expect(await home.projects()).toEqual([home.project]);
    await session.close();
    expect(readdirSync(folder)).not.toContain("home");
  });

  it("is found by option, by environment, and in the user's folder", () => {
    const env = { HOME: at("me"), USERPROFILE: at("me") };
    expect(openHome({ env }).folder).toBe(at("me", ".palimpsest"));
    expect(openHome({ env: { ...env, PALIMPSEST_HOME: at("named") } }).folder).toBe(at("named"));
    expect(openHome({ env: { ...env, PALIMPSEST_HOME: "" } }).folder).toBe(at("me", ".palimpsest"));
    expect(openHome({ home: at("asked"), env: { ...env, PALIMPSEST_HOME: at("named") } }).folder).toBe(
      at("asked"),
    );
  });

  it("knows a working copy by its real path", () => {
    symlinkSync(at("app"), at("link"));
    expect(open({ workingCopy: at("link") }).project).toEqual(open().project);
    expect(open({ workingCopy: at("other") }).project).not.toEqual(open().project);
  });
});

describe("going on with a session", () => {
  it("finds it by id, by the beginning of one, and by its title", async () => {
    const home = open();
    const id = await leftBehind(home, "one");
    const other = await leftBehind(home, "two");
    await home.rename(id, "  The first  ");
    for (const which of [id, id.slice(0, 12), "The first"]) {
      const session = await home.resume(which);
      expect([which, session.id, ...texts(session)]).toEqual([which, id, "one"]);
      await session.close();
    }
    await home.rename(other, "The first");
    await expect(home.resume("The first")).rejects.toMatchObject({
      code: "SESSION_AMBIGUOUS",
      candidates: [other, id],
    });
    await expect(home.resume("")).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
    await expect(home.resume("one")).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
  });

  it("takes the latest that nobody is writing", async () => {
    const clock = new FakeClock(Date.now());
    const home = open({ clock });
    const older = await leftBehind(home, "older");
    clock.advance(60_000);
    const newest = await say(await home.create(), "newest");
    const found = await open({ clock }).resumeLatest();
    expect(found?.id).toBe(older);
    await found?.close();
    await newest.close();
    expect((await open({ clock }).resumeLatest())?.id).toBe(newest.id);
  });

  it("goes on in place from another working copy, and says so", async () => {
    const id = await leftBehind(open(), "from the app");
    const elsewhere = open({ workingCopy: at("other") });
    const session = await elsewhere.resume(id);
    await say(session, "from the other");
    await session.close();

    const { project, info } = await open().find(id);
    expect(project).toEqual(open().project);
    expect(info.header?.workingCopy).toBe(at("app"));
    expect(info.metadata["workingCopy"]).toBe(at("other"));
    expect((await elsewhere.list()).sessions).toEqual([]);
    const back = await open().resume(id);
    expect(texts(back)).toEqual(["from the app", "from the other"]);
    await back.close();
    const fork = await elsewhere.fork(id);
    await fork.close();
    expect((await open().find(id)).info.metadata["workingCopy"]).toBe(at("app"));
    expect((await open().find(fork.id)).info.metadata["workingCopy"]).toBe(at("other"));
  });

  it("refuses a session that somebody writes, or forks it, as asked", async () => {
    const session = await say(await open().create(), "one", "two");
    const other = open();
    await expect(other.resume(session.id)).rejects.toMatchObject({ code: "SESSION_IN_USE" });
    await expect(other.rename(session.id, "no")).rejects.toMatchObject({ code: "SESSION_IN_USE" });
    const fork = await other.resume(session.id, { ifInUse: "fork" });
    expect(fork.id).not.toBe(session.id);
    await say(fork, "in the fork");
    await say(session, "three");
    expect(texts(fork)).toEqual(["one", "two", "in the fork"]);
    expect(texts(session)).toEqual(["one", "two", "three"]);
  });

  it("forks at a message into its own project, and the fork outlives the session", async () => {
    const home = open();
    const session = await home.create({ metadata: { title: "Plan" } });
    const [first] = await session.append([user("one"), user("x".repeat(300_000))]);
    const { callSeq } = await session.prepare({ model: "claude-opus-4-5" });
    const window = await session.windowAt(callSeq);
    await say(session, "three");
    await session.close();

    const elsewhere = open({ workingCopy: at("other") });
    const fork = await elsewhere.fork(session.id, { atSeq: callSeq });
    await fork.close();
    const early = await elsewhere.fork(session.id, { atSeq: first! });
    expect(texts(early)).toEqual(["one"]);
    await early.close();
    await home.trash(session.id);
    await home.purge(session.id);

    const { project, info } = await elsewhere.find(fork.id);
    expect(project).toEqual(elsewhere.project);
    expect(info.header).toMatchObject({ workingCopy: at("other"), parent: { sessionId: session.id } });
    expect(info.metadata["title"]).toBe("Plan (fork)");
    const opened = await elsewhere.resume(fork.id);
    expect(await opened.windowAt(callSeq)).toEqual(window);
    expect(await opened.history.block(`m${first! + 1}.0`)).toEqual({
      type: "text",
      text: "x".repeat(300_000),
    });
  });
});

describe("what is kept about sessions", () => {
  it("adds and removes tags, and refuses names that are none", async () => {
    const home = open();
    const id = await leftBehind(home, "one");
    expect(await home.tag(id, { add: ["a", " b ", "a"] })).toEqual(["a", "b"]);
    expect(await home.tag(id, { add: ["c"], remove: ["a", "z"] })).toEqual(["b", "c"]);
    expect((await home.find(id)).info.metadata["tags"]).toEqual(["b", "c"]);
    await expect(home.rename(id, " ")).rejects.toMatchObject({ code: "OPTION_INVALID" });
    await expect(home.tag(id, { add: ["x".repeat(201)] })).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });

  it("brings a session back from the trash, and deletes it for good", async () => {
    const home = open();
    const id = await leftBehind(home, "one");
    await home.trash(id);
    expect(await home.listTrash()).toMatchObject([{ sessionId: id, reason: "by hand" }]);
    await expect(home.find(id)).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
    // From any working copy of the home.
    const { project } = await open({ workingCopy: at("other") }).restore(id.slice(0, 12));
    expect(project).toEqual(home.project);
    expect(texts(await home.resume(id))).toEqual(["one"]);
    await home.close();
    await home.trash(id);
    await home.purge(id);
    await expect(home.restore(id)).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
  });

  it("cleans up every project, and only looks where the settings cannot be read", async () => {
    const clock = new FakeClock(Date.now());
    const old = await leftBehind(open(), "old");
    await leftBehind(open({ workingCopy: at("other") }), "old there");
    clock.advance(31 * 86_400_000);
    const sums = async (options: HomeOptions): Promise<readonly unknown[]> =>
      (await open({ clock, ...options }).cleanUp()).map(({ report }) => [
        report.isDryRun,
        report.actions.length,
      ]);

    writeFileSync(at("home", "settings.json"), '{"cleanupPeriodDays": "1Y"}');
    expect(await sums({})).toEqual([
      [true, 1],
      [true, 1],
    ]);
    writeFileSync(at("home", "settings.json"), '{"cleanupPeriodDays": 30}');
    expect(await sums({ persistence: false })).toEqual([]);
    expect(await sums({})).toEqual([
      [false, 1],
      [false, 1],
    ]);
    expect(await open().listTrash()).toMatchObject([{ sessionId: old }]);
  });
});

describe("where nothing is to be written", () => {
  it.each([
    { why: "the program asked", options: { persistence: false } },
    { why: "PALIMPSEST_SKIP_HISTORY", options: { env: { PALIMPSEST_SKIP_HISTORY: "1" } } },
    { why: "NODE_ENV", options: { env: { NODE_ENV: "test" } } },
    { why: "cleanupPeriodDays is 0", options: {}, settings: '{"cleanupPeriodDays": 0}' },
  ])("has the whole interface in memory and leaves the home as it is: $why", async ({
    why,
    options,
    settings,
  }) => {
    await leftBehind(open({ persistence: true }), "on the disk");
    if (settings !== undefined) writeFileSync(at("home", "settings.json"), settings);
    const before = tree(at("home"));
    const home = open(options);
    expect(home.persistence.isOn, home.persistence.reason).toBe(false);
    expect(home.persistence.reason).toContain(why === "the program asked" ? "program" : why.split(" ")[0]);

    const session = await say(await home.create(), "one", "x".repeat(300_000));
    await session.prepare({ model: "claude-opus-4-5" });
    const fork = await home.fork(session.id, { title: "the fork" });
    await home.close();
    await home.tag("the fork", { add: ["kept"] });
    await home.trash(session.id);
    await home.restore(session.id);
    expect(await home.cleanUp()).toEqual([]);
    expect((await home.resumeLatest())?.id).toBe(fork.id);
    expect((await home.list()).sessions.map(({ sessionId }) => sessionId).sort()).toEqual(
      [session.id, fork.id].sort(),
    );
    await home.close();
    expect(tree(at("home"))).toEqual(before);
  });

  it.each([
    {
      options: { env: { NODE_ENV: "test", PALIMPSEST_TEST_PERSISTENCE: "1" } },
      why: "a test of persistence",
    },
    { options: { env: { PALIMPSEST_SKIP_HISTORY: "0" } }, why: "only 1 switches it off" },
    {
      options: { env: { PALIMPSEST_SKIP_HISTORY: "1" }, persistence: true },
      why: "the program decides first",
    },
  ])("is switched on: $why", ({ options }) => {
    expect(open(options).persistence.isOn).toBe(true);
  });
});

describe("settings", () => {
  it.each([
    { text: undefined, problems: [], why: "there is no file" },
    { text: "", problems: [], why: "it is empty" },
    { text: "{", problems: [undefined], why: "it is damaged" },
    { text: "[]", problems: [undefined], why: "it is a list" },
    { text: '{"cleanupPeriodDays": "1Y"}', problems: ["cleanupPeriodDays"], why: "a text is no number" },
    { text: '{"cleanupPeriodDays": 1e99}', problems: ["cleanupPeriodDays"], why: "it is no number of days" },
    {
      text: '{"cleanupPeriodDays": -1, "gitStatus": "no"}',
      problems: ["cleanupPeriodDays", "gitStatus"],
      why: "both",
    },
    { text: '{"cleanupPeriodDays": null}', problems: ["cleanupPeriodDays"], why: "null is no number" },
  ])("never stop a start, and are reported: $why", ({ text, problems }) => {
    mkdirSync(at("home"));
    if (text !== undefined) writeFileSync(at("home", "settings.json"), text);
    const home = open();
    expect(home.problems.map(({ setting }) => setting)).toEqual(problems);
    expect(home.settings).toEqual({
      cleanupPeriodDays: 30,
      trashGraceDays: 30,
      instructionFiles: true,
      gitStatus: true,
    });
  });

  it("that cannot be read at all are reported, too", () => {
    mkdirSync(at("home", "settings.json"), { recursive: true });
    expect(open().problems).toHaveLength(1);
  });

  it("are replaced whole, and keep what nobody here knows", async () => {
    mkdirSync(at("home"));
    writeFileSync(at("home", "settings.json"), '\ufeff{"theme": {"dark": true}, "cleanupPeriodDays": "1Y"}');
    await open().changeSettings({ cleanupPeriodDays: 7 });
    expect(JSON.parse(readFileSync(at("home", "settings.json"), "utf8"))).toEqual({
      theme: { dark: true },
      cleanupPeriodDays: 7,
    });
    expect(open().settings.cleanupPeriodDays).toBe(7);
    expect(readdirSync(at("home"))).toEqual(["settings.json"]);
    await expect(open().changeSettings({ cleanupPeriodDays: 0.5 })).rejects.toMatchObject({
      code: "OPTION_INVALID",
    });
  });

  it("are not written over what is damaged", async () => {
    mkdirSync(at("home"));
    writeFileSync(at("home", "settings.json"), "{ broken");
    await expect(open().changeSettings({ gitStatus: false })).rejects.toMatchObject({ code: "STORE_FAILED" });
    expect(readFileSync(at("home", "settings.json"), "utf8")).toBe("{ broken");
  });
});

describe("the start context", () => {
  it("is read once, fenced, recorded with the session, and compared when it is gone on with", async () => {
    writeFileSync(at("app", "CLAUDE.md"), "Use tabs.\n```\nnot the end\n```");
    const home = open();
    const context = await home.startContext();
    writeFileSync(at("app", "CLAUDE.md"), "Use spaces.");
    expect(await home.startContext()).toBe(context);
    expect(context.blocks).toEqual([
      `Instructions from ${at("app", "CLAUDE.md")}:\n\`\`\`\`\nUse tabs.\n\`\`\`\nnot the end\n\`\`\`\n\`\`\`\``,
    ]);
    const id = await leftBehind(home, "one");
    expect(await home.changesSince(id)).toEqual([]);

    const later = open();
    writeFileSync(at("app", "AGENTS.md"), "More.");
    expect(await later.changesSince(id)).toEqual([
      { subject: at("app", "AGENTS.md"), change: "added" },
      { subject: at("app", "CLAUDE.md"), change: "changed" },
    ]);
    const session = await later.resume(id);
    expect(texts(session)).toEqual(["one"]);
    await session.close();
    expect(await later.changesSince(id)).toEqual([]);
  });

  it.each([
    { options: { isBare: true }, settings: "{}", why: "bare" },
    { options: {}, settings: '{"instructionFiles": false}', why: "switched off" },
  ])("is empty where it is not wanted: $why", async ({ options, settings }) => {
    mkdirSync(at("home"));
    writeFileSync(at("home", "settings.json"), settings);
    writeFileSync(at("app", "CLAUDE.md"), "Use tabs.");
    expect((await open(options).startContext()).blocks).toEqual([]);
  });
});
