/**
 * Decides if sessions are written to the disk: once, when a home is opened, and with a reason.
 */
import { type Env, environmentSwitch, isHeldBack, shownValue } from "./environment.ts";
import type { HomeProblem, HomeSettings, Persistence } from "./home-types.ts";

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
  const skip = "PALIMPSEST_SKIP_HISTORY";
  if (isHeldBack(env, skip)) return { isOn: false, reason: `${skip} is ${shownValue(env, skip)}` };
  if (settings.cleanupPeriodDays === 0) return { isOn: false, reason: "the setting cleanupPeriodDays is 0" };
  if (noHistoryReason !== undefined) return { isOn: false, reason: noHistoryReason };
  if (env["NODE_ENV"] === "test" && environmentSwitch(env, "PALIMPSEST_TEST_PERSISTENCE") !== "on")
    return { isOn: false, reason: "NODE_ENV is test, and PALIMPSEST_TEST_PERSISTENCE is not 1" };
  return { isOn: true, reason: "nothing says otherwise" };
}

/** True if the retention settings are reliable: nothing is deleted on a guess. */
export function isRetentionKnown(problems: readonly HomeProblem[]): boolean {
  return problems.every(
    ({ setting }) => setting !== undefined && setting !== "cleanupPeriodDays" && setting !== "trashGraceDays",
  );
}
