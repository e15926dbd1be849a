/**
 * Reads what a sentence asks to be remembered, by the table of cues.
 */
import {
  CUES,
  type CueKind,
  type CueLanguage,
  IRONY_PIECES,
  OF_IRONY,
  OF_NO_FACT,
  OF_OTHERS,
  OF_THE_MOMENT,
  TYPE_OF_KIND,
} from "./cues.ts";

/** Characters of a sentence that is taken as a wish. Our choice: longer ones tell a story. */
const SENTENCE_CHARACTERS = 400;

export interface RememberRequest {
  readonly kind: CueKind;
  /** The language of the cue that matched; neighbours share words, as "sempre". */
  readonly language: CueLanguage;
  /** The text to keep: the sentence without the words that lead to it. */
  readonly statement: string;
}

interface CompiledCue extends Pick<RememberRequest, "kind" | "language"> {
  readonly pattern: RegExp;
  readonly needsObjection: boolean;
}

const LANGUAGES = Object.keys(CUES) as readonly CueLanguage[];
const KINDS = Object.keys(TYPE_OF_KIND) as readonly CueKind[];
/** Scripts without blanks between words. */
const UNSPACED: ReadonlySet<CueLanguage> = new Set(["zh", "ja", "ko"]);
/** `\b` knows Latin letters only. */
const WORD_END = "(?![\\p{L}\\p{N}])";
const MOST_LEADS = 4;

/** "Actually" and "no" without a comma, before a sentence. */
const BARE_OBJECTION = /^(?:actually (?=\p{L})|no (?=(we|i|my|our) ))/iu;
const LIST_MARK = /^(?:[-*+•]|\d{1,2}[.)]|#)\s{1,4}/u;

/** All patterns of the table. */
interface CuePatterns {
  /** Every text that one of the leads may begin fits it. */
  readonly mayLead: RegExp;
  /** Every text that a cue of the language may fit fits it. */
  readonly mayCue: ReadonlyMap<CueLanguage, RegExp>;
  readonly leads: readonly RegExp[];
  readonly objections: ReadonlyMap<CueLanguage, RegExp>;
  readonly passing: readonly RegExp[];
  /** Sentences that are not meant, or not the user's own. */
  readonly unmeant: readonly RegExp[];
  /** The cues of the languages that were needed so far. */
  readonly cues: Map<CueLanguage, readonly CompiledCue[]>;
}

let compiled: CuePatterns | undefined;

/** Compiled when the first sentence is read: a program that keeps no memories does without. */
function patterns(): CuePatterns {
  compiled ??= {
    mayLead: roughPattern([LIST_MARK.source.slice(1), ...LANGUAGES.map((language) => CUES[language].lead)]),
    mayCue: new Map(
      LANGUAGES.map((language) => {
        const own = CUES[language];
        return [language, roughPattern([...KINDS.flatMap((kind) => own[kind]), ...own.afterObjection])];
      }),
    ),
    leads: [
      LIST_MARK,
      ...LANGUAGES.map((language) =>
        patternOf(`(${CUES[language].lead})${WORD_END}(?!')[\\s,.:;!，、。-]{0,4}`),
      ),
    ],
    objections: new Map(
      LANGUAGES.map((language) => [
        language,
        patternOf(`(${CUES[language].objection})\\s?[,:;!，、–—-]\\s{0,3}`),
      ]),
    ),
    passing: OF_THE_MOMENT.map((cue) => patternOf(`(.*(?<!\\p{L}))?${cue}${WORD_END}`)),
    unmeant: [
      ...OF_IRONY.map((phrase) => patternOf(`(.*(?<!\\p{L}))?${phrase}${WORD_END}`)),
      patternOf(`.*(${IRONY_PIECES})`),
      ...OF_OTHERS.map((phrase) => patternOf(`${phrase}${WORD_END}`)),
      ...OF_NO_FACT.map((phrase) => patternOf(`(${phrase})`)),
      patternOf("(据|听说|网上说|…说：|如果我|假如|假设|想象|もし|仮に)"),
    ],
    cues: new Map(),
  };
  return compiled;
}

function cuesOf(language: CueLanguage): readonly CompiledCue[] {
  const { cues } = patterns();
  const known = cues.get(language) ?? compileCues(language);
  cues.set(language, known);
  return known;
}

function compileCues(language: CueLanguage): readonly CompiledCue[] {
  const end = UNSPACED.has(language) ? "" : WORD_END;
  const compile = (kind: CueKind, cues: readonly string[], needsObjection: boolean): readonly CompiledCue[] =>
    cues.map((cue) => ({ kind, language, needsObjection, pattern: patternOf(cue, end) }));
  return [
    ...KINDS.flatMap((kind) => compile(kind, CUES[language][kind], false)),
    ...compile("correction", CUES[language].afterObjection, true),
  ];
}

