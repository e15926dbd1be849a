/**
 * Keys and passwords in text, by the shapes that their issuers give them, so that a derived file need not
 * carry them on.
 *
 * Linear in any text: every repetition is bounded, and PEM blocks are followed by hand. Whatever
 * is longer than any key ends one. The shapes are in `secret-families.ts`; what has no shape is in
 * `secret-contexts.ts` and found by what stands beside it. A commit, a checksum and a UUID are left alone.
 */
import { COLUMN_PLACES, findInColumns, findInInserts } from "./column-secrets.ts";
import { COMMAND_SECRETS } from "./command-secrets.ts";
import { findInKubernetes } from "./kubernetes-secrets.ts";
import { NAMED_SECRETS } from "./named-secrets.ts";
import { type ContextFamily, SECRET_CONTEXTS } from "./secret-contexts.ts";
import { KEY_SHAPES, type KeyFamily } from "./secret-families.ts";
import { SENTENCE_SECRETS } from "./sentence-secrets.ts";

/** The vendor whose key it looks like. */
export type SecretFamily = KeyFamily | ContextFamily | "private-key";

export interface RedactedText {
  readonly text: string;
  /** Number of secrets that were found, by family; empty where the text is as it was. */
  readonly found: ReadonlyMap<SecretFamily, number>;
}

/** A secret's place in a text: what is taken out of it. */
export interface SecretSpan {
  readonly family: SecretFamily;
  readonly from: number;
  /** Behind its last character. */
  readonly to: number;
}

/** Places where a text was put together from stretches: a word may end there, and a key begin. */
export interface Joints {
  /** True if a stretch begins here: a key may begin here, although it is within a word. */
  readonly isStart: (at: number) => boolean;
  /** Stretches from one joint to another around this place, in which a key may be that is part of a longer word in the whole text. */
  readonly around: (at: number) => readonly { readonly from: number; readonly to: number }[];
}

const NO_JOINTS: Joints = { isStart: () => false, around: () => [] };

/** Every secret of the text, from the first to the last; none overlaps another. */
export function findSecrets(text: string, joints: Joints = NO_JOINTS): readonly SecretSpan[] {
  const found: RankedSpan[] = [];
  for (const pem of findPem(text)) found.push({ ...pem, rank: -2 });
  for (const span of findInKubernetes(text)) found.push({ ...span, rank: CONTEXTS.length });
  findMarked(text, found, joints);
  const places = scan(text, found, joints);
  for (const span of findInColumns(text, places.names)) found.push({ ...span, rank: CONTEXTS.length });
  for (const span of findInInserts(text, places.inserts)) found.push({ ...span, rank: CONTEXTS.length });
  return joinSpans(found.sort((one, other) => one.rank - other.rank));
}

/** A secret, and the place of its row among all: the first row that found a secret names its family. */
interface RankedSpan extends SecretSpan {
  readonly rank: number;
}

/** A rule about what stands beside a secret, and how far its matches reach: it is not tried inside of one. */
interface CompiledContext {
  readonly family: SecretFamily;
  readonly rank: number;
  readonly pattern: RegExp;
}

/** Characters of a word by which it is found while the text is gone through. */
const KEY_CHARACTERS = 4;
const isScanned = (word: string): boolean => word.length >= KEY_CHARACTERS && !NON_ASCII.test(word);
const NON_ASCII = /[^\0-\x7f]/;

