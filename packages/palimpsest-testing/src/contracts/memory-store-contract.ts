/**
 * The contract of every memory store, as cases that any test runner can run:
 *
 * ```ts
 * describe("my store", () => {
 *   for (const { name, run } of memoryStoreContract) it(name, () => run(myHarness()));
 * });
 * ```
 *
 * A case throws {@link ContractBrokenError} where the promise is not kept.
 */
import type { MemoryChange, MemoryStore } from "palimpsest/memory";
import { casesOf, holds, refuses, same } from "./session-store-contract-kit.ts";

/** A new, empty store for one case. */
export interface MemoryStoreHarness {
  readonly store: MemoryStore;
  /** Another store on the same data, as another process would open it. */
  reopen(): MemoryStore;
}

const make = (path: string, text: string): MemoryChange => ({ path, base: undefined, text });

async function versionIn(store: MemoryStore, path: string): Promise<string | undefined> {
  return (await store.read(path))?.version;
}

async function textIn(store: MemoryStore, path: string): Promise<string | undefined> {
  return (await store.read(path))?.text;
}

async function paths(store: MemoryStore): Promise<readonly string[]> {
  return (await store.list()).files.map(({ path }) => path);
}

/** One of each kind; what else there is is in the tests of paths. */
const WRONG_PATHS = [
  "../a.md",
  "/a.md",
  "a//b.md",
  "a\\b.md",
  ".git/a.md",
  "a\0.md",
  "con.md",
  "a.txt",
  "",
  "a.md:x",
];

