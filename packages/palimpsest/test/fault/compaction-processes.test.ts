/** Processes that are killed for real in the middle of a compaction, at each of its writes. */
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { nodeFileSystem } from "#stores/platform/node-file-system.ts";
import { compiledLibrary, testFolder } from "../../../../test/helpers/compiled-once.ts";
import { fill, judge } from "./compaction-workload.ts";

const child = join(dirname(fileURLToPath(import.meta.url)), "fixtures/compacting-child.mjs");

describe("a process that is killed in the middle of a compaction", () => {
  let build: string;
  let count = 0;
  beforeAll(() => {
    build = compiledLibrary();
  });

  async function killed(when: string): Promise<{ lastLine: string; window: "old" | "new" }> {
    const root = join(testFolder(), `sessions-${count++}`);
    mkdirSync(root);
    const before = await fill(root, nodeFileSystem);
    const { stdout } = spawnSync(process.execPath, [child, build, root, when], { encoding: "utf8" });
    return {
      lastLine: stdout,
      window: await judge({ root, fs: nodeFileSystem, before, isAcknowledged: true }, `killed at ${when}`),
    };
  }

  it("while the summary is being written finds everything as it was", async () => {
    expect(await killed("summary")).toEqual({ lastLine: "asked\n", window: "old" });
  });

  it("at a write of the boundary finds the old window or the new one", async () => {
    const windows: string[] = [];
    for (let write = 1; ; write++) {
      const { lastLine, window } = await killed(String(write));
      windows.push(window);
      if (lastLine === "asked\ndone\n") break;
      expect(write).toBeLessThan(60);
    }
    expect(windows[0]).toBe("old");
    expect(windows.at(-1)).toBe("new");
    expect(windows.join(" ")).toMatch(/^(old )+(new ?)+$/);
  });
});
