/**
 * Paths, links, pipes and forged leftovers that are meant to make the memory store read or write elsewhere, with
 * every verb: nothing of what lies outside is read, nothing there is changed, and nothing waits for ever.
 */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { MemoryStore } from "#ports/memory-store.ts";
import { confinedFileSystem } from "#stores/platform/confined-file-system.ts";
import type { Confinement } from "#stores/platform/confined-folder.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { ATTACK_PATHS } from "#test/helpers/attack-paths.ts";
import { memoryProcesses } from "#test/helpers/memory-stores.ts";
import { outsideOf, SECRET, TRAPS, type TrapPlace, trapPlace } from "#test/helpers/memory-traps.ts";
import { within } from "#test/helpers/within.ts";
import { isLong, usualFew } from "../../../../../test/helpers/size-of-run.ts";

const CONFINEMENTS: readonly Confinement[] = isLong ? ["handles", "looks"] : ["handles"];
const REFUSED = new Set(["MEMORY_PATH_REFUSED", "STORE_FAILED"]);
const secretVersion = nodeHasher.sha256(SECRET);
const cases = { count: 0 };

const VERBS: Readonly<Record<string, (store: MemoryStore, path: string) => Promise<unknown>>> = {
  list: (store) => store.list(),
  read: (store, path) => store.read(path),
  make: (store, path) => store.apply([{ path, base: undefined, text: "# Mine\n" }]),
  "make with others": (store, path) =>
    store.apply([
      { path: "fine.md", base: undefined, text: "# Fine\n" },
      { path, base: undefined, text: "# Mine\n" },
    ]),
  replace: (store, path) => store.apply([{ path, base: secretVersion, text: "# Mine\n" }]),
  "put away": (store, path) => store.apply([{ path, base: secretVersion, text: undefined }]),
  "write a record": (store) => store.writeRecord("log", "mine\n"),
  "add to a record": (store) => store.appendRecord("log", "mine"),
  "read a record": (store) => store.readRecord("log"),
  lock: (store) => store.tryLock("dream"),
};

/** The result: an answer, or the code of a refusal. */
async function tried(store: MemoryStore, verb: string, path: string): Promise<string> {
  cases.count++;
  try {
    return JSON.stringify(await within(VERBS[verb]!(store, path), `${verb} ${path}`)) ?? "undefined";
  } catch (error) {
    const code = String((error as { readonly code?: unknown }).code);
    expect(REFUSED, String(error)).toContain(code);
    return code;
  }
}

function storeAt(place: TrapPlace, confinement: Confinement): MemoryStore {
  return memoryProcesses().open(confinedFileSystem(place.memory, { confinement }), place.memory);
}

describe("a path that leads elsewhere", () => {
  it.each([
    "read",
    "make",
    "make with others",
    "replace",
    "put away",
  ])(`is refused where it is to be used: %s`, async (verb) => {
    const place = trapPlace();
    const before = outsideOf(place);
    const store = storeAt(place, "handles");
    for (const { path } of ATTACK_PATHS) expect(await tried(store, verb, path)).toBe("MEMORY_PATH_REFUSED");
    expect(outsideOf(place)).toEqual(before);
    expect((await store.list()).files.map(({ path }) => path)).toEqual(["plain.md"]);
  });
});

describe.each(CONFINEMENTS)("a trap in the memory directory, confined by %s", (confinement) => {
  // Every verb in the long suite; in the default one half of them, and the other half for the next trap.
  it.each(TRAPS.map((trap, row) => ({ ...trap, row })))("leads nowhere: $what", async ({
    path,
    set,
    row,
  }) => {
    for (const verb of usualFew(Object.keys(VERBS), 2, row)) {
      const place = trapPlace();
      set(place);
      const before = outsideOf(place);
      const store = storeAt(place, confinement);
      const outcome = await tried(store, verb, path);
      expect(outcome, verb).not.toContain("Not yours");
      // Whatever it was, the next one who comes is none the worse for it.
      if (isLong) await tried(store, "list", path);
      await tried(store, "make", "next.md");
      if (isLong) await tried(store, "read", path);
      expect(outsideOf(place), verb).toEqual(before);
      expect(readFileSync(join(place.memory, "plain.md"), "utf8")).toBe("# Plain\n");
      expect(statSync(join(place.outside, "secret.md")).size).toBe(SECRET.length);
    }
  });

  it("is told of in the list", async () => {
    for (const what of ["a link to a file", "a second name of a file", "a pipe", "a huge file"]) {
      const place = trapPlace();
      TRAPS.find((trap) => trap.what === what)?.set(place);
      const { files, problems } = await storeAt(place, confinement).list();
      expect(files.map(({ path }) => path)).toEqual(["plain.md"]);
      expect(problems.map(({ path }) => path)).toEqual(["a.md"]);
    }
  });
});

describe("the cases", () => {
  it("are many", () => {
    console.info(`attacks on the memory directory: ${cases.count} cases`);
    expect(cases.count).toBeGreaterThan(600);
  });
});
