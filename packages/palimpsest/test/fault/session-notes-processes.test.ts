/**
 * Notes of real processes: killed in the middle of an update, and two that work in their sessions while people edit
 * the notes of both. No person's edit is lost, and no notes are half.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { nodeFileSystem } from "#stores/platform/node-file-system.ts";
import { markOn, notesStage, readNotes } from "#test/helpers/notes-stage.ts";
import { compiledLibrary, testFolder } from "../../../../test/helpers/compiled-once.ts";
import { isLong } from "../../../../test/helpers/size-of-run.ts";

const fixtures = join(dirname(fileURLToPath(import.meta.url)), "fixtures");
const child = join(fixtures, "noting-child.mjs");
const person = join(fixtures, "editing-person.mjs");
let build: string;
let count = 0;

beforeAll(() => {
  build = compiledLibrary();
});

function aRoot(): string {
  const root = join(testFolder(), `sessions-${count++}`);
  mkdirSync(root);
  return root;
}

function run(script: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const started = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    started.stdout.on("data", (bytes: Buffer) => {
      text += bytes.toString("utf8");
    });
    started.on("error", reject);
    started.on("close", () => resolve(text));
  });
}

describe("a process that is killed in the middle of an update", () => {
  it("leaves the old notes or the new, and the next process goes on", async () => {
    const seen: string[] = [];
    const deaths = isLong ? ["model", "1", "2", "3", "4", "5", "6", "7", "8"] : ["model"];
    for (const when of deaths) {
      const root = aRoot();
      const args = [child, build, root, "s"];
      spawnSync(process.execPath, [...args, "1", "never"]);
      const old = await readNotes(nodeFileSystem, root, "s");
      const reportedCount = Number((await markOn(nodeFileSystem, root, "s"))?.["throughSeq"]);
      expect(old).toContain("- s did 1");
      const { stdout } = spawnSync(process.execPath, [...args, "1", when], { encoding: "utf8" });
      const found = await readNotes(nodeFileSystem, root, "s");
      const isNew = found !== old;
      seen.push(isNew ? "new" : "old");
      if (isNew) expect(found).toBe(`${old}- s did 1\n`);
      const now = Number((await markOn(nodeFileSystem, root, "s"))?.["throughSeq"]);
      if (now > reportedCount) expect(isNew, `killed at ${when}, which said ${stdout}`).toBe(true);
      const stage = notesStage({ root, fs: nodeFileSystem });
      const agent = await stage.palimpsest.open("s");
      await agent.turn("And then?");
      await stage.palimpsest.close();
      expect(stage.updates()).toMatchObject([{ outcome: "written" }]);
      const names = readdirSync(join(root, "s")).filter(
        (name) => name.endsWith(".tmp") || /taken|copying/.test(name),
      );
      expect(names).toEqual([]);
    }
    expect(seen[0]).toBe("old");
  });
});

describe("people who edit notes while two processes bring them up to date", () => {
  it("lose no edit, whether they save in place or by a new file", async () => {
    const root = aRoot();
    const times = isLong ? 60 : 4;
    for (const id of ["one", "two"]) await run(child, [build, root, id, "1", "never"]);
    const at = (id: string): string => join(root, id, "notes.md");
    const [one, two, ann, ben] = await Promise.all([
      run(child, [build, root, "one", String(times), "never"]),
      run(child, [build, root, "two", String(times), "never"]),
      run(person, [at("one"), "ann", String(times * 2), "rename"]),
      run(person, [at("two"), "ben", String(times * 2), "place"]),
    ]);
    for (const text of [one, two]) expect(text).toMatch(/done\n$/);
    for (const [id, name, words, other] of [
      ["one", "ann", ann, "two"],
      ["two", "ben", ben, "one"],
    ] as const) {
      const folder = join(root, id);
      const texts = readdirSync(folder)
        .filter((file) => /^notes(?:\.conflict-\d+)?\.md$/.test(file))
        .map((file) => readFileSync(join(folder, file), "utf8"));
      const all = texts.join("\n");
      const lines = words.trim().split("\n");
      expect(lines).toHaveLength(times * 2);
      const kept = new Set(all.split("\n"));
      expect(
        lines.filter((line) => !kept.has(line)),
        `lost of ${id}`,
      ).toEqual([]);
      expect(all).toContain(`# Results that ${name} asked for\n`);
      expect(all).toContain(`${name} learned this.\n`);
      expect(all).toContain(`- ${id} did `);
      expect(all).not.toContain(`- ${other} did `);
      // Every file is whole: no text ends in the middle of a line.
      for (const text of texts) expect(text).toMatch(/\n$/);
    }
  });
});
