/**
 * The long suites: the same laws on many more random histories, and tests that take minutes. They include every test
 * file that reads PALIMPSEST_LONG, itself or through test/helpers/size-of-run.ts, and the files that only they have, so
 * that all that the default run leaves out runs here.
 */
import { defineConfig } from "vitest/config";
import { fromSources, inNode, LONG_FILES, testFilesWith } from "./vitest.shared.ts";

export default defineConfig({
  ...fromSources,
  test: {
    ...inNode,
    include: [...new Set([...testFilesWith(/PALIMPSEST_LONG|\/size-of-run/), ...LONG_FILES])],
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
