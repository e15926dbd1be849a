/**
 * Reads TypeScript as text, well enough for the tidy rules: where code is and where it is not.
 *
 * The compiler in use has no JavaScript API, and the rules need very little of a language: names
 * outside comments and strings, imports, exports, and where a function begins and ends.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The root of the repository, with a slash at its end. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export interface ImportedModule {
  readonly specifier: string;
  /** Nothing of it is left when types are removed. */
  readonly isTypeOnly: boolean;
}

export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** The text with comments and the insides of strings blanked out; every character keeps its place. */
  readonly code: string;
}

/** The packages of the repository, those that import nothing of the others first. */
export const PACKAGES = ["palimpsest", "palimpsest-testing", "palimpsest-cli", "evaluation"] as const;

/** Every source file of every package. */
export function packageSources(): readonly SourceFile[] {
  return PACKAGES.flatMap((name) => filesBelow(`packages/${name}/src`, ".ts"));
}

/** Every TypeScript file of the tests, those of packages and those of the repository. */
export function testSources(): readonly SourceFile[] {
  return ["test", ...PACKAGES.map((name) => `packages/${name}/test`)].flatMap((folder) =>
    filesBelow(folder, ".ts"),
  );
}

export function sourceFile(path: string, text: string): SourceFile {
  let code: string | undefined;
  return {
    path,
    text,
    get code() {
      code ??= codeOf(text);
      return code;
    },
  };
}

/** Every file below `folder` whose name ends in one of `endings`, in order of their paths. */
export function filesBelow(folder: string, ...endings: readonly string[]): readonly SourceFile[] {
  return readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((path) => endings.some((ending) => path.endsWith(ending)))
    .sort()
    .map(sourceAt);
}

const sources = new Map<string, SourceFile>();

/** A file of the repository. The test files of a process look at the same ones. */
export function sourceAt(path: string): SourceFile {
  const known = sources.get(path);
  if (known !== undefined) return known;
  const source = sourceFile(path, readFileSync(`${ROOT}${path}`, "utf8"));
  sources.set(path, source);
  return source;
}

