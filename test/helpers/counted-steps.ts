/**
 * Counts the steps of work, for tests that claim linear time. A clock says something else on a busy machine; a count
 * is always the same. Counted are the calls of the language's own methods, which every loop makes, each with the
 * characters or elements that it looks at, and each step of a regular expression.
 *
 * Counting replaces those methods for good, and Node runs some of them slower ever after: files named
 * `linear-time.test.ts` or `linear-runs.test.ts` do it, which are the last of a process (`vitest.shared.ts`).
 */
import { SteppedPattern } from "./stepped-pattern.ts";

/**
 * Eight times the input takes about eight times the steps, a few more where a small one is over before a bound; quadratic work,
 * 64.
 */
export const LINEAR_LIMIT = 16;

type Method = (...args: unknown[]) => unknown;
type Sized = { readonly length: number };
/** The steps of a call beyond the first. */
type Cost = (self: unknown, args: readonly unknown[], result: unknown) => number;

const ofSelf: Cost = (self) => (self as Sized).length;
const ofResult: Cost = (_self, _args, result) => (result as Sized).length;
const ofFirst: Cost = (_self, args) => (args[0] as Sized | undefined)?.length ?? 0;
/** The elements between the start and what was found, or the end. */
const ofSearch: Cost = (self, [, from], result) => {
  const start = typeof from === "number" ? from : 0;
  return Math.max(0, ((result as number) < 0 ? (self as Sized).length : (result as number)) - start);
};
const ofSearchBack: Cost = (self, [, from], result) => {
  const start = typeof from === "number" ? Math.min(from, (self as Sized).length) : (self as Sized).length;
  return Math.max(0, start - (result as number));
};

const COSTS: readonly (readonly [owner: object, cost: Cost, methods: string])[] = [
  [String.prototype, ofSearch, "indexOf"],
  [String.prototype, ofSearchBack, "lastIndexOf"],
  [
    String.prototype,
    ofSelf,
    "includes split replaceAll toLowerCase toUpperCase normalize trim localeCompare",
  ],
  [String.prototype, ofSelf, "isWellFormed toWellFormed"],
  [String.prototype, ofResult, "repeat padStart padEnd"],
  [Array.prototype, ofSearch, "indexOf"],
  [Array.prototype, ofSearchBack, "lastIndexOf"],
  [Array.prototype, ofSelf, "includes splice shift unshift join fill reverse toReversed sort toSorted flat"],
  [Array.prototype, ofResult, "slice concat"],
  [Array, ofResult, "from"],
  [Object, ofResult, "keys values entries getOwnPropertyNames"],
  [JSON, ofFirst, "parse"],
  [JSON, (_self, _args, result) => (result as Sized | undefined)?.length ?? 0, "stringify"],
  [TextEncoder.prototype, ofFirst, "encode"],
  [TextDecoder.prototype, ofFirst, "decode"],
];

/** Methods that call a function for each element: each of its calls is a step. */
const CALLING =
  "every some find findIndex findLast findLastIndex filter map flatMap forEach reduce reduceRight";

/** Every call of their methods is a step. */
const COUNTED = [String, Array, Map, Set, WeakMap].map((type) => type.prototype as object);

const ITERATORS = [[].values(), new Map().entries(), new Set().values(), ""[Symbol.iterator]()];

let steps = 0;
let isCounting = false;
let isReady = false;

/** Returns how many times as many steps the large work takes as the small one. */
export function growth(small: () => unknown, large: () => unknown): number {
  const smallSteps = countSteps(small);
  return countSteps(large) / smallSteps;
}

/** The steps of synchronous work. */
export function countSteps(work: () => unknown): number {
  if (!isReady) countMethods();
  isReady = true;
  steps = 0;
  isCounting = true;
  try {
    work();
  } finally {
    isCounting = false;
  }
  return steps;
}

function countMethods(): void {
  for (const owner of COUNTED)
    for (const name of Object.getOwnPropertyNames(owner)) if (name !== "constructor") replace(owner, name);
  for (const iterator of ITERATORS) replace(Object.getPrototypeOf(iterator), "next");
  for (const [owner, cost, names] of COSTS) for (const name of names.split(" ")) replace(owner, name, cost);
  for (const name of CALLING.split(" ")) countCallbacks(name as "map");
  countPatterns();
}

function replace(owner: object, name: string, cost?: Cost): void {
  const property = Object.getOwnPropertyDescriptor(owner, name)!;
  if (typeof property.value !== "function") return;
  const original = property.value as Method;
  function counted(this: unknown, ...args: unknown[]): unknown {
    if (!isCounting) return Reflect.apply(original, this, args);
    // A method may shorten what it is called on.
    const before = cost === ofSelf ? (this as Sized).length : 0;
    const result: unknown = Reflect.apply(original, this, args);
    steps += 1 + (cost === ofSelf ? before : (cost?.(this, args, result) ?? 0));
    return result;
  }
  Object.defineProperty(owner, name, { ...property, value: counted });
}

function countCallbacks(name: "map"): void {
  const original = Array.prototype[name] as unknown as Method;
  function counted(this: unknown, callback: Method, ...rest: unknown[]): unknown {
    if (!isCounting) return Reflect.apply(original, this, [callback, ...rest]);
    function called(this: unknown, ...args: unknown[]): unknown {
      steps++;
      return Reflect.apply(callback, this, args);
    }
    return Reflect.apply(original, this, [called, ...rest]);
  }
  Object.defineProperty(Array.prototype, name, { value: counted, writable: true, configurable: true });
}

/** All methods of expressions, and those of strings that take one, call `exec`. */
function countPatterns(): void {
  const original = RegExp.prototype.exec;
  const patterns = new Map<string, SteppedPattern>();
  RegExp.prototype.exec = function exec(text: string): RegExpExecArray | null {
    if (!isCounting) return original.call(this, text);
    isCounting = false;
    const key = `${this.flags}/${this.source}`;
    const pattern = patterns.get(key) ?? new SteppedPattern(this);
    patterns.set(key, pattern);
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const match = original.call(this, text);
    const found = pattern.find(`${text}`, from, this.sticky);
    const end = match === null ? -1 : match.index + match[0].length;
    isCounting = true;
    if (found.end !== end) throw new Error(`Counted otherwise than Node runs it: ${this} at ${from}`);
    steps += found.steps;
    return match;
  };
}
