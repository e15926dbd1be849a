/**
 * The long suites, which CI runs: the same laws on many more random histories, and tests that take minutes. They include
 * every test file that uses test/helpers/size-of-run.ts, and the files that only they have, so that every kind of case that
 * the default run leaves out runs here. How often is a question of CI's time: the soak (`vitest.soak.config.ts`) has the full
 * numbers.
 */
import { defineConfig } from "vitest/config";
import { fromSources, inNode, LONG_FILES, slowFilesFirst, testFilesWith } from "./vitest.shared.ts";

/** Files that take minutes start first, and before them those that start very many children (see `vitest.config.ts`). */
const SLOW_FILES = [
  "test/tasks/task-crash.test.ts",
  "packages/palimpsest-cli/test/chat/long-session/long-session.test.ts",
  "packages/palimpsest-cli/test/chat/killed.test.ts",
  "packages/palimpsest-cli/test/chat/terminal/screens.test.ts",
  "packages/palimpsest-cli/test/corpus/replay-contract.test.ts",
  "packages/palimpsest/test/session/policies.test.ts",
  "packages/palimpsest/test/corpus/over-http.test.ts",
  "packages/palimpsest/test/corpus/provider-edits-over-http.test.ts",
  "packages/palimpsest/test/corpus/notes-over-http.test.ts",
  "packages/palimpsest/test/law/agent-faults.law.test.ts",
  "packages/palimpsest/test/session/history/search/segment-files.test.ts",
];

export default defineConfig({
  ...fromSources,
  test: {
    ...inNode,
    include: [...new Set([...testFilesWith(/PALIMPSEST_LONG|\/size-of-run/), ...LONG_FILES])],
    sequence: { sequencer: slowFilesFirst(SLOW_FILES) },
    globalSetup: "test/helpers/compiled-once.ts",
    setupFiles: "test/helpers/seeded-laws.ts",
    env: { PALIMPSEST_LONG: "1" },
    testTimeout: 1_500_000,
    hookTimeout: 300_000,
    // Ending a process takes long on a busy machine; the tests are over by then.
    teardownTimeout: 120_000,
    pool: "forks",
    // The suite is planned for two cores; a third process works while others wait for children, sockets and disks.
    maxWorkers: 3,
  },
});
