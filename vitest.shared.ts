/** Shared by the configurations of Vitest: packages are run from their sources, and the test files are found. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

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

/**
 * Files that only the long run has: each takes a second of the processor or more, for processes, a browser, guides or whole
 * recordings, and other files have cheaper tests of the same code.
 */
export const LONG_FILES = [
  "packages/evaluation/test/bench/import.test.ts",
  "packages/palimpsest-cli/test/chat/commands/commands.test.ts",
  "packages/palimpsest-cli/test/chat/garbage.test.ts",
  "packages/palimpsest-cli/test/chat/killed.test.ts",
  "packages/palimpsest-cli/test/chat/next-sessions.test.ts",
  "packages/palimpsest-cli/test/chat/terminal/screens.test.ts",
  "packages/palimpsest-cli/test/chat/tools/tools.test.ts",
  "packages/palimpsest-cli/test/corpus/anchored-context.test.ts",
  "packages/palimpsest-cli/test/corpus/replay-contract.test.ts",
  "packages/palimpsest-cli/test/mcp/mcp-hostile.test.ts",
  "packages/palimpsest-cli/test/mcp/mcp-process.test.ts",
  "packages/palimpsest-cli/test/replay/page.corpus.test.ts",
  "packages/palimpsest-cli/test/replay/page/page-in-browser.test.ts",
  "packages/palimpsest-cli/test/sessions/page.test.ts",
  "packages/palimpsest-cli/test/worker/worker-process.test.ts",
  "packages/palimpsest-testing/test/scripted-provider/every-fault.test.ts",
  "packages/palimpsest/test/agent/classic.test.ts",
  "packages/palimpsest/test/agent/memory/consolidation/dream-hostile.test.ts",
  "packages/palimpsest/test/agent/memory/kept/corrections.test.ts",
  "packages/palimpsest/test/agent/memory/tool/poisoned-tool.test.ts",
  "packages/palimpsest/test/agent/tasks/mcp/mcp-monitor.test.ts",
  "packages/palimpsest/test/corpus/checked-summaries.test.ts",
  "packages/palimpsest/test/agent/provider-side/provider-edits.test.ts",
  "packages/palimpsest/test/agent/provider-side/provider-summaries.test.ts",
  "packages/palimpsest/test/corpus/notes-over-http.test.ts",
  "packages/palimpsest/test/corpus/notes-updates.test.ts",
  "packages/palimpsest/test/corpus/provider-edits-over-http.test.ts",
  "packages/palimpsest/test/fault/compaction-processes.test.ts",
  "packages/palimpsest/test/fault/memory-processes.test.ts",
  "packages/palimpsest/test/fault/memory-swaps.test.ts",
  "packages/palimpsest/test/fault/notes-processes.test.ts",
  "packages/palimpsest/test/fault/postgres-damage.test.ts",
  "packages/palimpsest/test/fault/session-notes-processes.test.ts",
  "packages/palimpsest/test/fault/shared-session.test.ts",
  "packages/palimpsest/test/host/background/three-days.test.ts",
  "packages/palimpsest/test/host/home/close-on-exit.test.ts",
  "packages/palimpsest/test/importers/codex-corpus.test.ts",
  "packages/palimpsest/test/importers/corpus.test.ts",
  "packages/palimpsest/test/importers/trajectory-damage.test.ts",
  "packages/palimpsest/test/runtime/processes/real-prompts.test.ts",
  "packages/palimpsest/test/session/append/notes-hostile.test.ts",
  "packages/palimpsest/test/session/options/history-tools-named.test.ts",
  "packages/palimpsest/test/session/policies.test.ts",
  "packages/palimpsest/test/stores/platform/memory-attacks.test.ts",
  "packages/palimpsest/test/tokens/prompt-cache/recorded-claude-code-misses.test.ts",
  "test/examples.test.ts",
  "test/tasks/task-crash.test.ts",
];

for (const path of LONG_FILES)
  if (!existsSync(path)) throw new Error(`LONG_FILES names a file that does not exist: ${path}`);

/** They count steps, and the process that did so runs slower ever after (`test/helpers/counted-steps.ts`). */
const LAST_FILES = /\/linear-(?:time|runs)\.test\.ts$/;

/** The order of a run: these files first, those that count steps last. */
export function slowFilesFirst(slowFiles: readonly string[]): typeof BaseSequencer {
  const missing = slowFiles.filter((path) => !existsSync(path));
  if (missing.length > 0) throw new Error(`files that do not exist are to run first: ${missing.join(", ")}`);
  const slow = slowFiles.map((path) => resolve(path));
  const place = ({ moduleId }: TestSpecification): number => {
    if (LAST_FILES.test(moduleId)) return slow.length + 1;
    return slow.includes(moduleId) ? slow.indexOf(moduleId) : slow.length;
  };
  return class SlowFilesFirst extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      return (await super.sort(files)).sort((one, other) => place(one) - place(other));
    }
  };
}

/** The test files whose text matches. */
export function testFilesWith(pattern: RegExp): string[] {
  return testFiles.filter((path) => pattern.test(readFileSync(path, "utf8")));
}
