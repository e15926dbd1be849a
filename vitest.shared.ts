/** Shared by the configurations of Vitest: packages are run from their sources, and the test files are found. */
import { readdirSync, readFileSync } from "node:fs";

const conditions = ["palimpsest-source"];

/**
 * How the processes of a run load sources: by Node itself, with the types taken out. That costs a third less of the
 * processor than loading them through Vite, which is left with the test files.
 */
export const inNode = {
  execArgv: [
    `--import=${new URL("test/helpers/typescript-loader.mjs", import.meta.url).href}`,
    ...conditions.map((condition) => `--conditions=${condition}`),
  ],
  server: { deps: { external: [/\/packages\/[^/]+\/src\//] } },
  // Vitest waits a second for what is polled; on a busy machine that is nothing.
  expect: { poll: { timeout: 250_000, interval: 10 } },
};

/** Resolves the packages to their sources, so that no class exists twice. */
export const fromSources = {
  resolve: { conditions: [...conditions, "module", "node", "development|production"] },
  ssr: { resolve: { conditions: [...conditions, "module", "node", "development|production"] } },
};

/** Every test file, as a path from the root. */
const testFiles = ["test", ...readdirSync("packages").map((name) => `packages/${name}/test`)].flatMap(
  (folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
      .filter((path) => path.endsWith(".test.ts")),
);

/** The test files whose text matches. */
export function testFilesWith(pattern: RegExp): string[] {
  return testFiles.filter((path) => pattern.test(readFileSync(path, "utf8")));
}
