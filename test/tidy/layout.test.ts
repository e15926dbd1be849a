/** The rooms keep their distance; the rules are tried on made-up files, so that they cannot rot into silence themselves. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { beyond, EXCEPTIONS } from "./exceptions.ts";
import {
  FOLDER_ROWS,
  filesInTypeCycles,
  importCycles,
  impurities,
  oracleImports,
  PACKAGE_ROWS,
  placeOf,
  ROWS,
  resolveImport,
  undeclaredPackages,
  wrongArrows,
  wrongPackages,
} from "./layout.ts";
import { importsOf, PACKAGES, packageSources, ROOT, sourceFile } from "./source.ts";

const sources = packageSources();
const LIBRARY = "packages/palimpsest/src";

describe("rooms", () => {
  it("import only what is below them", () => {
    expect(beyond(wrongArrows(sources), EXCEPTIONS.arrows)).toEqual([]);
  });

  it.each([
    { from: `${LIBRARY}/transcript/a.ts`, to: "../tokens/b.ts", why: "up" },
    { from: `${LIBRARY}/tokens/a.ts`, to: "../importers/b.ts", why: "sideways" },
    { from: `${LIBRARY}/stores/files/a.ts`, to: "../../session/b.ts", why: "a store that sees the session" },
    { from: `${LIBRARY}/base/a.ts`, to: "../../scripts/b.ts", why: "out of the house" },
    { from: `${LIBRARY}/host/a.ts`, to: "../../../palimpsest-cli/src/b.ts", why: "another package's file" },
    { from: `${LIBRARY}/lobby/a.ts`, to: "./b.ts", why: "a room that is on no map" },
  ])("would be caught importing $why", ({ from, to }) => {
    expect(wrongArrows([sourceFile(from, `import type { B } from "${to}";`)])).toHaveLength(1);
  });

  it.each([
    { to: "../three/b.ts", is: 1, why: "a folder above" },
    { to: "../two-as-well/b.ts", is: 1, why: "a folder on the same row" },
    { to: "../unlisted/b.ts", is: 1, why: "a folder on no row" },
    { to: "../one/b.ts", is: 0, why: "a folder below" },
    { to: "./deeper/b.ts", is: 0, why: "its own folder" },
  ])("have folders on rows: importing $why", ({ to, is }) => {
    const rows = { compaction: [["one"], ["two", "two-as-well"], ["three"]] };
    const file = sourceFile(`${LIBRARY}/compaction/two/a.ts`, `import { b } from "${to}";`);
    expect(wrongArrows([file], rows)).toHaveLength(is);
  });

  it("leave the steps of a compaction to its driver", () => {
    const folder = `${LIBRARY}/session/compact`;
    const steps = ["obtain-summary", "restore-window", "compaction-watch"];
    const importersOf = (step: string): readonly string[] =>
      sources
        .filter((file) =>
          importsOf(file).some(
            ({ specifier, isTypeOnly }) =>
              !isTypeOnly && resolveImport(file.path, specifier) === `${folder}/${step}.ts`,
          ),
        )
        .map(({ path }) => path);
    expect(steps.map(importersOf)).toEqual(steps.map(() => [`${folder}/compact-window.ts`]));
  });

  it("have rows only for folders that are there", () => {
    const folders = new Set(
      sources.flatMap(({ path }) => {
        const { packageName, area, folder } = placeOf(path) ?? { packageName: "", area: "", folder: "" };
        const parts = folder.split("/").map((_, index, all) => all.slice(0, index + 1).join("/"));
        const key = packageName === "palimpsest" ? area : `${packageName}.${area}`;
        return [`${packageName}:${area}`, ...parts.map((part) => `${key}:${part}`)];
      }),
    );
    const listed = Object.entries(FOLDER_ROWS).flatMap(([key, rows]) =>
      rows.flat().flatMap((name) => (name === "." ? [] : [`${key}:${name}`])),
    );
    expect(listed.filter((name) => !folders.has(name))).toEqual([]);
  });

  it("are drawn in ARCHITECTURE.md as they are", () => {
    const drawing = readFileSync(`${ROOT}ARCHITECTURE.md`, "utf8");
    const drawn = [...drawing.matchAll(/^(\d+) {1,2}([a-z· |]+?)(?: {2,}.*)?$/gm)];
    const rows = drawn.map(([, row, areas]) => [
      Number(row),
      (areas ?? "").split(/[·|]/).map((area) => area.trim()),
    ]);
    expect(rows).toEqual(ROWS.map((areas, row) => [row, areas]).reverse());
  });
});

describe("packages", () => {
  it("import siblings below them by their names", () => {
    expect(PACKAGES).toEqual(PACKAGE_ROWS.flat());
    expect(wrongPackages(sources)).toEqual([]);
  });

  it.each([
    { from: `${LIBRARY}/host/a.ts`, to: "palimpsest-testing", why: "a package above" },
    { from: "packages/palimpsest-testing/src/a.ts", to: "palimpsest-cli/internal", why: "a package above" },
    { from: `${LIBRARY}/host/a.ts`, to: "palimpsest/internal", why: "itself" },
    { from: `${LIBRARY}/host/a.ts`, to: "#base/json.ts", why: "by the map of the tests" },
  ])("would be caught importing $to: $why", ({ from, to }) => {
    expect(wrongPackages([sourceFile(from, `import { b } from "${to}";`)])).toHaveLength(1);
  });
});

describe.each(["mcp", "chat"])("the programs in %s", (folder) => {
  it("use public entries of the library only, so that they show that these suffice", () => {
    const files = sources.filter(({ path }) => path.startsWith(`packages/palimpsest-cli/src/${folder}/`));
    const imports = files.flatMap((file) => importsOf(file).map(({ specifier }) => specifier));
    expect(imports).toContain("palimpsest/memory");
    expect(imports.filter((specifier) => /^palimpsest(?:-testing)?\/internal/.test(specifier))).toEqual([]);
  });
});

describe("the wire oracle", () => {
  it("imports nothing but itself, so that it cannot excuse what it judges", () => {
    expect(sources.some(({ path }) => path.startsWith("packages/palimpsest-testing/src/wire-oracle"))).toBe(
      true,
    );
    expect(oracleImports(sources)).toEqual([]);
  });

  it("would be caught sharing a type", () => {
    const text = 'import type { Message } from "palimpsest/transcript";';
    const path = "packages/palimpsest-testing/src/wire-oracle/a.ts";
    expect(oracleImports([sourceFile(path, text)])).toHaveLength(1);
  });
});

describe("pure rooms", () => {
  it("have no effects", () => {
    expect(beyond(impurities(sources), EXCEPTIONS.impurities)).toEqual([]);
  });

  it.each([
    'import { readFileSync } from "node:fs";',
    'import { parse } from "yaml";',
    "const at = Date.now();",
    "const at = new Date();",
    "const at = Date();",
    "const pick = Math.random();",
    "setTimeout(go, 5);",
    "console.log(1);",
    "const key = process.env;\nprocess['exit']();",
    "await fetch(url);",
    "const from = performance.now();",
    "globalThis.crypto.randomUUID();",
    "const id = crypto.randomUUID();",
    "const run = new Function(text);",
    'const fs = await import("./x.ts");',
  ])("would be caught with %s", (text) => {
    expect(impurities([sourceFile(`${LIBRARY}/tokens/a.ts`, text)])).not.toEqual([]);
  });

  it.each([
    "// Date.now() in a comment",
    'const text = "process.exit()";',
    "const at = new Date(ms).toISOString();",
    "const now = clock.performance.now();",
    "const result = client.fetch(url);",
  ])("may say %s", (text) => {
    expect(impurities([sourceFile(`${LIBRARY}/tokens/a.ts`, text)])).toEqual([]);
  });
});

describe("imports", () => {
  const circle = (keyword: string) => [
    sourceFile(`${LIBRARY}/base/a.ts`, `${keyword} { b } from "./b.ts";`),
    sourceFile(`${LIBRARY}/base/b.ts`, `${keyword} { a } from "./a.ts";`),
    sourceFile(`${LIBRARY}/base/c.ts`, `${keyword} { a } from "./a.ts";`),
  ];
  const [a, b] = [`${LIBRARY}/base/a.ts`, `${LIBRARY}/base/b.ts`];

  it("never come back to where they began", () => {
    expect(importCycles(sources)).toEqual([]);
    expect(importCycles(circle("import"))).toEqual([`${a} → ${b} → ${a}`]);
    expect(importCycles(circle("import type"))).toEqual([]);
  });

  it("of types form no circle except the listed ones", () => {
    expect(beyond(filesInTypeCycles(sources), EXCEPTIONS.typeCycles)).toEqual([]);
    expect(filesInTypeCycles(circle("import type"))).toEqual([a, b]);
  });

  it.each(PACKAGES)("of %s name only packages that come along with it", (name) => {
    const manifest = JSON.parse(readFileSync(`${ROOT}packages/${name}/package.json`, "utf8")) as Record<
      string,
      object | undefined
    >;
    // The build puts these into the command (`bundleCommand` in scripts/build.mjs), and a test of the package checks that.
    const within = name === "palimpsest-cli" ? manifest["devDependencies"] : undefined;
    const declared = new Set(
      Object.keys({ ...manifest["dependencies"], ...manifest["peerDependencies"], ...within }),
    );
    const own = sources.filter(({ path }) => path.startsWith(`packages/${name}/`));
    expect(undeclaredPackages(own, declared)).toEqual([]);
    const sample = sourceFile(`packages/${name}/src/a.ts`, 'import { b } from "@scope/left-pad/b";');
    expect(undeclaredPackages([sample], declared)).toEqual([
      `packages/${name}/src/a.ts imports @scope/left-pad, which is no dependency of the package`,
    ]);
  });
});
