/**
 * A soak: the laws and the killed processes, many times more often than in the long run. It takes hours and looks
 * for what is rare; CI does not run it. To it belongs every test file that gives a size for `soak`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

const soaked = readdirSync("test", { recursive: true, encoding: "utf8" })
  .map((path) => `test/${path.replaceAll("\\", "/")}`)
  .filter((path) => path.endsWith(".test.ts") && /\bsoak: /.test(readFileSync(path, "utf8")));

export default defineConfig({
  test: {
    include: soaked,
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
