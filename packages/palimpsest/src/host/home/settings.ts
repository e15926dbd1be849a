/**
 * `settings.json`: read without trust, replaced whole.
 *
 * A file or a value that cannot be used never stops a start: it is reported, and the default is used. One
 * exception: where the unusable part may be a user's wish that no history is written, none is written.
 * Names that this version does not know stay in the file.
 */
import { join } from "node:path";
import { HOME_DEFAULTS } from "../../base/defaults/home.ts";
import { errorMessage, OptionError, StoreError } from "../../base/errors.ts";
import { isObject, parseJson } from "../../base/json/json.ts";
import { nearestName } from "../../base/options/check-options.ts";
import { shorten } from "../../base/text/text.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import type { IdSource } from "../../ports/runtime.ts";
import { checkWindow } from "../../session/options/session-option-rules.ts";
import type { WindowOptions } from "../../session/options/session-options.ts";
import { replaceFile, withFile } from "../../stores/files/replace/whole-file.ts";
import type { HomeProblem, HomeSettings } from "./home-types.ts";
import { readWindowSetting } from "./window-settings.ts";

/** Largest `settings.json` that is read, in bytes. Source: our choice: a hundred times a long one. */
const SETTINGS_LIMIT_BYTES = 1_048_576;

/** Settings, and what was wrong with the file. */
interface ReadSettings {
  readonly settings: HomeSettings;
  readonly problems: readonly HomeProblem[];
  /** Says why nothing may be written, although no usable setting asks for that; `undefined` if it may. */
  readonly noHistoryReason: string | undefined;
}

interface Rule {
  readonly byDefault: number | boolean;
  readonly isUsable: (value: unknown) => boolean;
  readonly wanted: string;
}

const isDays = (value: unknown): boolean =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= HOME_DEFAULTS.maxDays;
const days = (byDefault: number): Rule => ({
  byDefault,
  isUsable: isDays,
  wanted: `a whole number of days from 0 to ${HOME_DEFAULTS.maxDays}`,
});
const onUnlessFalse: Rule = {
  byDefault: true,
  isUsable: (value) => typeof value === "boolean",
  wanted: "true or false",
};

type PlainSetting = Exclude<keyof HomeSettings, "window">;

const RULES: Readonly<Record<PlainSetting, Rule>> = {
  cleanupPeriodDays: days(HOME_DEFAULTS.cleanupPeriodDays),
  trashGraceDays: days(HOME_DEFAULTS.trashGraceDays),
  instructionFiles: onUnlessFalse,
  gitStatus: onUnlessFalse,
};
const NAMES = Object.keys(RULES) as readonly PlainSetting[];
const ALL_NAMES = [...NAMES, "window"] as const;

const settingsPath = (home: string): string => join(home, "settings.json");

/** Reads the settings of a home. Never throws. */
export function readSettings(home: string, fs: FileSystem): ReadSettings {
  const path = settingsPath(home);
  const read = readWhole(path, fs);
  return read.type === "problem"
    ? unusable(path, read.detail, `${path} cannot be read and may set cleanupPeriodDays to 0`)
    : parseSettings(path, read.text);
}

/**
 * Writes changes into the file, with everything else in it as it is.
 * @throws `OptionError` for a value that cannot be used; `StoreError` `STORE_FAILED` where the file is damaged or
 * cannot be replaced.
 */
export async function changeSettings(
  { home, fs, ids }: { readonly home: string; readonly fs: FileSystem; readonly ids: IdSource },
  changes: Partial<HomeSettings>,
): Promise<void> {
  for (const [name, value] of Object.entries(changes)) checkChange(name, value);
  const path = settingsPath(home);
  const read = readWhole(path, fs);
  const parsed = read.type === "problem" ? undefined : parseJson(read.text === "" ? "{}" : read.text);
  if (parsed?.ok !== true || !isObject(parsed.value))
    throw notChanged(path, "what is in it is not a JSON object");
  const content = `${JSON.stringify({ ...parsed.value, ...changes }, undefined, 2)}\n`;
  try {
    await replaceFile(fs, { path, temporaryPath: `${path}.${ids.entryId()}.tmp`, content });
  } catch (error) {
    throw notChanged(path, errorMessage(error), error);
  }
}

