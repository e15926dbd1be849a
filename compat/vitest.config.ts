/**
 * The adapters inside the real loops of other frameworks, over HTTP. The frameworks are installed in `compat/`, with a
 * separate lockfile; Vitest and the sources of the packages are those of the repository.
 */
import { resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { fromSources, inNode } from "../vitest.shared.ts";

// Without the builds for bundlers: those of OpenTelemetry name no file endings, so that Node cannot load them.
const conditions = fromSources.resolve.conditions.filter((condition) => condition !== "module");

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  root: resolve(import.meta.dirname, ".."),
  test: {
    ...inNode,
    include: ["compat/*/*.test.ts"],
    exclude: ["**/node_modules/**"],
    // Only what hangs takes as long, however busy the machine is.
    testTimeout: 600_000,
    hookTimeout: 300_000,
    pool: "forks",
    // A session of 300 turns has another process beside the provider's.
    maxWorkers: 2,
  },
});
