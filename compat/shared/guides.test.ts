/**
 * The TypeScript of the how-to guides for other frameworks: compiled in strict mode against the frameworks' own types, and
 * run against a stand-in for the vendors. Guides without a framework are tested by the repository's own suite.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ScriptedProvider, say, scriptedProvider } from "palimpsest-testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeBlocks } from "../../test/tidy/markdown.ts";
import { filesBelow, ROOT } from "../../test/tidy/source.ts";
import { inNode } from "../../vitest.shared.ts";

const blocks = filesBelow("docs/how-to", ".md").flatMap(({ path, text }) =>
  codeBlocks(text)
    .filter(({ language }) => language === "ts")
    .map((block) => ({ path, ...block })),
);

let folder: string;
let provider: ScriptedProvider;
let compiled: { readonly exitCode: number; readonly output: string };
beforeAll(async () => {
  folder = mkdtempSync(`${ROOT}compat/guides-`);
  const compilerOptions = { moduleDetection: "force" };
  const options = { extends: "../tsconfig.json", compilerOptions, include: ["*.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options));
  for (const { file, code } of cases) writeFileSync(join(folder, file), code);
  provider = await scriptedProvider({ script: () => say("The stand-in for the vendor answers.") });
  // All together: reading the types of the frameworks takes longer than any of the programs.
  compiled = await run([`${ROOT}node_modules/typescript/bin/tsc`, "--noEmit", "-p", "."]);
});
afterAll(async () => {
  await provider?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs Node in the folder; the SDKs find the stand-in for the vendors in the environment. */
async function run(
  args: readonly string[],
  anthropicUrl = provider.url,
): Promise<{ readonly exitCode: number; readonly output: string }> {
  const vendors = {
    ANTHROPIC_API_KEY: "any",
    ANTHROPIC_BASE_URL: anthropicUrl,
    OPENAI_API_KEY: "any",
    OPENAI_BASE_URL: provider.openAiUrl,
  };
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, HOME: folder, ...vendors },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (piece: Buffer) => {
      output += String(piece);
    });
  const [exitCode] = (await once(child, "close")) as [number];
  return { exitCode, output };
}

/**
 * Blocks for the AI SDK run with each of its majors, which are installed under other names. The types of
 * Mastra 1.71 do not take the models of 7.
 */
const USES_AI_SDK = /from "ai"|from "@ai-sdk\//;
const cases = blocks
  .flatMap((block) =>
    USES_AI_SDK.test(block.code)
      ? (block.code.includes("@mastra/core") ? [5, 6] : [5, 6, 7]).map((major) => ({
          ...block,
          path: `${block.path} (ai ${major})`,
          code: block.code.replace(/from "(ai|@ai-sdk\/\w+)"/g, `from "$1-${major}"`),
          // Its provider names the version of the API itself.
          usesAiSdk: true,
        }))
      : [{ ...block, usesAiSdk: false }],
  )
  .map((block, index) => ({ ...block, file: `guide-${index}.ts` }));

/** The compiler's messages about one file: lines that begin with its name, and indented ones. Else of none, or of all. */
function errorsOf(file: string): string {
  const errors = compiled.output.split(/^(?!\s)/m);
  const isPlaced = errors.every((error) => /^guide-\d+\.ts\(/.test(error));
  if (compiled.exitCode !== 0 && !isPlaced) return `It ended with ${compiled.exitCode}: ${compiled.output}`;
  return errors.filter((error) => error.startsWith(`${file}(`)).join("");
}

describe("the guides for frameworks", () => {
  it.each(cases)("$path compiles and runs from line $line", async ({ file, usesAiSdk }) => {
    expect(errorsOf(file)).toBe("");
    const url = usesAiSdk ? provider.openAiUrl : provider.url;
    const { exitCode, output } = await run([...inNode.execArgv, file], url);
    expect(exitCode, output).toBe(0);
  });
});
