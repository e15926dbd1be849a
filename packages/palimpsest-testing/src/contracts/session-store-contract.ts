/**
 * The contract of every session store, as cases that any test runner can run:
 *
 * ```ts
 * describe("my store", () => {
 *   for (const { name, run } of sessionStoreContract) it(name, () => run(myHarness()));
 * });
 * ```
 *
 * A case throws {@link ContractBrokenError} where the promise is not kept.
 */

import type { Entry, MessageEntry } from "palimpsest/transcript";
import {
  all,
  appendMany,
  type ContractCase,
  casesOf,
  checkpoint,
  holds,
  CONTRACT_ID as ID,
  MANY_COUNT,
  message,
  refuses,
  same,
  seqs,
  textOf,
} from "./session-store-contract-kit.ts";
import { CRASH_CASES } from "./session-store-crash-cases.ts";
import { LISTING_CASES } from "./session-store-listing-cases.ts";
import { NAMING_CASES } from "./session-store-naming-cases.ts";
import { NOTES_CASES } from "./session-store-notes-cases.ts";
import { TRASH_CASES } from "./session-store-trash-cases.ts";
import { WRITER_CASES } from "./session-store-writer-cases.ts";

export { ContractBrokenError, type ContractCase, type StoreHarness } from "./session-store-contract-kit.ts";

