/**
 * The numbered examples, and every code block of the how-to guides, run against the built package, as
 * a user who installed it would run them. The blocks of JavaScript of one guide are modules of one process:
 * reading the package takes longer than most of them do.
 */
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLong, usualFew } from "./helpers/size-of-run.ts";
import { BuiltPackage, type RunOutcome } from "./tidy/built-package.ts";
import { codeBlocks } from "./tidy/markdown.ts";
import { filesBelow, ROOT } from "./tidy/source.ts";

const FOLDER = `${ROOT}examples/`;
const names = readdirSync(FOLDER).filter((name) => name.endsWith(".mjs"));
const guideBlocks = filesBelow("docs/how-to", ".md").flatMap(({ path, text }) =>
  codeBlocks(text)
    // TypeScript needs the framework that the guide is for: `compat/shared/guides.test.ts` runs it.
    // Text is settings of other programs, and lines that start a server.
    .filter(({ language }) => language !== "ts" && language !== "text")
    .map((block) => ({ path, ...block })),
);
const textOf = (name: string): string => readFileSync(`${FOLDER}${name}`, "utf8");

let installed: BuiltPackage;
beforeAll(() => {
  installed = new BuiltPackage();
});
afterAll(() => installed?.remove());

describe("examples", () => {
  it("are numbered without a gap", () => {
    const numbers = names.map((name) => Number(/^(\d\d)-[a-z0-9-]+\.mjs$/.exec(name)?.[1]));
    expect(numbers).toEqual(names.map((_, index) => index + 1));
  });

  it.each(usualFew(names, 5, 1))("%s holds what it claims", (name) => {
    const { exitCode, output } = installed.runJavaScript(textOf(name));
    expect(exitCode, output).toBe(0);
  });

  it.each(names)("%s imports the package by its name and checks something", (name) => {
    const code = textOf(name);
    expect(code).toMatch(/from "palimpsest(?:\/[a-z]+)?"/);
    expect(code).not.toMatch(/from "\.\.?\//);
    expect(code).toMatch(/\bassert\.\w+\(/);
  });

  it("have an agent in forty lines that is no longer", () => {
    const code = textOf("09-an-agent-in-forty-lines.mjs");
    const agent = /^\/\/ ---- the agent\n(.*?)^\/\/ ---- the agent's end/ms.exec(code)?.[1] ?? "";
    expect(agent).toContain("session.turn(");
    expect(agent.split("\n").filter((line) => line !== "").length).toBeLessThanOrEqual(40);
  });

  it("would be caught claiming what is not so", () => {
    const claim = 'await session.close();\nassert.equal(sessionId, "another");';
    const wrong = textOf("01-one-turn.mjs").replace("await session.close();", claim);
    expect(installed.runJavaScript(wrong).exitCode).not.toBe(0);
  });

  it("are each named in a document", () => {
    const documents = filesBelow("docs", ".md").map(({ text }) => text);
    const unnamed = names.filter((name) => !documents.some((text) => text.includes(`examples/${name}`)));
    expect(unnamed).toEqual([]);
  });
});

describe("the blocks of the how-to guides", () => {
  type GuideBlock = (typeof guideBlocks)[number];
  const ran = new Map<GuideBlock, RunOutcome>();
  /** With the first block of a guide, all of them run. */
  const runModule = (block: GuideBlock): RunOutcome => {
    if (!ran.has(block)) {
      const modules = guideBlocks.filter(({ path, language }) => path === block.path && language === "js");
      const outcomes = installed.runModules(modules.map(({ code }) => code));
      outcomes.forEach((outcome, index) => {
        ran.set(modules[index]!, outcome);
      });
    }
    return ran.get(block)!;
  };
  const run: Readonly<Record<string, (block: GuideBlock) => RunOutcome>> = {
    js: runModule,
    sh: ({ code }) => installed.runShell(code),
    // Settings of another program: at least it can read them.
    json: ({ code }) => installed.runJavaScript(`JSON.parse(${JSON.stringify(code)});`),
  };

  it("are of a kind that can be run", () => {
    expect(guideBlocks.length).toBeGreaterThan(0);
    expect(guideBlocks.filter(({ language }) => !Object.hasOwn(run, language))).toEqual([]);
  });

  // They start the library or the command again and again, so they are part of the long run.
  it.runIf(isLong).each(guideBlocks)("$path runs from line $line", (block) => {
    const { exitCode, output } = run[block.language]!(block);
    expect(exitCode, output).toBe(0);
  });

  it.each([
    { codes: ["", "throw new RangeError('no');", ""], exitCodes: [0, 1, 0], why: "one that throws" },
    { codes: ["process.exitCode = 3;", ""], exitCodes: [3, 0], why: "one that says that it failed" },
    { codes: ["", "process.exit(0);", ""], exitCodes: [0, null, null], why: "one that ends the process" },
    {
      codes: ["", "queueMicrotask(() => { throw new RangeError('late'); });"],
      exitCodes: [0, 1],
      why: "one that fails when it seems to be over",
    },
    {
      codes: ["", 'setTimeout(() => { throw new RangeError("late"); }, 100);'],
      exitCodes: [0, 1],
      why: "one that fails after it",
    },
  ])("tell $why", ({ codes, exitCodes }) => {
    expect(installed.runModules(codes).map(({ exitCode }) => exitCode)).toEqual(exitCodes);
  });
});
