/**
 * Copies values from a host into plain JSON, in one walk.
 *
 * A host may change its objects later, and a log can hold only JSON. So a session copies all input. Dates, wrapped
 * strings and `undefined` members become what `JSON.stringify` makes of them. A value that JSON would lose silently is
 * refused with its path. Values nested too deep to walk are kept as their JSON text: a model wrote them, and they must
 * not be lost.
 */
import { OptionError, PalimpsestError } from "../../base/errors.ts";
import { writeDeepJson } from "../../base/json/json.ts";
import { shorten } from "../../base/text/text.ts";

/** Levels of nesting that a block may have; deeper values are kept as their JSON text. Our choice: far above the 12 levels of the deepest recorded line, far below the about 2,000 levels at which walks of the window overflowed. */
export const MAX_NESTING_LEVELS = 256;
/** Values (members of objects, items of lists) that one input may hold. Our choice: a list that holds the same list over and over has no end otherwise; the longest recorded session has under 70,000. */
export const MAX_VALUES_COUNT = 5_000_000;
/** Steps of a path that a refusal spells out. Our choice: enough to find the place. */
const PATH_STEPS_SHOWN_COUNT = 12;
/** Longest name in such a path, in UTF-16 units. Our choice. */
const PATH_STEP_CHARS = 60;

/** Runs `receive` with a new copier. An error that a getter of the value throws becomes an `OptionError`. */
export function copyInput<Result>(root: string, receive: (copier: InputCopier) => Result): Result {
  const copier = new InputCopier(root);
  try {
    return receive(copier);
  } catch (error) {
    if (error instanceof PalimpsestError) throw error;
    throw copier.refusal(0, "could not be read", "plain data, as `JSON.parse` returns it", error);
  }
}

/** @throws `OptionError` where the value, or something in it, has no place in JSON. */
export function validateJson(value: unknown, name: string): unknown {
  return copyInput(name, (copier) => copier.copy(value, 0));
}

/** One input being copied: the rest of its allowance, and the current position. */
export class InputCopier {
  readonly #root: string;
  /** Names and indexes on the way to the current value, by depth. Steps deeper than that are stale. */
  readonly #path: (string | number)[] = [];
  #valuesLeft: number = MAX_VALUES_COUNT;
  #depthLimit = 0;

  constructor(root: string) {
    this.#root = root;
  }

  /** Records for error messages that the walk enters the member `step` of the value at `depth`. */
  enter(depth: number, step: string | number): void {
    this.#path[depth] = step;
  }

  /** Copies the value at `depth` as JSON; returns `undefined` if JSON leaves it out. */
  copy(value: unknown, depth: number): unknown {
    this.#depthLimit = depth + MAX_NESTING_LEVELS;
    return this.#walk(value, depth);
  }

  /** Makes the error for the value at `depth`. `pass` names a value that would be accepted. */
  refusal(depth: number, problem: string, pass: string, cause?: unknown): OptionError {
    const message = `${formatPath(this.#root, this.#path.slice(0, depth))} ${problem}.`;
    return new OptionError({ message, hint: `Pass ${pass}.`, cause });
  }

  #walk(value: unknown, depth: number): unknown {
    switch (typeof value) {
      case "string":
      case "boolean":
      case "undefined":
        return value;
      case "number":
        // JSON has one zero: a negative one would differ from what is stored.
        if (Number.isFinite(value)) return value + 0;
        throw this.refusal(depth, `is ${value}, which JSON cannot hold`, "a finite number, or null");
      case "object":
        if (value === null) return null;
        return Array.isArray(value) ? this.#copyList(value, depth) : this.#copyObject(value, depth);
      default:
        throw this.refusal(depth, `is a ${typeof value}, which JSON cannot hold`, "a string or plain data");
    }
  }

  #copyList(list: readonly unknown[], depth: number): unknown {
    if (depth >= this.#depthLimit) return this.#asText(list, depth);
    this.#spend(list.length, depth);
    const copy: unknown[] = [];
    for (let index = 0; index < list.length; index++) {
      this.#path[depth] = index;
      copy.push(this.#walk(list[index], depth + 1) ?? null);
    }
    return copy;
  }

  #copyObject(value: object, depth: number): unknown {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) {
      const plain = this.#asPlain(value, depth);
      if (plain !== value) return this.#walk(plain, depth);
    }
    if (depth >= this.#depthLimit) return this.#asText(value, depth);
    const keys = Object.keys(value);
    this.#spend(keys.length, depth);
    const copy: Record<string, unknown> = {};
    for (const key of keys) {
      this.#path[depth] = key;
      const member = this.#walk((value as Readonly<Record<string, unknown>>)[key], depth + 1);
      if (member === undefined) continue;
      // Assigning to `__proto__` would change the prototype instead of adding a member.
      if (key === "__proto__") Object.defineProperty(copy, key, { ...OWN, value: member });
      else copy[key] = member;
    }
    return copy;
  }

  /** Returns the value that JSON makes of a class instance; the object itself if JSON writes its members. */
  #asPlain(value: object, depth: number): unknown {
    const { toJSON } = value as { readonly toJSON?: unknown };
    if (typeof toJSON === "function") return toJSON.call(value) as unknown;
    if (value instanceof String || value instanceof Number || value instanceof Boolean)
      return value.valueOf();
    const kind = Object.prototype.toString.call(value).slice("[object ".length, -1);
    if (kind === "Object") return value;
    // JSON writes a map, a set or a buffer as `{}` or as numbers: their content would be lost silently.
    throw this.refusal(depth, `is a ${kind}, which JSON cannot hold`, "plain objects, lists and strings");
  }

  #asText(value: object, depth: number): string {
    const written = writeDeepJson(value, { maxValues: this.#valuesLeft });
    if (!written.ok) throw this.refusal(depth, written.reason, "plain data, as `JSON.parse` returns it");
    this.#spend(written.valuesCount, depth);
    return written.text;
  }

  #spend(values: number, depth: number): void {
    this.#valuesLeft -= values;
    if (this.#valuesLeft >= 0) return;
    throw this.refusal(depth, `goes beyond ${MAX_VALUES_COUNT} values in one hand-over`, "fewer at a time");
  }
}

const OWN = { configurable: true, enumerable: true, writable: true } as const;

function formatPath(root: string, steps: readonly (string | number)[]): string {
  const shown = steps.slice(0, PATH_STEPS_SHOWN_COUNT).map((step) => {
    if (typeof step === "number") return `[${step}]`;
    const name = shorten(step, PATH_STEP_CHARS);
    return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
  });
  return root + shown.join("") + (steps.length > PATH_STEPS_SHOWN_COUNT ? "…" : "");
}
