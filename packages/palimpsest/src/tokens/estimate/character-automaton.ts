/**
 * The states a text passes through while the estimator reads it, one character at a time.
 *
 * What a character costs a tokenizer depends on what it is and on what stands before it: the fifth
 * letter of a word is nearly free, a capital inside a word begins a new token, the tenth space of an
 * indentation costs nothing. So characters fall into classes; class and predecessor give a state, and
 * a state has a weight (`base/defaults/tokens/token-weights.ts`). Reading is one table look-up a character
 * whatever the text, so that no input is slow, and the tables take a few kilobytes.
 *
 * A state's name is its kind and, where the length of a run matters, how far into the run it is:
 * `letter.5` is the fifth letter of a word, `ruleRun.3` the third of `---`, `quoteSpace` a quotation
 * mark after a space.
 *
 * A tokenizer needs megabytes of tables, reads 5–30 MB/s and hangs on a page of one repeated letter. This pass reads
 * hundreds of MB/s, takes the same time for any input and is right within a few per cent on agents' texts. Its unit
 * is one token of the Claude 4 tokenizer; other families are a ratio away (`model-id.ts`), which `calibration.ts`
 * refines from what the provider reports.
 */
import { assert } from "../../base/assert.ts";
import { TOKEN_WEIGHTS } from "../../base/defaults/tokens/token-weights.ts";
import type { Steps } from "../../base/steps.ts";

/** Marks of ASCII, by how tokenizers treat them. */
const MARKS = {
  rule: "-=*#~_+",
  quote: "\"'`",
  open: "([{<",
  close: ")]}>",
  point: ".,;:!?",
  slash: "/\\|",
  sign: "@$%^&",
} as const;
type Mark = keyof typeof MARKS;
const MARK_NAMES = Object.keys(MARKS) as readonly Mark[];

/** Classes outside ASCII, each from its first code unit on (in pages of `PAGE_SIZE`). */
const SCRIPTS = [
  [0x80, "typography"],
  [0xc0, "latin"],
  [0x300, "combining"],
  [0x380, "alphabet"],
  [0x400, "cyrillic"],
  [0x540, "alphabet"],
  [0x600, "arabic"],
  [0x780, "abugida"],
  [0x10c0, "alphabet"],
  [0x1100, "hangul"],
  [0x1200, "abugida"],
  [0x1d00, "latin"],
  [0x1f00, "alphabet"],
  [0x2000, "typography"],
  [0x2080, "symbol"],
  [0x2c00, "rare"],
  [0x2e00, "typography"],
  [0x2e80, "ideograph"],
  [0x3000, "wide"],
  [0x3040, "kana"],
  [0x3100, "ideograph"],
  [0xa4c0, "abugida"],
  [0xac00, "hangul"],
  [0xd7c0, "rare"],
  [0xd800, "surrogate"],
  [0xe000, "rare"],
  [0xf900, "ideograph"],
  [0xfb00, "arabic"],
  [0xfe00, "combining"],
  [0xfe40, "arabic"],
  [0xff00, "wide"],
] as const;
type Script = (typeof SCRIPTS)[number][1];

const PLAIN_CLASSES = ["lower", "upper", "digit", "space", "newline", "tab", "control"] as const;
type CharacterClass = (typeof PLAIN_CLASSES)[number] | Mark | Script | "repeat";

const SCRIPT_NAMES = [...new Set(SCRIPTS.map(([, script]) => script))];
const CLASSES: readonly CharacterClass[] = [...PLAIN_CLASSES, ...MARK_NAMES, ...SCRIPT_NAMES, "repeat"];

/** Bits of a class's number: a state's row in the table has this many columns (a power of two). */
const CLASS_BITS = 5;
const PAGE_BITS = 6;
const PAGE_SIZE = 1 << PAGE_BITS;

/** Lengths up to which runs have distinct states; the last state repeats itself. */
const LONGEST_RUN = { letter: 14, caps: 4, space: 9, newline: 2, tab: 3, mark: 4 } as const;
/** Digits come in groups of three: the fourth begins the next one. */
const DIGIT_GROUP = 3;

