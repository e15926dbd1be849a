/** Cuts a log at every byte and spoils every byte: it always opens, and says what is damaged. */
import fc from "fast-check";
import { InMemoryFileSystem } from "palimpsest-testing";
import { beforeAll, describe, expect, it } from "vitest";
import { misread } from "#test/stores/files/log/misread.ts";
import { bySize, isLong, usualFew } from "../../../../test/helpers/size-of-run.ts";
import { checkpoint, fileStore, message, ROOT, readSession, SESSION } from "./workload.ts";

const PATH = `${ROOT}/${SESSION}.jsonl`;
/** Every place of a log is spoiled and the whole of it read again, so twice as many cost four times as much. */
const RECORDS = 60;
/** Every place in the long suite; in the default one enough of them, and of those that are special. */
const CUT_STEP = bySize({ usual: 241, long: 3, soak: 1 });
const GO_ON_STEP = bySize({ usual: 499, long: 9, soak: 3 });
const SPOILED_STEP = 541;
const SPOILED_GO_ON_STEP = bySize({ usual: 722, long: 90, soak: 30 });
const NEIGHBOURS_STEP = bySize({ usual: 123, long: 9, soak: 3 });

interface Append {
  readonly seqs: readonly number[];
  /** Size of the file after it. */
  readonly end: number;
}

let whole: Uint8Array;
let appends: Append[];
let texts: string;

beforeAll(async () => {
  const disk = new InMemoryFileSystem();
  const log = await fileStore(disk).create(SESSION);
  appends = [];
  for (let seq = 1; seq <= RECORDS; ) {
    const count = Math.min(seq % 7 === 0 ? 3 : 1, RECORDS + 1 - seq);
    const entries = Array.from({ length: count }, (_, index) =>
      (seq + index) % 20 === 0 ? checkpoint(seq + index) : message(seq + index, `text ${seq + index} é`),
    );
    await log.append(entries);
    appends.push({ seqs: entries.map((entry) => entry.seq), end: disk.readFile(PATH).length });
    seq += count;
  }
  await log.close();
  whole = disk.readFile(PATH);
  texts = JSON.stringify((await readSession(fileStore(disk))).entries);
});

/** The places beside line breaks; by default beside each eighth. */
function besideLineBreaks(): ReadonlySet<number> {
  const breaks = [...whole.keys()].filter((at) => whole[at] === 0x0a);
  return new Set(usualFew(breaks, 8).flatMap((at) => [at - 1, at, at + 1]));
}

function diskWith(bytes: Uint8Array): InMemoryFileSystem {
  const disk = new InMemoryFileSystem();
  disk.writeFile(PATH, bytes);
  return disk;
}

/** The number that goes on where the log ends. */
function nextSeq({ seqs }: { readonly seqs: readonly number[] }): number {
  return (seqs.at(-1) ?? 0) + 1;
}

/** Starts of the records. */
async function positionsIn(bytes: Uint8Array): Promise<readonly number[]> {
  const log = await fileStore(diskWith(bytes)).open(SESSION);
  const positions: number[] = [];
  for await (const { entries } of log.readAll()) positions.push(...entries.map(({ position }) => position));
  await log.close();
  return positions;
}

/** The content of the damaged log after an append. */
async function appendOne(bytes: Uint8Array, seq: number): Promise<readonly number[]> {
  const disk = diskWith(bytes);
  const log = await fileStore(disk).open(SESSION);
  await log.append([message(seq)]);
  await log.close();
  return (await readSession(fileStore(disk))).seqs;
}

describe("a log cut at any byte", () => {
  it("gives back every whole append and reports the rest", async () => {
    const special = besideLineBreaks();
    for (let size = 0; size <= whole.length; size++) {
      if (size % CUT_STEP !== 0 && !special.has(size)) continue;
      const found = await readSession(fileStore(diskWith(whole.slice(0, size))));
      // A line is whole without its line break, too.
      const kept = appends.filter(({ end }) => end - 1 <= size);
      expect(found.seqs, `cut at ${size}`).toEqual(kept.flatMap(({ seqs }) => seqs));
      const isClean = size === 0 || appends.some(({ end }) => end === size || end - 1 === size);
      expect(found.damage.length > 0, `cut at ${size}`).toBe(!isClean);
      expect(found.damage.every(({ reason }) => reason === "torn-tail")).toBe(true);
    }
  });

  it("goes on without bringing back or losing anything", async () => {
    for (let size = 1; size <= whole.length; size += GO_ON_STEP) {
      const disk = diskWith(whole.slice(0, size));
      const before = await readSession(fileStore(disk));
      const log = await fileStore(disk).open(SESSION);
      const next = nextSeq(before);
      await log.append([message(next), message(next + 1)]);
      await log.close();
      expect((await readSession(fileStore(disk))).seqs, `cut at ${size}`).toEqual([
        ...before.seqs,
        next,
        next + 1,
      ]);
      const isUntouched = Buffer.from(disk.readFile(PATH).slice(0, size)).equals(whole.slice(0, size));
      expect(isUntouched, "what was there stays").toBe(true);
    }
  });
});

