/**
 * Two programs that replace the notes of a session all the time, and a person who saves them in the ways
 * editors do: real processes on a real disk. Whatever the person saved is there afterwards.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeFileSystem } from "#stores/platform/node-file-system.ts";
import { nodeHasher, randomIds, systemClock, systemTimer } from "#stores/platform/node-ports.ts";
import { nodeProcess } from "#stores/platform/node-process.ts";
import { compiledLibrary, testFolder } from "../../../../test/helpers/compiled-once.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";
import { message } from "./workload.ts";

const SCRIPT = join(dirname(fileURLToPath(import.meta.url)), "fixtures/notes-child.mjs");
const SAVES = bySize({ usual: 20, long: 400, soak: 8_000 });
/** Least attempts of each program, refused ones included. */
const LEAST_TRIES = SAVES / 4 + 1;
const KILLS = bySize({ usual: 3, long: 25, soak: 400 });

const childOf = (...args: readonly string[]) =>
  spawn(process.execPath, [SCRIPT, compiledLibrary(), ...args], { stdio: ["pipe", "pipe", "inherit"] });

/** The output of the child until it ended. */
function author(child: ReturnType<typeof childOf>): Promise<string> {
  return new Promise((done, fail) => {
    let words = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (words += text));
    child.on("error", fail);
    child.on("close", (code) =>
      code === 0 || code === null ? done(words) : fail(new RangeError(`It ended with ${code}: ${words}`)),
    );
  });
}

/** When the child has said something. */
async function begun(child: ReturnType<typeof childOf>): Promise<void> {
  await Promise.race([once(child.stdout, "data"), once(child, "close")]);
}

async function sessionIn(root: string): Promise<void> {
  const store = new FileSessionStore({ root, fs: nodeFileSystem, hasher: nodeHasher, ids: randomIds });
  const log = await store.create("s");
  await log.append([message(1)]);
  await log.notes?.replace(undefined, "PROGRAM 0\n");
  await log.close();
}

describe("two programs and a person at the notes of one session", () => {
  it.each(["some", "none"])("lose nothing that the person saved (links: %s)", async (links) => {
    const root = testFolder();
    await sessionIn(root);
    const seed = Math.floor(Math.random() * 2 ** 31);
    const programs = [1, 2].map((number) =>
      childOf(root, "replace", String(LEAST_TRIES), String(seed + number), links),
    );
    const replaced = Promise.all(programs.map(author));
    await Promise.all(programs.map(begun));
    const saved = JSON.parse(await author(childOf(root, "save", String(SAVES), String(seed)))) as {
      readonly lost: readonly string[];
      readonly conflicts: number;
    };
    for (const program of programs) program.stdin.write("\n");
    const counts = (await replaced).map(
      (text) => JSON.parse(text.split("\n").at(-1)!) as { done: number; refused: number },
    );
    console.info(
      `links ${links}, seed ${seed}: ${SAVES} saves, ${saved.conflicts} kept beside, replaced ${JSON.stringify(counts)}`,
    );
    expect(saved.lost, `seed ${seed}`).toEqual([]);
    for (const { done, refused } of counts) {
      expect(done).toBeGreaterThan(0);
      expect(done + refused).toBeGreaterThanOrEqual(LEAST_TRIES);
    }
  });

  it("leave the notes of one of them whole when they are killed at a random moment", async () => {
    const root = testFolder();
    await sessionIn(root);
    const lease = { clock: systemClock, process: nodeProcess, timer: systemTimer };
    const store = new FileSessionStore({
      ...{ root, fs: nodeFileSystem, hasher: nodeHasher, ids: randomIds, lease },
    });
    for (let kill = 0; kill < KILLS; kill++) {
      const programs = [1, 2].map((number) =>
        childOf(root, "replace", "0", String(kill * 2 + number), "some"),
      );
      const ended = programs.map((program) => new Promise((done) => program.on("close", done)));
      await Promise.all(programs.map(begun));
      await new Promise((done) => setTimeout(done, Math.random() * 150));
      for (const program of programs) program.kill("SIGKILL");
      await Promise.all(ended);
      const log = await store.open("s");
      const text = await log.notes?.read();
      expect(text, `kill ${kill}`).toMatch(/^PROGRAM \d+/);
      expect(readFileSync(join(root, "s/notes.md"), "utf8")).toBe(text);
      expect(await log.notes?.replace(text, "PROGRAM 0\n")).toBe(true);
      const odd = readdirSync(join(root, "s")).filter((name) => !/^notes\.(md$|previous\.)/.test(name));
      expect(odd, `kill ${kill}`).toEqual([]);
      await log.close();
    }
  });
});