/** The tables that reading needs; see {@link buildAutomaton}. */
interface CharacterAutomaton {
  /** Class of an ASCII character. */
  readonly asciiClass: Uint8Array;
  /** Class of any other code unit, by its page. */
  readonly pageClass: Uint8Array;
  readonly pageBits: number;
  /** Next state for (state, class); states are numbered in steps of a row, so that no multiplication is needed. */
  readonly next: Uint16Array;
  readonly classBits: number;
  /** Weight of the state that was entered, by its number without the row step. */
  readonly weight: Float64Array;
  readonly startState: number;
  /** The class that represents "the same symbol again", and the classes it applies to. */
  readonly repeatClass: number;
  readonly repeatable: Uint8Array;
}

/** Builds the tables, or stops if a state has no weight. */
export function buildAutomaton(weights: Readonly<Record<string, number>>): CharacterAutomaton {
  const names: string[] = ["start"];
  const numbers = new Map([["start", 0]]);
  const rows: number[][] = [];
  for (let at = 0; at < names.length; at++) {
    rows.push(
      CLASSES.map((characterClass) => {
        const name = follow(names[at]!, characterClass);
        const known = numbers.get(name);
        if (known !== undefined) return known;
        numbers.set(name, names.length);
        names.push(name);
        return names.length - 1;
      }),
    );
  }

  const next = new Uint16Array(names.length << CLASS_BITS);
  const weight = new Float64Array(names.length);
  rows.forEach((row, state) => {
    row.forEach((to, column) => {
      next[(state << CLASS_BITS) | column] = to << CLASS_BITS;
    });
    const known = weights[names[state]!] ?? (state === 0 ? 0 : undefined);
    assert(known !== undefined && known >= 0, `state ${names[state]} of the estimator has a weight`);
    weight[state] = known;
  });
  const repeatable = new Uint8Array(1 << CLASS_BITS);
  for (const name of ["symbol", "typography"] as const) repeatable[CLASSES.indexOf(name)] = 1;
  return {
    asciiClass: Uint8Array.from({ length: 128 }, (_, code) => CLASSES.indexOf(classOfAscii(code))),
    pageClass: Uint8Array.from({ length: 0x10000 >> PAGE_BITS }, (_, page) =>
      CLASSES.indexOf(classOfPage(page * PAGE_SIZE)),
    ),
    pageBits: PAGE_BITS,
    next,
    classBits: CLASS_BITS,
    weight,
    startState: 0,
    repeatClass: CLASSES.indexOf("repeat"),
    repeatable,
  };
}

function classOfAscii(code: number): CharacterClass {
  const character = String.fromCharCode(code);
  if (character >= "a" && character <= "z") return "lower";
  if (character >= "A" && character <= "Z") return "upper";
  if (character >= "0" && character <= "9") return "digit";
  if (character === " ") return "space";
  if (character === "\n") return "newline";
  if (character === "\t") return "tab";
  return MARK_NAMES.find((mark) => MARKS[mark].includes(character)) ?? "control";
}

function classOfPage(firstCode: number): CharacterClass {
  return SCRIPTS.findLast(([from]) => from <= firstCode)?.[1] ?? "rare";
}

/** The state after reading a character of `characterClass` in `state`. */
function follow(state: string, characterClass: CharacterClass): string {
  const [kind = "", runText] = state.split(".");
  const run = runText === undefined ? 1 : Number(runText);
  const longer = (limit: number) => Math.min(limit, run + 1);
  switch (characterClass) {
    case "lower":
      return followLower(kind, run);
    case "upper":
      if (isWord(kind)) return "camel";
      if (isCapital(kind)) return `caps.${kind === "caps" ? longer(LONGEST_RUN.caps) : 2}`;
      return kind === "space" ? "capSpace" : "cap";
    case "digit":
      return kind === "digit" ? `digit.${run > DIGIT_GROUP ? 2 : run + 1}` : "digit.1";
    case "space":
      return kind === "space" ? `space.${longer(LONGEST_RUN.space)}` : "space.1";
    case "newline":
      return `newline.${kind === "newline" ? LONGEST_RUN.newline : 1}`;
    case "tab":
      return `tab.${kind === "tab" ? longer(LONGEST_RUN.tab) : 1}`;
    case "control":
    case "repeat":
      return characterClass;
    default:
      return isMark(characterClass)
        ? followMark(kind, run, characterClass)
        : followScript(kind, characterClass);
  }
}

