/**
 * The rules of the options of sessions may be.
 */
import { OptionError } from "../../base/errors.ts";
import {
  anyString,
  anything,
  checkOptions,
  closed,
  either,
  flag,
  having,
  list,
  type OptionRule,
  type OptionRules,
  object,
  oneOf,
  signal,
  text,
  wholeFrom,
} from "../../base/options/check-options.ts";
import { POLICY_NAMES } from "../../compaction/planner/cost-policy.ts";
import { checkTariffOption } from "../../tokens/price/tariff.ts";
import type { Scope } from "../../transcript/entries.ts";
import type { CallRequest } from "./prepared-call.ts";
import {
  type ForkOptions,
  type NewSessionOptions,
  type SessionOptions,
  SWITCHED_LAYERS,
  type WindowOptions,
} from "./session-options.ts";
import { checkLimits } from "./window-limits.ts";

const store = having(["create", "open"], "a session store", "a store such as `new FileSessionStore({ … })`");
const clock = having(["nowMs"], "a clock", "an object with `nowMs()`, such as `systemClock`");
export const OBSERVER_RULE: OptionRule = having(
  ["onEvent"],
  "an observer",
  "an object with `onEvent(event)`",
);

/** Tenant and project: a misspelt name would put sessions into another place. */
const SCOPE_RULES: OptionRules<Scope> = { tenant: anyString, project: anyString };
export const SCOPE_RULE: OptionRule = closed(SCOPE_RULES);

const SESSION_RULES: OptionRules<SessionOptions> = {
  store,
  clock,
  ids: having(["entryId", "sessionId"], "a source of ids", "`randomIds`"),
  hasher: having(["sha256"], "a hasher", "`nodeHasher`"),
  scope: SCOPE_RULE,
  observer: OBSERVER_RULE,
  window: object,
  durability: oneOf("process", "durable"),
  timer: having(["every"], "a timer", "`systemTimer`"),
  verifyStored: flag,
  embeddings: having(["embed"], "a client for embeddings", "one, such as aiSdkEmbeddings(model)"),
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

/** The fields of a request; `checkCallRequest` checks the required ones. */
export const REQUEST_RULES: OptionRules<CallRequest> = {
  model: anything,
  system: anything,
  tools: anything,
  historyTools: flag,
  parameters: object,
  betas: list,
  reservedMarks: wholeFrom(0),
  endpointEdits: object,
};

/** The names; `checkWindow` checks the values. */
const WINDOW_RULES: OptionRules<WindowOptions> = {
  windowTokens: anything,
  ceilingTokens: anything,
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
  headCacheTtl: anything,
  earlySummary: anything,
  providerEdits: closed({ clear: flag, compact: flag }),
  plainFiles: either(flag, text),
};

/** Checks the options of the window: an unusable one is refused, never silently replaced. */
export function checkWindow(window: WindowOptions = {}): void {
  checkOptions("window", window, WINDOW_RULES);
  checkTariffOption(window.tariff);
  const cacheTtl: unknown = window.cacheTtl;
  if (cacheTtl !== undefined && cacheTtl !== "5m" && cacheTtl !== "1h") {
    throw new OptionError({
      message: "`window.cacheTtl` is neither `5m` nor `1h`.",
      hint: "Leave it out for the provider's usual five minutes.",
    });
  }
  checkLimits(window.limits);
  checkChoice("headCacheTtl", window.headCacheTtl, ["auto", "5m", "1h"]);
  checkChoice("earlySummary", window.earlySummary, ["log", "model"]);
  checkChoice("policy", window.policy, POLICY_NAMES);
  checkChoice("editSafety", window.editSafety, ["strict", "permissive"]);
  for (const layer of checkNames("disabledLayers", window.disabledLayers))
    checkChoice("disabledLayers", layer, SWITCHED_LAYERS);
  checkNames("keptTools", window.keptTools);
  checkNames("clearableTools", window.clearableTools);
  for (const name of ["windowTokens", "ceilingTokens", "maxOutputTokens"] as const) {
    const value: unknown = window[name];
    if (value === undefined || (Number.isSafeInteger(value) && (value as number) > 0)) continue;
    throw new OptionError({
      message: `\`window.${name}\` is ${String(value)}; it is a whole number of tokens above 0.`,
      hint: "Leave it out to go by the model's own figures.",
    });
  }
}

function checkChoice(name: keyof WindowOptions, value: unknown, choices: readonly string[]): void {
  if (value === undefined || choices.includes(value as string)) return;
  throw new OptionError({
    message: `\`window.${name}\` has ${JSON.stringify(value) ?? String(value)}; it is one of ${choices.join(", ")}.`,
    hint: "Leave it out for what the library does by itself.",
  });
}

function checkNames(name: keyof WindowOptions, value: unknown): readonly string[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value;
  throw new OptionError({
    message: `\`window.${name}\` is not a list of names.`,
    hint: "Give a list of strings, or leave it out.",
  });
}
