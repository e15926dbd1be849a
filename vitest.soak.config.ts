/**
 * The soak: every test file that gives a size for `soak`, in full. It takes hours, and looks for rare failures.
 *
 * CI runs the same files by `npm run test:long`, where each has every kind of case once: some hundreds of random histories
 * of a law instead of thousands; every third operation that fails; each recording in one window and one class; each wire
 * in one window; two chat sessions of 300 and 600 turns; 30 killed chats. Here are all of them: every operation, every
 * window of every recording, every secret at every cut, four chat sessions of 600 turns, 100 killed chats, and 200
 * sessions that live in one process for 20 minutes. `npm run soak -- FILE` runs one file in full.
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
