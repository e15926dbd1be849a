/**
 * Writes `docs/reference/api/`, one page for each path that programs import, from the declarations that the compiler
 * writes: names, signatures, and what their doc comments say.
 *
 * With `--check` it writes nothing and fails if a page differs. `--from FOLDER` names a folder of compiled packages, as
 * `scripts/build.mjs --compile-into` makes it; without it the packages are compiled first. `--into FOLDER` is for other
 * folders than `docs/reference/api/`.
 */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findDeclaration, membersOf, readFile, withoutComments } from "./read-declarations.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Signatures that are longer are cut: what follows is in the declarations. */
const LONGEST_CELL = 240;
const MOST_CODE_LINES = 24;
/** How a program names a type that is not exported. */
const HOW_TO_NAME = [
  'TypeScript infers these types. To name one, read it from what is exported: `NonNullable<Parameters<AgentSession["turn"]>[1]>` is `TurnOptions`, `Awaited<ReturnType<AgentSession["turn"]>>` is `TurnResult`, and a member of a type is `Options["member"]`.',
  "",
];
/** A page of more lines is divided. */
const LONGEST_PAGE = 400;

const args = process.argv.slice(2);
const optionOf = (option) => (args.includes(option) ? args[args.indexOf(option) + 1] : undefined);
const target = optionOf("--into") ?? join(root, "docs/reference/api");
const made = args.includes("--from") ? undefined : mkdtempSync(join(tmpdir(), "palimpsest-api-"));
try {
  if (made !== undefined)
    execFileSync(process.execPath, [join(root, "scripts/build.mjs"), "--compile-into", made]);
  run(pagesOf(made ?? optionOf("--from")));
} finally {
  if (made !== undefined) rmSync(made, { recursive: true, force: true });
}

function run(pages) {
  const old = existsSync(target) ? readdirSync(target).filter((name) => !pages.has(name)) : [];
  if (!args.includes("--check")) {
    mkdirSync(target, { recursive: true });
    for (const name of old) rmSync(join(target, name));
    for (const [name, text] of pages) writeFileSync(join(target, name), text);
    console.log(`Wrote ${pages.size} pages to ${target}`);
    return;
  }
  const differing = [...pages]
    .filter(
      ([name, text]) => !existsSync(join(target, name)) || readFileSync(join(target, name), "utf8") !== text,
    )
    .map(([name]) => name);
  for (const name of [...differing, ...old])
    console.error(`docs/reference/api/${name} differs from the source. Run: npm run docs`);
  if (differing.length + old.length > 0) process.exitCode = 1;
}

/** Every page by its file name. */
function pagesOf(compiled) {
  const entries = ["palimpsest", "palimpsest-testing"].flatMap((name) => entriesOf(name, compiled));
  const isPublic = new Set(
    entries.flatMap(({ names }) => names.map(({ declaration }) => keyOf(declaration))),
  );
  const pages = new Map(entries.flatMap((entry) => pagesOfEntry(entry, isPublic)));
  return pages.set("README.md", indexOf(entries));
}

