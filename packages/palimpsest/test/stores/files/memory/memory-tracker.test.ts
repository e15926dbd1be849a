/** A follower of a memory directory sees every change, by whomever and however, and nothing else. */
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { FakeClock, InMemoryFileSystem, seededIds } from "palimpsest-testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileSystem } from "#ports/file-system.ts";
import type { MemoryFollower, MemoryStore } from "#ports/memory-store.ts";
import { fileMemoryStore } from "#stores/files/memory/file-memory-store.ts";
import { confinedFileSystem } from "#stores/platform/confined-file-system.ts";
import { nodeHasher, randomIds, systemClock } from "#stores/platform/node-ports.ts";

let root = "";
const stores: MemoryStore[] = [];

beforeEach(() => {
  root = join(mkdtempSync(join(tmpdir(), "palimpsest-tracker-")), "memory");
});

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  rmSync(dirname(root), { recursive: true, force: true });
});

interface StoreOptions {
  readonly fs?: FileSystem;
  readonly clock?: { nowMs(): number };
}

function aStore({ fs = confinedFileSystem(root), clock = systemClock }: StoreOptions = {}): MemoryStore {
  const store = fileMemoryStore({ folder: root, fs, hasher: nodeHasher, ids: randomIds, clock });
  stores.push(store);
  return store;
}

/** What a follower knows, kept up to date by what it says. */
class Known {
  readonly paths = new Set<string>();
  problems: readonly { readonly path: string }[] = [];
  readonly #follower: MemoryFollower;

  constructor(follower: MemoryFollower) {
    this.#follower = follower;
  }

  async look(): Promise<{ readonly changed: readonly string[]; readonly removed: readonly string[] }> {
    const { changed, removed, problems } = await this.#follower.next();
    for (const { path } of changed) this.paths.add(path);
    for (const path of removed) this.paths.delete(path);
    if (problems !== undefined) this.problems = problems;
    return { changed: changed.map(({ path }) => path).sort(), removed: [...removed].sort() };
  }

  get sorted(): readonly string[] {
    return [...this.paths].sort();
  }
}

const known = (store: MemoryStore): Known => new Known(store.follow!());
const put = (path: string, text = "text"): void => writeFileSync(join(root, path), text);

/** Where the system says so later than at once, a look is repeated until it has been said. */
async function seen(one: Known, isSeen: () => boolean): Promise<void> {
  for (let look = 0; look < 1_000 && !isSeen(); look++) await one.look();
  expect(isSeen()).toBe(true);
}

