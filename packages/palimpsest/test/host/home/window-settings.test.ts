/** Compaction as the user has it: the key `window` of the settings, and the switches of the environment. */
import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { mergeWindows, windowInEnvironment } from "#host/home/window-settings.ts";
import { nodeSessions } from "#host/node-sessions.ts";
import type { SessionEvent } from "#session/events/events.ts";
import type { WindowOptions } from "#session/options/session-options.ts";
import { internalsOf } from "#session/session.ts";
import { at, open, useHomes } from "#test/helpers/homes.ts";

useHomes();

const PROGRAMS: WindowOptions = { autoCompact: true, compact: true, disabledLayers: ["collapse"] };

describe("a switch of the environment", () => {
  it.each<{ name: string; gives: WindowOptions }>([
    { name: "COMPACT", gives: { ...PROGRAMS, compact: false } },
    { name: "AUTO_COMPACT", gives: { ...PROGRAMS, autoCompact: false } },
    { name: "OFFLOAD", gives: { ...PROGRAMS, disabledLayers: ["collapse", "arrival", "offload"] } },
    { name: "MICROCOMPACT", gives: { ...PROGRAMS, disabledLayers: ["collapse", "microcompact"] } },
    { name: "COLLAPSE", gives: PROGRAMS },
    {
      name: "SESSION_MEMORY_COMPACT",
      gives: { ...PROGRAMS, disabledLayers: ["collapse", "session-memory"] },
    },
    { name: "FULL_COMPACT", gives: { ...PROGRAMS, disabledLayers: ["collapse", "full"] } },
    { name: "EXTRACTIVE_COMPACT", gives: { ...PROGRAMS, disabledLayers: ["collapse", "extractive"] } },
    { name: "RESTORATION", gives: { ...PROGRAMS, disabledLayers: ["collapse", "restoration"] } },
    { name: "PROVIDER_SIDE", gives: { ...PROGRAMS, disabledLayers: ["collapse", "provider-side"] } },
  ])("PALIMPSEST_DISABLE_$name takes away, whatever the program passes, and an unreadable value does too", ({
    name,
    gives,
  }) => {
    const variable = `PALIMPSEST_DISABLE_${name}`;
    for (const value of ["1", "true", "yes", ""])
      expect(windowInEnvironment(PROGRAMS, { [variable]: value }), value).toEqual(gives);
    for (const value of ["0", "false", undefined])
      expect(windowInEnvironment(PROGRAMS, { [variable]: value }), value).toBe(PROGRAMS);
    const problems = (value: string) =>
      open({ env: { [variable]: value } }).problems.map(({ setting }) => setting);
    expect(problems("yes")).toEqual([variable]);
    expect(problems("1")).toEqual([]);
  });

  it.each([
    { value: "50", limits: { autoCompactPercent: 50 } },
    { value: "92.5", limits: { autoCompactPercent: 92.5 } },
    { value: "0", limits: undefined },
    { value: "101", limits: undefined },
    { value: "50%", limits: undefined },
    { value: "", limits: undefined },
  ])("PALIMPSEST_AUTO_COMPACT_PERCENT=$value gives $limits", ({ value, limits }) => {
    const env = { PALIMPSEST_AUTO_COMPACT_PERCENT: value };
    expect(windowInEnvironment(undefined, env)?.limits).toEqual(limits);
    expect(open({ env }).problems.map(({ setting }) => setting)).toEqual(
      limits === undefined ? ["PALIMPSEST_AUTO_COMPACT_PERCENT"] : [],
    );
    const own = { limits: { autoCompactPercent: 70 } };
    expect(windowInEnvironment(own, env)?.limits).toEqual(own.limits);
  });

  it("acts on sessions of a home, and an unreadable one is an event, once", async () => {
    const events: SessionEvent[] = [];
    const observer = { onEvent: (event: SessionEvent) => void events.push(event) };
    const home = open({ env: { PALIMPSEST_DISABLE_AUTO_COMPACT: "on" }, persistence: false });
    const session = await home.create({ observer });
    expect(internalsOf(session).budgets.isAutoCompacted).toBe(false);
    await home.create({ observer });
    await home.close();
    expect(events.filter(({ type }) => type === "setting-unusable")).toEqual([
      {
        type: "setting-unusable",
        setting: "PALIMPSEST_DISABLE_AUTO_COMPACT",
        detail:
          'The environment variable PALIMPSEST_DISABLE_AUTO_COMPACT is "on", neither 1 nor 0; nothing is compacted by itself.',
      },
    ]);
  });

  it("acts on sessions of a folder as well", async () => {
    vi.stubEnv("PALIMPSEST_DISABLE_COMPACT", "yes");
    try {
      const events: SessionEvent[] = [];
      const sessions = nodeSessions({ folder: at("sessions") });
      const options = { observer: { onEvent: (event: SessionEvent) => void events.push(event) } };
      const session = await sessions.create(options);
      await sessions.create(options);
      expect(internalsOf(session).budgets.mayCompact).toBe(false);
      expect(events.map(({ type }) => type)).toEqual(["setting-unusable"]);
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

describe("the setting `window`", () => {
  const withSettings = (window: unknown) => {
    mkdirSync(at("home"), { recursive: true });
    writeFileSync(at("home", "settings.json"), JSON.stringify({ window }));
    return open({ persistence: false });
  };

  it("has the keys of the option of that name; a program's own go before them", async () => {
    const home = withSettings({
      policy: "classic",
      autoCompact: false,
      disabledLayers: ["collapse"],
      limits: { resultsKeptCount: 7, autoCompactPercent: 80 },
    });
    expect(home.problems).toEqual([]);
    const window: WindowOptions = {
      windowTokens: 200_000,
      autoCompact: true,
      disabledLayers: ["offload"],
      limits: { autoCompactPercent: 60 },
    };
    const { budgets } = internalsOf(await home.create({ window }));
    expect(budgets.isAutoCompacted).toBe(true);
    expect([...budgets.disabledLayers]).toEqual(["collapse", "offload"]);
    expect(budgets.budget.autoCompactGateTokens).toBe(108_000);
    expect(budgets.limits).toMatchObject({ resultsKeptCount: 7, notesCostShareCap: 1 });
    await home.close();
  });

  it.each<{ window: unknown; settings: string[]; usable: WindowOptions | undefined }>([
    { window: { autoCompact: "no" }, settings: ["window.autoCompact"], usable: { autoCompact: false } },
    { window: { compact: 0 }, settings: ["window.compact"], usable: { autoCompact: false } },
    { window: false, settings: ["window"], usable: { autoCompact: false } },
    { window: { policy: "cheap" }, settings: ["window.policy"], usable: undefined },
    { window: { polcy: "classic", compact: true }, settings: ["window.polcy"], usable: { compact: true } },
    {
      window: { limits: { resultsKeptCount: 0, clearableCountGate: 50 } },
      settings: ["window.limits.resultsKeptCount"],
      usable: { limits: { clearableCountGate: 50 } },
    },
    {
      window: { limits: { oldBlockTokens: 1_500, previewTokens: 1_800 } },
      settings: ["window.limits"],
      usable: undefined,
    },
    {
      window: { limits: { oldBlockTokens: 900, previewTokens: 500 } },
      settings: [],
      usable: { limits: { oldBlockTokens: 900, previewTokens: 500 } },
    },
  ])("is used as far as it can be, and fails towards doing less: $window", ({ window, settings, usable }) => {
    const home = withSettings(window);
    expect(home.problems.map(({ setting }) => setting)).toEqual(settings);
    expect(home.settings.window).toEqual(usable);
  });

  it("is checked before it is written", async () => {
    const home = withSettings(undefined);
    await home.changeSettings({ window: { autoCompact: false } });
    expect(open().settings.window).toEqual({ autoCompact: false });
    const window = { autoCompact: "no" } as unknown as WindowOptions;
    await expect(home.changeSettings({ window })).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });

  it("is what counts where the program says nothing", () => {
    expect(mergeWindows({ policy: "classic" }, undefined)).toEqual({ policy: "classic" });
    expect(mergeWindows(undefined, { policy: "off" })).toEqual({ policy: "off" });
    const contradicting = {
      users: { limits: { previewTokens: 1_900 } },
      programs: { limits: { oldBlockTokens: 1_200 } },
    };
    expect(mergeWindows(contradicting.users, contradicting.programs)).toEqual(contradicting.programs);
    expect(mergeWindows({ policy: "classic" }, { cacheTtl: "1h" })).toEqual({
      policy: "classic",
      cacheTtl: "1h",
    });
  });
});
