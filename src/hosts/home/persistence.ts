/**
 * Whether sessions are written to the disk: decided once, when a home is opened, and told with the reason.
 */
import type { HomeProblem, HomeSettings, Persistence } from "../palimpsest-home.ts";

/** The first of these that has something to say decides: the program, the user's environment, the settings, a test run. */
export function decidePersistence({
  asked,
  env,
  settings,
}: {
  readonly asked: boolean | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings: HomeSettings;
}): Persistence {
  if (asked !== undefined)
    return { isOn: asked, reason: `the program asked for it: persistence is ${asked}` };
  if (env["PALIMPSEST_SKIP_HISTORY"] === "1") return { isOn: false, reason: "PALIMPSEST_SKIP_HISTORY is 1" };
  if (settings.cleanupPeriodDays === 0) return { isOn: false, reason: "the setting cleanupPeriodDays is 0" };
  if (env["NODE_ENV"] === "test" && env["PALIMPSEST_TEST_PERSISTENCE"] !== "1")
    return { isOn: false, reason: "NODE_ENV is test, and PALIMPSEST_TEST_PERSISTENCE is not 1" };
  return { isOn: true, reason: "nothing says otherwise" };
}

/** Whether the settings say how long sessions are kept, in a way that can be relied on: nothing is deleted on a guess. */
export function isRetentionKnown(problems: readonly HomeProblem[]): boolean {
  return problems.every(
    ({ setting }) => setting !== undefined && setting !== "cleanupPeriodDays" && setting !== "trashGraceDays",
  );
}
