/** The reference documents agree with the source: every error code, every default. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ERROR_CODES } from "#palimpsest/base/errors.ts";
import { compiledLibrary } from "../helpers/compiled-once.ts";
import { EXCEPTIONS } from "./exceptions.ts";
import { ROOT } from "./source.ts";

/** Codes without a section, and sections without a code. */
function differences(codes: readonly string[], document: string): readonly string[] {
  const sections = [...document.matchAll(/^## `?([A-Z][A-Z_]*)`?$/gm)].map((match) => match[1] ?? "");
  const repeated = sections.filter((section, index) => sections.indexOf(section) !== index);
  return [
    ...codes.filter((code) => !sections.includes(code)).map((code) => `${code} has no section`),
    ...sections.filter((section) => !codes.includes(section)).map((section) => `${section} is no code`),
    ...repeated.map((section) => `${section} has two sections`),
  ];
}

describe("docs/reference/errors.md", () => {
  it("has one section for each error code, and for nothing else", () => {
    expect(differences(ERROR_CODES, readFileSync(`${ROOT}docs/reference/errors.md`, "utf8"))).toEqual([]);
  });

  it("would be caught lacking one, inventing one, repeating one", () => {
    expect(differences(["A", "B"], "## A\n\n## `C`\n\n## A\n")).toEqual([
      "B has no section",
      "C is no code",
      "A has two sections",
    ]);
  });

  it("says of each code what happened and what to do", () => {
    const sections = readFileSync(`${ROOT}docs/reference/errors.md`, "utf8").split(/^## /m).slice(1);
    expect(
      sections
        .filter((section) => !section.includes("**What to do.**"))
        .map((section) => section.split("\n")[0]),
    ).toEqual([]);
  });
});

/** The names in the first column of the tables of a reference document. */
function listedNumbers(document: string): readonly string[] {
  return [...document.matchAll(/^\| `([\w-]+)` \|/gm)].map((match) => match[1] ?? "");
}

function checkDefaults(root: string): readonly string[] {
  const script = `${ROOT}scripts/write-defaults-reference.mjs`;
  const { stderr } = spawnSync(process.execPath, [script, "--check", "--root", root], { encoding: "utf8" });
  return stderr.split("\n").filter((line) => line !== "");
}

describe("docs/reference/defaults.md", () => {
  it("is what the source says, and every number has its source", () => {
    expect(checkDefaults(ROOT)).toEqual([]);
  });

  it("lists few numbers: a constant that is not tuned stands where it is used", () => {
    const numbers = listedNumbers(readFileSync(`${ROOT}docs/reference/defaults.md`, "utf8"));
    expect(numbers.length).toBeLessThanOrEqual(EXCEPTIONS.tunables);
    expect(numbers).toContain("referenceWindowTokens");
    expect(
      listedNumbers("| name | value |\n| --- | --- |\n| `one` | `1` | One. |\n| `b-2` | `2` | B. |\n"),
    ).toEqual(["one", "b-2"]);
  });

  it("would be caught with another value, a number without a source, and the same number twice", () => {
    const copy = mkdtempSync(join(tmpdir(), "palimpsest-tidy-"));
    try {
      cpSync(`${ROOT}docs/reference`, join(copy, "docs/reference"), { recursive: true });
      cpSync(
        `${ROOT}packages/palimpsest/src/base/defaults/compaction/window.ts`,
        join(copy, "packages/palimpsest/src/base/defaults/compaction/window.ts"),
      );
      const topic =
        "export const A_DEFAULTS = {\n  /** Why. Source: our choice. */\n  one: 1,\n  two: 2,\n} as const;\n";
      writeTopic(copy, "a.ts", topic);
      writeTopic(
        copy,
        "b.ts",
        topic.replace("A_DEFAULTS", "B_DEFAULTS").replace("two: 2,", "/** Source: x. */ three: 3"),
      );
      expect(checkDefaults(copy)).toEqual([
        "docs/reference/defaults.md differs from the source. Run: npm run docs",
        "packages/palimpsest/src/base/defaults/compaction/window/a.ts: two has no source",
        "one is defined in A_DEFAULTS and again in B_DEFAULTS",
      ]);
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  });
});

function writeTopic(root: string, name: string, text: string): void {
  cpSync(
    `${ROOT}packages/palimpsest/src/base/defaults/compaction/window.ts`,
    join(root, "packages/palimpsest/src/base/defaults/compaction/window", name),
  );
  writeFileSync(join(root, "packages/palimpsest/src/base/defaults/compaction/window", name), text);
}

describe("docs/reference/api/", () => {
  const pages = `${ROOT}docs/reference/api`;
  const check = (folder: string): readonly string[] => {
    const args = [
      `${ROOT}scripts/write-api-reference.mjs`,
      "--check",
      "--from",
      compiledLibrary(),
      "--into",
      folder,
    ];
    const { stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect(status).toBe(stderr === "" ? 0 : 1);
    return stderr.split("\n").filter((line) => line !== "");
  };

  it("is what the source says", () => {
    expect(check(pages)).toEqual([]);
  });

  it("would be caught with a page that differs, a missing one, and one too many", () => {
    const folder = mkdtempSync(join(tmpdir(), "palimpsest-api-"));
    cpSync(pages, folder, { recursive: true });
    writeFileSync(join(folder, "memory.md"), "# `palimpsest/memory`\n");
    writeFileSync(join(folder, "nowhere.md"), "");
    rmSync(join(folder, "otel.md"));
    const problems = check(folder).map((line) => line.split(" ")[0]);
    rmSync(folder, { recursive: true });
    expect(problems).toEqual(
      ["memory.md", "otel.md", "nowhere.md"].map((name) => `docs/reference/api/${name}`),
    );
  });

  it("has every public name with a description, on pages that can be read", () => {
    for (const name of readdirSync(pages)) {
      const page = readFileSync(join(pages, name), "utf8");
      expect(page.split("\n").length, name).toBeLessThanOrEqual(650);
      if (name.endsWith("-options.md")) continue;
      const exported = page.split("\n## Options and results")[0] ?? "";
      const undescribed = [...exported.matchAll(/^### (.+)\n\n(?=```|\||`(?:class|interface) )/gm)];
      expect(undescribed.map(([, one]) => one)).toEqual([]);
    }
  });
});
