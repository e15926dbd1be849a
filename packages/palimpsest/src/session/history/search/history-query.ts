/**
 * The piece of a text that shows best why it was found.
 */

import { cutHead, cutTail } from "../../../base/text/text.ts";
import { visitTerms } from "../../../base/text/text-terms.ts";

/** Characters in which a good place for words is looked for first; all of them if no word is there. */
const LOOKED_AT = 40_000;
/** Places per term that are weighed. */
const PLACES = 20;

/** Characters of a hit's snippet. Our choice. */
const SNIPPET_CHARACTERS = 240;

/** About `SNIPPET_CHARACTERS` of `text` around the place where most of the query stands, on one line. */
export function cutSnippet(text: string, { terms, literals }: QueryTerms): string {
  const at =
    placeOfLiteral(text, literals) ??
    placeOfTerms(cutHead(text, LOOKED_AT).toLowerCase(), terms) ??
    (text.length > LOOKED_AT ? placeOfTerms(text.toLowerCase(), terms) : undefined) ??
    0;
  const start = Math.max(0, at - Math.floor(SNIPPET_CHARACTERS / 3));
  const before = start === 0 ? text : cutTail(text, text.length - start);
  const piece = cutHead(before, SNIPPET_CHARACTERS);
  const isAtEnd = start + piece.length >= text.length;
  return `${start > 0 ? "…" : ""}${piece.replace(/\s+/g, " ").trim()}${isAtEnd ? "" : "…"}`;
}

function placeOfLiteral(text: string, literals: readonly string[]): number | undefined {
  for (const literal of literals) {
    const at = text.indexOf(literal);
    if (at !== -1) return at;
  }
  return undefined;
}

/** The first place of a term after which most different terms follow within a snippet, if a term is there. */
function placeOfTerms(lowerText: string, terms: readonly string[]): number | undefined {
  const places: { readonly at: number; readonly term: string }[] = [];
  for (const term of terms)
    for (
      let at = lowerText.indexOf(term), count = 0;
      at !== -1 && count < PLACES;
      at = lowerText.indexOf(term, at + term.length), count++
    )
      places.push({ at, term });
  places.sort((a, b) => a.at - b.at);
  let best: number | undefined;
  let bestCount = 0;
  for (let index = 0; index < places.length; index++) {
    const near = new Set<string>();
    for (
      let next = index;
      next < places.length && places[next]!.at - places[index]!.at < SNIPPET_CHARACTERS * 0.6;
      next++
    )
      near.add(places[next]!.term);
    if (near.size > bestCount) {
      bestCount = near.size;
      best = places[index]!.at;
    }
  }
  return best;
}

const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a an and are as at be been but by can could did do does for from had has have how i if in into is it its me my " +
    "no not of on or our she should so than that the their them then there these they this those to was we were what " +
    "when where which who why will with would you your"
  ).split(" "),
);

export interface QueryTerms {
  readonly terms: readonly string[];
  /** Parts of the query that look like they are meant to the letter. */
  readonly literals: readonly string[];
}

const QUOTED = /"([^"\n]{2,200})"|'([^'\n]{3,200})'|`([^`\n]{2,200})`/g;
const MAX_QUERY_CHARACTERS = 1_000;
const MAX_QUERY_TERMS = 64;

/** The terms of a query without stop words, unless it has nothing else. */
export function parseQuery(query: string): QueryTerms {
  const bounded = query.slice(0, MAX_QUERY_CHARACTERS);
  const all = new Set<string>();
  visitTerms(bounded, (term) => all.add(term));
  const telling = [...all].filter((term) => !STOP_WORDS.has(term));
  const quoted = [...bounded.matchAll(QUOTED)].map((found) => (found[1] ?? found[2] ?? found[3])!);
  const literalWords = bounded.split(/[\s"'`,;()]+/).filter((word) => word.length >= 3 && looksLiteral(word));
  return {
    terms: (telling.length > 0 ? telling : [...all]).slice(0, MAX_QUERY_TERMS),
    literals: [...new Set([...quoted, ...literalWords])].slice(0, 8),
  };
}

/** Not a word of prose: with digits, signs inside, or capitals behind small letters. */
function looksLiteral(word: string): boolean {
  return /[\d_/\\.:@#$-]/.test(word.slice(1, -1)) || /\d/.test(word) || /[a-z][A-Z]/.test(word);
}
