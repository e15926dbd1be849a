/** Memories on a disk of the tests, the changes that the sweeps make of them, and what lies beside them. */

import { InMemoryFileSystem } from "palimpsest-testing";
import type { FileSystem } from "#ports/file-system.ts";
import type { MemoryApplied, MemoryStore } from "#ports/memory-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { memoryProcesses } from "#test/helpers/memory-stores.ts";

/** Longer than anything is kept for a while. */
export const LATER_MS = 120_000;
const OWN = ".palimpsest";

/** The wanted text of each path, or `undefined` for the archive. */
export type Wanted = Readonly<Record<string, string | undefined>>;

export const BEFORE: Readonly<Record<string, string>> = {
  "MEMORY.md": "- [A](a.md)\n".repeat(30),
  "a.md": "# A\n".repeat(20),
  "sub/b.md": "# B\n".repeat(20),
};

/** Kinds of changes: of one file, of several in one folder, of everything at once. */
export const CHANGES: readonly { readonly what: string; readonly wanted: Wanted }[] = [
  { what: "replaces a memory", wanted: { "a.md": "# New A\n".repeat(30) } },
  { what: "makes a memory", wanted: { "c.md": "# C\n" } },
  { what: "makes a memory in a new folder", wanted: { "deep/er/c.md": "# C\n" } },
  { what: "puts a memory away", wanted: { "a.md": undefined } },
  { what: "makes a memory and tells the index", wanted: { "c.md": "# C\n", "MEMORY.md": "- [C](c.md)\n" } },
  {
    what: "does everything at once",
    wanted: {
      "MEMORY.md": "- all\n",
      "a.md": undefined,
      "sub/b.md": "# New B\n",
      "new/c.md": "# C\n",
      "d.md": "",
    },
  },
];

export function textsAfter(wanted: Wanted): Readonly<Record<string, string>> {
  const texts = { ...BEFORE, ...wanted };
  return Object.fromEntries(
    Object.entries(texts).flatMap(([path, text]) => (text === undefined ? [] : [[path, text]])),
  ) as Record<string, string>;
}

/** A disk with these memories, durable. */
export function diskWith(texts: Readonly<Record<string, string>>): InMemoryFileSystem {
  const disk = new InMemoryFileSystem();
  for (const [path, text] of Object.entries(texts)) disk.writeFile(`/${path}`, Buffer.from(text));
  return disk;
}

/** Asks for the change, from what is there now. */
export async function change(store: MemoryStore, wanted: Wanted): Promise<MemoryApplied> {
  const changes = [];
  for (const [path, text] of Object.entries(wanted))
    changes.push({ path, base: (await store.read(path))?.version, text });
  return store.apply(changes);
}

/** Asks for the change of what was there before. */
export function changeBefore(store: MemoryStore, wanted: Wanted): Promise<MemoryApplied> {
  return store.apply(
    Object.entries(wanted).map(([path, text]) => {
      const old = BEFORE[path];
      return { path, base: old === undefined ? undefined : nodeHasher.sha256(old), text };
    }),
  );
}

/** All memories, as the store gives them. */
export async function textsOf(store: MemoryStore): Promise<Readonly<Record<string, string>>> {
  const texts: Record<string, string> = {};
  for (const { path } of (await store.list()).files) {
    const file = await store.read(path);
    if (file !== undefined) texts[path] = file.text;
  }
  return texts;
}

/** Every file of ours below the hidden folder, and every folder of a change. */
export function ownNames(disk: InMemoryFileSystem, folder: string = OWN): readonly string[] {
  if (disk.stat(folder) === undefined) return [];
  return disk.list(folder).flatMap((name) => {
    const path = `${folder}/${name}`;
    if (disk.stat(path)?.isDirectory !== true) return [path];
    const inner = ownNames(disk, path);
    return inner.length === 0 && /\/(?:work|old)$/.test(folder) ? [path] : inner;
  });
}

/** Every text on the disk, by path; also ours. */
export function allTexts(disk: InMemoryFileSystem, folder = ""): readonly (readonly [string, string])[] {
  return disk.list(folder).flatMap((name) => {
    const path = folder === "" ? name : `${folder}/${name}`;
    if (disk.stat(path)?.isDirectory === true) return allTexts(disk, path);
    return [[path, Buffer.from(disk.readFile(path)).toString("utf8")] as const];
  });
}

/** A disk that nothing can be written to. */
export function readOnly(fs: FileSystem): FileSystem {
  const refuse = (): never => {
    throw Object.assign(new RangeError("EROFS"), { code: "EROFS" });
  };
  return {
    open: (path, mode) => (mode === "read" ? fs.open(path, mode) : refuse()),
    list: (path) => fs.list(path),
    stat: (path) => fs.stat(path),
    makeDirectory: refuse,
    rename: refuse,
    link: refuse,
    remove: refuse,
    removeDirectory: refuse,
    touch: refuse,
    syncDirectory: async () => undefined,
  };
}

export { memoryProcesses };
