/**
 * The words of STYLE.md: identifiers of its list (a), phrases of its list (b), and doc comments that open with a
 * relative clause.
 */
import { lineOf, type SourceFile } from "./source.ts";

/** One place that breaks a rule. */
export interface WordHit {
  readonly path: string;
  readonly line: number;
  readonly kind:
    | "identifier"
    | "file name"
    | "comment"
    | "error"
    | "cli"
    | "document"
    | "title"
    | "text"
    | "opener";
  /** The identifier, the phrase, or the first words of the comment. */
  readonly found: string;
  readonly excerpt: string;
}

/** List (a), in small letters, with its plurals. */
const TOKENS: ReadonlySet<string> = new Set(
  (
    "room rooms keeper keepers door doors intake intakes desk desks shelf shelves hands draft drafts preparer preparers " +
    "worth told said talk talks matter matters gist gists mend mends mended mending mendings peel peels peeled peeling " +
    "breath breaths face faces news"
  ).split(" "),
);
/** Two words that are one of list (a) together. */
const PAIRS: readonly (readonly [string, string])[] = [
  ["water", "level"],
  ["clear", "fit"],
  ["clear", "fits"],
  ["ahead", "summary"],
];
/**
 * Names that formats have, by the files that write them; everything else is renamed at the edge. `MemoryManager`
 * publishes the last two.
 */
const FROZEN: ReadonlySet<string> = new Set(["saidAt", "peel", "isMended", "MemoryEntry", "MemoryStats"]);
/** Field names of `--json`, in the files that write them. */
const FROZEN_IN: readonly (readonly [RegExp, string])[] = [[/\/show-session-command\.ts$/, "said"]];

