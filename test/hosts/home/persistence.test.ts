import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { at, leftBehind, open, say, tree, useHomes } from "../../helpers/homes.ts";

useHomes();

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
    // Of two that happen within a millisecond nobody knows which was the later one.
    let nowMs = Date.UTC(2026, 0, 1);
    const home = open({ ...options, clock: { nowMs: () => nowMs++ } });
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