describe("a follower of a watched directory", () => {
  it("says nothing where nothing changed", async () => {
    mkdirSync(root);
    put("a.md");
    const one = known(aStore());
    expect(await one.look()).toEqual({ changed: ["a.md"], removed: [] });
    expect(await one.look()).toEqual({ changed: [], removed: [] });
    expect(await one.look()).toEqual({ changed: [], removed: [] });
  });

  it("sees what people make, change, rename and remove", async () => {
    mkdirSync(root);
    put("a.md");
    put("b.md");
    const one = known(aStore());
    await one.look();
    put("c.md");
    await seen(one, () => one.paths.has("c.md"));
    renameSync(join(root, "b.md"), join(root, "d.md"));
    await seen(one, () => one.paths.has("d.md") && !one.paths.has("b.md"));
    rmSync(join(root, "a.md"));
    await seen(one, () => !one.paths.has("a.md"));
    expect(one.sorted).toEqual(["c.md", "d.md"]);
    let isChanged = false;
    appendFileSync(join(root, "c.md"), "more");
    for (let look = 0; look < 1_000 && !isChanged; look++)
      isChanged = (await one.look()).changed.includes("c.md");
    expect(isChanged).toBe(true);
  });

  it("sees new folders, folders of folders, and folders that are gone", async () => {
    mkdirSync(root);
    put("a.md");
    const one = known(aStore());
    await one.look();
    mkdirSync(join(root, "topics", "deep"), { recursive: true });
    put("topics/b.md");
    put("topics/deep/c.md");
    await seen(one, () => one.paths.size === 3);
    put("topics/deep/d.md");
    await seen(one, () => one.paths.has("topics/deep/d.md"));
    renameSync(join(root, "topics"), join(root, "other"));
    await seen(one, () => one.paths.has("other/deep/d.md") && !one.paths.has("topics/b.md"));
    rmSync(join(root, "other"), { recursive: true });
    await seen(one, () => one.paths.size === 1);
    expect(one.sorted).toEqual(["a.md"]);
  });

  it("is not walked through with every look where it has no files, and is seen to get some", async () => {
    mkdirSync(root);
    const fs = confinedFileSystem(root);
    let walks = 0;
    const list = fs.listInParts!.bind(fs);
    fs.listInParts = (path) => {
      walks++;
      return list(path);
    };
    const one = known(aStore({ fs }));
    for (let look = 0; look < 10; look++) await one.look();
    expect(walks).toBe(1);
    put("a.md");
    await seen(one, () => one.paths.has("a.md"));
  });

  it("sees a directory that is made later, and one that is put in its place", async () => {
    const one = known(aStore());
    expect(await one.look()).toEqual({ changed: [], removed: [] });
    mkdirSync(root);
    put("a.md");
    await seen(one, () => one.paths.has("a.md"));
    renameSync(root, `${root}.away`);
    mkdirSync(root);
    put("b.md");
    await seen(one, () => one.paths.has("b.md") && !one.paths.has("a.md"));
    rmSync(root, { recursive: true });
    await seen(one, () => one.paths.size === 0);
    rmSync(`${root}.away`, { recursive: true });
  });

  it("sees what was changed through the store at once, and what another store changed", async () => {
    const [first, second] = [aStore(), aStore()];
    const [one, other] = [known(first), known(second)];
    await first.apply([{ path: "a.md", base: undefined, text: "ours" }]);
    expect(await one.look()).toEqual({ changed: ["a.md"], removed: [] });
    await seen(other, () => other.paths.has("a.md"));
    const version = (await first.read("a.md"))!.version;
    await second.apply([{ path: "a.md", base: version, text: undefined }]);
    expect(await other.look()).toEqual({ changed: [], removed: ["a.md"] });
    await seen(one, () => one.paths.size === 0);
  });

  it("sees everything after more changes than a queue of events holds", async () => {
    mkdirSync(root);
    put("a.md");
    const one = known(aStore());
    await one.look();
    for (let at = 0; at < 4_200; at++) put(`n${at}.md`, "");
    await seen(one, () => one.paths.size === 4_201);
  });

  it.each([
    { what: "a file", place: (path: string) => writeFileSync(path, "text") },
    { what: "a link to a folder", place: (path: string) => symlinkSync(tmpdir(), path) },
    { what: "another folder", place: (path: string) => mkdirSync(path) },
  ])("goes on where $what takes the place of a folder, and of a folder in it", async ({ place }) => {
    mkdirSync(join(root, "sub.md", "deep"), { recursive: true });
    put("a.md");
    put("sub.md/b.md");
    put("sub.md/deep/c.md");
    const one = known(aStore());
    await one.look();
    expect(one.sorted).toEqual(["a.md", "sub.md/b.md", "sub.md/deep/c.md"]);
    rmSync(join(root, "sub.md", "deep"), { recursive: true });
    place(join(root, "sub.md", "deep"));
    await seen(one, () => !one.paths.has("sub.md/deep/c.md"));
    rmSync(join(root, "sub.md"), { recursive: true });
    place(join(root, "sub.md"));
    await seen(one, () => !one.paths.has("sub.md/b.md"));
    expect(one.paths.has("a.md")).toBe(true);
    rmSync(join(root, "sub.md"), { recursive: true });
    mkdirSync(join(root, "sub.md"));
    put("sub.md/d.md");
    await seen(one, () => one.paths.has("sub.md/d.md"));
  });

  it("takes in no link, no second name and no folder with the name of a memory", async () => {
    mkdirSync(root);
    put("a.md");
    const one = known(aStore());
    await one.look();
    symlinkSync("/etc/passwd", join(root, "link.md"));
    mkdirSync(join(root, "folder.md"));
    linkSync(join(root, "a.md"), `${root}-second`);
    await seen(one, () => one.problems.length === 2);
    expect(one.problems.map(({ path }) => path)).toEqual(["a.md", "link.md"]);
    expect(one.sorted).toEqual([]);
    rmSync(`${root}-second`);
    await seen(one, () => one.paths.has("a.md"));
    rmSync(join(root, "link.md"));
    await seen(one, () => one.problems.length === 0);
  });
});

