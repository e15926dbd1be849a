/**
 * The long suites: the same laws on many more random histories, and what takes minutes. To them belongs
 * every test that asks for PALIMPSEST_LONG, itself or by test/helpers/size-of-run.ts, so that what the default run
 * thins out is run whole here.
 */
import { readdirSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

const longer = readdirSync("test", { recursive: true, encoding: "utf8" })
  .map((path) => `test/${path.replaceAll("\\", "/")}`)
  .filter((path) => path.endsWith(".test.ts"))
  .filter((path) => /PALIMPSEST_LONG|helpers\/size-of-run/.test(readFileSync(path, "utf8")));

export default defineConfig({
  test: {
    include: longer,
    globalSetup: "test/helpers/compiled-once.ts",
    setupFiles: "test/helpers/seeded-laws.ts",
    env: { PALIMPSEST_LONG: "1" },
    testTimeout: 1_500_000,
    hookTimeout: 300_000,
    // A busy machine takes its time to end a process; the tests themselves are over by then.
    teardownTimeout: 120_000,
    pool: "forks",
    // Left to itself, vitest keeps one of two cores free.
    maxWorkers: 2,
  },
});
