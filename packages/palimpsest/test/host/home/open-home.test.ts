import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FakeClock } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import type { HomeOptions } from "#host/home/home-types.ts";
import { openHome } from "#host/home/open-home.ts";
import { assistant, user } from "#test/helpers/histories.ts";
import { at, leftBehind, open, say, texts, tree, useHomes } from "#test/helpers/homes.ts";

useHomes();

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
      // A random id may stand before or behind another name.
      expect([...new Set(shape)].sort()).toMatchInlineSnapshot(`
        [
          "600 projects/<project>/.log-ends/<session>",
          "600 projects/<project>/.log-ends/<trashed>",
          "600 projects/<project>/<session>.jsonl",
          "600 projects/<project>/<session>/blobs/<hash>",
          "600 projects/<project>/<session>/derived/digest-5",
          "600 projects/<project>/<session>/derived/words-5",
          "600 settings.json",
          "600 trash/<project>/<trashed>/log.jsonl",
          "600 trash/<project>/<trashed>/trashed.json",
          "600 trash/<project>/audit.jsonl",
          "700 projects/",
          "700 projects/<project>/",
          "700 projects/<project>/.log-ends/",
          "700 projects/<project>/<session>/",
          "700 projects/<project>/<session>/blobs/",
          "700 projects/<project>/<session>/derived/",
          "700 trash/",
          "700 trash/<project>/",
          "700 trash/<project>/.busy/",
          "700 trash/<project>/<trashed>/",
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
    expect(readdirSync(at())).not.toContain("home");
  });

  it("is found by option, by environment, and in the user's folder", () => {
    const env = { HOME: at("me"), USERPROFILE: at("me") };
    expect(openHome({ env }).folder).toBe(at("me", ".palimpsest"));
    expect(openHome({ env: { ...env, PALIMPSEST_HOME: at("named") } }).folder).toBe(at("named"));
    const blank = openHome({ env: { ...env, PALIMPSEST_HOME: " " } });
    expect(blank.folder).toBe(at("me", ".palimpsest"));
    expect(blank.problems.map(({ setting }) => setting)).toEqual(["PALIMPSEST_HOME"]);
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
    // Lists show the first prompt of a session without a title.
    expect((await home.find("two")).info.sessionId).toBe(other);
    // A title is more than the first prompt of another session.
    await home.rename(id, "two");
    expect((await home.find("two")).info.sessionId).toBe(id);
    for (const session of [id, other]) await home.rename(session, "The first");
    await expect(home.resume("The first")).rejects.toMatchObject({
      code: "SESSION_AMBIGUOUS",
      candidates: [other, id],
    });
    await expect(home.resume(undefined as never)).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
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

  it.each([
    ["empty", ""],
    ["only zeros", "\0".repeat(4_096)],
  ])("passes over a newer log that a crash left %s", async (_, left) => {
    const home = open();
    const id = await leftBehind(home, "older");
    writeFileSync(join(home.project.folder, "11111111-2222-3333-4444-555555555555.jsonl"), left);
    const found = await open().resumeLatest();
    expect(found?.id).toBe(id);
    await found?.close();
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

  it("knows how large it is and where it went back to, without a call before", async () => {
    const home = open();
    const session = await say(await home.create(), "one");
    await session.prepare({ model: "claude-opus-4-5", system: "be brief" });
    const usage = { inputTokens: 900, cacheReadTokens: 100, cacheWriteTokens: 0, outputTokens: 10 };
    const [answer] = await session.record({ messages: [assistant("r1", "two")], usage });
    await say(session, "left behind");
    const { tokens } = session;
    await session.close();

    const again = await open().resume(session.id);
    expect(again.tokens).toEqual(tokens);
    expect(again.tokens).toMatchObject({ source: "anchored" });
    expect(again.tokens.total).toBeGreaterThan(1_000);
    await again.rewind(answer!);
    await again.close();
    expect(texts(await open().resume(session.id))).toEqual(["one", "two"]);
  });

  it("takes away what a crash left of a fork, and no fork that is being made", async () => {
    const home = open();
    const whole = await leftBehind(home, "one");
    const half = await leftBehind(home, "half");
    const busy = await say(await home.create(), "busy");
    const fork = await home.fork(whole);
    await fork.close();
    mkdirSync(join(home.project.folder, ".forking"));
    for (const id of [half, fork.id, busy.id, "gone"])
      writeFileSync(join(home.project.folder, ".forking", id), "");
    expect((await open().resumeLatest())?.id).toBe(fork.id);
    expect(await home.storeOf().list()).toEqual([whole, fork.id, busy.id].sort());
    expect(readdirSync(join(home.project.folder, ".forking"))).toEqual([busy.id]);
    expect(await home.listTrash()).toMatchObject([{ sessionId: half }]);
  });

  it("refuses a session that somebody writes, or forks it, as asked", async () => {
    const session = await say(await open().create(), "one", "two");
    const other = open();
    await expect(other.resume(session.id)).rejects.toMatchObject({ code: "SESSION_IN_USE" });
    await expect(other.rename(session.id, "no")).rejects.toMatchObject({ code: "SESSION_IN_USE" });
    await expect(other.resume(session.id, { ifInUse: "frok" as never })).rejects.toMatchObject({
      code: "OPTION_INVALID",
    });
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

  it("cleans up the others where a project cannot be read, and says so then", async () => {
    const clock = new FakeClock(Date.now());
    const old = await leftBehind(open(), "old");
    const there = open({ workingCopy: at("other") });
    const oldThere = await leftBehind(there, "old there");
    // A link that leads to itself cannot be read by any user. It comes before the other project.
    const lost = "0".repeat(32);
    symlinkSync(lost, at("home", "projects", lost));
    clock.advance(31 * 86_400_000);
    await expect(open({ clock }).cleanUp()).rejects.toMatchObject({ code: "SESSION_UNREADABLE" });
    expect(await open().listTrash()).toMatchObject([{ sessionId: old }]);
    expect(await there.listTrash()).toMatchObject([{ sessionId: oldThere }]);
  });
});
