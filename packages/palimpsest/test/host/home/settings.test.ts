import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { at, open, useHomes } from "#test/helpers/homes.ts";

useHomes();

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
