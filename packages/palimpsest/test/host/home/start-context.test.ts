import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { at, leftBehind, open, texts, useHomes } from "#test/helpers/homes.ts";

useHomes();

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
    { options: { env: { PALIMPSEST_BARE: "1" } }, settings: "{}", why: "PALIMPSEST_BARE" },
    { options: { env: { PALIMPSEST_BARE: "yes" } }, settings: "{}", why: "a value that may mean it" },
    { options: { env: { PALIMPSEST_BARE: "" } }, settings: "{}", why: "an empty value" },
  ])("is empty where it is not wanted: $why", async ({ options, settings }) => {
    mkdirSync(at("home"));
    writeFileSync(at("home", "settings.json"), settings);
    writeFileSync(at("app", "CLAUDE.md"), "Use tabs.");
    expect((await open(options).startContext()).blocks).toEqual([]);
  });

  it.each([
    { options: { env: { PALIMPSEST_BARE: "0" } }, problems: 0, why: "0 is no" },
    {
      options: { env: { PALIMPSEST_BARE: "no" }, isBare: false },
      problems: 1,
      why: "the program decides first",
    },
  ])("is there otherwise: $why", async ({ options, problems }) => {
    writeFileSync(at("app", "CLAUDE.md"), "Use tabs.");
    const home = open(options);
    expect((await home.startContext()).blocks).toHaveLength(1);
    expect(home.problems).toHaveLength(problems);
  });
});