/** The words of a camel-case, Pascal-case, kebab-case or upper-case name, in small letters. */
export function wordsOfName(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .split(/[\s_#$.-]+/)
    .map((word) => word.toLowerCase());
}

const judged = new Map<string, boolean>();

/** True if a name has a word of list (a). Most names are used often. */
export function isOldName(name: string): boolean {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const words = wordsOfName(name);
  const isOld =
    words.some((word) => TOKENS.has(word)) ||
    PAIRS.some(([first, second]) => words.some((word, at) => word === first && words[at + 1] === second));
  judged.set(name, isOld);
  return isOld;
}

/** List (b). */
const PHRASES: readonly (readonly [string, RegExp])[] = [
  ["nobody, somebody, whoever", /\b(?:nobody|somebody|whoever|whosoever)\b/gi],
  [
    "is told, was told, tells of",
    /\b(?:is|are|was|were|be|been|being|gets?) told\b|\b(?:tells?|told|telling) of\b/gi,
  ],
  ["any more, anew", /\bany more\b(?! (?:than|of)\b)|\banew\b/gi],
  ["but for", /\bbut for\b/gi],
  [
    "is no …",
    /(?<!\bthere )(?<!\bthere's )\b(?:is|are|was|were) no (?!(?:longer|more than|less than|fewer than|larger|smaller|later|earlier|better|worse|different|such|one)\b)\w+/gi,
  ],
  ["at it", /(?<!\blook(?:s|ed|ing)? )\bat it\b/gi],
  ["stands for, stands in, stands behind", /\b(?:stands?|stood|standing) (?:for|in|behind)\b/gi],
  ["comes back", /\b(?:comes?|came|coming) back\b/gi],
  ["of its own", /\bof (?:its|their) own\b/gi],
  ["what is … is …", /\bwhat (?:is|was|are|were)\b[^.;:!?()\n]{1,80}?\b(?:is|are|was)\b/gi],
];
const OPENER = /^(?:What|Whether|Who|Whose|Whom|Where|How|Of|That which)\b/;

interface Piece {
  readonly kind: "comment" | "string";
  readonly start: number;
  readonly end: number;
}

/** Comments and the insides of strings, which `codeOf` has blanked out. */
function piecesOf({ text, code }: SourceFile): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < text.length; at++) {
    if (code[at] !== " " || /\s/.test(text[at]!)) continue;
    const start = at;
    if (text.startsWith("//", at)) {
      const end = text.indexOf("\n", at);
      at = end === -1 ? text.length : end;
      pieces.push({ kind: "comment", start, end: at });
    } else if (text.startsWith("/*", at)) {
      const end = text.indexOf("*/", at + 2);
      at = end === -1 ? text.length : end + 2;
      pieces.push({ kind: "comment", start, end: at });
    } else {
      while (
        at < text.length &&
        (code[at] === " " || code[at] === "\n") &&
        !(code[at] === "\n" && text[start - 1] !== "`" && code[start - 1] !== "}")
      )
        at++;
      if (code[at] !== "/" || /["'`]/.test(code[start - 1] ?? ""))
        pieces.push({ kind: "string", start, end: at });
      at--;
    }
  }
  return pieces;
}

const IDENTIFIER = /(?<![\w$])#?[A-Za-z_$][\w$]*/g;

/** Identifiers of list (a), and file names. */
export function oldNames(file: SourceFile): readonly WordHit[] {
  const { path, text, code } = file;
  const hits: WordHit[] = [];
  const isFrozen = (name: string) =>
    FROZEN.has(name) || FROZEN_IN.some(([where, one]) => one === name && where.test(path));
  for (const match of code.matchAll(IDENTIFIER)) {
    const [name] = match;
    if (!isOldName(name) || isFrozen(name)) continue;
    hits.push({
      path,
      line: lineOf(text, match.index),
      kind: "identifier",
      found: name,
      excerpt: lineAt(text, match.index),
    });
  }
  const base = path.slice(path.lastIndexOf("/") + 1);
  if (isOldName(base)) hits.push({ path, line: 1, kind: "file name", found: base, excerpt: "" });
  return hits;
}

/** Phrases of list (b) in the comments and strings of a source file. */
export function oldPhrases(file: SourceFile): readonly WordHit[] {
  const { path, text } = file;
  const pieces = piecesOf(file);
  // All pieces in their places, with ends of lines between them, which no phrase has.
  let words = "";
  for (const { start, end } of pieces) {
    // Comments wrap: a phrase may go over a line's end.
    const piece = text.slice(start, end).replace(/\n[ \t]*\*?/g, (line) => " ".repeat(line.length));
    words += "\n".repeat(start - words.length) + piece;
  }
  return phrasesIn(words).map(({ found, index }) => {
    const { kind, start, end } = pieces.find((piece) => index < piece.end)!;
    return {
      path,
      line: lineOf(text, index),
      kind: kind === "comment" ? kind : whereOf(file, start),
      found,
      excerpt: excerptOf(words.slice(start, end), index - start),
    };
  });
}

/** Phrases of list (b) in a document, without its code. */
export function oldPhrasesOfDocument(path: string, text: string): readonly WordHit[] {
  const prose = text
    .replace(/^(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1[^\n]*$/gm, (block) => block.replace(/[^\n]/g, " "))
    .replace(/`[^`\n]*`/g, (code) => " ".repeat(code.length));
  return phrasesIn(prose).map(({ found, index }) => ({
    path,
    line: lineOf(prose, index),
    kind: "document",
    found,
    excerpt: excerptOf(prose, index),
  }));
}

/** Counts doc comments, and lists those that open with a relative clause. */
export function docOpeners(file: SourceFile): { readonly count: number; readonly hits: readonly WordHit[] } {
  const { path, text } = file;
  const docs = piecesOf(file).filter(
    ({ kind, start }) => kind === "comment" && text.startsWith("/**", start),
  );
  const hits = docs.flatMap(({ start, end }): readonly WordHit[] => {
    const words = text
      .slice(start + 3, end - 2)
      .replace(/\n[ \t]*\*?/g, " ")
      .trim();
    if (!OPENER.test(words)) return [];
    return [
      {
        path,
        line: lineOf(text, start),
        kind: "opener",
        found: words.split(" ", 1)[0]!,
        excerpt: words.slice(0, 90),
      },
    ];
  });
  return { count: docs.length, hits };
}

/** A phrase that goes over the end of a line has several blanks. */
const WRAPPED = PHRASES.map(([, pattern]) => new RegExp(pattern.source.replaceAll(" ", " +"), pattern.flags));

function phrasesIn(words: string): readonly { readonly found: string; readonly index: number }[] {
  return WRAPPED.flatMap((pattern) =>
    [...words.matchAll(pattern)].map((match) => ({
      found: match[0].replace(/\s+/g, " "),
      index: match.index,
    })),
  );
}

/** The use of a string: an error, the terminal, a test's title, or a text that a model may see. */
function whereOf({ path, code }: SourceFile, start: number): WordHit["kind"] {
  const before = code.slice(Math.max(0, start - 400), start);
  if (
    /\b(?:it|describe|test)(?:\.\w+(?:\([^()]*\))?)*\(\s*["'`]$|\]\s*(?:as const)?\)\(\s*["'`]$/.test(before)
  )
    return "title";
  if (/\b(?:message|hint|advice|problem)\s*[:=][^,;{}]*$|\bassert\([^;{}]*$|Error\([^;{}]*$/.test(before))
    return "error";
  if (/(?:^|\/)(?:cli|palimpsest-cli|bin|scripts)\//.test(path)) return "cli";
  return "text";
}

function lineAt(text: string, index: number): string {
  const start = text.lastIndexOf("\n", index) + 1;
  const end = text.indexOf("\n", index);
  return text.slice(start, end === -1 ? undefined : end).trim();
}

function excerptOf(words: string, index: number): string {
  return words
    .slice(Math.max(0, index - 40), index + 60)
    .replace(/\s+/g, " ")
    .trim();
}
