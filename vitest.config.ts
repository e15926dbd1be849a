import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: "test/helpers/compiled-once.ts",
    exclude: ["test/long/**", "node_modules/**"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: "forks",
    // Two cores are what the suite is planned for; the longest file takes about half of it.
    maxWorkers: 2,
  },
});