function followLower(kind: string, run: number): string {
  if (isWord(kind)) return `letter.${Math.min(LONGEST_RUN.letter, (kind === "letter" ? run : 1) + 1)}`;
  if (isCapital(kind)) return "letter.2";
  if (kind === "latin") return "letter.4";
  if (kind === "space") return "wordSpace";
  if (kind === "digit") return "wordDigit";
  if (markOf(kind) !== undefined) return "wordMark";
  return kind === "newline" || kind === "tab" || kind === "start" ? "wordLine" : "wordRare";
}

function followMark(kind: string, run: number, mark: Mark): string {
  const before = markOf(kind);
  if (before === mark) {
    return `${mark}Run.${Math.min(LONGEST_RUN.mark, (kind.endsWith("Run") ? run : 1) + 1)}`;
  }
  if (kind === "space") return `${mark}Space`;
  return before === undefined ? mark : `${mark}After`;
}

function followScript(kind: string, script: Script): string {
  const isContinued =
    kind === script || (kind === "repeat" && (script === "symbol" || script === "typography"));
  return `${script}.${isContinued ? 2 : 1}`;
}

function isMark(characterClass: string): characterClass is Mark {
  return characterClass in MARKS;
}

/** The mark that a state stands on: `quoteRun` → `quote`. */
function markOf(kind: string): Mark | undefined {
  const mark = kind.replace(/(Space|After|Run)$/, "");
  return isMark(mark) ? mark : undefined;
}

function isWord(kind: string): boolean {
  return kind === "letter" || kind.startsWith("word");
}

function isCapital(kind: string): boolean {
  return kind === "cap" || kind === "capSpace" || kind === "camel" || kind === "caps";
}

/** Made for the first text: building the tables would take a tenth of the time of importing the library. */
let readText: TextReader | undefined;

/** Reads a text from one place to another, going on from what was read before. */
type TextReader = (text: string, from: number, to: number, before: ReadSoFar) => ReadSoFar;

interface ReadSoFar {
  /** Absent where nothing was read yet. */
  readonly state?: number;
  readonly tokens: number;
}

const NOTHING_READ: ReadSoFar = { tokens: 0 };
/** Characters of one step: less than a millisecond. @internal */
export const STEP_CHARACTERS = 96_000;

/**
 * Estimates the tokens of a text, not rounded, so that sums over many small texts stay right.
 * 0 for the empty text, never negative. Unit: reference tokens.
 */
export function estimateText(text: string): number {
  readText ??= makeReader(buildAutomaton(TOKEN_WEIGHTS));
  return readText(text, 0, text.length, NOTHING_READ).tokens;
}

/** The same in steps. @internal */
export function* estimateTextInSteps(text: string): Steps<number> {
  readText ??= makeReader(buildAutomaton(TOKEN_WEIGHTS));
  let read = NOTHING_READ;
  for (let at = 0; at < text.length; at += STEP_CHARACTERS) {
    read = readText(text, at, Math.min(text.length, at + STEP_CHARACTERS), read);
    yield;
  }
  return read.tokens;
}

/**
 * Strings have so many inner shapes that V8 looks up `text.charCodeAt` again for every character once it met
 * them all: three times slower. Taken from the prototype once, it is always inlined.
 */
const { charCodeAt } = String.prototype;

/** Parameters that never change become constants of the compiled loop: a fifth faster than fields of an object. */
function makeReader({
  asciiClass,
  pageClass,
  pageBits,
  next,
  startState,
  classBits,
  weight,
  repeatClass,
  repeatable,
}: CharacterAutomaton): TextReader {
  return (text, from, to, before) => {
    let state = before.state ?? startState;
    let { tokens } = before;
    for (let index = from; index < to; index++) {
      const code = charCodeAt.call(text, index);
      if (code < 128) {
        state = next[state | asciiClass[code]!]!;
      } else {
        const characterClass = pageClass[code >> pageBits]!;
        const isRepeated =
          repeatable[characterClass] === 1 && index > 0 && charCodeAt.call(text, index - 1) === code;
        state = next[state | (isRepeated ? repeatClass : characterClass)]!;
      }
      tokens += weight[state >> classBits]!;
    }
    return { state, tokens };
  };
}
