/**
 * Tells if the log holds a literal of a summary, in whatever form: other slashes, separators of thousands, a number of a
 * line behind it, ellipses, placeholders, plural, capitals at the beginning of a sentence.
 *
 * Each word has to be in the log, and so does each pair of words that blanks, slashes or joining signs connect. Where
 * other signs are between them, a summary may have left something out, and the words alone count.
 */
import type { LiteralKind } from "./literals.ts";
import type { LogWords } from "./log-words.ts";
import { hashWord, isPathGap, isPhraseGap, visitTextWords } from "./text-words.ts";

/** Shorter numbers are not checked: they are counts and places more often than facts to be copied. */
const LEAST_DIGITS = 4;

/** True if the log holds the literal. */
export function holdsLiteral(words: LogWords, literal: string, kind: LiteralKind): boolean {
  if (kind === "number") return holdsNumber(words, literal);
  if (PLACES.test(literal) && !/\d{4}/.test(literal)) return true;
  const quantity = QUANTITY.exec(literal);
  if (quantity !== null) return holdsNumber(words, quantity[1]!) || holdsWords(words, literal);
  const whole = literal.replace(PLACE, "").replace(ARITY, "").replace(PLACEHOLDER, " … ");
  return holdsWords(words, whole) || (ESCAPES.test(whole) && holdsWords(words, whole.replace(ESCAPES, " ")));
}

/** Line ends and tabs, written out. */
const ESCAPES = /\\[nrt]/g;