const LOG_CASES = casesOf({
  "gives back what was appended, in order": async ({ store }) => {
    const log = await store.create(ID);
    await log.append([message(1, "one")]);
    await log.append([message(2, "two"), message(3, "three")]);
    await log.sync();
    same(seqs(await all(log)), [1, 2, 3], "three entries in order");
    same((await all(log)).entries[1]?.entry, message(2, "two"), "an entry as it was appended");
    await log.close();
  },
  "gives growing positions that readFrom takes": async ({ store }) => {
    const log = await store.create(ID);
    const positions = [...(await log.append([message(1, "one")]))];
    positions.push(...(await log.append([message(2, "zwei — 二"), message(3, "three")])));
    same(positions.length, 3, "one position for each entry");
    holds(positions[0]! < positions[1]! && positions[1]! < positions[2]!, "positions grow");
    same(
      (await all(log)).entries.map(({ position }) => position),
      positions,
      "reading gives the positions that append gave",
    );
    for (const [index, position] of positions.entries())
      same(
        (await log.readFrom(position, 99)).entries[0]?.entry.seq,
        index + 1,
        `entry at position ${position}`,
      );
    await log.close();
  },
  "reads a run up to and including its last entry": async ({ store }) => {
    const log = await store.create(ID);
    const positions = await log.append([1, 2, 3, 4, 5].map((seq) => message(seq, "x".repeat(seq))));
    same(seqs(await log.readFrom(positions[1]!, 3)), [2, 3], "a run in the middle");
    same(seqs(await log.readFrom(positions[3]!, 99)), [4, 5], "a run that ends with the log");
    same(seqs(await log.readFrom(positions[2]!, 1)), [], "a run that ends before it begins");
    await log.close();
  },
  "keeps files of what was derived from a log, where it keeps any": async ({ store }) => {
    const log = await store.create(ID);
    await log.append([message(1, "one")]);
    if (log.derived === undefined) return log.close();
    same(await log.derived.read("digest-1"), undefined, "a file that is not there");
    await log.derived.write("digest-1", "first — 一");
    await log.derived.write("digest-12", "second");
    await log.derived.write("digest-1", "replaced — 一");
    same([...(await log.derived.list())].sort(), ["digest-1", "digest-12"], "the names");
    await log.close();
    const again = await store.open(ID);
    same(await again.derived?.read("digest-1"), "replaced — 一", "the text of another process");
    await again.derived?.remove("digest-1");
    await again.derived?.remove("digest-1");
    same(await again.derived?.list(), ["digest-12"], "what is left");
    await again.close();
  },
  "keeps derived files of several parts, where it can read one alone": async ({ store }) => {
    const log = await store.create(ID);
    await log.append([message(1, "one")]);
    if (log.derived?.writeParts === undefined) return log.close();
    const parts = ["first", "", "third ".repeat(2_000)].map((part) => new TextEncoder().encode(part));
    await log.derived.writeParts("segment-1-12", parts);
    same(await log.derived.list(), ["segment-1-12"], "the names");
    await log.close();
    const again = await store.open(ID);
    const { derived } = again;
    const partAt = async (index: number): Promise<string | undefined> => {
      const part = await derived?.readPart?.("segment-1-12", index);
      return part && new TextDecoder().decode(part);
    };
    same(
      [await partAt(0), await partAt(1), (await partAt(2))?.length, await partAt(3)],
      ["first", "", 12_000, undefined],
      "the parts of another process",
    );
    same(await derived?.readPart?.("segment-1-13", 0), undefined, "a part of a file that is not there");
    await derived?.remove("segment-1-12");
    same(await derived?.list(), [], "what is left");
    await again.close();
  },
  "reads the tail from the last checkpoint on": async ({ store }) => {
    const log = await store.create(ID);
    await log.append([message(1, "one"), checkpoint(2), message(3, "three")]);
    await log.append([message(4, 'looks like {"type":"checkpoint","seq":9}')]);
    await log.append([checkpoint(5)]);
    await log.append([message(6, "six"), message(7, "seven")]);
    same(seqs(await log.readTail()), [5, 6, 7], "the tail of the writer");
    await log.close();
  },
  "reads the tail as it was at any entry, and finds each": async ({ store, reopen }) => {
    const log = await store.create(ID);
    await log.append([message(1, "one"), checkpoint(2), message(3, "three")]);
    await log.append([message(4, "four"), checkpoint(5)]);
    await log.append([message(6, "six"), message(7, "seven")]);
    await log.close();
    const again = await reopen().open(ID);
    const tails = [[], [2], [2, 3], [2, 3, 4], [5], [5, 6], [5, 6, 7], []];
    for (const [index, tail] of tails.entries()) {
      const found = seqs(await again.readTail(index + 1));
      if (found.length > 0) same(found, tail, `the tail at ${index + 1}`);
    }
    if (again.find !== undefined) {
      const found = [];
      for (let seq = 1; seq <= 8; seq++) found.push((await again.find(seq))?.entry.seq ?? 0);
      same(found, [1, 2, 3, 4, 5, 6, 7, 0], "entries");
      const { position } = (await again.find(4))!;
      same(seqs(await again.readFrom(position, 4)), [4], "an entry at the position that was found");
    }
    await again.close();
  },
  "has no tail where there is no checkpoint": async ({ store }) => {
    const log = await store.create(ID);
    await log.append([message(1, "one"), message(2, "two")]);
    same(await log.readTail(), { entries: [], damage: [] }, "nothing");
    await log.close();
  },
  "has the same entries in outline, but for what messages hold": async ({ store, reopen }) => {
    const log = await store.create(ID);
    const { seq, id, parentId, v, at } = message(4, "");
    const pin: Entry = { type: "edit", seq, id, parentId: parentId!, v, at, edit: { kind: "pin", seq: 1 } };
    const entries: readonly Entry[] = [
      message(1, "one"),
      checkpoint(2),
      message(3, '","seq":9'),
      pin,
      message(5, "5"),
    ];
    await log.append(entries.slice(0, 1));
    await log.append(entries.slice(1));
    await log.close();
    const again = await reopen().open(ID);
    const outlined: Entry[] = [];
    for await (const part of again.readAll({ outline: true }))
      outlined.push(...part.entries.map(({ entry }) => entry));
    const place = ({ type, seq, id, parentId, at }: Entry) => [type, seq, id, parentId ?? null, at];
    same(outlined.map(place), entries.map(place), "types, numbers, ids and times");
    same([outlined[1], outlined[3]], [entries[1], entries[3]], "entries that are no messages");
    await again.close();
  },
  "has the same entries after it was reopened": async ({ store, reopen }) => {
    const log = await store.create(ID);
    const positions = await log.append([message(1, "one"), checkpoint(2), message(3, "three")]);
    await log.close();
    const again = await reopen().open(ID);
    same(seqs(await all(again)), [1, 2, 3], "all entries");
    same(seqs(await again.readTail()), [2, 3], "the tail");
    same(seqs(await again.readFrom(positions[2]!, 3)), [3], "an entry at its position");
    same(again.sessionId, ID, "its id");
    await again.sync();
    await again.close();
  },
  "goes on behind what is there": async ({ store, reopen }) => {
    const first = await store.create(ID);
    await first.append([message(1, "one")]);
    await first.close();
    const second = await reopen().open(ID);
    await second.append([message(2, "two")]);
    await second.sync();
    await second.close();
    const third = await reopen().open(ID);
    same(seqs(await all(third)), [1, 2], "entries of both");
    same((await all(third)).damage, [], "no damage");
    await third.close();
  },
  "keeps thousands of entries and reads them in batches": async ({ store }) => {
    const log = await store.create(ID);
    await appendMany(log);
    let batches = 0;
    const found: number[] = [];
    for await (const part of log.readAll()) {
      batches++;
      found.push(...seqs(part));
    }
    holds(batches > 1, "several batches");
    same(
      found,
      Array.from({ length: MANY_COUNT }, (_, index) => index + 1),
      "every entry once",
    );
    await log.close();
  },
  "keeps every character, half surrogate pairs included": async ({ store, reopen }) => {
    const texts = [
      "naïve 日本語 👩‍👩‍👧 \u0000\u2028\u2029\r\n\t",
      "half \ud83d pair",
      "\udc00",
      '"}\n{"crc":"00000000"',
    ];
    const log = await store.create(ID);
    await log.append(texts.map((text, index) => message(index + 1, text)));
    await log.close();
    const again = await reopen().open(ID);
    const found = (await all(again)).entries.map(({ entry }) => textOf(entry));
    same(found, texts, "the texts");
    await again.close();
  },
  "keeps fields and types that it does not know": async ({ store, reopen }) => {
    const log = await store.create(ID);
    const extended = { ...message(1, "one"), later: { field: [1, null, "x"] } } as MessageEntry;
    await log.append([extended]);
    await log.close();
    const again = await reopen().open(ID);
    same((await all(again)).entries[0]?.entry, extended, "the entry with its unknown field");
    await again.close();
  },
  "shares nothing that a caller could change": async ({ store }) => {
    const log = await store.create(ID);
    const appended = structuredClone(message(1, "one"));
    await log.append([appended]);
    (appended.content[0] as { text: string }).text = "changed after";
    const read = (await all(log)).entries[0]?.entry as MessageEntry;
    same(textOf(read), "one", "the text as it was appended");
    (read.content[0] as { text: string }).text = "changed by a reader";
    same(textOf((await all(log)).entries[0]!.entry), "one", "the text for the next reader");
    await log.close();
  },
  "stores a blob once and gives it back": async ({ store, reopen, hasher }) => {
    const text = JSON.stringify({ type: "text", text: "long 長い \ud83d".repeat(2_000) });
    const hash = hasher.sha256(text);
    const log = await store.create(ID);
    await log.append([message(1, "one")]);
    await Promise.all([log.putBlob(hash, text), log.putBlob(hash, text)]);
    await log.sync();
    same(await log.getBlob(hash), text, "the text");
    const bytes = log.bytesWritten();
    await log.putBlob(hash, text);
    same(log.bytesWritten(), bytes, "nothing is written for a text that is there");
    await log.close();
    const again = await reopen().open(ID);
    await again.putBlob(hash, text);
    same(again.bytesWritten(), 0, "nothing is written for a text that was there");
    same(await again.getBlob(hash), text, "the text after reopening");
    await again.close();
  },
  "stores a blob in parts, if it can, as it stores a whole one": async ({ store, reopen, hasher }) => {
    const parts = ['{"type":"text","text":"', "long 長い 😀 ".repeat(20_000), "é".repeat(80_000), '"}'];
    const text = parts.join("");
    const hash = hasher.sha256(text);
    const log = await store.create(ID);
    await log.append([message(1, "one")]);
    if (log.putBlobInParts === undefined) return log.close();
    await Promise.all([log.putBlobInParts(hash, parts), log.putBlob(hash, text)]);
    await log.sync();
    same((await log.getBlob(hash)) === text, true, "the text");
    const bytes = log.bytesWritten();
    await log.putBlobInParts(hash, parts);
    same(log.bytesWritten(), bytes, "nothing is written for a text that is there");
    await log.close();
    const again = await reopen().open(ID);
    same((await again.getBlob(hash)) === text, true, "the text after reopening");
    await again.close();
  },
  "has no text for a hash it does not know": async ({ store, hasher }) => {
    const log = await store.create(ID);
    same(await log.getBlob(hasher.sha256("never stored")), undefined, "an unknown hash");
    same(await log.getBlob("../../etc/passwd"), undefined, "something that is no hash");
    await log.close();
  },
  "stores nothing before the first append": async ({ store, reopen }) => {
    const log = await store.create(ID);
    same(await store.list(), [], "no session yet");
    same(await all(log), { entries: [], damage: [] }, "nothing to read");
    same(await log.readTail(), { entries: [], damage: [] }, "no tail");
    await log.sync();
    await log.close();
    await refuses(() => reopen().open(ID), "SESSION_NOT_FOUND");
  },
  "lists the sessions that were stored": async ({ store, reopen }) => {
    same(await store.list(), [], "an empty store");
    for (const id of ["b", "a", "c.d"]) {
      const log = await store.create(id);
      await log.append([message(1, id)]);
      await log.close();
    }
    same(await reopen().list(), ["a", "b", "c.d"], "three sessions, sorted");
  },
  "refuses every use of a closed log, and closes twice": async ({ store, hasher }) => {
    const log = await store.create(ID);
    await log.append([message(1, "one")]);
    await log.close();
    await log.close();
    const hash = hasher.sha256("x");
    const uses: readonly (() => Promise<unknown>)[] = [
      () => log.append([message(2, "two")]),
      () => log.sync(),
      () => log.readTail(),
      () => log.readFrom(0, 1),
      () => all(log),
      () => log.putBlob(hash, "x"),
      () => log.getBlob(hash),
    ];
    for (const use of uses) await refuses(use, "SESSION_CLOSED");
  },
  "takes an empty append": async ({ store }) => {
    const log = await store.create(ID);
    same(await log.append([]), [], "no positions");
    same(await store.list(), [], "no session");
    await log.close();
  },
  "counts the bytes it wrote": async ({ store }) => {
    const log = await store.create(ID);
    same(log.bytesWritten(), 0, "nothing yet");
    await log.append([message(1, "z".repeat(10_000))]);
    holds(log.bytesWritten() >= 10_000 && log.bytesWritten() < 11_000, "about the size of the entry");
    await log.close();
  },
});

/** Every promise, one case each. */
export const sessionStoreContract: readonly ContractCase[] = [
  ...LOG_CASES,
  ...CRASH_CASES,
  ...LISTING_CASES,
  ...NAMING_CASES,
  ...NOTES_CASES,
  ...TRASH_CASES,
  ...WRITER_CASES,
];