const CONTEXTS: readonly (CompiledContext & { readonly words: readonly string[] })[] = [
  ...SECRET_CONTEXTS,
  ...SENTENCE_SECRETS,
  ...NAMED_SECRETS,
  ...COMMAND_SECRETS,
].map((context, rank) => ({ ...context, rank }));
/** Places that the text is gone through for, but not secrets themselves. */
const PLACES = {
  name: { ...COLUMN_PLACES.name, family: "variable", rank: CONTEXTS.length },
  insert: { ...COLUMN_PLACES.insert, family: "variable", rank: CONTEXTS.length },
} as const;
const WORDS = CONTEXTS.flatMap((context) => context.words.map((word) => ({ word, context })));
/** Short words, which are found as they are written. */
const MARKS = WORDS.filter(({ word }) => word.length < KEY_CHARACTERS && !NON_ASCII.test(word));
/** Words of other scripts, by the code of their first character, which is not of ASCII. */
const OTHER_WORDS = new Map<number, typeof WORDS>();
/** 1 where one of them may begin. */
const HAS_OTHER = new Uint8Array(1 << 16);
for (const row of WORDS.filter(({ word }) => NON_ASCII.test(word))) {
  const code = row.word.charCodeAt(0);
  OTHER_WORDS.set(code, [...(OTHER_WORDS.get(code) ?? []), row]);
  HAS_OTHER[code] = 1;
}

/** Adds what stands beside short words. Changes `found`. */
function findMarked(text: string, found: RankedSpan[], joints: Joints): void {
  for (const { word, context } of MARKS) {
    for (let at = text.indexOf(word); at !== -1; ) {
      const span = matchContext(text, at, context, joints);
      if (span !== undefined) found.push(span);
      at = text.indexOf(word, Math.max(at + word.length, span?.to ?? 0));
    }
  }
}

function matchContext(
  text: string,
  at: number,
  context: CompiledContext,
  joints: Joints,
): RankedSpan | undefined {
  const whole = matchContextIn(text, at, context);
  if (whole !== undefined) return whole;
  for (const { from, to } of joints.around(at)) {
    const span = matchContextIn(text.slice(from, to), at - from, context);
    if (span !== undefined) return { ...span, from: span.from + from, to: span.to + from };
  }
  return undefined;
}

function matchContextIn(
  text: string,
  at: number,
  { family, rank, pattern }: CompiledContext,
): RankedSpan | undefined {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const before = match.groups?.["before"]?.length ?? 0;
  const kept = match.groups?.["kept"]?.length ?? 0;
  return { family, rank, from: at + kept - before, to: pattern.lastIndex };
}

/** A row of the table of shapes, ready to be tried behind its start. */
interface CompiledShape {
  readonly family: SecretFamily;
  readonly start: string;
  /** True if a hyphen in front of the key means that the key is part of a longer word. */
  readonly isHyphenPart: boolean;
  readonly body: RegExp;
}

/** Shapes by the first two characters of their starts. */
const SHAPES = new Map<number, readonly CompiledShape[]>();
/** Contexts by the first four characters of their words. */
const BESIDE = new Map<number, readonly CompiledContext[]>();
/** For a first look that costs nothing: 1 where one of the maps may have the key. */
const HAS_SHAPE = new Uint8Array(1 << 14);
const HAS_BESIDE = new Uint8Array(1 << 16);

for (const { family, starts, body } of KEY_SHAPES)
  for (const start of starts) {
    const shape = { family, start, isHyphenPart: !start.includes("_"), body: new RegExp(body, "y") };
    const key = start.charCodeAt(0) * 128 + start.charCodeAt(1);
    SHAPES.set(key, [...(SHAPES.get(key) ?? []), shape]);
    HAS_SHAPE[key] = 1;
  }
for (const context of [...CONTEXTS, PLACES.name, PLACES.insert])
  for (const word of context.words.filter(isScanned)) {
    const key = [...word]
      .slice(0, KEY_CHARACTERS)
      .reduce((sum, letter) => (sum << 7) | letter.charCodeAt(0), 0);
    const others = BESIDE.get(key) ?? [];
    if (!others.includes(context)) BESIDE.set(key, [...others, context]);
    HAS_BESIDE[folded(key)] = 1;
  }

/** A key of 28 bits in 16. */
function folded(key: number): number {
  return (key ^ (key >>> 12)) & 0xffff;
}

/** By code: 1 for what a word is made of; and the code of the small letter. */
const WORD = Uint8Array.from({ length: 128 }, (_, code) => (/\w/.test(String.fromCharCode(code)) ? 1 : 0));
const LOWER = Uint8Array.from({ length: 128 }, (_, code) =>
  String.fromCharCode(code).toLowerCase().charCodeAt(0),
);