describe("a log with a spoiled byte", () => {
  it.each([
    { first: 0, name: "one bit turned", spoil: (byte: number, at: number) => byte ^ (1 << (at % 8)) },
    { first: 4, name: "a line break in its place", spoil: () => 0x0a },
    { first: 8, name: "a zero in its place", spoil: () => 0 },
  ])("gives back every other record unchanged and reports the spoiled one: $name", async ({
    first,
    spoil,
  }) => {
    const originals = new Map(
      (JSON.parse(texts) as { seq: number }[]).map((entry) => [entry.seq, JSON.stringify(entry)]),
    );
    const wrong: string[] = [];
    // Each kind takes every n-th byte, in a soak every third, and other ones than the kind before it.
    const step = bySize({ usual: SPOILED_STEP, long: 9, soak: 3 });
    const start = first % step;
    for (let at = start; at < whole.length; at += step) {
      const bytes = whole.slice();
      bytes[at] = spoil(bytes[at]!, at);
      if (bytes[at] === whole[at]) continue;
      const found = await readSession(fileStore(diskWith(bytes)));
      if (found.damage.length === 0) wrong.push(`byte ${at} is not reported`);
      if (found.seqs.length < RECORDS - 1)
        wrong.push(`byte ${at} costs ${RECORDS - found.seqs.length} records`);
      const changed = found.entries.filter((entry) => JSON.stringify(entry) !== originals.get(entry.seq));
      if (at % SPOILED_GO_ON_STEP === start % SPOILED_GO_ON_STEP || (isLong && whole[at] === 0x0a)) {
        const next = nextSeq(found);
        const again = (await appendOne(bytes, next)).join();
        if (again !== [...found.seqs, next].join())
          wrong.push(`byte ${at} costs records when the log goes on`);
      }
      if (changed.length > 0) wrong.push(`byte ${at} changes ${changed.map(({ seq }) => seq)}`);
    }
    expect(wrong).toEqual([]);
  });

  it("reports it wherever it is, and gives back its neighbours", async () => {
    const positions = await positionsIn(whole);
    const seqAt = (at: number): number => positions.findLastIndex((position) => position <= at) + 1;
    const wrong: string[] = [];
    for (let at = 0; at < whole.length; at += NEIGHBOURS_STEP) {
      const bytes = whole.slice();
      bytes[at] = bytes[at]! ^ (1 << (at % 8));
      const first = Math.max(1, seqAt(at) - 1);
      const last = Math.min(RECORDS, seqAt(at) + 2);
      const log = await fileStore(diskWith(bytes)).open(SESSION);
      const { entries, damage } = await log.readFrom(positions[first - 1]!, last);
      await log.close();
      if (damage.length === 0) wrong.push(`byte ${at} is not reported`);
      const expected = Array.from({ length: last - first + 1 }, (_, index) => first + index);
      const missing = expected.filter((seq) => !entries.some(({ entry }) => entry.seq === seq));
      if (missing.length > 1) wrong.push(`byte ${at} costs records ${missing}`);
    }
    expect(wrong).toEqual([]);
  });
});

describe("a log with anything in it", () => {
  const splice = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    removed: fc.nat({ max: 400 }),
    inserted: fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc
        .constantFrom(
          "\n",
          "\n\n",
          '{"crc":"',
          '{"crc":"00000000","type":"checkpoint",',
          "\r\n",
          "#torn\n",
          "{}\n",
          "\ufeff",
        )
        .map((text) => Buffer.from(text)),
    ),
  });

  it("opens, gives back only what was written, and goes on", async () => {
    const originals = new Set((JSON.parse(texts) as unknown[]).map((entry) => JSON.stringify(entry)));
    await fc.assert(
      fc.asyncProperty(fc.array(splice, { minLength: 1, maxLength: 6 }), async (splices) => {
        let bytes = Buffer.from(whole);
        for (const { at, removed, inserted } of splices) {
          const start = Math.floor(at * bytes.length);
          bytes = Buffer.concat([bytes.subarray(0, start), inserted, bytes.subarray(start + removed)]);
        }
        const disk = diskWith(bytes);
        const found = await readSession(fileStore(disk));
        expect(found.entries.filter((entry) => !originals.has(JSON.stringify(entry)))).toEqual([]);

        const log = await fileStore(disk).open(SESSION);
        expect(await misread(log)).toEqual([]);
        const next = nextSeq(found);
        const [position] = await log.append([message(next)]);
        const seqsOf = (entries: readonly { readonly entry: { readonly seq: number } }[]) =>
          entries.map(({ entry }) => entry.seq);
        expect(seqsOf((await log.readFrom(position!, next)).entries)).toEqual([next]);
        expect([next, undefined]).toContain(seqsOf((await log.readTail()).entries).at(-1));
        await log.close();
        expect((await readSession(fileStore(disk))).seqs).toEqual([...found.seqs, next]);
      }),
      { numRuns: bySize({ usual: 6, long: 200, soak: 600 }) },
    );
  });
});