function parseSettings(path: string, text: string): ReadSettings {
  if (text.trim() === "") return { settings: chosen({}), problems: [], noHistoryReason: undefined };
  const parsed = parseJson(text);
  if (!parsed.ok || !isObject(parsed.value)) {
    const what = parsed.ok ? "It is not a JSON object" : `It is not JSON (${parsed.reason})`;
    const mayBeZero = [...text.matchAll(PERIOD_IN_TEXT)].some(([, value]) => !isAboveZero(value));
    const reason = `${path} is damaged and may set cleanupPeriodDays to 0`;
    return unusable(path, what, mayBeZero ? reason : undefined);
  }
  const found = parsed.value;
  const problems: HomeProblem[] = [];
  let noHistoryReason: string | undefined;
  for (const [key, value] of Object.entries(found)) {
    const problem = problemOf(key, value, found);
    if (problem === undefined) continue;
    const isDecisive = problem.setting === "cleanupPeriodDays" && !problem.isOverridden;
    const mayBeZero = isDecisive && !isAboveZero(value);
    if (mayBeZero) noHistoryReason = `${problem.what} in ${path}, which may mean 0`;
    const byDefault =
      problem.isOverridden || problem.setting === "window"
        ? "it has no effect"
        : `${RULES[problem.setting].byDefault} is used`;
    const effect = mayBeZero ? "nothing is written" : byDefault;
    problems.push({ path, setting: problem.setting, detail: `${problem.what}${problem.wanted}; ${effect}.` });
  }
  const { window, problems: more } = readWindowSetting(path, found["window"]);
  const settings = { ...chosen(found), ...(window === undefined ? {} : { window }) };
  return { settings, problems: [...problems, ...more], noHistoryReason };
}

interface SettingProblem {
  readonly setting: (typeof ALL_NAMES)[number];
  readonly what: string;
  readonly wanted: string;
  /** True if the setting also has its right name, whose value counts. */
  readonly isOverridden: boolean;
}

/** A value that cannot be used, or a name that differs from a setting's in a letter or two. */
function problemOf(
  key: string,
  value: unknown,
  found: Readonly<Record<string, unknown>>,
): SettingProblem | undefined {
  const exact = NAMES.find((name) => name === key);
  if (exact !== undefined) {
    if (RULES[exact].isUsable(value)) return undefined;
    const what = `\`${key}\` is ${shorten(JSON.stringify(value), 60)}`;
    return { setting: exact, what, wanted: `, not ${RULES[exact].wanted}`, isOverridden: false };
  }
  const setting = key === "window" ? undefined : nearestName(key, ALL_NAMES);
  if (setting === undefined) return undefined;
  const what = `\`${shorten(key, 60)}\` is not a setting`;
  return { setting, what, wanted: ` (\`${setting}\` is)`, isOverridden: found[setting] !== undefined };
}

function unusable(path: string, what: string, noHistoryReason: string | undefined): ReadSettings {
  const effect = noHistoryReason === undefined ? "" : ", and nothing is written";
  const problems = [{ path, detail: `${what}; the defaults are used${effect}.` }];
  return { settings: chosen({}), problems, noHistoryReason };
}

/** `cleanupPeriodDays` with its value, in a text that is not JSON. */
const PERIOD_IN_TEXT = /cleanupPeriodDays["'\s]{0,9}[:=]?\s{0,9}["']?([^"',\s}]{0,40})/gi;

/** True if the value begins with a number above 0, so that it cannot mean "keep nothing". */
const isAboveZero = (value: unknown): boolean => Number.parseFloat(String(value)) > 0;

function chosen(found: Readonly<Record<string, unknown>>): HomeSettings {
  const value = (name: PlainSetting): unknown =>
    RULES[name].isUsable(found[name]) ? found[name] : RULES[name].byDefault;
  return Object.fromEntries(NAMES.map((name) => [name, value(name)])) as unknown as HomeSettings;
}

function checkChange(name: string, value: unknown): void {
  if (name === "window") {
    checkWindow(value as WindowOptions);
    return;
  }
  const rule = Object.hasOwn(RULES, name) ? RULES[name as PlainSetting] : undefined;
  if (rule?.isUsable(value) === true) return;
  throw new OptionError({
    message:
      rule === undefined
        ? `There is no setting \`${shorten(name, 60)}\`.`
        : `The setting \`${name}\` is ${rule.wanted}, not ${shorten(JSON.stringify(value) ?? "undefined", 60)}.`,
    hint: `Settings are ${ALL_NAMES.join(", ")}.`,
  });
}

type WholeFile =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "problem"; readonly detail: string };

/** The text, empty where there is no file. */
function readWhole(path: string, fs: FileSystem): WholeFile {
  try {
    if (fs.stat(path) === undefined) return { type: "text", text: "" };
    const bytes = withFile(fs, path, "read", (file) => {
      const size = file.size();
      return size > SETTINGS_LIMIT_BYTES ? size : Buffer.from(file.read(0, size));
    });
    return typeof bytes === "number"
      ? { type: "problem", detail: `It has ${bytes} bytes, more than ${SETTINGS_LIMIT_BYTES}` }
      : { type: "text", text: bytes.toString("utf8").replace(/^\uFEFF/, "") };
  } catch (error) {
    return { type: "problem", detail: `It cannot be read (${errorMessage(error)})` };
  }
}

function notChanged(path: string, why: string, cause?: unknown): StoreError {
  return new StoreError("STORE_FAILED", {
    message: `${path} was not changed: ${why}.`,
    hint: "Mend or remove the file, check that its folder can be written to, and try again.",
    cause,
  });
}
