/** The long suites: the same laws on many more random histories, and what takes minutes. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      "test/law/**/*.test.ts",
      "test/corpus/*.test.ts",
      "test/adapters/files/fencing.test.ts",
      "test/fault/clean-up.test.ts",
      "test/fault/damaged-log.test.ts",
      "test/fault/damaged-session/**/*.test.ts",
      "test/fault/leased-session.test.ts",
      "test/fault/random-damage.test.ts",
      "test/fault/shared-session.test.ts",
      "test/hosts/cli/page/page.corpus.test.ts",
    ],
    globalSetup: "test/helpers/compiled-once.ts",
    env: { PALIMPSEST_LONG: "1" },
    testTimeout: 1_500_000,
    hookTimeout: 300_000,
    pool: "forks",
  },
});