function entriesOf(packageName, compiled) {
  const manifest = JSON.parse(readFileSync(join(root, "packages", packageName, "package.json"), "utf8"));
  return Object.entries(manifest.exports)
    .filter(([path, { types }]) => types !== undefined && path !== "./internal")
    .map(([path, { types }]) => {
      const file = join(compiled, packageName, types);
      const { exported, header } = readFile(file);
      const names = exported.map(({ name, isType }) => {
        const declaration = findDeclaration(file, name);
        if (declaration === undefined) throw new Error(`${packageName}: ${name} is not declared anywhere.`);
        return { name, isType, declaration };
      });
      const specifier = packageName + path.slice(1);
      const page = `${specifier.replace(/^palimpsest[/-]?/, "").replaceAll("/", "-") || "palimpsest"}.md`;
      return { specifier, page, names, about: proseOf(header).replace(/^`[^`]*`: /, "") };
    });
}

function keyOf({ path, name }) {
  return `${path} ${name}`;
}

function indexOf(entries) {
  const rows = entries.map(
    ({ specifier, page, about, names }) =>
      `| [\`${specifier}\`](${page}) | ${names.length} | ${capital(about)} |`,
  );
  return [
    "# API",
    "",
    "Everything that programs can import. `npm run docs` writes these pages from the source. `palimpsest-cli` has the command `palimpsest` and nothing to import.",
    "",
    "| import | names | what for |",
    "| --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}

/** One page, or one for each part where all of them are long. */
function pagesOfEntry({ specifier, page, names, about }, isPublic) {
  const isInlined = (declaration) => !isPublic.has(keyOf(declaration));
  const byName = (a, b) => a.name.localeCompare(b.name, "en");
  const values = names.filter(({ isType, declaration }) => !isType && !isShape(declaration)).sort(byName);
  const types = names.filter((one) => !values.includes(one)).sort(byName);
  const behind = typesBehind(
    names.map(({ declaration }) => declaration),
    isInlined,
  );
  const parts = [
    { file: page, title: "Functions, classes and values", list: values },
    { file: page.replace(".md", "-types.md"), title: "Types", list: types },
    // An unstable entry is described by its exports only.
    ...(specifier.endsWith("/experimental")
      ? []
      : [
          {
            file: page.replace(".md", "-options.md"),
            title: "Options and results that are not exported",
            list: behind.sort(byName),
            about: HOW_TO_NAME,
          },
        ]),
  ]
    .filter(({ list }) => list.length > 0)
    .map(({ about = [], ...part }) => ({
      ...part,
      lines: [...about, ...part.list.flatMap((one) => sectionOf(one, isInlined))],
    }));
  const head = [`# \`${specifier}\``, "", capital(about), ""];
  const whole = [...head, ...parts.flatMap(({ title, lines }) => [`## ${title}`, "", ...lines])];
  if (whole.length <= LONGEST_PAGE) return [[page, whole.join("\n")]];
  const links = parts.map(({ title, file }) => `[${title}](${file})`).join(" · ");
  return parts.map(({ file, title, lines }) => [
    file,
    [...head, links, "", `## ${title}`, "", ...lines].join("\n"),
  ]);
}

function isShape({ kind }) {
  return kind === "interface" || kind === "type";
}

/** Types that calls take or return and that are not exported: options and results, mostly. */
function typesBehind(declarations, isInlined) {
  const found = new Map();
  for (const declaration of declarations.filter((one) => !isShape(one)))
    for (const code of codesOf(declaration, isInlined))
      for (const [name] of code.matchAll(/\b[A-Z]\w+\b/g)) {
        const other = findDeclaration(declaration.path, name);
        if (other !== undefined && isInlined(other) && isShape(other)) found.set(keyOf(other), other);
      }
  return [...found.values()].map((declaration) => ({ name: declaration.name, declaration }));
}

function codesOf(declaration, isInlined) {
  if (!["class", "interface"].includes(declaration.kind)) return declaration.codes.map(withoutComments);
  return membersOf(declaration, isInlined).map(({ code }) => code);
}

function sectionOf({ name, declaration }, isInlined) {
  const { kind, codes, comment } = declaration;
  const opening = [`### ${name}`, "", ...aboutOf(comment)];
  if (kind !== "class" && kind !== "interface") {
    const code = codes
      .map((one) => cutLines(renamed(withoutComments(one), declaration.name, name)))
      .join("\n");
    return [...opening, "```ts", code, "```", ""];
  }
  const head = renamed(withoutComments(codes[0]), declaration.name, name).split("{")[0].trim();
  const rows = [];
  for (const { code, comment: about } of membersOf(declaration, isInlined)) {
    const what = cell(aboutOf(about).join(" ").replace(/\s+/g, " ").trim());
    const last = rows.at(-1);
    if (what === "" && last?.what === "") last.codes.push(codeCell(code));
    else rows.push({ codes: [codeCell(code)], what });
  }
  const lines = rows.map(({ codes: cells, what }) => `| ${cells.join("<br>")} | ${what} |`);
  const table = lines.length === 0 ? [] : ["| member | what it is |", "| --- | --- |", ...lines, ""];
  const line = head.replace(/\s+/g, " ");
  return [...opening, ...(line === `interface ${name}` ? [] : [`\`${line}\``, ""]), ...table];
}

function renamed(code, from, to) {
  return from === to ? code : code.replace(new RegExp(`\\b${from}\\b`), to);
}

function cutLines(code) {
  const lines = code.replace(/^(?: {4})+/gm, (indent) => " ".repeat(indent.length / 2)).split("\n");
  return lines.length <= MOST_CODE_LINES
    ? lines.join("\n")
    : [...lines.slice(0, MOST_CODE_LINES), "// …"].join("\n");
}

/** The first paragraph of a doc comment, its defaults and what is thrown; examples are in the guides. */
function aboutOf(comment) {
  const [prose, ...tags] = proseOf(comment).split(
    /(?:^|\s)@(?=(?:throws|defaultValue|example|param|returns|internal)\b)/,
  );
  const [paragraph = ""] = prose.trim().split(/\n\s*\n/);
  const notes = tags.flatMap((tag) => {
    const [, name, text] = /^(\w+)\s*([\s\S]*)$/.exec(tag);
    const line = text.trim().replace(/\s+/g, " ");
    if (name === "throws")
      return [`Throws ${line.replace(/^as /, "the same as ")}${/[.!?]$/.test(line) ? "" : "."}`];
    if (name === "defaultValue") return [`Default: ${line}${/[.!?]$/.test(line) ? "" : "."}`];
    return [];
  });
  const lines = [paragraph.replace(/\s+/g, " "), ...notes].filter((line) => line !== "");
  return lines.flatMap((line) => [line, ""]);
}

function proseOf(comment) {
  return comment
    .split("\n")
    .map((line) => line.replace(/^\s*\*? ?/, "").trimEnd())
    .join("\n")
    .replace(/\{@link ([^}|]+?)\s*(?:\|[^}]*)?\}/g, "`$1`")
    .trim();
}

function codeCell(code) {
  const line = code.length > LONGEST_CELL ? `${code.slice(0, LONGEST_CELL)}…` : code;
  const fence = line.includes("`") ? "``" : "`";
  return `${fence}${line.replaceAll("|", "\\|")}${fence}`;
}

function cell(text) {
  return text.replaceAll("|", "\\|");
}

function capital(text) {
  const line = text.replace(/\s+/g, " ");
  return line.charAt(0).toUpperCase() + line.slice(1);
}
