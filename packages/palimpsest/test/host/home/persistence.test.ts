import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { at, leftBehind, open, say, tree, useHomes } from "#test/helpers/homes.ts";

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
    // Two within a millisecond have no known order.
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
    "1",
    "true",
  ])("is switched off by PALIMPSEST_SKIP_HISTORY=%s, and nothing is reported", (value) => {
    const home = open({ env: { PALIMPSEST_SKIP_HISTORY: value } });
    expect(home.persistence).toEqual({ isOn: false, reason: `PALIMPSEST_SKIP_HISTORY is ${value}` });
    expect(home.problems).toEqual([]);
  });

  it.each([
    "",
    " ",
    " 1 ",
    "TRUE",
    "False",
    " 0",
    "no",
    "off",
    "yes",
    "2",
    "00",
    "nope",
  ])("is switched off by PALIMPSEST_SKIP_HISTORY=%j, which is reported", (value) => {
    const home = open({ env: { PALIMPSEST_SKIP_HISTORY: value } });
    const shown = `PALIMPSEST_SKIP_HISTORY is ${JSON.stringify(value)}`;
    expect(home.persistence).toEqual({ isOn: false, reason: shown });
    expect(home.problems.map(({ detail }) => detail)).toEqual([
      `The environment variable ${shown}, neither 1 nor 0; nothing is written.`,
    ]);
  });

  it.each([
    "yes",
    "on",
    "",
    "0",
  ])("is not switched on in a test by PALIMPSEST_TEST_PERSISTENCE=%j", (value) => {
    const home = open({ env: { NODE_ENV: "test", PALIMPSEST_TEST_PERSISTENCE: value } });
    expect(home.persistence.isOn).toBe(false);
    expect(home.problems.map(({ setting }) => setting)).toEqual(
      value === "0" ? [] : ["PALIMPSEST_TEST_PERSISTENCE"],
    );
  });

  it.each([
    { text: '{"cleanupPeriodDays": "0"}', isOn: false, why: "a zero in quotation marks" },
    { text: '{"cleanupPeriodDays": null}', isOn: false, why: "a value without a number" },
    { text: '{"cleanupPeriodDays": -1}', isOn: false, why: "a number below zero" },
    { text: '{"cleanupPeriodDays": false}', isOn: false, why: "a word that means no" },
    { text: '{"cleanupPeriodDays": 0,}', isOn: false, why: "a comma too many" },
    { text: "{cleanupPeriodDays: 0}", isOn: false, why: "no quotation marks" },
    { text: '{"cleanUpPeriodDays": 0}', isOn: false, why: "a capital letter too many" },
    { text: '{"cleanupPeriodDay": 0}', isOn: false, why: "a letter is missing" },
    { text: '{"cleanupPeriodDay": 0, "cleanupPeriodDays": 7}', isOn: true, why: "the right name decides" },
    { text: '{"cleanupPeriodDays": 30,}', isOn: true, why: "damaged, and the period is above zero" },
    { text: '{"cleanupPeriodDays": "30 days"}', isOn: true, why: "it cannot be used, and cannot mean zero" },
    { text: '{"theme": "dark",}', isOn: true, why: "damaged, and it names no period" },
  ])("follows settings that cannot be used to the safe side: $why", ({ text, isOn }) => {
    mkdirSync(at("home"));
    writeFileSync(at("home", "settings.json"), text);
    const home = open();
    expect(home.persistence.isOn, home.persistence.reason).toBe(isOn);
    expect(home.problems).toHaveLength(1);
    expect(home.problems[0]?.detail.includes("nothing is written")).toBe(!isOn);
  });

  it("is switched off by settings that cannot be read at all", () => {
    mkdirSync(at("home", "settings.json"), { recursive: true });
    expect(open().persistence).toMatchObject({
      isOn: false,
      reason: expect.stringContaining("may set cleanupPeriodDays to 0"),
    });
  });

  it.each([
    {
      options: { env: { NODE_ENV: "test", PALIMPSEST_TEST_PERSISTENCE: "1" } },
      why: "a test of persistence",
    },
    { options: { env: { PALIMPSEST_SKIP_HISTORY: "0" } }, why: "0 is no" },
    { options: { env: { PALIMPSEST_SKIP_HISTORY: "false" } }, why: "false is no" },
    { options: { env: { PALIMPSEST_SKIP_HISTORY: undefined } }, why: "it is not set" },
    {
      options: { env: { PALIMPSEST_SKIP_HISTORY: "1" }, persistence: true },
      why: "the program decides first",
    },
  ])("is switched on: $why", ({ options }) => {
    expect(open(options).persistence.isOn).toBe(true);
  });
});
