/**
 * Runs regular expressions step by step, as the language's specification describes, and counts the steps. Engines take
 * as many, give or take a factor, so the count shows what grows faster than its text.
 */
import { type PatternNode, parsePattern } from "./parse-pattern.ts";

type Test = (code: number) => boolean;
type Instruction =
  | { readonly op: "character"; readonly test: Test; readonly isBackwards: boolean }
  | { readonly op: "assert"; readonly kind: "^" | "$" | "b" | "B" }
  | { readonly op: "either"; second: number }
  | { readonly op: "go"; to: number }
  | { readonly op: "set"; readonly register: number; readonly value: number | "position" }
  | { readonly op: "compare"; readonly register: number; readonly isBackwards: boolean }
  | { readonly op: "look"; readonly isNegative: boolean; end: number }
  | { readonly op: "enter"; readonly counter: number; readonly groups: readonly [number, number] }
  | { readonly op: "accept" }
  | {
      readonly op: "loop";
      readonly counter: number;
      readonly min: number;
      readonly max: number;
      readonly isLazy: boolean;
      exit: number;
    }
  /** A loop over one character, which takes as many as it can. */
  | {
      readonly op: "run";
      readonly test: Test;
      readonly min: number;
      readonly max: number;
      readonly isBackwards: boolean;
    };

/** The index and the end of a match, and the steps that finding it took. */
export interface SteppedMatch {
  readonly index: number;
  readonly end: number;
  readonly steps: number;
}

export class SteppedPattern {
  readonly #code: Instruction[] = [];
  readonly #isUnicode: boolean;
  readonly #isMultiline: boolean;
  readonly #isAnchored: boolean;
  readonly #flags: string;
  readonly #mayBegin: Test | undefined;
  readonly #names: ReadonlyMap<string, number>;
  #registerCount: number;
  #steps = 0;

  constructor({ source, flags }: { readonly source: string; readonly flags: string }) {
    this.#isUnicode = flags.includes("u");
    this.#isMultiline = flags.includes("m");
    this.#flags = flags.replace(/[gymd]/g, "");
    const { node, groupCount, names } = parsePattern(source, flags);
    this.#names = names;
    this.#registerCount = 2 * (groupCount + 1);
    this.#isAnchored = !this.#isMultiline && isAnchored(node);
    this.#mayBegin = this.#firstOf(node);
    this.#compile(node, false);
    this.#code.push({ op: "accept" });
  }