/** Goes through the text once, and adds what has a shape and what stands beside a word. Changes `found`. */
function scan(text: string, found: RankedSpan[], joints: Joints): Places {
  const places: Places = { names: [], inserts: [] };
  const reached = new Map<CompiledContext, number>();
  let isInWord = false;
  let shapesFrom = 0;
  let key = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127) {
      isInWord = false;
      key = 0;
      if (HAS_OTHER[code] === 1) findOther(text, at, { reached, found, joints, places });
      continue;
    }
    key = ((key << 7) | LOWER[code]!) & 0xfffffff;
    if (HAS_BESIDE[(key ^ (key >>> 12)) & 0xffff] === 1)
      findBeside(text, at + 1 - KEY_CHARACTERS, { key, reached, found, joints, places });
    const isWord = WORD[code] === 1;
    const wasInWord = isInWord;
    isInWord = isWord;
    if (!isWord || at < shapesFrom) continue;
    const next = at + 1 < text.length ? text.charCodeAt(at + 1) : 128;
    if (next > 127 || HAS_SHAPE[code * 128 + next] !== 1) continue;
    const isBehindHyphen = text.charCodeAt(at - 1) === 45;
    const isFree = (wasInWord || isBehindHyphen) && joints.isStart(at);
    if (wasInWord && !isFree && !isBehindEscape(text, at)) continue;
    const shapes = SHAPES.get(code * 128 + next)!;
    const span = matchShape(text, at, { shapes, isBehindHyphen: isBehindHyphen && !isFree, joints });
    if (span === undefined) continue;
    found.push(span);
    shapesFrom = span.to;
  }
  return places;
}

/** Places at which a table of secrets may begin. */
interface Places {
  readonly names: RankedSpan[];
  readonly inserts: RankedSpan[];
}

interface Reached {
  /** End of the last match of a rule. */
  readonly reached: Map<CompiledContext, number>;
  readonly found: RankedSpan[];
  readonly joints: Joints;
  readonly places: Places;
}

function findBeside(text: string, at: number, { key, ...beside }: Reached & { readonly key: number }): void {
  for (const context of BESIDE.get(key) ?? []) addBeside(text, at, context, beside);
}

function findOther(text: string, at: number, beside: Reached): void {
  for (const { word, context } of OTHER_WORDS.get(text.charCodeAt(at)) ?? [])
    if (text.startsWith(word, at)) addBeside(text, at, context, beside);
}

function addBeside(
  text: string,
  at: number,
  context: CompiledContext,
  { reached, found, joints, places }: Reached,
): void {
  if (at < (reached.get(context) ?? 0)) return;
  const span = matchContext(text, at, context, joints);
  if (span === undefined) return;
  if (context === PLACES.name) places.names.push(span);
  else if (context === PLACES.insert) places.inserts.push(span);
  else found.push(span);
  reached.set(context, span.to);
}

interface ShapesToTry {
  readonly shapes: readonly CompiledShape[];
  readonly isBehindHyphen: boolean;
  readonly joints: Joints;
}

function matchShape(
  text: string,
  at: number,
  { shapes, isBehindHyphen, joints }: ShapesToTry,
): RankedSpan | undefined {
  for (const { family, start, isHyphenPart, body } of shapes) {
    if ((isBehindHyphen && isHyphenPart) || !text.startsWith(start, at)) continue;
    for (const to of [text.length, ...joints.around(at).map((stretch) => stretch.to)]) {
      body.lastIndex = at + start.length;
      if (body.test(to === text.length ? text : text.slice(0, to)))
        return { family, rank: -1, from: at, to: body.lastIndex };
    }
  }
  return undefined;
}

/** Sequences that end in a letter which does not belong to the next word: `\n` of JSON, `%3D` of an address, a terminal's color. */
function isBehindEscape(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  if (before === 109) return ESCAPED_COLOR.test(text.slice(Math.max(0, at - 12), at));
  if (text.charCodeAt(at - 2) === 92) return before === 110 || before === 114 || before === 116;
  return text.charCodeAt(at - 3) === 37;
}

