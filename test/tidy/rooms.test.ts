/** Rooms, arrows, purity, cycles: held to by the imports themselves. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  importCycles,
  impurities,
  oracleImports,
  ROWS,
  undeclaredPackages,
  unusedDoors,
  wrongArrows,
} from "./rooms.ts";
import { filesBelow, ROOT, sourceFile } from "./source.ts";

const sources = filesBelow("src", ".ts");

describe("rooms", () => {
  it("import only what is below them", () => {
    expect(wrongArrows(sources)).toEqual([]);
  });

  it.each([
    { from: "src/transcript/a.ts", to: "../tokens/b.ts", why: "up" },
    { from: "src/ports/a.ts", to: "../formats/b.ts", why: "sideways" },
    { from: "src/adapters/files/a.ts", to: "../../engine/b.ts", why: "an adapter that sees the engine" },
    { from: "src/base/a.ts", to: "../../scripts/b.ts", why: "out of the house" },
    { from: "src/lobby/a.ts", to: "./b.ts", why: "a room that is on no map" },
  ])("would be caught importing $why", ({ from, to }) => {
    expect(wrongArrows([sourceFile(from, `import type { B } from "${to}";`)])).toHaveLength(1);
  });

  it("have no door that nobody uses", () => {
    expect(unusedDoors(sources)).toEqual([]);
    expect(unusedDoors([])).not.toEqual([]);
  });

  it("have doors for one file, not for its folder", () => {
    const text = 'import { f } from "../testing/wire-oracle/violation.ts";';
    expect(wrongArrows([sourceFile("src/hosts/a.ts", text)])).toHaveLength(1);
  });

  it("are drawn in ARCHITECTURE.md as they are", () => {
    const drawing = readFileSync(`${ROOT}ARCHITECTURE.md`, "utf8");
    const drawn = [...drawing.matchAll(/^(\d) {2}([a-z· |]+?)(?: {2,}.*)?$/gm)];
    const rows = drawn.map(([, row, rooms]) => [
      Number(row),
      (rooms ?? "").split(/[·|]/).map((room) => room.trim()),
    ]);
    expect(rows).toEqual(ROWS.map((rooms, row) => [row, rooms]).reverse());
  });
});

describe("the wire oracle", () => {
  it("imports nothing but itself, so that it cannot excuse what it judges", () => {
    expect(oracleImports(sources)).toEqual([]);
  });

  it("would be caught sharing a type", () => {
    const text = 'import type { Message } from "../../transcript/messages.ts";';
    expect(oracleImports([sourceFile("src/testing/wire-oracle/a.ts", text)])).toHaveLength(1);
  });
});

describe("pure rooms", () => {
  it("have no effects", () => {
    expect(impurities(sources)).toEqual([]);
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
    expect(impurities([sourceFile("src/tokens/a.ts", text)])).not.toEqual([]);
  });

  it.each([
    "// Date.now() in a comment",
    'const text = "process.exit()";',
    "const at = new Date(ms).toISOString();",
    "const now = clock.performance.now();",
    "const result = client.fetch(url);",
  ])("may say %s", (text) => {
    expect(impurities([sourceFile("src/tokens/a.ts", text)])).toEqual([]);
  });
});

describe("imports", () => {
  it("never come back to where they began", () => {
    expect(importCycles(sources)).toEqual([]);
  });

  it("would be caught in a circle, and may mention types in one", () => {
    const circle = (keyword: string) => [
      sourceFile("src/base/a.ts", `${keyword} { b } from "./b.ts";`),
      sourceFile("src/base/b.ts", `${keyword} { a } from "./a.ts";`),
    ];
    expect(importCycles(circle("import"))).toEqual(["src/base/a.ts → src/base/b.ts → src/base/a.ts"]);
    expect(importCycles(circle("import type"))).toEqual([]);
  });

  it("name only packages that come along with ours", () => {
    const manifest = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")) as Record<
      string,
      object | undefined
    >;
    const declared = new Set(Object.keys({ ...manifest["dependencies"], ...manifest["peerDependencies"] }));
    expect(undeclaredPackages(sources, declared)).toEqual([]);
    const sample = sourceFile("src/hosts/a.ts", 'import { b } from "@scope/left-pad/b";');
    expect(undeclaredPackages([sample], declared)).toEqual([
      "src/hosts/a.ts imports @scope/left-pad, which is no dependency of the package",
    ]);
  });
});