  /** The first match from `from`; its index is −1 if there is none. */
  find(text: string, from: number, isSticky: boolean): SteppedMatch {
    this.#steps = 0;
    const units = unitsOf(text);
    const registers = new Array<number>(this.#registerCount).fill(-1);
    const mayBegin = this.#mayBegin;
    // Engines never begin within a pair of code units.
    for (let index = this.#startOf(units, from); index <= text.length; index = this.#after(units, index)) {
      this.#steps++;
      const isPossible =
        mayBegin === undefined || (index < text.length && mayBegin(this.#codeAt(units, index)));
      const end = isPossible ? this.#run({ text, units, registers, at: index, begin: 0 }) : -1;
      if (end >= 0) return { index, end, steps: this.#steps };
      if (isSticky || this.#isAnchored) break;
    }
    return { index: -1, end: -1, steps: this.#steps };
  }

  /** The index, or the one before where that is the middle of a pair. */
  #startOf(units: Uint16Array, index: number): number {
    return index > 0 && this.#codeBefore(units, index + 1) > 0xffff ? index - 1 : index;
  }

  #after(units: Uint16Array, index: number): number {
    return index + (index < units.length && this.#codeAt(units, index) > 0xffff ? 2 : 1);
  }

  #codeAt(units: Uint16Array, index: number): number {
    const first = units[index]!;
    return this.#isUnicode ? (pairOf(first, units[index + 1]) ?? first) : first;
  }

  #codeBefore(units: Uint16Array, index: number): number {
    const last = units[index - 1]!;
    return this.#isUnicode ? (pairOf(units[index - 2], last) ?? last) : last;
  }

  /** Compiles a node; within a lookbehind, texts are read backwards. */
  #compile(node: PatternNode, isBackwards: boolean): void {
    const code = this.#code;
    switch (node.type) {
      case "character":
        code.push({ op: "character", test: this.#testOf(node.source), isBackwards });
        return;
      case "assertion":
        code.push({ op: "assert", kind: node.kind });
        return;
      case "sequence":
        for (const part of isBackwards ? node.nodes.toReversed() : node.nodes)
          this.#compile(part, isBackwards);
        return;
      case "any-of":
        this.#compileOptions(node.options, isBackwards);
        return;
      case "group": {
        const [first, second] = isBackwards ? [1, 0] : [0, 1];
        code.push({ op: "set", register: 2 * node.index + first, value: "position" });
        this.#compile(node.node, isBackwards);
        code.push({ op: "set", register: 2 * node.index + second, value: "position" });
        return;
      }
      case "look": {
        const look = { op: "look" as const, isNegative: node.isNegative, end: 0 };
        code.push(look);
        this.#compile(node.node, node.isBehind);
        code.push({ op: "accept" });
        look.end = code.length;
        return;
      }
      case "reference": {
        const group = typeof node.group === "number" ? node.group : this.#names.get(node.group)!;
        code.push({ op: "compare", register: 2 * group, isBackwards });
        return;
      }
      case "repeat":
        this.#compileLoop(node, isBackwards);
    }
  }

  #compileOptions(options: readonly PatternNode[], isBackwards: boolean): void {
    const goes: { readonly op: "go"; to: number }[] = [];
    for (const option of options.slice(0, -1)) {
      const either = { op: "either" as const, second: 0 };
      const go = { op: "go" as const, to: 0 };
      this.#code.push(either);
      this.#compile(option, isBackwards);
      this.#code.push(go);
      goes.push(go);
      either.second = this.#code.length;
    }
    this.#compile(options.at(-1)!, isBackwards);
    for (const go of goes) go.to = this.#code.length;
  }

  #compileLoop(node: PatternNode & { readonly type: "repeat" }, isBackwards: boolean): void {
    const { min, max, isLazy, groups } = node;
    if (node.node.type === "character" && !isLazy) {
      this.#code.push({ op: "run", test: this.#testOf(node.node.source), min, max, isBackwards });
      return;
    }
    const counter = this.#registerCount;
    this.#registerCount += 2;
    this.#code.push({ op: "set", register: counter, value: 0 });
    const start = this.#code.length;
    const loop = { op: "loop" as const, counter, min, max, isLazy, exit: 0 };
    this.#code.push(loop);
    this.#code.push({ op: "enter", counter, groups });
    this.#compile(node.node, isBackwards);
    this.#code.push({ op: "go", to: start });
    loop.exit = this.#code.length;
  }

  /** Runs the code at `begin` until it accepts, and returns where, or −1. */
  #run({ text, units, registers, at, begin }: Run): number {
    const code = this.#code;
    /** Pairs: an instruction and a position to go on at, or −1 − a register and the value that it had. */
    const undo: number[] = [];
    let depth = 0;
    const push = (first: number, second: number): void => {
      undo[depth++] = first;
      undo[depth++] = second;
    };
    const set = (register: number, value: number): void => {
      push(-1 - register, registers[register]!);
      registers[register] = value;
    };
    let next = begin;
    for (;;) {
      this.#steps++;
      const now = code[next]!;
      let isGood = true;
      switch (now.op) {
        case "character": {
          const isThere = now.isBackwards ? at > 0 : at < units.length;
          if (!isThere) isGood = false;
          else {
            const read = now.isBackwards ? this.#codeBefore(units, at) : this.#codeAt(units, at);
            isGood = now.test(read);
            at += (read > 0xffff ? 2 : 1) * (now.isBackwards ? -1 : 1);
          }
          next++;
          break;
        }
        case "assert":
          isGood = this.#holds(now.kind, units, at);
          next++;
          break;
        case "either":
          push(now.second, at);
          next++;
          break;
        case "go":
          next = now.to;
          break;
        case "set":
          set(now.register, now.value === "position" ? at : now.value);
          next++;
          break;
        case "compare": {
          const [from, to] = [registers[now.register]!, registers[now.register + 1]!];
          const length = from < 0 || to < 0 ? 0 : to - from;
          const begins = now.isBackwards ? at - length : at;
          this.#steps += length;
          isGood =
            length === 0 ||
            this.#isSame(text.slice(from, to), text.slice(Math.max(0, begins), begins + length));
          at += now.isBackwards ? -length : length;
          next++;
          break;
        }
        case "look": {
          const before = registers.slice();
          const isFound = this.#run({ text, units, registers, at, begin: next + 1 }) >= 0;
          for (let register = 0; isFound && register < before.length; register++) {
            const value = before[register]!;
            if (now.isNegative) registers[register] = value;
            else if (registers[register] !== value) push(-1 - register, value);
          }
          isGood = isFound !== now.isNegative;
          next = now.end;
          break;
        }
        case "loop": {
          const count = registers[now.counter]!;
          isGood = count <= now.min || registers[now.counter + 1] !== at;
          const enters = count < now.min || (count < now.max && !now.isLazy);
          if (count >= now.min && count < now.max) push(enters ? now.exit : next + 1, at);
          next = enters ? next + 1 : now.exit;
          break;
        }
        case "enter":
          set(now.counter, registers[now.counter]! + 1);
          set(now.counter + 1, at);
          for (let group = 2 * now.groups[0]; group < 2 * now.groups[1]; group++) set(group, -1);
          next++;
          break;
        case "run": {
          let count = 0;
          for (; count < now.max; count++) {
            if (now.isBackwards ? at <= 0 : at >= units.length) break;
            const read = now.isBackwards ? this.#codeBefore(units, at) : this.#codeAt(units, at);
            if (!now.test(read)) break;
            if (count >= now.min) push(next + 1, at);
            at += (read > 0xffff ? 2 : 1) * (now.isBackwards ? -1 : 1);
          }
          this.#steps += count;
          isGood = count >= now.min;
          next++;
          break;
        }
        case "accept":
          return at;
      }
      if (isGood) continue;
      for (;;) {
        if (depth === 0) return -1;
        at = undo[--depth]!;
        next = undo[--depth]!;
        if (next >= 0) break;
        registers[-1 - next] = at;
      }
    }
  }

  #isSame(one: string, other: string): boolean {
    return this.#flags.includes("i") ? one.toLowerCase() === other.toLowerCase() : one === other;
  }