/** The pattern of a cue, from the beginning of a sentence; see `cues.ts` for its signs. */
function patternOf(cue: string, end = ""): RegExp {
  const source = cue
    // “dont” is written for “don't”.
    .replaceAll(/(?<=\p{L})'(?=\p{L})/gu, "['’]?")
    .replaceAll(/(?<!\[)'(?!’)/g, "['’]")
    .replaceAll("…", "[^?？]{1,100}?")
    .replaceAll("~", "[\\p{L}\\p{N}`][\\p{L}\\p{N}'’_./-]*");
  const [taken, rest] = source.split(" »");
  if (rest === undefined) return new RegExp(`^(?:${source})${end}`, "iu");
  return new RegExp(`^(?<taken>${taken}(?:(?<=[:,，：'’-])|${end}))\\s*(?=${rest.trim() || "."})`, "iu");
}

/**
 * One pattern for several cues, which fits more than they do: without what must not follow, and with anything for a word.
 * Classes of all letters, of which each cue has some, take long to compile; this one has none. So hardly any sentence
 * needs the others.
 */
function roughPattern(cues: readonly string[]): RegExp {
  const rough = cues.map((cue) =>
    withoutLookaheads(cue)
      .replaceAll("~", "\\S+")
      .replaceAll(/\\p\{\w+\}/g, "\\S"),
  );
  return patternOf(rough.join("|").replaceAll(/ ?» ?/g, "\\s*"));
}

/** The pattern without its negative lookaheads. */
function withoutLookaheads(pattern: string): string {
  const from = pattern.indexOf("(?!");
  if (from === -1) return pattern;
  let depth = 0;
  let to = from;
  do {
    if (pattern[to] === "(") depth++;
    if (pattern[to] === ")") depth--;
    to++;
  } while (depth > 0);
  return withoutLookaheads(pattern.slice(0, from) + pattern.slice(to));
}

/** The request that a sentence makes, if it makes one. */
export function rememberRequestOf(sentence: string): RememberRequest | undefined {
  if (sentence.length > SENTENCE_CHARACTERS) return undefined;
  const bare = withoutLead(sentence);
  // "No, I prefer tabs" says what it says without "no".
  const { mayLead, mayCue, leads, objections, passing } = patterns();
  const unled = without([...objections.values(), BARE_OBJECTION], bare);
  const text = mayLead.test(unled)
    ? without([...objections.values(), BARE_OBJECTION, ...leads], bare)
    : unled;
  const languages = LANGUAGES.filter((language) => mayCue.get(language)!.test(text));
  if (languages.length === 0 || isUnmeant(sentence)) return undefined;
  for (const { kind, language, pattern, needsObjection } of languages.flatMap(cuesOf)) {
    if (needsObjection && !objections.get(language)!.test(bare)) continue;
    const match = pattern.exec(text);
    if (match === null) continue;
    const isPassing = (kind === "practice" || needsObjection) && passing.some((one) => one.test(text));
    if (isPassing) continue;
    const statement = match.groups?.["taken"] === undefined ? text : text.slice(match[0].length);
    // “Can you remember that …?” asks for a favour; the fact itself does not ask.
    const plain =
      kind === "remember"
        ? statement.replace(/(?:[吗嗎]|(?<![\s?？吗嗎])|(?<=[?？])(?=\s))\s*[?？]+\s*$/u, "")
        : statement;
    return { kind, language, statement: plain.replace(/^[\s,:;，：、-]+/, "").trim() };
  }
  return undefined;
}

/** True if a sentence is ironic, or reports what another says. */
export function isUnmeant(sentence: string): boolean {
  const { unmeant } = patterns();
  return [sentence, withoutLead(sentence)].some((one) => unmeant.some((pattern) => pattern.test(one)));
}

/** The sentence without "ok", "please" and the like. */
export function withoutLead(sentence: string): string {
  const { mayLead, leads } = patterns();
  return mayLead.test(sentence) ? without(leads, sentence) : sentence;
}

/** A sentence of nothing but such words stays. */
function without(leads: readonly RegExp[], sentence: string): string {
  let bare = sentence;
  for (let words = 0; words < MOST_LEADS; words++) {
    const shorter = leads.reduce((text, lead) => text.replace(lead, "") || text, bare);
    if (shorter === bare) break;
    bare = shorter;
  }
  return bare;
}
