/**
 * The terms of a query for a session's history.
 *
 * There is no stemming: in code `parse` and `parser` are two things.
 */
import { visitTerms } from "../../base/text/text-terms.ts";

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
