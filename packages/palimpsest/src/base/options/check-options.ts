/**
 * Checks the options that a program passes: a misspelt name or a value of the wrong type is an error that names it,
 * not a setting that silently has no effect. Types say the same to TypeScript users; this is for everyone else.
 *
 * For a name that does not exist, the error suggests the one that was probably meant.
 */
import { OptionError } from "../errors.ts";
import { isObject } from "../json/json.ts";
import { shorten } from "../text/text.ts";

/** Rule for one option. */
export interface OptionRule {
  readonly isFit: (value: unknown) => boolean;
  /** In words, after "it is": `a function`. */
  readonly says: string;
  /** A value to pass, where the rule alone does not say it. */
  readonly hint?: string;
  /** Rules for the members of a plain object; instances of classes may have others. */
  readonly members?: Readonly<Record<string, OptionRule>>;
  /** The rule for every member of a plain object whose names are the caller's. */
  readonly each?: OptionRule;
}

/** A rule for every option, so that the compiler reports one without. */
export type OptionRules<Options> = { readonly [Name in keyof Required<Options>]: OptionRule };

const SHOWN_CHARS = 60;

export const anything: OptionRule = { isFit: () => true, says: "anything" };
export const text: OptionRule = {
  isFit: (value) => typeof value === "string" && value !== "",
  says: "a string with at least one character",
};
export const anyString: OptionRule = { isFit: (value) => typeof value === "string", says: "a string" };
export const flag: OptionRule = { isFit: (value) => typeof value === "boolean", says: "`true` or `false`" };
export const listOfTexts: OptionRule = {
  isFit: (value) => Array.isArray(value) && value.every((one) => typeof one === "string"),
  says: "a list of strings",
};
export const func: OptionRule = { isFit: (value) => typeof value === "function", says: "a function" };
export const list: OptionRule = { isFit: Array.isArray, says: "a list" };
export const object: OptionRule = { isFit: isObject, says: "an object" };
export const number: OptionRule = {
  isFit: (value) => typeof value === "number" && !Number.isNaN(value),
  says: "a number",
};

/** An object with these members and no others. */
export const closed = (members: Readonly<Record<string, OptionRule>>): OptionRule => ({ ...object, members });

/** An object whose members have names of the caller's choice. */
export const eachOf = (each: OptionRule): OptionRule => ({ ...object, each });

/** Later than any timer of the platform is as good as never, so there is no upper limit. */
export const duration: OptionRule = {
  isFit: (value) => typeof value === "number" && value > 0,
  says: "a number of milliseconds above 0",
};
export const signal: OptionRule = {
  isFit: (value) => isObject(value) && typeof value["aborted"] === "boolean",
  says: "an `AbortSignal`",
};

export const wholeFrom = (least: number): OptionRule => ({
  isFit: (value) => Number.isSafeInteger(value) && (value as number) >= least,
  says: `a whole number from ${least} on`,
});

export const oneOf = (...choices: readonly string[]): OptionRule => ({
  isFit: (value) => choices.includes(value as string),
  says: `one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`,
});

/** An object that can do something; `made` says where to get one. */
export function having(methods: readonly string[], says: string, made: string): OptionRule {
  const isFit = (value: unknown): boolean =>
    typeof value === "object" &&
    value !== null &&
    methods.every((method) => typeof (value as Readonly<Record<string, unknown>>)[method] === "function");
  return { isFit, says, hint: `Pass ${made}, or leave it out.` };
}

export const either = (one: OptionRule, other: OptionRule): OptionRule => ({
  ...other,
  ...one,
  isFit: (value) => one.isFit(value) || other.isFit(value),
  says: `${one.says}, or ${other.says}`,
});

/**
 * Checks options by their rules, `undefined` ones excepted. `call` names the function in messages. It allocates nothing
 * unless there is something to refuse.
 * @throws `OptionError` for the first option that does not exist or has a value that cannot be used
 */
