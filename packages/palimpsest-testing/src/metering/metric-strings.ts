/**
 * The metric's own extractor: the distinctive strings of a text, by which survival is measured.
 *
 * It is deliberately not the extractor of the string appendix (`compaction/literals/literals.ts`): what is
 * measured must not be chosen by the one that measures. It knows paths, file names, identifiers
 * with a case change, underscore or digit, numbers, and quoted literals. It is the extractor of the
 * first simulator, so that figures can be compared.
 */
// Linear on any text: a path is tried only where its run begins, and a name only as far as one may reach.
const PATH = /(?<![\w@~.+/-])(?:[\w@~.+-]*\/)+[\w@.+-]{2,}/g;
const FILE_NAME =
  /\b[\w-]{2,120}\.(?:ts|tsx|js|mjs|jsx|py|java|md|json|jsonl|yml|yaml|toml|xml|sh|rs|go|c|h|cpp|css|html|txt|sql|csv|lock)\b/g;
const IDENTIFIER = /\b[A-Za-z_$][A-Za-z0-9_$]{4,}\b/g;
const NUMBER = /\b\d+(?:\.\d+){1,3}\b|\b\d{3,}\b|\b[0-9a-f]{7,40}\b/g;
const QUOTED = /"([^"\n\\]{6,60})"|'([^'\n\\]{6,60})'|`([^`\n]{4,60})`/g;

const PUNCTUATION: ReadonlySet<string> = new Set(".,:;");
const MIN_CHARACTERS = 3;
const MAX_CHARACTERS = 120;

/** The distinct strings of a text. */
export function findMetricStrings(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const match of text.matchAll(PATH)) add(found, match[0]);
  for (const match of text.matchAll(FILE_NAME)) add(found, match[0]);
  for (const match of text.matchAll(IDENTIFIER)) if (isDistinctive(match[0])) add(found, match[0]);
  for (const match of text.matchAll(NUMBER)) add(found, match[0]);
  for (const match of text.matchAll(QUOTED)) {
    const quoted = match[1] ?? match[2] ?? match[3] ?? "";
    if (/[A-Za-z]/.test(quoted) && !/^\s|\s$/.test(quoted)) add(found, quoted);
  }
  return found;
}

function add(found: Set<string>, raw: string): void {
  const text = withoutPunctuation(raw);
  if (text.length >= MIN_CHARACTERS && text.length <= MAX_CHARACTERS) found.add(text);
}

/** By hand: a pattern that looks for the end starts over at every dot. */
function withoutPunctuation(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && PUNCTUATION.has(text[start]!)) start++;
  while (end > start && PUNCTUATION.has(text[end - 1]!)) end--;
  return text.slice(start, end);
}

/** A case change, an underscore, a digit or capitals: a given name, not a word. */
function isDistinctive(word: string): boolean {
  return (
    /[a-z][A-Z]/.test(word) ||
    /_/.test(word.slice(1)) ||
    /[A-Za-z]\d|\d[A-Za-z]/.test(word) ||
    /^[A-Z]{2,}[a-z]/.test(word) ||
    /^[A-Z][A-Z_]{4,}$/.test(word)
  );
}
