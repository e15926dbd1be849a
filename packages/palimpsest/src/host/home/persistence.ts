/**
 * Decides if sessions are written to the disk: once, when a home is opened, and with a reason.
 */
import { shorten } from "../../base/text/text.ts";
import type { HomeProblem, HomeSettings, Persistence } from "./home-types.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Values that switch off; an unset variable is one of them. */
const OFF: ReadonlySet<string> = new Set(["", "0", "false", "no", "off"]);
const ON: ReadonlySet<string> = new Set(["1", "true", "yes", "on"]);

/** The first of these that has something to say decides: the program, the user's environment, the settings, a test run. */
export function decidePersistence({
  asked,
  env,
  settings,
  noHistoryReason,
}: {
  readonly asked: boolean | undefined;
  readonly env: Env;
  readonly settings: HomeSettings;
  /** From {@link readSettings}: the unusable settings may ask that nothing is written. */
  readonly noHistoryReason: string | undefined;
}): Persistence {
  if (asked !== undefined)
    return { isOn: asked, reason: `the program asked for it: persistence is ${asked}` };
  const skip = env["PALIMPSEST_SKIP_HISTORY"];
  if (isSkipping(skip)) return { isOn: false, reason: `PALIMPSEST_SKIP_HISTORY is ${shown(skip)}` };
  if (settings.cleanupPeriodDays === 0) return { isOn: false, reason: "the setting cleanupPeriodDays is 0" };
  if (noHistoryReason !== undefined) return { isOn: false, reason: noHistoryReason };
  if (env["NODE_ENV"] === "test" && !isSwitchedOn(env["PALIMPSEST_TEST_PERSISTENCE"]))
    return { isOn: false, reason: "NODE_ENV is test, and PALIMPSEST_TEST_PERSISTENCE is not 1" };
  return { isOn: true, reason: "nothing says otherwise" };
}

/** Reports values of environment variables that are neither on nor off, with the effect. */
export function environmentProblems(env: Env): readonly HomeProblem[] {
  const skip = env["PALIMPSEST_SKIP_HISTORY"];
  const test = env["PALIMPSEST_TEST_PERSISTENCE"];
  return [
    ...(isSwitch(skip) ? [] : [problem("PALIMPSEST_SKIP_HISTORY", skip, "nothing is written")]),
    ...(isSwitch(test) ? [] : [problem("PALIMPSEST_TEST_PERSISTENCE", test, "tests write nothing")]),
  ];
}

function problem(setting: string, value: string | undefined, effect: string): HomeProblem {
  const detail = `The environment variable ${setting} is ${shown(value)}, neither 1 nor 0; ${effect}.`;
  return { path: setting, setting, detail };
}

/** A privacy switch fails closed: every value but those that clearly mean "no" switches history off. */
const isSkipping = (value: string | undefined): boolean => !isOneOf(value, OFF);

/** True if the variable clearly means "yes". */
export const isSwitchedOn = (value: string | undefined): boolean => isOneOf(value, ON);

const isSwitch = (value: string | undefined): boolean => isOneOf(value, ON) || isOneOf(value, OFF);
const isOneOf = (value = "", words: ReadonlySet<string>): boolean => words.has(value.trim().toLowerCase());
const shown = (value = ""): string => (isSwitch(value) ? value : JSON.stringify(shorten(value, 60)));

/** True if the retention settings are reliable: nothing is deleted on a guess. */
export function isRetentionKnown(problems: readonly HomeProblem[]): boolean {
  return problems.every(
    ({ setting }) => setting !== undefined && setting !== "cleanupPeriodDays" && setting !== "trashGraceDays",
  );
}
