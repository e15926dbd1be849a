/** Temporary folders: gone after a run, and swept after a run that was killed. */
import { existsSync, mkdirSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { describeError } from "#terminal/error-report.ts";
import { sweep, withTempFolder } from "#terminal/temp-folder.ts";
import { testFolder } from "../../../../test/helpers/recordings.ts";

describe("sweep", () => {
  it("removes what killed runs left behind, and nothing else", () => {
    const root = testFolder();
    const [old, young] = [new Date("2025-01-01"), new Date("2025-01-03")];
    for (const [name, at] of [
      ["palimpsest-run-abc123", old],
      ["palimpsest-run-def456", young],
      ["palimpsest-backup", old],
      ["palimpsest-run-of-mine", old],
    ] as const) {
      mkdirSync(join(root, name));
      utimesSync(join(root, name), at, at);
    }
    sweep(root, Date.parse("2025-01-02"));
    expect(readdirSync(root).sort()).toEqual([
      "palimpsest-backup",
      "palimpsest-run-def456",
      "palimpsest-run-of-mine",
    ]);
  });
});

describe("withTempFolder", () => {
  it("removes the folder whatever happens in it", async () => {
    let seen = "";
    const failed = withTempFolder(async (folder) => {
      seen = folder;
      expect(existsSync(folder)).toBe(true);
      throw new Error("stop");
    });
    await expect(failed).rejects.toThrow("stop");
    expect(existsSync(seen)).toBe(false);
  });

  it("names TMPDIR where none can be made", async () => {
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = join(testFolder(), "missing");
    try {
      const error: unknown = await withTempFolder(async () => undefined).catch((thrown: unknown) => thrown);
      expect(describeError(error)).toMatchObject({
        code: "STORE_FAILED",
        hint: "Set TMPDIR to a writable folder with free space.",
      });
    } finally {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
    }
  });
});
