/**
 * The home of sessions on this machine: one folder with everybody's projects, settings and trash.
 *
 * ```text
 * <home>/settings.json
 * <home>/projects/<prefix>-<hash>/<session>.jsonl     the log of a session
 * <home>/projects/<prefix>-<hash>/<session>/          blobs, notes, tasks
 * <home>/projects/<prefix>-<hash>/memory/             never touched by anything here
 * <home>/trash/<prefix>-<hash>/                       sessions that can be restored
 * ```
 */
import { checkOptions, flag, type OptionRules, object, text } from "../../base/options/check-options.ts";
import { HomeSessions } from "./home-sessions.ts";
import type { HomeOptions, PalimpsestHome } from "./home-types.ts";
import { CLOCK_RULE } from "./option-rules.ts";

const RULES: OptionRules<HomeOptions> = {
  home: text,
  workingCopy: text,
  env: object,
  clock: CLOCK_RULE,
  persistence: flag,
  isBare: flag,
};

/**
 * Opens the home: reads its settings and decides whether sessions are kept. Writes nothing and never fails for
 * what it finds there.
 * @throws `OptionError` where an option does not exist or has the wrong type
 *
 * @example
 * ```ts
 * const home = openHome();
 * const session = (await home.resumeLatest()) ?? (await home.create());
 * ```
 */
export function openHome(options: HomeOptions = {}): PalimpsestHome {
  checkOptions("openHome", options, RULES);
  return new HomeSessions(options);
}
