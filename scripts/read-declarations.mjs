/**
 * Reads the declarations that the compiler writes (`.d.ts`), as text: names, signatures, doc comments, members.
 *
 * It knows only what is in such files: no expressions, and one statement after the other.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const files = new Map();

/** One file: its declarations by name, the files that its imports and exports come from, and its opening comment. */
export function readFile(path) {
  if (!files.has(path)) files.set(path, parseFile(path, readFileSync(path, "utf8")));
  return files.get(path);
}

function parseFile(path, text) {
  const declarations = new Map();
  const origins = new Map();
  const exported = [];
  for (const { comment, code } of statementsOf(text)) {
    const [, keyword, list, from] =
      /^(import|export)\s+(?:type\s+)?\{([^}]*)\}\s*(?:from\s*"([^"]+)")?/.exec(code) ?? [];
    if (keyword !== undefined) {
      for (const [name, alias, isType] of namesOf(list)) {
        if (from?.startsWith(".")) origins.set(alias, { path: fileOf(path, from), name });
        if (keyword === "export" && from !== undefined)
          exported.push({ name: alias, isType: isType || code.startsWith("export type") });
      }
      continue;
    }
    const declared =
      /^(?:export )?(?:declare )?(?:abstract )?(function|const|class|interface|type) ([\w$]+)/.exec(code);
    if (declared === null) continue;
    const [, kind, name] = declared;
    const known = declarations.get(name);
    // Overloads are one declaration.
    if (known !== undefined) known.codes.push(code);
    else declarations.set(name, { kind, name, path, comment, codes: [code] });
  }
  return { declarations, origins, exported, header: /^\s*\/\*\*([\s\S]*?)\*\//.exec(text)?.[1] ?? "" };
}

function namesOf(list) {
  return list
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")
    .map((one) => {
      const [name, alias] = one.replace(/^type /, "").split(" as ");
      return [name, alias ?? name, one.startsWith("type ")];
    });
}

function fileOf(path, specifier) {
  return join(dirname(path), specifier).replace(/\.[jt]s$/, ".d.ts");
}

/** The declaration behind a name of a file, wherever it is; `undefined` for names of other packages and of the language. */
export function findDeclaration(path, name) {
  const { declarations, origins } = readFile(path);
  const own = declarations.get(name);
  if (own !== undefined) return own;
  const origin = origins.get(name);
  return origin === undefined ? undefined : findDeclaration(origin.path, origin.name);
}

/** Statements, or the members of a body, each with the doc comment before it. */
function* statementsOf(text) {
  let rest = text;
  let comment = "";
  for (;;) {
    rest = rest.trimStart();
    if (rest === "") return;
    const skipped = /^(?:\/\*[\s\S]*?\*\/|\/\/[^\n]*|;)/.exec(rest)?.[0];
    if (skipped !== undefined) {
      if (skipped.startsWith("/**")) comment = skipped.slice(3, -2);
      rest = rest.slice(skipped.length);
      continue;
    }
    const length = statementLength(rest);
    yield { comment, code: rest.slice(0, length).replace(/;\s*$/, "").trim() };
    comment = "";
    rest = rest.slice(length);
  }
}

const TOKEN = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|[\s\S]/g;

/** Up to the semicolon that ends a statement, or the brace that ends a class or an interface. */
function statementLength(text) {
  const hasBody = /^(?:export )?(?:declare )?(?:abstract )?(?:class|interface) /.test(text);
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if ("([{".includes(token)) depth++;
    else if (")]}".includes(token)) depth--;
    if (depth === 0 && (token === ";" || (hasBody && token === "}"))) return index + 1;
  }
  return text.length;
}

/** A declaration's code without comments, on as few lines as the compiler wrote. */
export function withoutComments(code) {
  return code
    .replace(/[ \t]*\/\*[\s\S]*?\*\/[ \t]*\n?|[ \t]*\/\/[^\n]*\n/g, "")
    .replace(/^(?:export )?(?:declare )?/, "");
}

/** The public members of a class or an interface, with those of what it extends where `isInlined` says so. */
export function membersOf(declaration, isInlined) {
  const [code] = declaration.codes;
  const open = bodyStart(code);
  const own = [...statementsOf(code.slice(open + 1, -1))]
    .map(({ comment, code: member }) => ({ comment, code: withoutComments(member).replace(/\s+/g, " ") }))
    .filter(
      ({ comment, code: member }) =>
        !/@internal/.test(comment) && !/^(?:private|protected|static #|#)/.test(member),
    );
  const names = new Set(own.map(({ code: member }) => nameOfMember(member)));
  const inherited = basesOf(code.slice(0, open)).flatMap((base) => {
    const found = findDeclaration(declaration.path, base);
    if (found === undefined || !isInlined(found) || !["class", "interface"].includes(found.kind)) return [];
    return membersOf(found, isInlined).filter(({ code: member }) => !names.has(nameOfMember(member)));
  });
  return [...own, ...inherited.filter(({ code: member }) => !member.startsWith("constructor"))];
}

/** The brace that opens the body: those of type arguments come before it. */
function bodyStart(code) {
  let angles = 0;
  for (const { 0: token, index } of code.matchAll(TOKEN)) {
    if (token === "<") angles++;
    else if (token === ">" && code[index - 1] !== "=") angles--;
    else if (token === "{" && angles === 0) return index;
  }
  return code.length;
}

function basesOf(head) {
  const [, list = ""] = /\bextends ([\s\S]*)$/.exec(head) ?? [];
  return [...list.matchAll(/(?:^|, ?)(?:(?:Partial|Readonly)<)?([A-Z]\w*)/g)].map(([, name]) => name);
}

export function nameOfMember(code) {
  return /^(?:readonly |get |set |static |abstract )*([\w$]+|\[[^\]]*\])/.exec(code)?.[1] ?? code;
}
