/**
 * The soak test: the laws and the killed processes, many times more often than in the long run, and 200 sessions that
 * live in one process for 20 minutes. It takes hours and looks for rare failures; CI runs short forms of it. It includes every test file that gives a size for `soak`.
 */
import { defineConfig } from "vitest/config";
import { fromSources, inNode, testFilesWith } from "./vitest.shared.ts";

export default defineConfig({
  ...fromSources,
  test: {
    ...inNode,
    include: testFilesWith(/\bsoak: /),
    globalSetup: "test/helpers/compiled-once.ts",
    setupFiles: "test/helpers/seeded-laws.ts",
    env: { PALIMPSEST_LONG: "soak" },
    testTimeout: 86_400_000,
    hookTimeout: 300_000,
    teardownTimeout: 120_000,
    pool: "forks",
    maxWorkers: 2,
  },
});
