import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: "test/helpers/compiled-once.ts",
    setupFiles: "test/helpers/seeded-laws.ts",
    exclude: ["test/long/**", "node_modules/**"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A busy machine takes its time to end a process; the tests themselves are over by then.
    teardownTimeout: 120_000,
    pool: "forks",
    // Every process runs many files one after the other, so what they import is read once. A file leaves
    // nothing behind: no changed environment or global, and no hook at the top of a helper, which would
    // run for the first file only.
    isolate: false,
    // Two cores are what the suite is planned for; the longest file takes about half of it.
    maxWorkers: 2,
  },
});
