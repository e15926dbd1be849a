/** Nothing that was derived from a text outlives it: no vector, and no word in the saved index. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isObject, parseJson } from "#base/json/json.ts";
import { createMemory, memoryFolder } from "#host/create-memory.ts";
import type { MemoryStore } from "#ports/memory-store.ts";
import { inMemoryMemoryStore } from "#stores/in-memory/in-memory-memory-store.ts";

const RECORD = "vectors/letters.jsonl";
const embeddings = {
  model: "letters",
  embed: async (texts: readonly string[]) =>
    texts.map((text) => [..."etaoinshrdlu"].map((letter) => text.split(letter).length / (text.length + 1))),
};

/** The versions of memories in the record, without the messages that a model is measured with. */
async function keptVersions(store: MemoryStore): Promise<readonly string[]> {
  const lines = ((await store.readRecord(RECORD)) ?? "").split("\n");
  return lines.flatMap((line) => {
    const parsed = parseJson(line);
    const vectors = parsed.ok && isObject(parsed.value) ? parsed.value["vectors"] : {};
    return Object.keys(isObject(vectors) ? vectors : {}).filter((version) => !version.startsWith("everyday"));
  });
}

async function searched() {
  const store = inMemoryMemoryStore();
  const memory = createMemory({ store, embeddings });
  const { path } = await memory.remember("The office is in Ghent.", { source: "user" });
  await memory.remember("We release on Tuesdays.", { source: "user" });
  await memory.recall("Where do we work?");
  expect(await keptVersions(store)).toHaveLength(2);
  const version = (await store.read(path!))!.version;
  return { store, memory, path: path!, version };
}

describe("the vector of a text", () => {
  it("goes with a forgotten memory, and comes back with it", async () => {
    const { store, memory, path, version } = await searched();
    await memory.forget(path);
    expect(await keptVersions(store)).not.toContain(version);
    expect(await keptVersions(store)).toHaveLength(1);
    await memory.recall("Where do we work?");
    expect(await keptVersions(store)).toHaveLength(1);
    await memory.restore(path);
    await memory.recall("Where do we work?");
    expect(await keptVersions(store)).toContain(version);
  });

  it("goes also where the memory is open without embeddings", async () => {
    const { store, path, version } = await searched();
    await createMemory({ store }).forget(path);
    expect(await keptVersions(store)).not.toContain(version);
  });

  it("goes with a corrected fact", async () => {
    const { store, memory, path, version } = await searched();
    await memory.supersede(path, "The office is in Leuven.", { source: "user" });
    expect(await keptVersions(store)).not.toContain(version);
  });

  it("goes at the next search after a person removed or changed the file", async () => {
    const { store, memory, path, version } = await searched();
    await store.apply([{ path, base: version, text: "The office is a secret.\n" }]);
    await memory.search("anything");
    expect(await keptVersions(store)).not.toContain(version);
    const changed = (await store.read(path))!.version;
    expect(await keptVersions(store)).toContain(changed);
    await store.apply([{ path, base: changed, text: undefined }]);
    await memory.recall("Where do we work?");
    expect(await keptVersions(store)).toHaveLength(1);
  });

  it("stays where a search and a recall look at different memories", async () => {
    const { store, memory, path } = await searched();
    await memory.supersede(path, "The office is in Leuven.", { source: "user" });
    await memory.search("office");
    const all = await keptVersions(store);
    expect(all).toHaveLength(3);
    await memory.recall("Where do we work?");
    expect(await keptVersions(store)).toEqual(all);
  });

  it("is dropped later where the record cannot be written now", async () => {
    const { store, path, version } = await searched();
    let isFull = true;
    const failing: MemoryStore = Object.assign(Object.create(null), {
      ...Object.fromEntries(
        (
          [
            "list",
            "read",
            "apply",
            "archived",
            "readArchived",
            "readRecord",
            "appendRecord",
            "listRecords",
          ] as const
        ).map((name) => [name, store[name].bind(store)]),
      ),
      writeRecord: async (name: string, text: string) => {
        if (isFull) throw new TypeError("full");
        await store.writeRecord(name, text);
      },
    });
    const memory = createMemory({ store: failing, embeddings });
    await memory.recall("Where do we work?");
    await memory.forget(path);
    await memory.recall("Where do we work?");
    expect(await keptVersions(store)).toContain(version);
    isFull = false;
    await memory.recall("Where do we work?");
    expect(await keptVersions(store)).not.toContain(version);
  });
});

it("the saved index has no word of a memory that was forgotten just before the end", async () => {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-forgotten-"));
  const index = join(folder, ".palimpsest", "derived", "index");
  try {
    const first = createMemory({ store: memoryFolder(folder) });
    const files = Array.from({ length: 520 }, (_, at) => ({
      ...{ path: `m${at}.md`, base: undefined },
      text: `Fact ${at} ${at === 7 ? "xylophonist" : "pianist"}.\n`,
    }));
    await memoryFolder(folder).apply(files);
    await first.recall("pianist");
    await first.close();
    expect(readFileSync(index, "latin1")).toContain("xylophonist");
    const second = createMemory({ store: memoryFolder(folder) });
    await second.forget("m7.md");
    await second.close();
    expect(readFileSync(index, "latin1")).not.toContain("xylophonist");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