/** Every promise, one case each. */
export const memoryStoreContract = casesOf<MemoryStoreHarness>({
  "is empty at first, and reading makes nothing": async ({ store, reopen }) => {
    same(await store.list(), { files: [], problems: [] }, "a new store has nothing");
    same(await store.read("a.md"), undefined, "what is not there is not found");
    same(await store.readRecord("journal"), undefined, "a record that is not there is not found");
    same(await reopen().list(), { files: [], problems: [] }, "looking left nothing");
  },
  "gives back what was stored, to the letter": async ({ store, reopen }) => {
    const text =
      "\uFEFF---\r\nname: \u0928\u092E\u0938\u094D\u0924\u0947 \u{1F468}\u200D\u{1F469}\u200D\u{1F467}\n---\n\tZeile\u2028\u0000\n\n";
    const applied = await store.apply([make("topics/deploy/days.md", text)]);
    const read = await reopen().read("topics/deploy/days.md");
    same(read?.text, text, "the text to the letter");
    same(read?.path, "topics/deploy/days.md", "its path");
    same(applied.isApplied && applied.versions.get("topics/deploy/days.md"), read?.version, "its version");
    holds(typeof read?.modifiedMs === "number" && read.modifiedMs > 0, "when it was changed");
    await store.apply([make("half.md", "a\uD800b")]);
    same(await textIn(store, "half.md"), "a\uFFFDb", "half a character is replaced");
  },
  "lists what there is, by path, with sizes": async ({ store }) => {
    await store.apply([make("b.md", "äö"), make("a/c.md", "x"), make("A.md", "12345")]);
    const { files, problems } = await store.list();
    same(
      files.map(({ path, sizeBytes }) => [path, sizeBytes]),
      [
        ["A.md", 5],
        ["a/c.md", 1],
        ["b.md", 4],
      ],
      "files by path",
    );
    same(problems, [], "no problems");
  },
  "gives another stamp when a text changed, and the same version for the same text": async ({ store }) => {
    await store.apply([make("a.md", "one"), make("b.md", "one")]);
    const [one, other] = [await versionIn(store, "a.md"), await versionIn(store, "b.md")];
    same(one, other, "equal texts have equal versions");
    const stampOf = async () => (await store.list()).files.find(({ path }) => path === "a.md")?.stamp;
    const before = await stampOf();
    await store.apply([{ path: "a.md", base: one, text: "two" }]);
    holds(before !== (await stampOf()), "another text has another stamp");
    holds(one !== (await versionIn(store, "a.md")), "another text has another version");
  },
  "replaces only what is there as it was read": async ({ store, reopen }) => {
    await store.apply([make("a.md", "one")]);
    const base = await versionIn(store, "a.md");
    const other = reopen();
    same((await other.apply([{ path: "a.md", base, text: "two" }])).isApplied, true, "the first replaces it");
    const late = await store.apply([{ path: "a.md", base, text: "three" }]);
    same(late, { isApplied: false, conflicts: ["a.md"] }, "the second gets the conflict");
    same(await textIn(store, "a.md"), "two", "what the first wrote stays");
    const gone = await store.apply([{ path: "b.md", base, text: "x" }]);
    same(gone, { isApplied: false, conflicts: ["b.md"] }, "what is not there cannot be replaced");
    same(await paths(store), ["a.md"], "nothing was made");
  },
  "makes only what is not there": async ({ store }) => {
    await store.apply([make("a.md", "one")]);
    same(await store.apply([make("a.md", "two")]), { isApplied: false, conflicts: ["a.md"] }, "it is there");
    same(await textIn(store, "a.md"), "one", "what was there stays");
  },
  "changes several files or none": async ({ store, reopen }) => {
    await store.apply([make("MEMORY.md", "index"), make("a.md", "a"), make("sub/b.md", "b")]);
    const [index, a, b] = [
      await versionIn(store, "MEMORY.md"),
      await versionIn(store, "a.md"),
      await versionIn(store, "sub/b.md"),
    ];
    const changes: readonly MemoryChange[] = [
      { path: "a.md", base: a, text: "A" },
      { path: "sub/b.md", base: b, text: undefined },
      make("new/c.md", "c"),
      { path: "MEMORY.md", base: "0".repeat(64), text: "INDEX" },
    ];
    same(await store.apply(changes), { isApplied: false, conflicts: ["MEMORY.md"] }, "one that does not fit");
    same(await paths(store), ["MEMORY.md", "a.md", "sub/b.md"], "no file was made or put away");
    same(await textIn(store, "a.md"), "a", "no text was changed");
    const right = changes.map((change) =>
      change.path === "MEMORY.md" ? { ...change, base: index } : change,
    );
    same((await store.apply(right)).isApplied, true, "all of them");
    same(await paths(reopen()), ["MEMORY.md", "a.md", "new/c.md"], "the files after it");
    same(
      [await textIn(store, "a.md"), await textIn(store, "MEMORY.md")],
      ["A", "INDEX"],
      "the texts after it",
    );
  },
  "archives a file and creates another one with the same path": async ({ store }) => {
    for (const text of ["one", "two", "three"]) {
      same((await store.apply([make("a.md", text)])).isApplied, true, "it is made");
      const base = await versionIn(store, "a.md");
      const applied = await store.apply([{ path: "a.md", base, text: undefined }]);
      same(applied.isApplied && [...applied.versions], [["a.md", undefined]], "it is put away");
      same(await store.read("a.md"), undefined, "it is not found");
      same(await paths(store), [], "it is not listed");
    }
  },
  "gives back what was put away, the newest first": async ({ store, reopen }) => {
    same(await store.archived(), [], "nothing was put away yet");
    for (const [path, text] of [
      ["a.md", "one"],
      ["topics/b.md", "two"],
      ["a.md", "three\r\n"],
    ] as const) {
      await store.apply([make(path, text)]);
      await store.apply([{ path, base: await versionIn(store, path), text: undefined }]);
    }
    const there = await reopen().archived();
    const texts = await Promise.all(there.map(({ id }) => reopen().readArchived(id)));
    same([...texts].sort(), ["one", "three\r\n", "two"], "every text, to the letter");
    same(
      there.map(({ path }) => path).sort(),
      ["a.md", "a.md", "topics/b.md"],
      "under the paths that they had",
    );
    same(new Set(there.map(({ id }) => id)).size, 3, "each with an id of its own");
    const times = there.map(({ archivedMs }) => archivedMs);
    same(
      times,
      times.toSorted((one, other) => other - one),
      "the newest first",
    );
    for (const id of ["", "a.md", "../a.md", `${there[0]!.id}x`, `${there[0]!.id}/../a.md`, "/", "x/a.md"])
      same(await store.readArchived(id), undefined, "nothing else has an id");
  },
  "takes a text that is there already, alone and with others": async ({ store }) => {
    await store.apply([make("a.md", "one"), make("b.md", "two")]);
    const [one, two] = [await versionIn(store, "a.md"), await versionIn(store, "b.md")];
    const again = await store.apply([{ path: "a.md", base: one, text: "one" }]);
    same(again.isApplied && again.versions.get("a.md"), one, "the same version");
    const both: readonly MemoryChange[] = [
      { path: "a.md", base: one, text: "one" },
      { path: "b.md", base: two, text: "three" },
    ];
    same((await store.apply(both)).isApplied, true, "the other one is changed");
    same([await textIn(store, "a.md"), await textIn(store, "b.md")], ["one", "three"], "the texts after it");
    same(
      await store.apply(both),
      { isApplied: false, conflicts: ["b.md"] },
      "what changed is told all the same",
    );
  },
  "lets one of many writers win each time": async ({ store, reopen }) => {
    await store.apply([make("count.md", "0")]);
    const add = async (one: MemoryStore): Promise<void> => {
      for (;;) {
        const before = await one.read("count.md");
        const text = String(Number(before?.text) + 1);
        if ((await one.apply([{ path: "count.md", base: before?.version, text }])).isApplied) return;
      }
    };
    const other = reopen();
    await Promise.all([store, other, store, other, store, other, store, other].map(add));
    same(await textIn(store, "count.md"), "8", "every one counts once");
  },
  "takes an empty list of changes, and an empty text": async ({ store }) => {
    same((await store.apply([])).isApplied, true, "nothing to do is done");
    await store.apply([make("empty.md", "")]);
    same(await textIn(store, "empty.md"), "", "an empty text is a text");
  },
  "refuses paths that lead elsewhere, whatever is asked": async ({ store }) => {
    for (const path of WRONG_PATHS) {
      await refuses(() => store.read(path), "MEMORY_PATH_REFUSED");
      await refuses(() => store.apply([make("fine.md", "x"), make(path, "x")]), "MEMORY_PATH_REFUSED");
      await refuses(() => store.apply([{ path, base: "0", text: "x" }]), "MEMORY_PATH_REFUSED");
      await refuses(() => store.apply([{ path, base: "0", text: undefined }]), "MEMORY_PATH_REFUSED");
    }
    same(await paths(store), [], "nothing was made");
  },
  "refuses names that differ in case or normal form only": async ({ store }) => {
    await store.apply([make("Caf\u00E9.md", "x"), make("Topics/a.md", "x")]);
    for (const path of ["caf\u00E9.md", "Cafe\u0301.md", "topics/b.md", "TOPICS/a.md"])
      await refuses(() => store.apply([make(path, "y")]), "MEMORY_PATH_REFUSED");
    same((await store.apply([make("Topics/b.md", "y")])).isApplied, true, "the same folder is no twin");
  },
  "refuses two changes of one path, and texts that are too large": async ({ store }) => {
    await refuses(() => store.apply([make("a.md", "1"), make("a.md", "2")]), "MEMORY_PATH_REFUSED");
    await refuses(() => store.apply([make("a.md", "1"), make("A.md", "2")]), "MEMORY_PATH_REFUSED");
    await refuses(() => store.apply([make("a.md", "1"), make("b.md", "ä".repeat(600_000))]), "STORE_FAILED");
    same(await paths(store), [], "nothing was made");
  },
  "keeps records, and adds lines to them": async ({ store, reopen }) => {
    await store.writeRecord("dreams/1.json", "{}");
    await store.writeRecord("dreams/1.json", '{"a":1}');
    await store.appendRecord("shown.jsonl", "one");
    await reopen().appendRecord("shown.jsonl", "two");
    await store.writeRecord("cut.jsonl", "whole\nhal");
    await store.appendRecord("cut.jsonl", "next");
    same(await store.readRecord("dreams/1.json"), '{"a":1}', "the record as it was written last");
    same(await store.readRecord("shown.jsonl"), "one\ntwo\n", "a line each");
    same(await store.readRecord("cut.jsonl"), "whole\nhal\nnext\n", "half a line stays alone");
    same(await reopen().listRecords(""), ["cut.jsonl", "dreams/1.json", "shown.jsonl"], "the names");
    same(await store.listRecords("dreams/"), ["dreams/1.json"], "the names that begin so");
    same(await store.list(), { files: [], problems: [] }, "records are no memories");
  },
  "refuses records with other names": async ({ store }) => {
    for (const name of ["", "../a", "a/b/c", "/a", ".a", "a..b", "A", "a b", "a/", "a\n"]) {
      await refuses(() => store.readRecord(name), "MEMORY_PATH_REFUSED");
      await refuses(() => store.writeRecord(name, "x"), "MEMORY_PATH_REFUSED");
      await refuses(() => store.appendRecord(name, "x"), "MEMORY_PATH_REFUSED");
      await refuses(() => store.tryLock(name), "MEMORY_PATH_REFUSED");
    }
  },
  "gives a lock to one at a time": async ({ store, reopen }) => {
    const held = await store.tryLock("dream");
    same(held?.isHeld(), true, "the first has it");
    same(await reopen().tryLock("dream"), undefined, "the second has not");
    same((await reopen().tryLock("other"))?.isHeld(), true, "another one is free");
    await store.apply([make("a.md", "x")]);
    await held?.release();
    same(held?.isHeld(), false, "it was given back");
    same((await reopen().tryLock("dream"))?.isHeld(), true, "the second has it then");
  },
  "refuses everything once it is closed": async ({ store }) => {
    const applying = store.apply([make("a.md", "x")]);
    const closing = store.close();
    same((await applying).isApplied, true, "what was under way is done");
    await closing;
    const uses = [
      () => store.list(),
      () => store.read("a.md"),
      () => store.apply([make("b.md", "x")]),
      () => store.archived(),
      () => store.readArchived("a"),
      () => store.readRecord("a"),
      () => store.writeRecord("a", "x"),
      () => store.appendRecord("a", "x"),
      () => store.listRecords(""),
      () => store.tryLock("a"),
    ];
    for (const use of uses) await refuses(use, "STORE_FAILED");
  },
});