/** `12/34`, `#2/#3`. */
const PLACES = /^[#\d\s/–-]+$/;
/** `3.5MB`, `1500ms`. */
const QUANTITY = /^v?(\d[\d.,]*)[a-zA-Zµ%]{1,3}$/;
/** `file.ts:12-34`, `file.ts#L12`. */
const PLACE = /[:#]L?\d+(?:[-–:,]L?\d+)*$/;
/** `load_session/2`, as Erlang counts arguments. */
const ARITY = /(?<=[\w!?])\/\d$/;
/** `[the output]`, `<the id>`: what a summary writes where it leaves something out. */
const PLACEHOLDER = /[[<][\p{L}\p{N}_' -]*\s[\p{L}\p{N}_' -]*[\]>]/gu;

function holdsNumber(words: LogWords, literal: string): boolean {
  if (literal.replace(/\D/g, "").length < LEAST_DIGITS) return true;
  const whole = literal.replace(/^v/, "");
  const groups = whole.match(/\d+/g) ?? [];
  const isShort = (group: string): boolean => group.length < LEAST_DIGITS;
  // Lines from … to, a host and its port: parts that a summary puts together.
  const isJoined = whole.includes(":") || (groups.length === 2 && /[-–]/.test(whole));
  if (isJoined && !(whole.includes(":") && groups.every(isShort)))
    return whole.split(/[:–-]/).every((part) => holdsNumber(words, part));
  const isGrouped = groups.every((group, index) => (index === 0 ? group.length <= 3 : group.length === 3));
  return (isGrouped && words.has(hashWord(groups.join("")))) || holdsWords(words, whole);
}

interface LiteralWord {
  readonly text: string;
  /** In the form in which the log has it; `undefined` if it has none. */
  readonly known: number | undefined;
  /** The signs between it and the word before … */
  readonly gap: string;
  /** … which connect the two, as in a path or as in a sentence. */
  readonly isJoined: boolean;
  readonly isStep: boolean;
  readonly isPhrase: boolean;
}

function holdsWords(words: LogWords, literal: string): boolean {
  const found: LiteralWord[] = [];
  let previousEnd = 0;
  const joined = CODE.test(literal) ? JOINED_IN_CODE : JOINED;
  visitTextWords(literal, (start, end, isDense) => {
    const text = literal.slice(start, end);
    if (!/[\p{L}\p{N}]/u.test(text)) return;
    const gap = literal.slice(previousEnd, start);
    const isPhrase = isPhraseGap(literal, previousEnd, start, isDense);
    const isStep = isPathGap(literal, previousEnd, start);
    const isJoined = found.length > 0 && (isStep || (joined.test(gap) && !gap.includes("..")));
    previousEnd = end;
    found.push({ text, gap, isJoined, isStep, isPhrase, known: findKnown(words, text) });
  });
  const isPath = PATH.test(literal) || NAMES_IN_PATH.test(literal);
  if (found.length === 1 && FOLDER.test(literal) && !holdsFolder(words, literal, found[0]!.known))
    return false;
  return found.every((_, index) => holdsWord(words, found, index, isPath));
}

const FOLDER = /^\/[^\s/]+\/?$|^[^\s/]+\/$/;

/** A path of one part, `/docs` or `docs/`. */
function holdsFolder(words: LogWords, literal: string, known = 0): boolean {
  if (literal.startsWith("/") && !words.isAfterSlash(known)) return false;
  return !literal.endsWith("/") || words.isBeforeSlash(known);
}

/** `node_modules/x`, `x/a.b`. */
const NAMES_IN_PATH = /[.@_\d-][\p{L}\d]*\/|\/[\p{L}\d]*[.@_\d-]/u;
/** `/usr/lib`, `./run`, `notes/a.md`: certainly a path, and not words beside each other such as `read/write`. */
const PATH = /^[~.]{0,2}[/\\]|^\w+:[/\\]|[/\\]$|\.\w{1,8}$/;

/**
 * The hash of the word as the log has it: as it is, in the singular, without marks of emphasis, or without the capital
 * of a sentence's beginning.
 */
function findKnown(words: LogWords, text: string): number | undefined {
  const forms = [
    text,
    text.replace(/['’]?s$/, ""),
    text.replace(/es$/, ""),
    text.replace(/^_+|_+$/g, ""),
    text.charAt(0).toLowerCase() + text.slice(1),
  ];
  return forms
    .filter((form) => form.length >= Math.min(3, text.length))
    .map((form) => hashWord(form))
    .find((hash) => words.has(hash));
}

function holdsWord(words: LogWords, all: readonly LiteralWord[], index: number, isPath: boolean): boolean {
  const word = all[index]!;
  const before = all[index - 1];
  const after = all[index + 1];
  const isBeside = !isPath && (isAlternative(before, word) || isAlternative(word, after));
  if (word.known === undefined) {
    if (!isBeside) return false;
    // A folder or a file beside it says that this is a path.
    const isInPath =
      (before?.known !== undefined && word.gap === "/" && words.isBeforeSlash(before.known)) ||
      (after?.known !== undefined && after.gap === "/" && words.isAfterSlash(after.known));
    return !isInPath;
  }
  if (before?.known === undefined || !word.isJoined) return true;
  if (word.isStep) {
    if (words.hasStep(before.known, word.known)) return true;
    if (isPath || !isAlternative(before, word)) return false;
    if (isTitle(before.text) && isTitle(word.text)) return true;
    // Three words beside each other, none of which is in a path with its neighbour.
    if (all.length > 2 && !all.some((one, at) => isKnownStep(words, all[at - 1], one))) return true;
    return !(words.isBeforeSlash(before.known) && words.isAfterSlash(word.known));
  }
  if (word.gap === "." && isDistinctive(before.text) && isDistinctive(word.text)) return true;
  if (!words.hasPair(before.known, word.known)) return false;
  const first = all[index - 2];
  if (first?.known === undefined || !before.isPhrase || !word.isPhrase) return true;
  return words.hasTriple(first.known, before.known, word.known);
}

const isTitle = (text: string): boolean => /^\p{Lu}/u.test(text);

const isKnownStep = (
  words: LogWords,
  before: LiteralWord | undefined,
  { isStep, known }: LiteralWord,
): boolean =>
  isStep && before?.known !== undefined && known !== undefined && words.hasStep(before.known, known);

/** Signs that connect words: a summary that keeps them keeps what stands on both sides … */
const JOINED = /^[\s\-.@#~/\\,=:?!%|&"'+]*$/;
/** … while of code it leaves arguments and fields out. */
const JOINED_IN_CODE = /^[\s\-.@#~/\\]*$/;
const CODE = /[(){}<>;[\]]/;

const isAlternative = (one: LiteralWord | undefined, other: LiteralWord | undefined): boolean =>
  one !== undefined && other?.gap === "/" && /^\p{L}+$/u.test(one.text) && /^\p{L}+$/u.test(other.text);

/** `Row.plan_data`: a summary names a member by its class. A package or the ending of a file is short. */
const isDistinctive = (text: string): boolean => text.length > 8 || /.[A-Z_]/.test(text);
