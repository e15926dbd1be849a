/**
 * Rules for options that several hosts have in common.
 */
import { either, having, type OptionRule, text } from "../../base/options/check-options.ts";

export const CLOCK_RULE: OptionRule = having(
  ["nowMs"],
  "a clock",
  "an object with `nowMs()`, such as `systemClock`",
);

export const DEADLINE_RULE: OptionRule = having(["after"], "a deadline", "an object with `after(ms, work)`");

/** A home, or the path of its folder. */
export const HOME_RULE: OptionRule = either(
  having(["storeOf", "resume"], "a home", "openHome({ home: path }) or the path itself"),
  { ...text, says: "the path of its folder" },
);
