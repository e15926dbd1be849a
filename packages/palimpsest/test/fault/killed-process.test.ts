/** A real process on a real disk, killed at random moments: nothing acknowledged gets lost. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeFileSystem } from "#stores/platform/node-file-system.ts";
import { nodeHasher, randomIds } from "#stores/platform/node-ports.ts";
import { compiledLibrary } from "../../../../test/helpers/compiled-once.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";

const here = dirname(fileURLToPath(import.meta.url));
const KILLS = bySize({ usual: 2, long: 12, soak: 500 });

let folder: string;
let build: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-kill-"));
  build = compiledLibrary();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Promised {
  readonly lastSeq: number;
  readonly blobs: readonly string[];
}

/** Lets the child append from `firstSeq` on and kills it after `lifeMs`, counted from its first promise. */
function runAndKill(root: string, firstSeq: number, lifeMs: number): Promise<Promised> {
  const child = spawn(
    process.execPath,
    [join(here, "fixtures/appending-child.mjs"), build, root, String(firstSeq)],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  let words = "";
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (text: string) => {
    if (words === "") setTimeout(() => child.kill("SIGKILL"), lifeMs);
    words += text;
  });
  return new Promise((done, fail) => {
    child.on("error", fail);
    child.on("close", (code, signal) => {
      if (signal !== "SIGKILL") return fail(new RangeError(`The child ended by itself with ${code}.`));
      // The last line may have been cut by the kill, too: then nothing was promised by it.
      const lines = words.split("\n").slice(0, -1);
      const seqs = lines
        .filter((line) => line.startsWith("acknowledged "))
        .map((line) => Number(line.slice(13)));
      const blobs = lines.filter((line) => line.startsWith("blob ")).map((line) => line.slice(5));
      done({ lastSeq: seqs.at(-1) ?? firstSeq - 1, blobs });
    });
  });
}

describe("a process that is killed at a random moment", () => {
  it("loses nothing acknowledged, and the next one goes on where it stopped", async () => {
    const root = join(folder, "sessions");
    const store = new FileSessionStore({ root, fs: nodeFileSystem, hasher: nodeHasher, ids: randomIds });
    let nextSeq = 1;
    for (let kill = 0; kill < KILLS; kill++) {
      const lifeMs = Math.random() * 40;
      const why = `kill ${kill} after ${lifeMs} ms`;
      const promised = await runAndKill(root, nextSeq, lifeMs);

      const log = await store.open("s");
      const seqs: number[] = [];
      for await (const part of log.readAll()) seqs.push(...part.entries.map(({ entry }) => entry.seq));
      expect(seqs.length, why).toBeGreaterThanOrEqual(promised.lastSeq);
      expect(
        seqs.every((seq, index) => seq === index + 1),
        why,
      ).toBe(true);
      for (const hash of promised.blobs) expect((await log.getBlob(hash))?.length, why).toBeGreaterThan(0);
      await log.close();
      nextSeq = seqs.length + 1;
    }
    expect(nextSeq).toBeGreaterThan(KILLS);
    expect(readFileSync(join(root, "s.jsonl")).length).toBeGreaterThan(0);
  });
});
