/** Public exports: pinned by name, documented, and the same in the manifest. */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { exportsOf, undocumented, unusedExports } from "./exports.ts";
import { filesBelow, PACKAGES, packageSources, ROOT, sourceFile, testSources } from "./source.ts";

/** Packages with public entries. */
const PUBLISHED = ["palimpsest", "palimpsest-testing"];
/** The most names of the library's main entry. */
const MAIN_NAMES = 60;
/** The most names of all stable entries of the library together, adapters aside. */
const ALL_NAMES = 231;
/** Where the names of adapters are from: each reader needs one adapter, and has one SDK. */
const ADAPTERS = /\/(?:integrations|wire\/(?:ai-sdk|langchain|openai-agents|mastra))\//;
/** The most names of one adapter. */
const ADAPTER_NAMES = 15;
const sources = packageSources();
const byPath = new Map(sources.map((file) => [file.path, file]));
/** Entries of a package; `internal` is for sibling packages only and not pinned. */
const entriesOf = (name: string) =>
  sources.filter(
    ({ path }) => path.startsWith(`packages/${name}/src/entries/`) && !path.endsWith("/internal.ts"),
  );
const entries = PUBLISHED.flatMap(entriesOf);
const subpathOf = (path: string): string =>
  path.replace(/^.*\/src\/entries\/(.*)\.ts$/, "$1").replace(/^index$/, ".");
const manifestOf = (name: string) =>
  JSON.parse(readFileSync(`${ROOT}packages/${name}/package.json`, "utf8")) as {
    bin?: Record<string, string>;
    exports: Record<string, unknown>;
    dependencies?: Record<string, string>;
    peerDependencies?: Record<string, string>;
  };

/** The same for a client of either vendor's SDK: `palimpsest/anthropic` and `palimpsest/openai` have one of each. */
const FOR_BOTH_VENDORS = ["historyTools", "withPalimpsest"];

