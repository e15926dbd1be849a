/**
 * The environment variables of the library, each parsed here and nowhere else.
 *
 * A switch is `1` or `true`, or `0` or `false`, to the letter. Any other value, the empty one included, is reported and
 * taken to the safe side; it is never ignored.
 */
import { shorten } from "../../base/text/text.ts";
import type { HomeProblem } from "./home-types.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** What a value that is neither on nor off leads to. */
const SWITCHES = {
  PALIMPSEST_SKIP_HISTORY: "nothing is written",
  PALIMPSEST_TEST_PERSISTENCE: "tests write nothing",
  PALIMPSEST_BARE: "instruction files and version control are left out",
  PALIMPSEST_DISABLE_COMPACT: "nothing is compacted, not even by hand",
  PALIMPSEST_DISABLE_AUTO_COMPACT: "nothing is compacted by itself",
  PALIMPSEST_DISABLE_OFFLOAD: "large blocks stay whole",
  PALIMPSEST_DISABLE_MICROCOMPACT: "old results are not cleared",
  PALIMPSEST_DISABLE_COLLAPSE: "old rounds do not become lines",
  PALIMPSEST_DISABLE_SESSION_MEMORY_COMPACT: "notes do not replace messages",
  PALIMPSEST_DISABLE_FULL_COMPACT: "no model writes summaries by itself",
  PALIMPSEST_DISABLE_EXTRACTIVE_COMPACT: "no summary is made from the log by itself",
  PALIMPSEST_DISABLE_RESTORATION: "nothing is shown again after a compaction",
  PALIMPSEST_DISABLE_PROVIDER_SIDE: "the provider is not asked to clear anything",
} as const;

const PERCENT = "PALIMPSEST_AUTO_COMPACT_PERCENT";

/** The per cent of the effective window at which auto-compact begins, if a usable one is set. */
export function readPercent(env: Env): number | undefined {
  const value = env[PERCENT];
  if (value === undefined || !/^\d{1,3}(?:\.\d{1,9})?$/.test(value)) return undefined;
  const percent = Number(value);
  return percent >= 1 && percent <= 100 ? percent : undefined;
}

/** The state of a switch: `unset` where there is no such variable. */
export function environmentSwitch(env: Env, name: string): "on" | "off" | "unset" | "unclear" {
  const value = env[name];
  if (value === undefined) return "unset";
  if (value === "1" || value === "true") return "on";
  return value === "0" || value === "false" ? "off" : "unclear";
}

/** True if a switch that keeps something back is set to anything but `0` or `false`. */
export function isHeldBack(env: Env, name: string): boolean {
  return ["on", "unclear"].includes(environmentSwitch(env, name));
}

/** The folder that `PALIMPSEST_HOME` names, if it names one. */
export function homeInEnvironment(env: Env): string | undefined {
  const named = env["PALIMPSEST_HOME"];
  return named === undefined || named.trim() === "" ? undefined : named;
}

/** A sentence about a variable with an unclear value. */
export function unclearSwitch(env: Env, name: string): string {
  return `The environment variable ${name} is ${shownValue(env, name)}, neither 1 nor 0`;
}

/** The value of a variable, for people. */
export function shownValue(env: Env, name: string): string {
  const value = env[name] ?? "";
  return environmentSwitch(env, name) === "unclear" ? JSON.stringify(shorten(value, 60)) : value;
}

/** Reports values that cannot be used, with their effect. */
export function environmentProblems(env: Env): readonly HomeProblem[] {
  const home = "PALIMPSEST_HOME";
  const unclear = Object.entries(SWITCHES).filter(([name]) => environmentSwitch(env, name) === "unclear");
  const isHomeless = env[home] !== undefined && homeInEnvironment(env) === undefined;
  const isNoPercent = env[PERCENT] !== undefined && readPercent(env) === undefined;
  return [
    ...(isNoPercent
      ? [
          problem(
            PERCENT,
            `The environment variable ${PERCENT} is ${JSON.stringify(shorten(env[PERCENT] ?? "", 60))}, not a number from 1 to 100; the usual threshold is used.`,
          ),
        ]
      : []),
    ...unclear.map(([name, effect]) => problem(name, `${unclearSwitch(env, name)}; ${effect}.`)),
    ...(isHomeless
      ? [problem(home, `The environment variable ${home} is empty; the user's own home is used.`)]
      : []),
  ];
}

const problem = (setting: string, detail: string): HomeProblem => ({ path: setting, setting, detail });
