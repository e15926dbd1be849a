/** What users see: pinned by name, documented, and the same in the manifest. */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { exportsOf, undocumented } from "./exports.ts";
import { filesBelow, ROOT, sourceFile } from "./source.ts";

const ENTRIES = "src/entries";
const sources = filesBelow("src", ".ts");
const byPath = new Map(sources.map((file) => [file.path, file]));
const entries = sources.filter(({ path }) => path.startsWith(`${ENTRIES}/`));
const subpathOf = (path: string): string =>
  path.slice(ENTRIES.length + 1, -".ts".length).replace(/^index$/, ".");

describe("exports", () => {
  it("are the pinned ones; `npx vitest run test/tidy/exports.test.ts -u` pins them anew", async () => {
    const pins = entries.map((entry) => [
      subpathOf(entry.path),
      exportsOf(entry)
        .map(({ name, isType }) => (isType ? `type ${name}` : name))
        .sort(),
    ]);
    const text = `${JSON.stringify(Object.fromEntries(pins), undefined, 2)}\n`;
    await expect(text).toMatchFileSnapshot("./exports.snapshot.json");
  });

  it("have one entry file for each subpath of the package", () => {
    const manifest = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")) as {
      exports: Record<string, unknown>;
    };
    const subpaths = Object.keys(manifest.exports).filter((subpath) => subpath !== "./package.json");
    const named = entries
      .map(({ path }) => subpathOf(path))
      .map((name) => (name === "." ? "." : `./${name}`));
    expect(named.sort()).toEqual(subpaths.sort());
    for (const name of named) {
      const file = name === "." ? "index" : name.slice(2);
      expect(manifest.exports[name]).toEqual({
        types: `./dist/entries/${file}.d.ts`,
        default: `./dist/entries/${file}.js`,
      });
    }
  });

  it("name nothing twice in one entry", () => {
    for (const entry of entries) {
      const names = exportsOf(entry).map(({ name }) => name);
      expect(
        names.filter((name, index) => names.indexOf(name) !== index),
        entry.path,
      ).toEqual([]);
    }
  });

  it("say in a doc comment what they are for", () => {
    expect(undocumented(entries, byPath)).toEqual([]);
  });

  it("would be caught undocumented, internal or missing, however far away", () => {
    const files = [
      sourceFile("src/entries/index.ts", 'export { a, b as c, d, e, type F } from "../base/one.ts";'),
      sourceFile(
        "src/base/one.ts",
        '/** Fine. */\nexport function a() {}\nexport const b = 5;\nexport { d } from "./two.ts";\n/** @internal */\nexport class e {}',
      ),
      sourceFile("src/base/two.ts", "// No.\nexport const d = 5;"),
    ];
    expect(undocumented(files.slice(0, 1), new Map(files.map((file) => [file.path, file])))).toEqual([
      "src/base/one.ts: b has no doc comment",
      "src/base/two.ts: d has no doc comment",
      "src/base/one.ts: e is internal and exported",
      "src/entries/index.ts: F is declared nowhere",
    ]);
  });
});

describe("the manifest", () => {
  it("asks for no version of another package, so that npm installs it beside every SDK", () => {
    const { peerDependencies } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")) as {
      peerDependencies: Record<string, string>;
    };
    expect(peerDependencies).toEqual({ "fast-check": "*", pg: "*" });
  });
});

describe("the published files", () => {
  it("are there when they are named", () => {
    const manifest = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")) as {
      bin: Record<string, string>;
    };
    for (const target of Object.values(manifest.bin)) {
      const source = target.replace("./dist/", "src/").replace(/\.js$/, ".ts");
      expect(existsSync(`${ROOT}${source}`), source).toBe(true);
      expect(readFileSync(`${ROOT}${source}`, "utf8").startsWith("#!/usr/bin/env node\n"), source).toBe(true);
    }
    for (const file of ["README.md", "LICENSE", "CHANGELOG.md"])
      expect(existsSync(`${ROOT}${file}`), file).toBe(true);
  });
});
