/**
 * The tutorial, followed to the letter in an empty project: its files are saved under their names, its commands run in
 * order, and what they print is what it shows, up to figures.
 */
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { codeBlocks } from "../../test/tidy/markdown.ts";
import { ROOT } from "../../test/tidy/source.ts";
import { EmptyProject } from "../shared/empty-project.ts";

const tutorial = readFileSync(`${ROOT}docs/tutorial.md`, "utf8");
const blocks = codeBlocks(tutorial);
const lines = tutorial.split("\n");

let project: EmptyProject;
beforeAll(() => {
  project = new EmptyProject();
  mkdirSync(join(project.folder, "src"));
  mkdirSync(join(project.folder, "node_modules/.bin"));
  for (const name of ["@anthropic-ai/sdk", "zod", "typescript", "@types/node"]) {
    const link = join(project.folder, "node_modules", name);
    mkdirSync(join(link, ".."), { recursive: true });
    // What the commands depend on is there already.
    if (!existsSync(link)) symlinkSync(`${ROOT}node_modules/${name}`, link);
  }
  for (const [command, target] of [
    ["tsc", "typescript/bin/tsc"],
    ["palimpsest", "palimpsest-cli/bin/palimpsest.mjs"],
  ] as const)
    symlinkSync(join("..", target), join(project.folder, "node_modules/.bin", command));
});
afterAll(() => project?.remove());

it("works as it says, step by step", () => {
  let printed = "";
  const compared: string[] = [];
  for (const { language, code, line } of blocks) {
    if (language === "console") continue;
    if (language === "sh") {
      const { exitCode, output } = project.run("sh", ["-e", "-u", "-c", code], {
        npm_config_offline: "true",
        npm_config_update_notifier: "false",
        npm_config_loglevel: "error",
      });
      expect(exitCode, `line ${line}: ${output}`).toBe(0);
      printed = output;
    } else if (language === "text") {
      expect(withoutFigures(printed), `line ${line}`).toBe(withoutFigures(code));
      compared.push(code);
    } else project.write(nameOfFile(line), `${code}\n`);
  }
  expect(compared.length).toBeGreaterThanOrEqual(6);
});

it("installs everything that its programs import", () => {
  const installed = blocks
    .filter(({ language }) => language === "console")
    .flatMap(({ code }) => code.split(/\s+/));
  const imported = blocks
    .flatMap(({ code }) => [...code.matchAll(/ from "((?:@[\w-]+\/)?[\w-]+)/g)])
    .map(([, name]) => name);
  expect(imported.length).toBeGreaterThan(5);
  expect(installed).toEqual(expect.arrayContaining(imported));
});

/** A file is saved under the name in the last line before its block. */
function nameOfFile(line: number): string {
  const name = /^Save as `([\w./-]+)`:$/.exec(lines[line - 3] ?? "")?.[1];
  if (name === undefined) throw new Error(`The block of line ${line} has no name to be saved under.`);
  return name;
}

/** Figures and bars depend on estimates, which improve. */
function withoutFigures(text: string): string {
  return text
    .replace(/[█▓·░]{2,}/g, "bar")
    .replace(/\d[\d.,]*/g, "0")
    .replace(/\s+/g, " ")
    .trim();
}
