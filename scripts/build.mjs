/**
 * Builds every package in two steps. The sources are compiled in one go into `build/node_modules/<package>/dist`, file
 * by file, for benches and for child processes of tests. The `dist` of each package, which is published, is made from
 * that: entries and shared chunks, with the types that the public entries need beside them. A command has everything within
 * that it is not said to depend on, so that it starts quickly: few files are read, and little of each package.
 *
 * `--compile-into FOLDER` only compiles, into that folder; `--publish FROM INTO` only makes the packages that are
 * published from such a folder. Old builds are removed first, so that a file deleted in the sources leaves the
 * packages too.
 */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { parseAst } from "rolldown/parseAst";

const root = fileURLToPath(new URL("..", import.meta.url));
/** A comment at the top of a file that belongs to no declaration. */
const FILE_COMMENT = /^\/\*\*(?:[^*]|\*(?!\/))*\*\/\s*(?=import\b|export (?:type )?\{|\/\*\*)/;
/** What only sibling packages of the same version import; their sources are checked against the sources. */
const INTERNAL = "./internal";
const HIDDEN_TYPES = "/** For sibling packages of the same version. */\nexport {};\n";
const packages = readdirSync(join(root, "packages"));
/** Modules that this many entries need are in one chunk, so that an entry reads few files. */
const COMMON_ENTRIES = 5;
/** The module that a command begins with. */
const PROGRAM = "program/main";
/** Modules of the chat's screen, with its terminal library. */
const SCREEN =
  /[/](?:pi-tui|marked|get-east-asian-width|chat[/]commands|chat[/]terminal(?![/](?:chat-command|plain-chat)))[/.]/;

const [step, first, second] = process.argv.slice(2);
if (step === "--compile-into")
  compile(first, ["--noCheck"]); // `npm run types` checks; this takes half the time.
else if (step === "--publish") {
  for (const name of publishedPackages()) await publish(name, first, join(second, name));
} else {
  const compiled = join(root, "build/node_modules");
  compile(compiled, []);
  for (const name of publishedPackages()) {
    const dist = join("packages", name, "dist");
    rmSync(join(root, dist), { recursive: true, force: true });
    await makeDist(name, compiled, join(root, dist));
  }
}

/** Compiles the packages side by side, as npm would install them: the imports of one find the other. */
function compile(into, options) {
  const compiled = join(into, ".compiled");
  rmSync(compiled, { recursive: true, force: true });
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const args = [tsc, "-p", join(root, "tsconfig.build.json"), "--outDir", compiled, ...options];
  execFileSync(process.execPath, args, { stdio: "inherit" });
  for (const name of packages) {
    const from = join(root, "packages", name);
    const to = join(into, name);
    rmSync(to, { recursive: true, force: true });
    mkdirSync(to, { recursive: true });
    renameSync(join(compiled, name, "src"), join(to, "dist"));
    copyRest(from, to);
    copyAssets(name, join(to, "dist"));
  }
  rmSync(compiled, { recursive: true, force: true });
}

/** Copies files that are not compiled, such as the parts of the page that `replay --html` writes. */
function copyAssets(name, dist) {
  const from = join(root, "packages", name, "src");
  for (const file of readdirSync(from, { recursive: true, withFileTypes: true }))
    if (file.isFile() && !file.name.endsWith(".ts")) {
      const path = join(file.parentPath, file.name);
      cpSync(path, join(dist, relative(from, path)));
    }
}

function publishedPackages() {
  return packages.filter((name) => manifestOf(name).private !== true);
}

function manifestOf(name) {
  return JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"));
}

/** Makes a package as npm would install it. */
async function publish(name, compiled, into) {
  mkdirSync(into, { recursive: true });
  copyRest(join(root, "packages", name), into);
  await makeDist(name, compiled, join(into, "dist"));
}

/** Copies what a package publishes besides `dist`. */
function copyRest(from, to) {
  for (const name of ["package.json", "README.md", "LICENSE", "NOTICES.md", "bin"])
    if (existsSync(join(from, name))) cpSync(join(from, name), join(to, name), { recursive: true });
}

async function makeDist(name, compiled, dist) {
  const from = join(compiled, name, "dist");
  const entries = Object.entries(manifestOf(name).exports).filter(
    ([, target]) => target.default !== undefined,
  );
  if (entries.length > 0) {
    await bundleLibrary(from, dist, entries);
    copyTypes(from, dist, entries);
  } else {
    await bundleCommand({ name, compiled, from, dist });
    copyAssets(name, dist);
  }
}

/** `entries/index.js` and the like, and chunks that they share. Other packages are imported by their names. */
async function bundleLibrary(from, dist, entries) {
  const names = entries.map(([, target]) => target.default.replace(/^\.\/dist\/|\.js$/g, ""));
  const built = await rolldown({
    cwd: from,
    input: Object.fromEntries(names.map((name) => [name, join(from, `${name}.js`)])),
    platform: "node",
    external: /^[^./]/,
    // No module is imported for what it does; the manifest says so, too.
    treeshake: { moduleSideEffects: false, propertyReadSideEffects: false },
    experimental: { attachDebugInfo: "none" },
  });
  await write(built, dist, {
    chunkFileNames: "chunks/[name].js",
    codeSplitting: { groups: [{ name: "common", minShareCount: COMMON_ENTRIES }] },
  });
}

/**
 * The program, and a chunk for everything that it loads when it needs it. What the manifest does not name as a dependency is
 * within; `NOTICES.md` of the package has the licences.
 */
async function bundleCommand({ name, compiled, from, dist }) {
  const { dependencies, peerDependencies } = manifestOf(name);
  const outside = Object.keys({ ...dependencies, ...peerDependencies });
  const isOwn = (id) => id.startsWith(compiled);
  const program = join(from, `${PROGRAM}.js`);
  const built = await rolldown({
    cwd: from,
    input: { [PROGRAM]: program },
    platform: "node",
    external: (id, importer = "") =>
      outside.some((one) => id === one || id.startsWith(`${one}/`)) &&
      // The library is a dependency for the sake of the agents that users hand to a worker: both have the same classes.
      (id.split("/")[0] !== "palimpsest" || importer.startsWith(join(from, "worker"))),
    resolve: { modules: [compiled, join(root, "node_modules")] },
    treeshake: { moduleSideEffects: (id) => !isOwn(id) || id === program },
    experimental: { attachDebugInfo: "none" },
  });
  await write(built, dist, {
    // As deep as the sources that look for files beside them.
    chunkFileNames: "program/chunks/[name].js",
    // Every command needs the first, and the prompt of a chat both: few files are quicker to load than many.
    codeSplitting: {
      groups: [
        { name: "start", priority: 3, tags: ["$initial"], test: (id) => id !== program },
        { name: "words", priority: 2, test: /palimpsest-cli[/]dist[/](?:chat[/]base|terminal)[/]/ },
        { name: "screen", priority: 1, test: SCREEN },
      ],
    },
  });
}

async function write(built, dist, options) {
  const { output } = await built.write({
    dir: dist,
    format: "esm",
    entryFileNames: "[name].js",
    // Chunks export names as they are: aliases would be longer than what they save.
    minifyInternalExports: false,
    // Without spaces; `onePerLine` puts the lines back. Only variables inside functions get short names: what a stack
    // trace shows keeps its name.
    minify: {
      mangle: { toplevel: false, keepNames: true },
      compress: true,
      codegen: { removeWhitespace: true },
    },
    // The declarations have the doc comments; bundlers know without a mark that a new `Map` or `Set` has no effect.
    comments: { legal: true, annotation: false, jsdoc: false },
    ...options,
  });
  await built.close();
  for (const { fileName, code } of output) writeFileSync(join(dist, fileName), onePerLine(code));
}

/** Every statement and every member of a class begins a line, so that stack traces and debuggers point to one of them. */
function onePerLine(code) {
  const starts = new Set();
  const visit = (node) => {
    if (/(?:Statement|Declaration|MethodDefinition|PropertyDefinition)$/.test(node.type))
      starts.add(node.start);
    // A node or a list of nodes. There are millions, and lists of their keys would take longer than they do.
    for (const key in node) if (typeof node[key] === "object" && node[key] !== null) visit(node[key]);
  };
  visit(parseAst(code).body);
  const places = [...starts]
    .filter((start) => /[;{}]/.test(code[start - 1] ?? ""))
    .sort((one, other) => one - other);
  return `${places.map((start, index) => code.slice(index === 0 ? 0 : places[index - 1], start)).join("\n")}\n${code.slice(places.at(-1))}`;
}

/** Copies the declarations that the public entries lead to. */
function copyTypes(from, dist, entries) {
  const declarations = entries.map(([name, { types }]) => [name, types.replace(/^\.\/dist\//, "")]);
  const wanted = declarations.filter(([name]) => name !== INTERNAL).map(([, path]) => path);
  const internal = declarations.find(([name]) => name === INTERNAL);
  if (internal !== undefined) writeFileSync(join(dist, internal[1]), HIDDEN_TYPES);
  const copied = new Set();
  for (let path = wanted.pop(); path !== undefined; path = wanted.pop()) {
    if (copied.has(path)) continue;
    copied.add(path);
    const text = readFileSync(join(from, path), "utf8");
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    // What a file is for tells those who change it; editors show the comments of names.
    // Editors show declarations in a form of theirs, so they need no indentation.
    writeFileSync(join(dist, path), text.replace(/^ +/gm, "").replace(FILE_COMMENT, ""));
    for (const [, specifier] of text.matchAll(/(?:\bfrom |\bimport\()"(\.[^"]+)"/g))
      wanted.push(join(dirname(path), specifier).replace(/\.[jt]s$/, ".d.ts"));
  }
}
