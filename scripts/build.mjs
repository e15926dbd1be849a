/**
 * Builds every package in two steps. The sources are compiled in one go into `build/node_modules/<package>/dist`, file
 * by file, for benches and for child processes of tests. The `dist` of each package, which is published, is made from
 * that: entries and shared chunks, with the types that the public entries need beside them.
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
/** Modules of a package that are published with the packages that they export from, which are not its dependencies. */
const BUNDLED = { "palimpsest-cli": ["chat/terminal/pi-tui.js"] };
const packages = readdirSync(join(root, "packages"));
/** Modules that this many entries need are in one chunk, so that an entry reads few files. */
const COMMON_ENTRIES = 5;

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
    // Files that are not compiled, such as the parts of the page that `replay --html` writes.
    for (const file of readdirSync(join(from, "src"), { recursive: true, withFileTypes: true }))
      if (file.isFile() && !file.name.endsWith(".ts")) {
        const path = join(file.parentPath, file.name);
        cpSync(path, join(to, "dist", relative(join(from, "src"), path)));
      }
  }
  rmSync(compiled, { recursive: true, force: true });
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
    await bundle(from, dist, entries);
    copyTypes(from, dist, entries);
  } else {
    const isShipped = (path) => !path.endsWith(".d.ts");
    cpSync(from, dist, { recursive: true, filter: isShipped });
    for (const path of BUNDLED[name] ?? []) await bundleOne(join(from, path), join(dist, path));
  }
}

/** One module with everything that it imports from packages; `NOTICES.md` of the package has their licences. */
async function bundleOne(input, file) {
  const built = await rolldown({
    input,
    platform: "node",
    external: /^node:/,
    resolve: { modules: [join(root, "node_modules")] },
    experimental: { attachDebugInfo: "none" },
  });
  const minify = { mangle: false, compress: true, codegen: { removeWhitespace: true } };
  const { output } = await built.write({ file, format: "esm", minify, comments: { legal: true } });
  await built.close();
  for (const { code } of output) writeFileSync(file, onePerLine(code));
}

/** `entries/index.js` and the like, and chunks that they share. Other packages are imported by their names. */
async function bundle(from, dist, entries) {
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
  const { output } = await built.write({
    dir: dist,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name].js",
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
    codeSplitting: { groups: [{ name: "common", minShareCount: COMMON_ENTRIES }] },
  });
  await built.close();
  for (const { fileName, code } of output) writeFileSync(join(dist, fileName), onePerLine(code));
}

/** Every statement and every member of a class begins a line, so that stack traces and debuggers point to one of them. */
function onePerLine(code) {
  const starts = new Set();
  const visit = (node) => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node?.type !== "string") return;
    if (/(?:Statement|Declaration|MethodDefinition|PropertyDefinition)$/.test(node.type))
      starts.add(node.start);
    for (const [key, value] of Object.entries(node))
      if (key !== "parent" && typeof value === "object") visit(value);
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
