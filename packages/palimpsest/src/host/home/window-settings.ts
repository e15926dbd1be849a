/**
 * What a user says about compaction: the key `window` of `settings.json`, and the switches of the environment.
 *
 * Both are read without trust. A switch only takes away: it holds whatever the program passes, and a value that cannot be
 * read switches off. An unusable setting is reported and left out; where it may be the wish that nothing is compacted,
 * nothing is compacted by itself.
 */
import { errorMessage } from "../../base/errors.ts";
import { isObject } from "../../base/json/json.ts";
import { shorten } from "../../base/text/text.ts";
import { notify, type SessionObserver } from "../../session/events/events.ts";
import { checkWindow } from "../../session/options/session-option-rules.ts";
import type { SwitchedLayer, WindowOptions } from "../../session/options/session-options.ts";
import { type Env, environmentProblems, isHeldBack, readPercent } from "./environment.ts";
import type { HomeProblem } from "./home-types.ts";

/** The variables that switch a layer off. */
const LAYER_SWITCHES: readonly (readonly [name: string, layers: readonly SwitchedLayer[]])[] = [
  ["PALIMPSEST_DISABLE_OFFLOAD", ["arrival", "offload"]],
  ["PALIMPSEST_DISABLE_MICROCOMPACT", ["microcompact"]],
  ["PALIMPSEST_DISABLE_COLLAPSE", ["collapse"]],
  ["PALIMPSEST_DISABLE_SESSION_MEMORY_COMPACT", ["session-memory"]],
  ["PALIMPSEST_DISABLE_FULL_COMPACT", ["full"]],
  ["PALIMPSEST_DISABLE_EXTRACTIVE_COMPACT", ["extractive"]],
  ["PALIMPSEST_DISABLE_RESTORATION", ["restoration"]],
  ["PALIMPSEST_DISABLE_PROVIDER_SIDE", ["provider-side"]],
];

/** The options of a window with the switches of the environment. The same object where none is set. */
export function windowInEnvironment(window: WindowOptions | undefined, env: Env): WindowOptions | undefined {
  const off = LAYER_SWITCHES.flatMap(([name, layers]) => (isHeldBack(env, name) ? layers : []));
  const percent = readPercent(env);
  const more: WindowOptions = {
    ...(isHeldBack(env, "PALIMPSEST_DISABLE_COMPACT") ? { compact: false } : {}),
    ...(isHeldBack(env, "PALIMPSEST_DISABLE_AUTO_COMPACT") ? { autoCompact: false } : {}),
    ...(off.length === 0
      ? {}
      : { disabledLayers: [...new Set([...(window?.disabledLayers ?? []), ...off])] }),
    ...(percent === undefined ? {} : { limits: { autoCompactPercent: percent, ...window?.limits } }),
  };
  return Object.keys(more).length === 0 ? window : { ...window, ...more };
}

/** Reports variables that cannot be used to the observer of a program that has no home to report them. */
export function warnOfEnvironment(observer: SessionObserver | undefined, env: Env): void {
  reportProblems(observer, environmentProblems(env));
}

export function reportProblems(
  observer: SessionObserver | undefined,
  problems: readonly HomeProblem[],
): void {
  for (const { path, setting = path, detail } of problems)
    notify(observer, { type: "setting-unusable", setting, detail });
}

/** A program's options before the user's; layers and limits of both count. */
export function mergeWindows(
  users: WindowOptions | undefined,
  programs: WindowOptions | undefined,
): WindowOptions | undefined {
  if (users === undefined || programs === undefined) return programs ?? users;
  const given = Object.fromEntries(Object.entries(programs).filter(([, value]) => value !== undefined));
  const limits = { ...users.limits, ...programs.limits };
  // A program's numbers may contradict the user's.
  const usable = problemOf({ limits }) === undefined ? limits : programs.limits;
  const layers = [...(users.disabledLayers ?? []), ...(programs.disabledLayers ?? [])];
  return {
    ...users,
    ...given,
    ...(layers.length === 0 ? {} : { disabledLayers: [...new Set(layers)] }),
    ...(users.limits === undefined || usable === undefined ? {} : { limits: usable }),
  };
}

interface ReadWindow {
  readonly window: WindowOptions | undefined;
  readonly problems: readonly HomeProblem[];
}

/** Switches whose unusable value may mean "off". */
const SWITCHES = ["autoCompact", "compact"];

/** The usable options of the key `window`. */
export function readWindowSetting(path: string, value: unknown): ReadWindow {
  if (value === undefined) return { window: undefined, problems: [] };
  const problems: HomeProblem[] = [];
  const report = (setting: string, detail: string): void => void problems.push({ path, setting, detail });
  if (!isObject(value)) {
    const shown = shorten(JSON.stringify(value), 60);
    report("window", `\`window\` is ${shown}, not an object; nothing is compacted by itself.`);
    return { window: { autoCompact: false }, problems };
  }
  const usable: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(value)) {
    const isWhole = name !== "limits" || !isObject(option) || problemOf({ limits: option }) === undefined;
    const parts = isWhole ? [] : Object.entries(option);
    const limits: Record<string, unknown> = {};
    for (const [limit, number] of parts) {
      const problem = problemOf({ limits: { [limit]: number } });
      if (problem === undefined) limits[limit] = number;
      else report(`window.limits.${limit}`, `${problem} The default is used.`);
    }
    const problem = problemOf({ [name]: parts.length > 0 ? limits : option });
    if (problem === undefined) usable[name] = parts.length > 0 ? limits : option;
    else if (SWITCHES.includes(name)) {
      usable["autoCompact"] = false;
      report(`window.${name}`, `${problem} Nothing is compacted by itself.`);
    } else report(`window.${name}`, `${problem} The default is used.`);
  }
  return { window: Object.keys(usable).length === 0 ? undefined : (usable as WindowOptions), problems };
}

/** Why options cannot be used; `undefined` if they can. */
function problemOf(window: unknown): string | undefined {
  try {
    checkWindow(window as WindowOptions);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}
