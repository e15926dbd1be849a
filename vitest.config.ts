import { defineConfig } from "vitest/config";
import { fromSources, inNode } from "./vitest.shared.ts";

export default defineConfig({
  ...fromSources,
  test: {
    ...inNode,
    include: ["test/**/*.test.ts", "packages/*/test/**/*.test.ts"],
    globalSetup: "test/helpers/compiled-once.ts",
    setupFiles: "test/helpers/seeded-laws.ts",
    exclude: ["**/node_modules/**"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Ending a process takes long on a busy machine; the tests are over by then.
    teardownTimeout: 120_000,
    pool: "forks",
    // Each process runs many files one after the other and imports a module once. A test file must leave no
    // changed environment or global, and a helper has no hook at its top, which would run for the first file only.
    isolate: false,
    // The suite is planned for two cores; a third process works while others wait for children, sockets and disks.
    maxWorkers: 3,
  },
});