describe("exports", () => {
  it("are few: each limit can only be lowered, an unstable entry does not count, and adapters have their own", () => {
    const names = entriesOf("palimpsest")
      .filter(({ path }) => subpathOf(path) !== "experimental")
      .map((entry) => [subpathOf(entry.path), exportsOf(entry)] as const);
    expect(new Map(names).get(".")?.length).toBeLessThanOrEqual(MAIN_NAMES);
    const isAdapters = ({ from }: { readonly from: string }): boolean => ADAPTERS.test(from);
    expect(names.flatMap(([, own]) => own.filter((one) => !isAdapters(one))).length).toBeLessThanOrEqual(
      ALL_NAMES,
    );
    for (const [subpath, own] of names)
      expect(own.filter(isAdapters).length, subpath).toBeLessThanOrEqual(ADAPTER_NAMES);
  });

  it("have one meaning: no name is in two entries of the library", () => {
    const names = entriesOf("palimpsest").flatMap((entry) => exportsOf(entry).map(({ name }) => name));
    const twice = names.filter((name, index) => names.indexOf(name) !== index);
    expect(twice.sort()).toEqual(FOR_BOTH_VENDORS);
  });

  it("are the pinned ones; `npx vitest run test/tidy/exports.test.ts -u` pins them anew", async () => {
    const pinsOf = (name: string) =>
      Object.fromEntries(
        entriesOf(name).map((entry) => [
          subpathOf(entry.path),
          exportsOf(entry)
            .map(({ name, isType }) => (isType ? `type ${name}` : name))
            .sort(),
        ]),
      );
    const pins = Object.fromEntries(PUBLISHED.map((name) => [name, pinsOf(name)]));
    const text = `${JSON.stringify(pins, undefined, 2)}\n`;
    await expect(text).toMatchFileSnapshot("./exports.snapshot.json");
  });

  it.each(PUBLISHED)("have one entry file for each subpath of %s", (name) => {
    const { exports } = manifestOf(name);
    const subpaths = Object.keys(exports).filter(
      (path) => path !== "./package.json" && path !== "./internal",
    );
    const named = entriesOf(name)
      .map(({ path }) => subpathOf(path))
      .map((subpath) => (subpath === "." ? "." : `./${subpath}`));
    expect(named.sort()).toEqual(subpaths.sort());
    for (const subpath of named) {
      const file = subpath === "." ? "index" : subpath.slice(2);
      expect(exports[subpath]).toEqual({
        "palimpsest-source": `./src/entries/${file}.ts`,
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
      sourceFile(
        "packages/palimpsest/src/entries/index.ts",
        'export { a, b as c, d, e, type F } from "../base/one.ts";',
      ),
      sourceFile(
        "packages/palimpsest/src/base/one.ts",
        '/** Fine. */\nexport function a() {}\nexport const b = 5;\nexport { d } from "./two.ts";\n/** @internal */\nexport class e {}',
      ),
      sourceFile("packages/palimpsest/src/base/two.ts", "// No.\nexport const d = 5;"),
    ];
    expect(undocumented(files.slice(0, 1), new Map(files.map((file) => [file.path, file])))).toEqual([
      "packages/palimpsest/src/base/one.ts: b has no doc comment",
      "packages/palimpsest/src/base/two.ts: d has no doc comment",
      "packages/palimpsest/src/base/one.ts: e is internal and exported",
      "packages/palimpsest/src/entries/index.ts: F is declared nowhere",
    ]);
  });
});

describe("the sources", () => {
  const others = [...testSources(), ...filesBelow("packages/evaluation/bench", ".mjs", ".mts")];

  it("export no name that no other file uses", () => {
    expect(unusedExports(sources, others)).toEqual([]);
  });

  it("would be caught exporting a name for themselves", () => {
    const [a, b] = ["a", "b"].map((name) => `packages/palimpsest/src/base/${name}.ts`) as [string, string];
    const files = [
      sourceFile(a, "export const own = 1;\nexport const shared = own;"),
      sourceFile(b, 'import { shared } from "./a.ts";'),
    ];
    expect(unusedExports(files)).toEqual([`${a}: own`]);
  });
});

describe("the manifests", () => {
  it("ask for no version of another package, so that npm installs them beside every SDK", () => {
    expect(PACKAGES.map((name) => [name, manifestOf(name).peerDependencies ?? {}])).toEqual([
      ["palimpsest", {}],
      ["palimpsest-testing", { "fast-check": "*" }],
      ["palimpsest-cli", { pg: "*" }],
      ["evaluation", {}],
    ]);
  });

  it("of the library and of its tests depend on nothing but each other", () => {
    expect(manifestOf("palimpsest").dependencies ?? {}).toEqual({});
    expect(Object.keys(manifestOf("palimpsest-testing").dependencies ?? {})).toEqual(["palimpsest"]);
  });

  it("have one version, and siblings of exactly this version", () => {
    const manifests = ["package.json", ...PACKAGES.map((name) => `packages/${name}/package.json`)].map(
      (path) => JSON.parse(readFileSync(`${ROOT}${path}`, "utf8")) as Versioned,
    );
    const version = manifests[0]!.version;
    expect(manifests.map((one) => one.version)).toEqual(manifests.map(() => version));
    const siblings = manifests.flatMap(({ dependencies = {} }) =>
      Object.entries(dependencies).filter(([name]) => name.startsWith("palimpsest")),
    );
    expect(siblings.length).toBeGreaterThan(0);
    for (const [name, wanted] of siblings) expect(wanted, name).toBe(version);
  });
});

interface Versioned {
  readonly version: string;
  readonly dependencies?: Record<string, string>;
}

describe("the published files", () => {
  it("are there when they are named", () => {
    const { bin } = manifestOf("palimpsest-cli");
    for (const target of Object.values(bin ?? {})) {
      const command = `${ROOT}packages/palimpsest-cli/${target}`;
      expect(existsSync(command), target).toBe(true);
      expect(readFileSync(command, "utf8").startsWith("#!/usr/bin/env node\n"), target).toBe(true);
    }
    for (const name of [...PUBLISHED, "palimpsest-cli"])
      for (const file of ["README.md", "LICENSE"])
        expect(existsSync(`${ROOT}packages/${name}/${file}`), `${name}/${file}`).toBe(true);
  });
});
