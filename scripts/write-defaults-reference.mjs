/**
 * Writes `docs/reference/defaults.md` from the doc comments of the packages' `defaults/`.
 *
 * With `--check` it writes nothing: it fails if the document differs, and names every number without
 * a source and every number that is defined twice. With `--root FOLDER` it works on another checkout.
 * The source is read as text: a topic is `export const X_DEFAULTS = { … } as const`, each member with
 * a doc comment; of an object with another name only the size is listed.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const args = process.argv.slice(2);
const rootAt = args.indexOf("--root");
const root = rootAt === -1 ? fileURLToPath(new URL("..", import.meta.url)) : args[rootAt + 1];
const target = join(root, "docs/reference/defaults.md");

const topics = topicFiles().flatMap(topicsOf);
const wanted = documentOf(topics);
if (args.includes("--check")) check();
else {
  writeFileSync(target, wanted);
  console.log(`Wrote ${target}`);
}

function check() {
  const isCurrent = existsSync(target) && readFileSync(target, "utf8") === wanted;
  const problems = [
    ...(isCurrent ? [] : ["docs/reference/defaults.md differs from the source. Run: npm run docs"]),
    ...topics
      .filter(isTopic)
      .flatMap(({ path, members }) =>
        members
          .filter(({ what }) => !what.includes("Source:"))
          .map(({ name }) => `${path}: ${name} has no source`),
      ),
    ...twins(),
  ];
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}

/** Finds numbers that two topics define under one name: one of them would be changed without the other. */
function twins() {
  const members = topics
    .filter(isTopic)
    .flatMap(({ name: topic, members }) => members.map((each) => ({ ...each, topic })));
  return members.flatMap(({ name, value, topic }, index) => {
    const other = members.slice(0, index).find((each) => each.name === name && each.value === value);
    return other === undefined ? [] : [`${name} is defined in ${other.topic} and again in ${topic}`];
  });
}

function isTopic({ name }) {
  return name.endsWith("DEFAULTS");
}

/** Every file of a folder `defaults` in the sources of a package; the library's come first. */
function topicFiles() {
  const names = ["palimpsest", "palimpsest-testing", "palimpsest-cli", "evaluation"];
  return names
    .map((name) => `packages/${name}/src`)
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
        .filter((path) => /\/defaults(?:\/[\w/-]+)?\.ts$/.test(path))
        .sort(),
    );
}

/** The objects of defaults in one file, with the file's own header as their introduction. */
function topicsOf(path) {
  const text = readFileSync(join(root, path), "utf8");
  const header = /^\/\*\*([\s\S]*?)\*\//.exec(text)?.[1];
  const starts = [...text.matchAll(/^export const ([A-Z][A-Z0-9_]*)[^=\n]*= (?:Object\.freeze\()?\{/gm)];
  return starts.map((start) => ({
    path,
    name: start[1],
    introduction: proseOf(header ?? ""),
    members: membersOf(text.slice(start.index + start[0].length)),
  }));
}

/** The members of an object literal, up to the brace that closes it. */
function membersOf(text) {
  const members = [];
  let rest = text;
  for (;;) {
    rest = rest.replace(/^[\s,]+/, "").replace(/^(?:\/\/[^\n]*\s*)+/, "");
    if (rest === "" || rest.startsWith("}")) return members;
    const doc = /^\/\*\*([\s\S]*?)\*\//.exec(rest);
    if (doc !== null) rest = rest.slice(doc[0].length).trimStart();
    const key = /^(?:"([^"]+)"|([\w$]+))\s*:\s*/.exec(rest);
    if (key === null) throw new SyntaxError(`Not a member of an object of defaults: ${rest.slice(0, 60)}`);
    rest = rest.slice(key[0].length);
    const length = valueLength(rest);
    members.push({
      name: key[1] ?? key[2],
      value: rest.slice(0, length).trim(),
      what: proseOf(doc?.[1] ?? ""),
    });
    rest = rest.slice(length);
  }
}

/** Returns the length of a value: up to the next comma or brace outside of strings, comments and brackets. */
function valueLength(text) {
  let depth = 0;
  const token =
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|\/(?![/*\s])(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n[])+\/[a-z]*|[\s\S]/g;
  for (const { 0: found, index } of text.matchAll(token)) {
    if ((found === "," || found === "}") && depth === 0) return index;
    if ("([{".includes(found)) depth++;
    else if (")]}".includes(found)) depth--;
  }
  return text.length;
}

/** Returns a comment's text before its tags. */
function proseOf(comment) {
  return comment
    .split("\n")
    .map((line) => line.replace(/^\s*\*? ?/, "").trimEnd())
    .join("\n")
    .split(/\n@/)[0]
    .replace(/\{@link ([^}|]+)(?:\|[^}]*)?\}/g, "`$1`")
    .trim();
}

function documentOf(topics) {
  // The evaluation is private: its numbers are checked, and not listed for users.
  const parts = topics
    .filter(({ path, members }) => members.length > 0 && !path.startsWith("packages/evaluation/"))
    .map((topic, index, all) =>
      sectionOf(all[index - 1]?.path === topic.path ? { ...topic, introduction: "" } : topic),
    );
  return [
    "# Defaults",
    "",
    "Every tunable number: value, unit, reason and source. *Chosen*: our choice, with its reason; a link: measured.",
    "`npm run docs` writes this file from the source.",
    "",
    ...parts,
  ].join("\n");
}

function sectionOf({ path, name, introduction, members }) {
  const rows = members.map(
    ({ name: member, value, what }) =>
      `| \`${member}\` | ${codeCell(value)} | ${cell(linked(what.replace(/\s+/g, " ")))} |`,
  );
  const prose = introduction.replace(/\n(?!\n)/g, " ").replace(/\n+ ?/g, "\n\n");
  const opening = prose === "" ? [] : [prose, ""];
  if (!isTopic({ name }))
    return [`## ${name}`, "", ...opening, `A table of ${members.length} values in \`${path}\`.`, ""].join(
      "\n",
    );
  const from = `From \`${path}\`.`;
  return [
    `## ${name}`,
    "",
    ...opening,
    from,
    "",
    "| name | value | what it is |",
    "| --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}

function codeCell(value) {
  const line = value
    .replace(/\/\*[\s\S]*?\*\//g, " ")
    .replace(/\s+/g, " ")
    .replace(/,(?= [}\])])/g, "")
    .trim();
  const fence = line.includes("`") ? "``" : "`";
  return `${fence}${line.replaceAll("|", "\\|")}${fence}`;
}

/** A source as a reader needs it: a section of the page of numbers is a link, and our choice is one word. */
function linked(text) {
  return text
    .replace(
      /where-the-numbers-come-from\.md, "([^"]+)"/g,
      (_, title) => `[${title}](../explanation/where-the-numbers-come-from.md#${anchorOf(title)})`,
    )
    .replace(/Source: our choice(?=[.;]|$)/g, "Chosen")
    .replace(/Source: our choice[:,]/g, "Chosen:");
}

function anchorOf(title) {
  return title
    .toLowerCase()
    .replace(/[^\w -]/g, "")
    .replaceAll(" ", "-");
}

function cell(text) {
  return text.replaceAll("|", "\\|");
}