export function checkOptions(
  call: string,
  options: unknown,
  rules: Readonly<Record<string, OptionRule>>,
): void {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new OptionError({
      message: `The options of \`${call}\` are ${showOption(options)}, not an object.`,
      hint: sayAll(rules),
    });
  checkMembers(options, rules, { call, path: "" });
}

interface Place {
  /** The function or the option that has these members. */
  readonly call: string;
  /** Written before the name of a member that has members itself. */
  readonly path: string;
}

function checkMembers(
  options: object,
  rules: Readonly<Record<string, OptionRule>>,
  { call, path }: Place,
): void {
  for (const name in options) {
    if (!Object.hasOwn(options, name)) continue;
    const value: unknown = (options as Readonly<Record<string, unknown>>)[name];
    if (value === undefined) continue;
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) throw noSuchOption(call, name, rules);
    if (!rule.isFit(value))
      throw new OptionError({
        message: `The option \`${name}\` of \`${call}\` is ${showOption(value)}; it is ${rule.says}.`,
        hint: rule.hint ?? `Pass ${rule.says}, or leave it out.`,
      });
    const { members, each } = rule;
    if ((members === undefined && each === undefined) || !isPlain(value)) continue;
    const within = { call: path + name, path: `${path}${name}.` };
    if (members !== undefined) checkMembers(value, members, within);
    if (each !== undefined)
      for (const key of Object.keys(value)) checkMembers({ [key]: value[key] }, { [key]: each }, within);
  }
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function noSuchOption(call: string, name: string, rules: Readonly<Record<string, OptionRule>>): OptionError {
  const nearest = nearestName(name, Object.keys(rules));
  const all = sayAll(rules);
  return new OptionError({
    message: `\`${call}\` has no option \`${shorten(name, SHOWN_CHARS)}\`.`,
    hint: nearest === undefined ? all : `Did you mean \`${nearest}\`? ${all}`,
  });
}

function sayAll(rules: Readonly<Record<string, OptionRule>>): string {
  const names = Object.keys(rules);
  return names.length === 0 ? "It has no options." : `Its options are ${names.join(", ")}.`;
}

/** Checks an argument that is a text. @throws `OPTION_INVALID` */
export function checkText(call: string, name: string, value: unknown): void {
  if (typeof value === "string") return;
  throw new OptionError({
    message: `The ${name} of \`${call}\` is ${showOption(value)}; it is a string.`,
    hint: "Pass a string.",
  });
}

/** A value in words, for the message of an error. */
function showOption(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  switch (typeof value) {
    case "string":
      return JSON.stringify(shorten(value, SHOWN_CHARS));
    case "number":
    case "boolean":
    case "undefined":
      return String(value);
    case "object":
      return "an object";
    default:
      return `a ${typeof value}`;
  }
}

/** Edits between two names that may still mean the same. Longer names have room for one more. */
const EDITS_OF_SHORT_NAMES = 1;
const EDITS_OF_LONG_NAMES = 2;
const LONG_NAME_CHARS = 6;

/** Returns the known name that `name` was most likely meant to be; `undefined` if none is close. */
export function nearestName<Name extends string>(name: string, names: readonly Name[]): Name | undefined {
  const most = name.length < LONG_NAME_CHARS ? EDITS_OF_SHORT_NAMES : EDITS_OF_LONG_NAMES;
  let nearest: Name | undefined;
  let fewest = most + 1;
  for (const known of names) {
    // Names that differ more in length than edits are allowed cannot be close; this also bounds the work.
    if (Math.abs(known.length - name.length) >= fewest) continue;
    const edits = editsBetween(name.toLowerCase(), known.toLowerCase());
    if (edits < fewest) [nearest, fewest] = [known, edits];
  }
  return nearest;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one text into the other. */
function editsBetween(left: string, right: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const replaced = row[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      const swapped = isSwap ? before[j - 2]! + 1 : replaced;
      next.push(Math.min(replaced, swapped, row[j]! + 1, next[j - 1]! + 1));
    }
    [before, row] = [row, next];
  }
  return row[right.length]!;
}
