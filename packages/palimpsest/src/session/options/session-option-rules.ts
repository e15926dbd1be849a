/**
 * The rules of the options of sessions may be.
 */
import {
  anyString,
  anything,
  flag,
  having,
  type OptionRules,
  object,
  oneOf,
  signal,
} from "../../base/options/check-options.ts";
import type { ForkOptions, NewSessionOptions, SessionOptions, WindowOptions } from "./session-options.ts";

const store = having(["create", "open"], "a session store", "a store such as `new FileSessionStore({ … })`");
const clock = having(["nowMs"], "a clock", "an object with `nowMs()`, such as `systemClock`");
const observer = having(["onEvent"], "an observer", "an object with `onEvent(event)`");
const SESSION_RULES: OptionRules<SessionOptions> = {
  store,
  clock,
  ids: having(["entryId", "sessionId"], "a source of ids", "`randomIds`"),
  hasher: having(["sha256"], "a hasher", "`nodeHasher`"),
  scope: object,
  observer,
  window: object,
  durability: oneOf("process", "durable"),
  timer: having(["every"], "a timer", "`systemTimer`"),
  verifyStored: flag,
};

/** The rules of `createSession` and `openSession`. */
export const NEW_SESSION_RULES: OptionRules<NewSessionOptions> = {
  ...SESSION_RULES,
  sessionId: anyString,
  workingCopy: anyString,
  purpose: anyString,
  metadata: object,
  source: object,
};

export const FORK_RULES: OptionRules<ForkOptions> = {
  ...SESSION_RULES,
  atSeq: anything,
  sessionId: anyString,
  title: anyString,
  metadata: object,
  workingCopy: anyString,
  from: object,
  signal,
};

/** The names; `checkWindow` checks the values. */
export const WINDOW_RULES: OptionRules<WindowOptions> = {
  windowTokens: anything,
  maxOutputTokens: anything,
  editSafety: anything,
  policy: anything,
  autoCompact: flag,
  compact: flag,
  limits: anything,
  disabledLayers: anything,
  keptTools: anything,
  clearableTools: anything,
  tariff: anything,
  cacheTtl: anything,
};
