/**
 * Checks the documents: every `ts`, `js` and `sh` block of the README runs against the built package,
 * and every link leads to a file. Blocks tagged `console` are only shown (installing, building).
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { beforeAll, describe, expect, it } from "vitest";
import { isLong } from "../helpers/size-of-run.ts";
import { type Block, BuiltPackage, type RunOutcome } from "./built-package.ts";
import { codeBlocks, fileLinks } from "./markdown.ts";
import { filesBelow, ROOT } from "./source.ts";
import { STAND_IN_ANSWER } from "./stand-in-provider.ts";

const RUN = ["ts", "js", "sh"];
const SHOWN_ONLY = ["console", "text", "json", "mermaid", "diff"];

const readme = readFileSync(`${ROOT}README.md`, "utf8");
const runnable = codeBlocks(readme).filter(({ language }) => RUN.includes(language));

/** Blocks of the shell start the command, so they are part of the long run. */
const run = runnable.filter(({ language }) => isLong || language !== "sh");
const WRONG = [
  { language: "ts", code: 'const wrong: number = "text";', says: "TS2322", why: "does not compile" },
  {
    language: "ts",
    code: 'import { nothing } from "palimpsest/nowhere";',
    says: "palimpsest/nowhere",
    why: "imports what is not there",
  },
  { language: "js", code: "process.exitCode = 3;", says: "", why: "fails when it runs" },
  { language: "sh", code: "false\ntrue", says: "", why: "fails in its first line" },
  {
    language: "js",
    code: `import Anthropic from "@anthropic-ai/sdk";
        const messages = [{ role: "user", content: "" }];
        await new Anthropic().messages.create({ model: "claude-opus-5-5", max_tokens: 9, messages });`,
    says: "must have non-empty content",
    why: "sends what the vendor refuses",
  },
];
const GOOD = [
  { language: "ts", code: "const right: number = 5;\nif (right !== 5) process.exit(1);" },
  { language: "js", code: 'import "palimpsest/package.json" with { type: "json" };' },
  { language: "sh", code: "test -d node_modules/palimpsest/dist" },
];

it("gives each command that `.ci/run` takes from it a line", () => {
  const script = readFileSync(`${ROOT}.ci/run`, "utf8");
  const commands = [...script.matchAll(/^readonly \w+_command='(.+)'$/gm)].map(([, command]) => command);
  expect(commands.length).toBeGreaterThan(0);
  const lines = readme.split("\n");
  expect(commands.filter((command) => !lines.includes(command!))).toEqual([]);
});

describe("README.md", () => {
  const outcomes = new Map<Block, RunOutcome>();
  beforeAll(() => {
    const installed = new BuiltPackage();
    try {
      const blocks = [...run, ...WRONG, ...GOOD];
      installed.runBlocks(blocks).forEach((outcome, index) => {
        outcomes.set(blocks[index]!, outcome);
      });
    } finally {
      installed.remove();
    }
  });

  it("tags every block as one that runs or one that is only shown", () => {
    const unknown = codeBlocks(readme).filter(
      ({ language }) => !RUN.includes(language) && !SHOWN_ONLY.includes(language),
    );
    expect(unknown).toEqual([]);
  });

  it.each(run)("runs its $language block of line $line", (block) => {
    const { exitCode, output } = outcomes.get(block)!;
    expect(exitCode, output).toBe(0);
  });

  it("fits on three screens", () => {
    const screenLines = readme.split("\n").map((line) => Math.max(1, Math.ceil(line.length / 120)));
    expect(screenLines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(150);
  });

  it("has a block that asks a vendor's SDK, and the stand-in for the vendor answers it", () => {
    const asking = runnable.filter(({ code }) => code.includes("new Anthropic()"));
    expect(asking.map((block) => outcomes.get(block))).toEqual([
      { exitCode: 0, output: `${STAND_IN_ANSWER}\n` },
    ]);
  });

  it.each(WRONG)("would be caught with a $language block that $why", (block) => {
    const { exitCode, output } = outcomes.get(block)!;
    expect(exitCode).not.toBe(0);
    expect(output).toContain(block.says);
  });

  it.each(GOOD)("runs a good $language block where the package is installed", (block) => {
    const { exitCode, output } = outcomes.get(block)!;
    expect(exitCode, output).toBe(0);
  });
});

describe("the README of a package", () => {
  it.each([
    "palimpsest",
    "palimpsest-testing",
    "palimpsest-cli",
  ])("%s says how to begin, and links to no file", (name) => {
    // What it shows runs in `compat/package/tarballs.test.ts`.
    const text = readFileSync(`${ROOT}packages/${name}/README.md`, "utf8");
    expect(text).toMatch(new RegExp(`^npm install (?:--[\\w-]+ )?${name}$`, "m"));
    expect(fileLinks(text)).toEqual([]);
  });
});

describe("links in the documents", () => {
  const documents = [
    ...[
      "README.md",
      "ARCHITECTURE.md",
      "STYLE.md",
      "AGENTS.md",
      "CONTRIBUTING.md",
      "SECURITY.md",
      "CHANGELOG.md",
    ].map((path) => ({ path, text: readFileSync(`${ROOT}${path}`, "utf8") })),
    ...filesBelow("docs", ".md"),
  ];

  it("lead to files that are there", () => {
    const broken = documents.flatMap(({ path, text }) =>
      fileLinks(text)
        .filter((target) => !existsSync(join(ROOT, dirname(path), target)))
        .map((target) => `${path} → ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it("are found in prose and not in code", () => {
    expect(fileLinks("[a](b.md#c) `[d](e.md)` [f](https://g) [h](#i)\n```md\n[j](k.md)\n```\n")).toEqual([
      "b.md",
    ]);
  });
});

describe("AGENTS.md", () => {
  it("is short enough to be read whole", () => {
    expect(readFileSync(`${ROOT}AGENTS.md`, "utf8").split("\n").length - 1).toBeLessThanOrEqual(60);
  });
});