const ESCAPED_COLOR = /(?:\u001b|\\u001b|\\x1b|\\e|\\033|\\u\{1B\})\[[\d;]{0,8}m$/i;

/** In the order of the text, what overlaps put together; it is of the family that was looked for first. */
export function joinSpans(spans: readonly SecretSpan[]): readonly SecretSpan[] {
  if (spans.length < 2) return spans;
  const ranked = spans.map((span, rank) => ({ ...span, rank }));
  ranked.sort((a, b) => a.from - b.from || a.rank - b.rank);
  const joined: (typeof ranked)[number][] = [];
  for (const span of ranked) {
    const last = joined.at(-1);
    if (last === undefined || span.from >= last.to) joined.push(span);
    else {
      const { family, rank } = span.rank < last.rank ? span : last;
      joined[joined.length - 1] = { family, rank, from: last.from, to: Math.max(last.to, span.to) };
    }
  }
  return joined.map(({ family, from, to }) => ({ family, from, to }));
}

/** Replaces a secret in a text. */
export function takenText(family: SecretFamily): string {
  return `[redacted: ${family}]`;
}

/** The text with these spans replaced by `[redacted: family]`. */
export function takeOut(text: string, spans: readonly SecretSpan[]): RedactedText {
  const found = new Map<SecretFamily, number>();
  if (spans.length === 0) return { text, found };
  const parts: string[] = [];
  let kept = 0;
  for (const { family, from, to } of spans) {
    parts.push(text.slice(kept, from), takenText(family));
    found.set(family, (found.get(family) ?? 0) + 1);
    kept = to;
  }
  return { text: parts.join("") + text.slice(kept), found };
}

/** A stretch of the text without what of these spans lies in it, in whole or in part. */
export function takeOutWithin(
  text: string,
  spans: readonly SecretSpan[],
  { from, to }: { readonly from: number; readonly to: number },
): string {
  const parts: string[] = [];
  let kept = from;
  for (const span of spans) {
    if (span.to <= from || span.from >= to) continue;
    parts.push(text.slice(kept, Math.max(kept, span.from)), takenText(span.family));
    kept = span.to;
  }
  return parts.join("") + text.slice(kept, Math.max(kept, to));
}

const PEM_HEAD = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const PEM_TAIL = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
/** A piece of what a key's body is made of, line breaks of text inside JSON among it. */
const PEM_BODY = /(?:[A-Za-z0-9+/=\s]|\\[nr\\]){1,4096}/y;

/** A beginning of a key's body, as against words behind a head that is only spoken of. */
const KEY_TEXT =
  /(?<![A-Za-z0-9+/])(?:[A-Za-z0-9+/]{16}|(?=[A-Za-z+/]{0,7}\d|[a-z+/]{0,7}[A-Z]{1,8}[a-z]|[A-Z+/]{2,8}[a-z])[A-Za-z0-9+/]{8})/;

/** Blocks with their end, and the body of those that were cut off before it. */
function* findPem(text: string): Iterable<SecretSpan> {
  if (!text.includes("PRIVATE KEY")) return;
  PEM_HEAD.lastIndex = 0;
  for (let head = PEM_HEAD.exec(text); head !== null; head = PEM_HEAD.exec(text)) {
    const bodyFrom = PEM_HEAD.lastIndex;
    const dashes = text.indexOf("-----", bodyFrom);
    PEM_TAIL.lastIndex = dashes;
    let end = bodyFrom;
    const isTail = dashes !== -1 && PEM_TAIL.test(text);
    if (isTail) end = PEM_TAIL.lastIndex;
    else {
      PEM_BODY.lastIndex = bodyFrom;
      while (PEM_BODY.test(text)) end = PEM_BODY.lastIndex;
    }
    if (isTail || KEY_TEXT.test(text.slice(bodyFrom, Math.min(end, bodyFrom + 400))))
      yield { family: "private-key", from: head.index, to: end };
    PEM_HEAD.lastIndex = end;
  }
}