  #holds(kind: "^" | "$" | "b" | "B", units: Uint16Array, at: number): boolean {
    const isEnd = (index: number): boolean => this.#isMultiline && isLineEnd(units[index]);
    if (kind === "^") return at === 0 || isEnd(at - 1);
    if (kind === "$") return at === units.length || isEnd(at);
    return (isWord(units[at - 1]) !== isWord(units[at])) === (kind === "b");
  }

  /** True for the characters that an atom takes; Node decides, once for each. */
  #testOf(source: string): Test {
    const isPlain = !this.#flags.includes("i") && /^[^.\\[]$/u.test(source);
    if (isPlain) {
      const only = source.codePointAt(0);
      return (code) => code === only;
    }
    const pattern = new RegExp(`^(?:${source})$`, this.#flags);
    return remembered((code) => pattern.test(String.fromCodePoint(code)));
  }

  /** The characters that a match may begin with, or `undefined` if it may begin with any or be empty. */
  #firstOf(node: PatternNode): Test | undefined {
    switch (node.type) {
      case "character":
        return this.#testOf(node.source);
      case "sequence": {
        const first = node.nodes.find(({ type }) => type !== "assertion" && type !== "look");
        return first && this.#firstOf(first);
      }
      case "group":
        return this.#firstOf(node.node);
      case "repeat":
        return node.min === 0 ? undefined : this.#firstOf(node.node);
      case "any-of": {
        const tests = node.options.map((option) => this.#firstOf(option));
        if (tests.includes(undefined)) return undefined;
        return remembered((code) => tests.some((test) => test!(code)));
      }
      default:
        return undefined;
    }
  }
}

interface Run {
  readonly text: string;
  readonly units: Uint16Array;
  readonly registers: number[];
  at: number;
  readonly begin: number;
}

let last = { text: "", units: new Uint16Array(0) };

/** The code units of a text. Methods of strings and lists are counted, and far slower than this. */
function unitsOf(text: string): Uint16Array {
  if (last.text === text) return last.units;
  const bytes = Buffer.from(text, "utf16le");
  last = { text, units: new Uint16Array(bytes.buffer, bytes.byteOffset, text.length) };
  return last.units;
}

function pairOf(first: number | undefined, second: number | undefined): number | undefined {
  if (first === undefined || second === undefined) return undefined;
  const isPair = first >= 0xd800 && first <= 0xdbff && second >= 0xdc00 && second <= 0xdfff;
  return isPair ? (first - 0xd800) * 0x400 + (second - 0xdc00) + 0x10000 : undefined;
}

const isLineEnd = (unit: number | undefined): boolean =>
  unit === 0x0a || unit === 0x0d || unit === 0x2028 || unit === 0x2029;

const isWord = (unit: number | undefined): boolean =>
  unit !== undefined &&
  ((unit >= 0x61 && unit <= 0x7a) ||
    (unit >= 0x41 && unit <= 0x5a) ||
    (unit >= 0x30 && unit <= 0x39) ||
    unit === 0x5f);

function remembered(test: Test): Test {
  /** Pages of 256 codes: 0 where the answer is not known, else 1 for false and 2 for true. */
  const pages: Uint8Array[] = [];
  return (code) => {
    const page = pages[code >> 8] ?? new Uint8Array(256);
    pages[code >> 8] = page;
    const answer = page[code & 0xff]!;
    if (answer !== 0) return answer === 2;
    const isTaken = test(code);
    page[code & 0xff] = isTaken ? 2 : 1;
    return isTaken;
  };
}

/** True if every match begins at the start of the text. */
function isAnchored(node: PatternNode): boolean {
  if (node.type === "assertion") return node.kind === "^";
  if (node.type === "group") return isAnchored(node.node);
  if (node.type === "any-of") return node.options.every(isAnchored);
  return node.type === "sequence" && node.nodes[0] !== undefined && isAnchored(node.nodes[0]);
}
