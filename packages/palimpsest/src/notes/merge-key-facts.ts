/**
 * The emergency pass at a compaction: key facts of the messages about to be hidden are added to the notes
 * first, without waiting for a model.
 *
 * It only appends to sections and repeats nothing. Its lines carry no mark: their facts may be visible
 * nowhere else, so no later update without a model removes them.
 */
import { splitLines } from "../base/text/markdown-lines.ts";
import { withoutMark } from "./body-entries.ts";
import { cleanLine } from "./clean-text.ts";
import {
  findSection,
  formatNotes,
  joinBody,
  type MeasureNotes,
  measureNotes,
  type NotesDocument,
  type NotesLimits,
  splitBody,
  withBody,
} from "./notes-document.ts";
import { FACT_CHARACTERS } from "./session-facts.ts";
import type { NotesSection, NotesSectionKind, NotesTemplate } from "./template.ts";

/** Key facts that one compaction may merge into the notes. Our choice: they fill the notes at about 60 tokens each. */
const KEY_FACTS_COUNT = 200;
/** Share of a fact's words that one line must have to say the same. */
const SAME_FACT_SHARE = 0.85;
/** Lines of the notes that a fact is compared with word by word, the newest ones. Our choice: notes within their limits have fewer. */
const COMPARED_LINES_COUNT = 1_000;

/** A fact that would be hidden, and the section it belongs to. The most important ones come first. */
export interface KeyFact {
  readonly kind: NotesSectionKind;
  readonly text: string;
}

interface MergedFacts {
  readonly document: NotesDocument;
  readonly mergedCount: number;
  /** Facts that the notes have already, and facts without words. */
  readonly knownCount: number;
  /** Facts for which there was no room, or no section. */
  readonly leftOutCount: number;
}

/** The notes with the facts merged in. Merging the same facts again changes nothing. */
export function mergeKeyFacts(
  document: NotesDocument,
  facts: readonly KeyFact[],
  { limits, measure = measureNotes }: { readonly limits: NotesLimits; readonly measure?: MeasureNotes },
): MergedFacts {
  const known = new KnownFacts(knownLines(document));
  const considered = facts.slice(0, KEY_FACTS_COUNT);
  const counts = { merged: 0, known: 0, leftOut: facts.length - considered.length };
  let result = document;
  for (const { kind, text } of considered) {
    const line = cleanLine(text, FACT_CHARACTERS);
    if (known.has(line)) {
      counts.known++;
      continue;
    }
    const section = sectionFor(document.template, kind);
    const merged = section && withLine(result, section, `- ${line}`);
    if (merged === undefined || !isWithin(merged, section!, { limits, measure })) {
      counts.leftOut++;
      continue;
    }
    counts.merged++;
    known.add(line);
    result = merged;
  }
  return {
    document: result,
    mergedCount: counts.merged,
    knownCount: counts.known,
    leftOutCount: counts.leftOut,
  };
}

function withLine(document: NotesDocument, section: NotesSection, line: string): NotesDocument {
  const body = findSection(document, section)?.body ?? document.newline;
  return withBody(document, section, joinBody(document, { ...splitBody(body), added: line }));
}

/**
 * True if the document with the fact in it is within the limits. It measures the whole: sizes of single lines do
 * not add up exactly, and merging the same facts again would then change something.
 */
function isWithin(
  document: NotesDocument,
  section: NotesSection,
  { limits, measure }: { readonly limits: NotesLimits; readonly measure: MeasureNotes },
): boolean {
  const body = findSection(document, section)?.body ?? "";
  return measure(body) <= limits.sectionTokens && measure(formatNotes(document)) <= limits.totalTokens;
}

/** Returns all lines of the notes, including those of a person's own sections, without marks. */
function knownLines({ parts }: NotesDocument): readonly string[] {
  return parts.flatMap(({ body }) => splitLines(body).map(({ text }) => withoutMark(text)));
}

/** Finds the section for a kind of fact. A user's own template may lack it; then another section takes the fact. */
function sectionFor({ sections }: NotesTemplate, kind: NotesSectionKind): NotesSection | undefined {
  const of = (wanted: NotesSectionKind) => sections.find((section) => section.kind === wanted);
  return of(kind) ?? of("learnings") ?? of("worklog") ?? of("state");
}

/**
 * Lines of notes, for finding out if they have a fact already, in the same or nearly the same words. Words are
 * compared, not characters, so that one path is not taken for another that begins with it.
 */
export class KnownFacts {
  /** Every line as words between single blanks, with a blank at both ends. */
  readonly #lines: string[] = [];
  readonly #words: ReadonlySet<string>[] = [];

  constructor(lines: readonly string[]) {
    for (const line of lines) {
      const words = spaced(line);
      if (words.trim() !== "") this.#lines.push(words);
    }
    for (const line of this.#lines.slice(-COMPARED_LINES_COUNT)) this.#words.push(wordsOf(line));
  }

  /** True if a line holds the text's words in a row, or nearly all of them in any order. */
  has(text: string): boolean {
    const words = spaced(text);
    if (words.trim() === "") return true;
    if (this.#lines.length === 0) return false;
    const own = wordsOf(words);
    if (this.#lines.some((line) => line.includes(words) && deniesAlike(own, wordsOf(line)))) return true;
    // Of two or three words, "nearly all" means nothing.
    if (own.size <= EXACT_WORDS_COUNT) return false;
    return this.#words.some((line) => {
      let shared = 0;
      for (const word of own) if (line.has(word)) shared++;
      return shared >= own.size * SAME_FACT_SHARE && hasSameFigures(own, line) && deniesAlike(own, line);
    });
  }

  add(text: string): void {
    const words = spaced(text);
    this.#lines.push(words);
    this.#words.push(wordsOf(words));
  }
}

/** Facts of up to this many words are compared as a whole only. */
const EXACT_WORDS_COUNT = 3;

/** A different number, path or identifier is a different fact, however alike the sentences are. */
function hasSameFigures(words: ReadonlySet<string>, line: ReadonlySet<string>): boolean {
  return [...words].every((word) => !/[\d/_.]/.test(word) || line.has(word));
}

/** Words that turn a sentence into its opposite, in some languages of the sessions; `t` is left of `isn't`. */
const NEGATIONS =
  /^(?:no|not|never|none|without|cannot|t|\w+n’t|nicht|kein\w*|nie|ohne|ne|pas|jamais|sans|nunca|sin|non|mai|不|没|沒)$/;

/** False if one of two lines with the same words denies what the other says. */
function deniesAlike(words: ReadonlySet<string>, line: ReadonlySet<string>): boolean {
  const denies = (some: ReadonlySet<string>): boolean => [...some].some((word) => NEGATIONS.test(word));
  return denies(words) === denies(line);
}

function spaced(text: string): string {
  const words = text.toLowerCase().split(/[\s"'`*,;:!?()<>[\]{}]+/);
  return ` ${words
    .map((word) => word.replace(/^[-_.]+(?=\w)/, "").replace(/\.{1,3}$/, ""))
    .filter((word) => word !== "" && word !== "-")
    .join(" ")} `;
}

function wordsOf(spacedText: string): ReadonlySet<string> {
  return new Set(spacedText.trim().split(" "));
}
