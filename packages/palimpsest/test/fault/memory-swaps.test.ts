/**
 * A process exchanges folders and files of the memory directory for links that lead out of it, all the time, while
 * another one reads and writes below them: nothing outside is ever read or changed. This is promised where folders
 * have handles; `exchanged-folder.test.ts` tests what is promised elsewhere.
 */
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { FileSystem } from "#ports/file-system.ts";
import type { MemoryStore } from "#ports/memory-store.ts";
import { confinedFileSystem } from "#stores/platform/confined-file-system.ts";
import { memoryProcesses } from "#test/helpers/memory-stores.ts";
import { outsideOf, SECRET, type TrapPlace, trapPlace } from "#test/helpers/memory-traps.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";

const SCRIPT = join(dirname(fileURLToPath(import.meta.url)), "fixtures/swapping-child.mjs");
/** The script prints one character for so many swaps. */
const SWAPS_IN_A_ROUND = 1_000;
const isLinux = process.platform === "linux";

interface Tally {
  tries: number;
  passed: number;
}

function racePlace(): TrapPlace {
  const place = trapPlace();
  mkdirSync(join(place.memory, "sub"));
  for (const name of ["a.md", "sub/a.md"]) writeFileSync(join(place.memory, name), "# Mine\n");
  return place;
}

/** Repeats the work so many times while a process exchanges folders, and until it did so often enough; returns how often. */
async function raced(
  place: TrapPlace,
  leastTries: number,
  work: (count: number) => Promise<void>,
): Promise<number> {
  const child = spawn(process.execPath, [SCRIPT, place.memory, place.outside], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let swaps = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => (swaps += text.length * SWAPS_IN_A_ROUND));
  const ended = new Promise((done) => child.on("close", done));
  for (let count = 0; count < leastTries || swaps < 2 * SWAPS_IN_A_ROUND; count++) await work(count);
  child.stdin.end();
  await ended;
  return swaps;
}

function textAt(fs: FileSystem, path: string): string {
  const file = fs.open(path, "read");
  try {
    return Buffer.from(file.read(0, 100)).toString("utf8");
  } finally {
    file.close();
  }
}

const write = (fs: FileSystem, path: string, mode: "append" | "create"): void => {
  const file = fs.open(path, mode);
  file.write(Buffer.from("mine\n"));
  file.close();
};

/** Each verb of the confined files, where a link may be just then. */
const STEPS: readonly ((fs: FileSystem, count: number) => unknown)[] = [
  (fs) => textAt(fs, "sub/a.md"),
  (fs) => textAt(fs, "a.md"),
  (fs) => fs.list("sub").join(" "),
  (fs) => fs.stat("sub/secret.md"),
  (fs) => write(fs, "sub/a.md", "append"),
  (fs) => write(fs, "a.md", "append"),
  (fs, count) => write(fs, `sub/${count}.md`, "create"),
  (fs, count) => fs.rename(`sub/${count - 1}.md`, "sub/moved.md"),
  (fs) => fs.rename("sub/secret.md", "stolen.md"),
  (fs, count) => fs.link?.("plain.md", `sub/link-${count}.md`),
  (fs, count) => fs.link?.("sub/secret.md", `stolen-${count}.md`),
  (fs) => fs.remove("sub/secret.md"),
  (fs, count) => fs.makeDirectory(`sub/new-${count}/er`),
  (fs, count) => fs.removeDirectory(`sub/new-${count - 1}/er`),
  (fs) => fs.touch("sub/secret.md", 1_000),
];

async function applyAt(store: MemoryStore, count: number): Promise<string | undefined> {
  const path = ["sub/a.md", "a.md", `sub/${count % 7}.md`][count % 3]!;
  const file = await store.read(path);
  const text = count % 5 === 4 && file !== undefined ? undefined : `# Mine ${count}\n`;
  await store.apply([{ path, base: file?.version, text }]);
  return file?.text;
}

describe.runIf(isLinux)("a folder that is exchanged for a link", () => {
  it("is never followed, whatever single step is at it", async () => {
    const place = racePlace();
    const before = outsideOf(place);
    const fs = confinedFileSystem(place.memory);
    const tally: Tally = { tries: 0, passed: 0 };
    const swaps = await raced(place, bySize({ usual: 4, long: 30, soak: 80 }), async (count) => {
      for (let round = 0; round < 20; round++)
        for (const step of STEPS) {
          tally.tries++;
          try {
            const seen = step(fs, count * 20 + round);
            tally.passed++;
            expect(String(seen)).not.toMatch(/Not yours|secret/);
          } catch (error) {
            if (!(error instanceof Error) || !("code" in error)) throw error;
          }
        }
      await new Promise((done) => setImmediate(done));
    });
    console.info(`folders exchanged ${swaps} times: ${tally.passed} of ${tally.tries} steps went through`);
    expect(outsideOf(place)).toEqual(before);
    expect(tally.passed).toBeGreaterThan(0);
  });

  it("is never followed by whole changes", async () => {
    const place = racePlace();
    const before = outsideOf(place);
    const store = memoryProcesses().open(confinedFileSystem(place.memory), place.memory);
    const tally: Tally = { tries: 0, passed: 0 };
    const swaps = await raced(place, bySize({ usual: 20, long: 100, soak: 300 }), async (count) => {
      tally.tries++;
      try {
        expect(await applyAt(store, count)).not.toBe(SECRET);
        tally.passed++;
      } catch (error) {
        expect(["MEMORY_PATH_REFUSED", "STORE_FAILED"]).toContain((error as { code?: unknown }).code);
      }
    });
    console.info(`folders exchanged ${swaps} times: ${tally.passed} of ${tally.tries} changes went through`);
    expect(outsideOf(place)).toEqual(before);
  });
});
