import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MemoryStore } from "#ports/memory-store.ts";
import { aPersistentMemory, DAY_MS, put } from "#test/agent/memory/a-persistent-memory.ts";
import { runs } from "#test/memory/files/frontmatter-arbitraries.ts";

/** All files, by path. */
async function textsOf(store: MemoryStore): Promise<Readonly<Record<string, string>>> {
  const { files } = await store.list();
  const texts = files.map(async ({ path }) => [path, (await store.read(path))!.text] as const);
  return Object.fromEntries(await Promise.all(texts));
}

describe("export and import", () => {
  it("bring a directory over to the byte", async () => {
    const from = aPersistentMemory();
    await from.memory.remember("We deploy on Tuesdays only.", { source: "user" });
    await put(
      from.store,
      "odd.md",
      "---\r\nname: x # not a comment\r\nmine: [1, 2]\r\n---\r\n\r\ntext \u{1F1EB}\u{1F1F7}\r\n",
    );
    const to = aPersistentMemory();
    const report = await to.memory.import(await from.memory.export());
    expect(report.receipts.map(({ status, path }) => [status, path])).toEqual([
      ["written", "MEMORY.md"],
      ["written", "odd.md"],
      ["written", "we-deploy-on-tuesdays-only.md"],
    ]);
    for (const { path } of (await from.store.list()).files)
      expect((await to.store.read(path))!.text).toBe((await from.store.read(path))!.text);
  });

  it("leave what is there as it is, and say so", async () => {
    const from = aPersistentMemory();
    await from.memory.remember("We deploy on Tuesdays only.", { source: "user" });
    const bundle = await from.memory.export();
    const to = aPersistentMemory();
    await put(to.store, "we-deploy-on-tuesdays-only.md", "Mine.");
    const { receipts, notCarried, refusedCount } = await to.memory.import(bundle);
    expect(receipts.map(({ status }) => status)).toEqual(["written", "rejected"]);
    expect((await to.store.read("we-deploy-on-tuesdays-only.md"))!.text).toBe("Mine.");
    expect(notCarried).toEqual([
      {
        origin: "we-deploy-on-tuesdays-only.md",
        what: "There is another we-deploy-on-tuesdays-only.md, which stays as it is.",
      },
    ]);
    expect(refusedCount).toBe(1);
    expect((await to.memory.import(bundle)).receipts[0]!.status).toBe("merged");
  });

  it("give what was written its lines in an index that stays", async () => {
    const from = aPersistentMemory();
    const { memory: source } = from;
    await source.remember("We deploy on Tuesdays only.", { source: "user", description: "when we deploy" });
    await source.remember("The web says so.", { source: "web" });
    await source.remember("Anna lives in Berlin", { source: "user" });
    await source.remember("Anna lives in Paris", { source: "user" });
    const { text } = (await from.store.read("MEMORY.md"))!;
    await put(from.store, "MEMORY.md", text.replace("# Memory\n", "# Memory\n\nAsk Ada first.\n"));
    const to = aPersistentMemory();
    await put(to.store, "MEMORY.md", "# Mine\n\n- [Tea](tea.md) — kinds of it\n");
    await put(to.store, "tea.md", "Green tea.");
    const { receipts, notCarried } = await to.memory.import(await from.memory.export());
    expect(receipts[0]).toMatchObject({
      ...{ status: "merged", path: "MEMORY.md" },
      reason: "There is another one, which stays; what was written has its lines in it.",
    });
    expect((await to.store.read("MEMORY.md"))!.text).toBe(
      [
        "# Mine\n\n- [Tea](tea.md) — kinds of it\n",
        "- [Anna lives in Paris](anna-lives-in-paris.md) — Anna lives in Paris\n",
        "- [We deploy on Tuesdays only](we-deploy-on-tuesdays-only.md) — when we deploy\n",
      ].join(""),
    );
    expect(notCarried).toEqual([{ origin: "MEMORY.md", what: "text of the index: Ask Ada first." }]);
    const { findings } = await to.memory.audit();
    expect(findings.filter(({ kind }) => kind === "not-in-index")).toEqual([]);
  });

  it("give it lines where the bundle has no index, and none where it has one", async () => {
    const from = aPersistentMemory();
    await put(from.store, "a.md", "The first fact.");
    const bundle = await from.memory.export();
    await put(from.store, "MEMORY.md", "# Nothing is listed\n");
    const [bare, whole] = [aPersistentMemory(), aPersistentMemory()];
    await bare.memory.import(bundle);
    await whole.memory.import(await from.memory.export());
    expect((await bare.store.read("MEMORY.md"))!.text).toBe("# Memory\n\n- [a](a.md) — The first fact.\n");
    expect((await whole.store.read("MEMORY.md"))!.text).toBe("# Nothing is listed\n");
  });

  it("write nothing outside of the directory, whatever a bundle names", async () => {
    const lines = [
      { type: "palimpsest-memories", version: 1 },
      { path: "../evil.md", text: "x" },
      { path: "/etc/evil.md", text: "x" },
      { type: "end", files: 2 },
    ];
    const { memory, store } = aPersistentMemory();
    const { receipts } = await memory.import(`${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
    expect(receipts.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect((await store.list()).files).toEqual([]);
  });

  it("take over what mem0 kept, which nobody here has confirmed", async () => {
    const { memory } = aPersistentMemory();
    const records = [
      { id: "1", memory: "Ada is allergic to peanuts", user_id: "ada", created_at: "2026-01-05T10:00:00Z" },
    ];
    const { format, receipts } = await memory.import(JSON.stringify({ results: records }));
    expect(format).toBe("mem0");
    expect(receipts).toMatchObject([{ status: "written", path: expect.any(String) }]);
    expect(await memory.show(receipts[0]!.path!)).toMatchObject({
      ...{ source: "import", isConfirmed: false, createdAtMs: Date.UTC(2026, 0, 5, 10) },
    });
    expect((await memory.recall("what is Ada allergic to?")).memories).toHaveLength(1);
  });

  describe("of facts with dates", () => {
    const PARIS = { id: "b2", memory: "Anna lives in Paris", created_at: "2026-02-05T10:00:00Z" };
    const BERLIN = { id: "b1", memory: "Anna lives in Berlin", created_at: "2024-01-05T10:00:00Z" };
    const exported = (...results: readonly unknown[]): string => JSON.stringify({ results });

    it("let the newest one win, in whatever order they are", async () => {
      for (const records of [exported(PARIS, BERLIN), exported(BERLIN, PARIS)]) {
        const { memory } = aPersistentMemory();
        await memory.import(records);
        const { text } = await memory.recall("Where does Anna live?");
        expect(text).toContain("Paris");
        expect(text).not.toContain("Berlin");
      }
    });

    it("leave the newest one alone active, in whatever order they are said", async () => {
      const cities = ["Berlin", "Paris", "Oslo", "Rome"].map((city, year) => ({ city, year }));
      await fc.assert(
        fc.asyncProperty(fc.shuffledSubarray(cities, { minLength: 1 }), async (texts) => {
          const { memory, clock } = aPersistentMemory();
          for (const { city, year } of texts)
            await memory.remember(`Anna lives in ${city}`, {
              source: "user",
              createdAtMs: clock.nowMs - (9 - year) * 365 * DAY_MS,
            });
          const { memories } = await memory.list({ state: "active" });
          const newest = texts.toSorted((one, other) => other.year - one.year)[0]!;
          expect(memories.map(({ body }) => body)).toEqual([`Anna lives in ${newest.city}`]);
        }),
        // Five times as many with PALIMPSEST_LONG.
        runs(60),
      );
    });

    it("change nothing the second time", async () => {
      const { memory, store } = aPersistentMemory();
      await memory.import(exported(PARIS, BERLIN));
      const before = await textsOf(store);
      const { receipts, refusedCount } = await memory.import(exported(PARIS, BERLIN));
      expect(refusedCount).toBe(0);
      expect(receipts).toMatchObject([
        {
          status: "rejected",
          path: "anna-lives-in-paris.md",
          reason: "It is history: anna-lives-in-paris.md, which is newer, says otherwise.",
        },
        { status: "merged", path: "anna-lives-in-paris.md" },
      ]);
      expect(await textsOf(store)).toEqual(before);
    });

    it("go by when a fact was last changed", async () => {
      const { memory } = aPersistentMemory();
      await memory.import(exported({ ...BERLIN, updated_at: "2026-02-20T10:00:00Z" }, PARIS));
      expect((await memory.recall("Where does Anna live?")).text).toContain("Berlin");
      expect(await memory.show("anna-lives-in-berlin.md")).toMatchObject({
        ...{ createdAtMs: Date.UTC(2024, 0, 5, 10), updatedAtMs: Date.UTC(2026, 1, 20, 10) },
      });
    });

    it("leave room for what is said now, whatever date they claim", async () => {
      const { memory } = aPersistentMemory();
      await memory.import(exported({ ...BERLIN, created_at: "2099-01-01T00:00:00Z" }));
      const { status } = await memory.remember("Anna lives in Paris", { source: "user" });
      expect(status).toBe("superseded");
    });

    it("keep a newer fact of less weight beside an older one of a person", async () => {
      const { memory, clock } = aPersistentMemory();
      await memory.import(exported(PARIS));
      const message = { source: "user" as const, createdAtMs: clock.nowMs - 100 * DAY_MS };
      const { status, reason } = await memory.remember("Anna lives in Berlin", message);
      expect([status, reason]).toEqual([
        "written",
        "It is new. It says otherwise than anna-lives-in-paris.md, which is newer: both stay.",
      ]);
    });

    it("take files of unknown age for as old as their last change", async () => {
      const { memory } = aPersistentMemory();
      const modifiedMs = Date.UTC(2025, 4, 1);
      await memory.import([{ path: "deploys.md", text: "We deploy on Tuesdays.", modifiedMs }]);
      expect(await memory.show("deploys.md")).toMatchObject({
        createdAtMs: modifiedMs,
        updatedAtMs: undefined,
      });
    });
  });

  it("take over a memory directory of Claude Code", async () => {
    const { memory } = aPersistentMemory();
    const { format, receipts } = await memory.import([
      { path: "MEMORY.md", text: "- [Deploys](deploys.md) — when we deploy\n" },
      {
        path: "deploys.md",
        text: "---\nname: deploys\ndescription: when we deploy\nmetadata:\n  type: project\n---\n\nOn Tuesdays.\n",
      },
    ]);
    expect([format, receipts.map(({ status }) => status)]).toEqual(["claude-code", ["written"]]);
    expect((await memory.index()).text).toContain("when we deploy");
  });

  it("say what is no export of memories", async () => {
    const { memory } = aPersistentMemory();
    await expect(memory.import("hello")).rejects.toMatchObject({ code: "FORMAT_UNKNOWN" });
    await expect(memory.import("")).rejects.toMatchObject({ code: "INPUT_EMPTY" });
  });

  it("write all of it for people, too", async () => {
    const { memory } = aPersistentMemory();
    await memory.remember("We deploy on Tuesdays only.", { source: "user" });
    expect(await memory.export("md")).toContain("We deploy on Tuesdays only.");
  });
});
