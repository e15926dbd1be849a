/**
 * Rules for options that several hosts have in common.
 */
import {
  anyString,
  either,
  flag,
  func,
  having,
  list,
  number,
  type OptionRule,
  type OptionRules,
  object,
  signal,
  text,
} from "../../base/options/check-options.ts";
import type { HomeCleanUpOptions } from "./home-types.ts";

export const CLOCK_RULE: OptionRule = having(
  ["nowMs"],
  "a clock",
  "an object with `nowMs()`, such as `systemClock`",
);

export const DEADLINE_RULE: OptionRule = having(["after"], "a deadline", "an object with `after(ms, work)`");

/** The options of a home's own methods, by method. */
export const HOME_RULES = {
  list: { project: object, limit: number, after: anyString },
  tag: { add: list, remove: list },
  importFrom: { signal },
  startContext: { isFresh: flag },
  cleanUp: {
    dryRun: flag,
    onlyIfDue: flag,
    limit: number,
    signal,
    onProgress: func,
  } satisfies OptionRules<HomeCleanUpOptions>,
};

/** A home, or the path of its folder. */
export const HOME_RULE: OptionRule = either(
  having(["storeOf", "resume"], "a home", "openHome({ home: path }) or the path itself"),
  { ...text, says: "the path of its folder" },
);