/** Words after which a slash begins a regular expression and not a division. */
const BEFORE_REGEX =
  /(?:^|[(,=:[!&|?{;+\-*%~^<>]|\b(?:return|typeof|case|in|of|do|else|void|delete|throw|new|await))\s*$/;

/** What `codeOf` looks at; everything between is kept as it is. */
const NEXT_SPECIAL = /[/"'`{}]/g;

/** `text` with comments and the insides of strings, templates and regular expressions blanked out. */
export function codeOf(text: string): string {
  const out: string[] = [];
  /** Open `${` of templates, each with the number of braces open inside it. */
  const templates: number[] = [];
  let at = 0;
  const keep = (length: number): void => {
    out.push(text.slice(at, at + length));
    at += length;
  };
  const blank = (end: number): void => {
    out.push(text.slice(at, end).replace(/[^\n]/g, " "));
    at = end;
  };
  const templatePart = (): void => {
    const end = endOfTemplatePart(text, at);
    blank(end);
    if (text[at] === "`") keep(1);
    else if (text.startsWith("${", at)) {
      keep(2);
      templates.push(0);
    }
  };
  while (at < text.length) {
    const char = text[at] ?? "";
    if (text.startsWith("//", at)) blank(indexOrEnd(text, "\n", at));
    else if (text.startsWith("/*", at)) blank(Math.min(text.length, indexOrEnd(text, "*/", at + 2) + 2));
    else if (char === '"' || char === "'") {
      keep(1);
      blank(endOfQuoted(text, at, char));
      keep(1);
    } else if (char === "`") {
      keep(1);
      templatePart();
    } else if (char === "/" && BEFORE_REGEX.test(tail(out))) {
      keep(1);
      blank(endOfRegex(text, at));
      keep(1);
    } else if (char === "}" && templates.at(-1) === 0) {
      templates.pop();
      keep(1);
      templatePart();
    } else {
      if (templates.length > 0 && (char === "{" || char === "}"))
        templates.push((templates.pop() ?? 0) + (char === "{" ? 1 : -1));
      NEXT_SPECIAL.lastIndex = at + 1;
      keep(NEXT_SPECIAL.test(text) ? NEXT_SPECIAL.lastIndex - 1 - at : text.length - at);
    }
  }
  return out.join("");
}

/** Counts the regular expressions of a file that are longer than `length` characters. */
export function longExpressionCount({ code }: SourceFile, length: number): number {
  return [...code.matchAll(/(?<=\/) +(?=\/)/g)].filter(([blank]) => blank.length > length).length;
}

/** The last kept text, without comments: enough to see what precedes a slash. */
function tail(out: readonly string[]): string {
  let text = "";
  for (let index = out.length - 1; index >= 0 && text.trim().length < 12; index--)
    text = (out[index] ?? "") + text;
  return text.trimEnd();
}

function indexOrEnd(text: string, sought: string, from: number): number {
  const index = text.indexOf(sought, from);
  return index === -1 ? text.length : index;
}

function endOfQuoted(text: string, from: number, quote: string): number {
  let at = from;
  while (at < text.length && text[at] !== quote && text[at] !== "\n") at += text[at] === "\\" ? 2 : 1;
  return Math.min(at, text.length);
}

function endOfTemplatePart(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== "`" && !text.startsWith("${", at)) at += text[at] === "\\" ? 2 : 1;
  return Math.min(at, text.length);
}

function endOfRegex(text: string, from: number): number {
  let at = from;
  let isInClass = false;
  while (at < text.length && text[at] !== "\n" && (isInClass || text[at] !== "/")) {
    if (text[at] === "[") isInClass = true;
    else if (text[at] === "]") isInClass = false;
    at += text[at] === "\\" ? 2 : 1;
  }
  return Math.min(at, text.length);
}

/** The line, counted from 1, of a position. */
export function lineOf(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

const IMPORT = /\b(import|export)\b([^;"'`()]*?)\bfrom\s*["']|\bimport\s*["']|\bimport\s*\(\s*["'`]/g;

/** Lists the modules that a file imports or re-exports from. */
export function importsOf({ code, text }: SourceFile): readonly ImportedModule[] {
  return [...code.matchAll(IMPORT)].map((match) => {
    const start = match.index + match[0].length;
    const end = code.slice(start).search(/["'`]/);
    return {
      specifier: text.slice(start, end === -1 ? undefined : start + end),
      isTypeOnly: isTypeOnly(match[2]),
    };
  });
}

/** `clause` is what stands between `import` and `from`. */
function isTypeOnly(clause: string | undefined): boolean {
  const names = (clause ?? "").trim();
  if (/^type\b/.test(names)) return true;
  const inBraces = /^\{([^}]*)\}$/.exec(names)?.[1];
  if (inBraces === undefined) return false;
  return inBraces.split(",").every((name) => name.trim() === "" || /^type\s/.test(name.trim()));
}

export interface FunctionSpan {
  readonly name: string;
  readonly lines: number;
  readonly line: number;
}

const FUNCTION_START =
  /\bfunction\b\s*\*?\s*([\w$]*)\s*(?:<[^({]*>)?\s*\(|^[ \t]+(?:(?:static|async|override|get|set)\s+)*(#?[\w$]+)\s*(?:<[^({]*>)?\(|(=>)\s*\{/gm;
const NOT_A_METHOD = new Set([
  "if",
  "for",
  "while",
  "switch",
  "catch",
  "return",
  "function",
  "await",
  "super",
  "typeof",
]);

/** Functions with a body, by their length in lines; nested ones count for themselves as well. */
export function functionsOf({ code }: SourceFile): readonly FunctionSpan[] {
  const found: FunctionSpan[] = [];
  for (const match of code.matchAll(FUNCTION_START)) {
    const isArrow = match[3] !== undefined;
    const name = match[1] ?? match[2] ?? "";
    if (!isArrow && NOT_A_METHOD.has(name)) continue;
    const last = match.index + match[0].length - 1;
    const body = isArrow ? last : bodyAfter(code, closing(code, last) + 1);
    if (body === undefined) continue;
    const line = lineOf(code, match.index + (match[0].length - match[0].trimStart().length));
    found.push({
      name: name === "" ? "(arrow)" : name,
      line,
      lines: lineOf(code, closing(code, body)) - line + 1,
    });
  }
  return found;
}

/** The start of the body behind a parameter list and, perhaps, a return type with braces. */
function bodyAfter(code: string, from: number): number | undefined {
  let at = from;
  let isInType = false;
  while (at < code.length) {
    const char = code[at] ?? "";
    const before = code.slice(from, at).trimEnd().at(-1) ?? "";
    if (char === "{" && !(isInType && /[:|&<,([]/.test(before))) return at;
    if (char === "{" || char === "(" || char === "[") at = closing(code, at);
    else if (char === ":" && !isInType) isInType = true;
    else if (char === ";" || char === "}" || char === ")" || (!isInType && /\S/.test(char))) return undefined;
    at++;
  }
  return undefined;
}

/** The position of the bracket that closes the one at `from`; the end where there is none. */
export function closing(code: string, from: number): number {
  let depth = 0;
  for (let at = from; at < code.length; at++) {
    const char = code[at] ?? "";
    if (char === "{" || char === "(" || char === "[") depth++;
    else if (char === "}" || char === ")" || char === "]") {
      depth--;
      if (depth === 0) return at;
    }
  }
  return code.length - 1;
}
