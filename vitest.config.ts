import { defineConfig } from "vitest/config";
import { fromSources, inNode, LONG_FILES, slowFilesFirst } from "./vitest.shared.ts";

/**
 * Files that take longest, for their children, a browser or a database. They start first, so that none runs alone at
 * the end. So do files that start very many children, which is far dearer from a process that has grown large.
 */
const SLOW_FILES = [
  "packages/palimpsest/test/runtime/processes/node-task-processes.test.ts",
  "packages/palimpsest/test/stores/postgres/postgres-session-store.test.ts",
  "test/tidy/readme.test.ts",
  "packages/palimpsest/test/session/history/search/segment-files.test.ts",
  "packages/palimpsest/test/session/history/digest-points.test.ts",
  "packages/palimpsest/test/fault/postgres.test.ts",
  "packages/palimpsest/test/agent/strategies.test.ts",
  "packages/palimpsest-cli/test/sessions/process.test.ts",
  "packages/palimpsest/test/fault/real-disk.test.ts",
  "packages/palimpsest/test/runtime/working-copy/git-status.test.ts",
  "packages/palimpsest/test/stores/files/list/session-lists.test.ts",
  "test/tidy/light.test.ts",
  "packages/palimpsest/test/corpus/over-http.test.ts",
  "packages/palimpsest/test/session/history/read-back.test.ts",
  "packages/palimpsest-cli/test/chat/run.test.ts",
  "packages/palimpsest/test/agent/turn/refusing-provider.test.ts",
  "packages/palimpsest/test/agent/tasks/many-and-hostile.test.ts",
  "packages/palimpsest/test/agent/tasks/session-tasks.test.ts",
  "packages/palimpsest-cli/test/tasks/tasks.test.ts",
  "packages/palimpsest/test/host/background/background-work.test.ts",
  "packages/palimpsest/test/host/home/start-context.test.ts",
  "packages/palimpsest/test/host/create-palimpsest.test.ts",
];

export default defineConfig({
  ...fromSources,
  test: {
    ...inNode,
    include: ["test/**/*.test.ts", "packages/*/test/**/*.test.ts"],
    sequence: { sequencer: slowFilesFirst(SLOW_FILES) },
    globalSetup: "test/helpers/compiled-once.ts",
    setupFiles: "test/helpers/seeded-laws.ts",
    exclude: ["**/node_modules/**", ...LONG_FILES],
    // Only what hangs takes as long, however busy the machine is.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 300_000,
    pool: "forks",
    // Each process runs many files one after the other and imports a module once. A test file must leave no
    // changed environment or global, and a helper has no hook at its top, which would run for the first file only.
    isolate: false,
    // The suite is planned for two cores; a third process works while others wait for children, sockets and disks.
    maxWorkers: 3,
  },
});
