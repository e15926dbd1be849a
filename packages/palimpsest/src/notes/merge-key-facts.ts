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
/** Share of a fact's words that one line must have to tell the same. */
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
  /** Facts that the notes told already, and such as said nothing. */
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
  const looked = facts.slice(0, KEY_FACTS_COUNT);
  const counts = { merged: 0, known: 0, leftOut: facts.length - looked.length };
  let result = document;
  for (const { kind, text } of looked) {
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

/** Measured as they would be: lines that are measured apart add up to more or less, and merging again would differ. */
function isWithin(
  document: NotesDocument,
  section: NotesSection,
  { limits, measure }: { readonly limits: NotesLimits; readonly measure: MeasureNotes },
): boolean {
  const body = findSection(document, section)?.body ?? "";
  return measure(body) <= limits.sectionTokens && measure(formatNotes(document)) <= limits.totalTokens;
}

/** Every line that a reader of the notes sees, of a person's own sections as well. */
function knownLines({ parts }: NotesDocument): readonly string[] {
  return parts.flatMap(({ body }) => splitLines(body).map(({ text }) => withoutMark(text)));
}

/** A template of a user's own may lack the section: then the fact stands where learnings or the log do. */
function sectionFor({ sections }: NotesTemplate, kind: NotesSectionKind): NotesSection | undefined {
  const of = (wanted: NotesSectionKind) => sections.find((section) => section.kind === wanted);
  return of(kind) ?? of("learnings") ?? of("worklog") ?? of("state");
}

// Known facts: tells whether notes hold a fact already, in the same or nearly the same words. It compares
// words, not characters, so that one path is not taken for another that begins with it.

/** Starts with the present lines; added lines are known from then on. */
export class KnownFacts {
  /** Every line as words between single blanks, with a blank at both ends. */
  readonly #lines: string[] = [];
  #text = "";
  readonly #words: ReadonlySet<string>[] = [];

  constructor(lines: readonly string[]) {
    for (const line of lines) this.#lines.push(spaced(line));
    this.#text = this.#lines.join("\n");
    for (const line of this.#lines.slice(-COMPARED_LINES_COUNT)) this.#words.push(wordsOf(line));
  }

  /** True if a line holds the text's words in a row, or nearly all of them in any order. */
  has(text: string): boolean {
    const words = spaced(text);
    if (words.trim() === "") return true;
    if (this.#text.includes(words)) return true;
    const own = wordsOf(words);
    // Two or three words are too few to be "nearly all" of.
    if (own.size <= FEWEST_WORDS) return false;
    return this.#words.some((line) => {
      let shared = 0;
      for (const word of own) if (line.has(word)) shared++;
      return shared >= own.size * SAME_FACT_SHARE && hasSameFigures(own, line);
    });
  }

  add(text: string): void {
    const words = spaced(text);
    this.#text += `\n${words}`;
    this.#words.push(wordsOf(words));
  }
}

const FEWEST_WORDS = 3;

/** A different number, path or identifier is a different fact, however alike the sentences are. */
function hasSameFigures(words: ReadonlySet<string>, line: ReadonlySet<string>): boolean {
  return [...words].every((word) => !/[\d/_.]/.test(word) || line.has(word));
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