describe("a follower of a directory that cannot be watched", () => {
  const unwatched = (): FileSystem => {
    const fs = confinedFileSystem(root);
    return Object.assign(Object.create(fs) as FileSystem, bound(fs), { watch: () => undefined });
  };
  const bound = (fs: FileSystem): FileSystem => {
    const names = Object.getOwnPropertyNames(Object.getPrototypeOf(fs)).filter(
      (name) => name !== "constructor",
    );
    return Object.fromEntries(
      names.map((name) => [name, (fs as unknown as Record<string, () => unknown>)[name]!.bind(fs)]),
    ) as unknown as FileSystem;
  };

  it("sees people's edits a second later, and looks no more often", async () => {
    mkdirSync(root);
    put("a.md");
    let nowMs = Date.now() + 10_000;
    const one = known(aStore({ fs: unwatched(), clock: { nowMs: () => nowMs } }));
    await one.look();
    put("b.md");
    expect(await one.look()).toEqual({ changed: [], removed: [] });
    nowMs += 900;
    await seen(one, () => one.paths.has("b.md"));
    rmSync(join(root, "a.md"));
    nowMs += 900;
    await seen(one, () => !one.paths.has("a.md"));
  });

  it("sees what was changed through the store at once", async () => {
    const nowMs = Date.now() + 10_000;
    const store = aStore({ fs: unwatched(), clock: { nowMs: () => nowMs } });
    mkdirSync(root);
    put("b.md");
    const one = known(store);
    await one.look();
    await store.apply([{ path: "a.md", base: undefined, text: "ours" }]);
    expect(await one.look()).toEqual({ changed: ["a.md"], removed: [] });
  });
});

it("whatever happens to a directory, a follower knows what a listing says", async () => {
  const names = ["a.md", "b.md", "c/d.md", "c/e.md", "f.txt", "c"];
  const step = fc.record({
    what: fc.constantFrom("put", "remove", "apply", "rename"),
    name: fc.constantFrom(...names),
    other: fc.constantFrom(...names),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const clock = new FakeClock();
      const fs = new InMemoryFileSystem(() => clock.nowMs());
      const store = fileMemoryStore({ folder: "memory", fs, hasher: nodeHasher, ids: seededIds(1), clock });
      const one = known(store);
      for (const { what, name, other } of steps) {
        try {
          if (what === "apply") {
            const base = (await store.read(name))?.version;
            await store.apply([{ path: name, base, text: base === undefined ? "new" : undefined }]);
          } else if (what === "remove") fs.remove(name);
          else if (what === "rename") fs.rename(name, other);
          else {
            if (name.includes("/")) fs.makeDirectory("c");
            const file = fs.open(name, "append");
            file.write(Buffer.from("x"));
            file.close();
          }
        } catch {
          // Not every step is possible everywhere.
        }
        await one.look();
        expect(one.sorted).toEqual((await store.list()).files.map(({ path }) => path));
      }
    }),
    { numRuns: 40 },
  );
});

describe("The first look at a memory", () => {
  /** The same file system, and the names of what was asked of it. */
  function counting() {
    const asked: string[] = [];
    const fs = new Proxy(confinedFileSystem(root), {
      get: (of, name) => {
        const member: unknown = Reflect.get(of, name);
        if (typeof member !== "function") return member;
        return (...args: unknown[]): unknown => {
          asked.push(`${String(name)} ${args[0]}`);
          return Reflect.apply(member, of, args);
        };
      },
    });
    return { fs, asked };
  }

  it("looks for the folder only where there is none", async () => {
    const { fs, asked } = counting();
    const known = new Known(aStore({ fs }).follow!());
    await known.look();
    asked.length = 0;
    await known.look();
    expect(asked).toEqual(["stat "]);
  });

  it("does not list a folder only to see that it is there", async () => {
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, "first.md"), "It is there.");
    const { fs, asked } = counting();
    const known = new Known(aStore({ fs }).follow!());
    await known.look();
    expect([...known.paths]).toEqual(["first.md"]);
    expect(asked.filter((one) => one === "list " || one === "listInParts ")).toEqual(["listInParts "]);
  });

  it("finds the first memory", async () => {
    const { fs } = counting();
    const known = new Known(aStore({ fs }).follow!());
    await known.look();
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, "first.md"), "It is there.");
    await known.look();
    expect([...known.paths]).toEqual(["first.md"]);
  });
});
