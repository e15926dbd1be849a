/** Lines that were moved, repeated, swapped or restored hide no whole entry, whichever reader reads. */

import { InMemoryFileSystem } from "palimpsest-testing";
import { beforeEach, describe, expect, it } from "vitest";
import { frame, parseFields } from "#test/fault/damaged-session/kind.ts";
import { World } from "#test/fault/leased-workload.ts";
import { checkpoint, fileStore, message, ROOT, readSession, SESSION } from "#test/fault/workload.ts";
import type { Entry } from "#transcript/entries.ts";
import { bySize } from "../../../../../../test/helpers/size-of-run.ts";
import { misread } from "./misread.ts";

const PATH = `${ROOT}/${SESSION}.jsonl`;
const COUNT = 200;
/** Numbers between the entries that are looked at one by one: as reading each reads the whole file here. */
const STEP = bySize({ usual: 29, long: 9, soak: 3 });
const ALL = Array.from({ length: COUNT }, (_, index) => index + 1);

let lines: readonly string[];

const messageOf = (seq: number, at = seq): Entry => ({ ...message(seq, `text ${seq}`), at });

async function linesOf(entries: readonly Entry[]): Promise<readonly string[]> {
  const disk = new InMemoryFileSystem();
  const log = await fileStore(disk).create(SESSION);
  for (const entry of entries) await log.append([entry]);
  await log.close();
  return Buffer.from(disk.readFile(PATH)).toString("utf8").trimEnd().split("\n");
}

beforeEach(async () => {
  lines ??= await linesOf(ALL.map((seq) => (seq % 30 === 0 ? checkpoint(seq) : messageOf(seq))));
});

function diskWith(changed: readonly string[]): InMemoryFileSystem {
  const disk = new InMemoryFileSystem();
  disk.writeFile(PATH, Buffer.from(changed.map((line) => `${line}\n`).join("")));
  return disk;
}

const insertedAt = (at: number, copies: readonly string[]) => lines.toSpliced(at, 0, ...copies);
const swapped = (a: number, b: number, count: number) =>
  lines.map((line, index) => {
    if (index >= a && index < a + count) return lines[b + index - a]!;
    if (index >= b && index < b + count) return lines[a + index - b]!;
    return line;
  });

const DISORDERS: readonly { readonly why: string; readonly change: () => readonly string[] }[] = [
  {
    why: "copies of two later lines stand before earlier ones",
    change: () => insertedAt(50, lines.slice(150, 152)),
  },
  { why: "a copy of one later line stands before earlier ones", change: () => insertedAt(50, [lines[150]!]) },
  { why: "two stretches are swapped", change: () => swapped(20, 120, 30) },
  { why: "a stretch is swapped with the end", change: () => swapped(20, 180, 20) },
  { why: "neighbouring stretches are swapped", change: () => swapped(160, 180, 20) },
  { why: "the tail is repeated", change: () => [...lines, ...lines.slice(-25)] },
  { why: "an old stretch stands at the end", change: () => [...lines, ...lines.slice(20, 70)] },
  { why: "nearly everything is repeated, but for the end", change: () => [...lines, ...lines.slice(0, 170)] },
  { why: "the lines are in reverse order", change: () => lines.toReversed() },
];

describe("a file whose lines are not in the order of the log", () => {
  it.each(DISORDERS)("gives back every entry: $why", async ({ why, change }) => {
    const disk = diskWith(change());
    const before = Buffer.from(disk.readFile(PATH));
    expect((await readSession(fileStore(disk))).seqs).toEqual(ALL);

    const log = await fileStore(disk).open(SESSION);
    const tail = (await log.readTail()).entries.map(({ entry }) => entry.seq);
    // A log without a tail is read whole, so nothing is right, too.
    if (tail.length > 0 || !why.includes("reverse")) expect(tail).toEqual(ALL.slice(179));
    const all = [];
    for await (const { entries } of log.readAll()) all.push(...entries);
    for (const [from, to] of [
      [10, 60],
      [100, 190],
    ] as const) {
      const { position } = all.find(({ entry }) => entry.seq === from)!;
      const { entries } = await log.readFrom(position, to);
      expect(entries.map(({ entry }) => entry.seq)).toEqual(ALL.slice(from - 1, to));
    }
    expect(await misread(log, STEP)).toEqual([]);
    const fresh = await fileStore(disk).open(SESSION);
    expect(await misread(fresh, STEP), "before the file was scanned").toEqual([]);
    await fresh.close();
    expect(Buffer.from(disk.readFile(PATH)).equals(before), "reading changes nothing").toBe(true);
    await log.append([messageOf(201)]);
    await log.close();
    expect((await readSession(fileStore(disk))).seqs).toEqual([...ALL, 201]);
    const again = await fileStore(disk).open(SESSION);
    const last = (await again.readTail()).entries.at(-1)?.entry.seq;
    if (last !== undefined || !why.includes("reverse")) expect(last).toBe(201);
    await again.close();
  });
});

it("a line of a batch that stands at the end of the file is put back", async () => {
  const disk = new InMemoryFileSystem();
  const log = await fileStore(disk).create(SESSION);
  await log.append([messageOf(1), messageOf(2)]);
  await log.append([messageOf(3)]);
  await log.close();
  const [first, ...others] = Buffer.from(disk.readFile(PATH)).toString("utf8").trimEnd().split("\n");
  expect((await readSession(fileStore(diskWith([...others, first!])))).seqs).toEqual([1, 2, 3]);
});

it("a copy of the first line behind a log whose first lines are gone hides nothing", async () => {
  const disk = diskWith([...lines.slice(2), lines[0]!]);
  expect((await readSession(fileStore(disk))).seqs).toEqual([1, ...ALL.slice(2)]);
});

describe("a line whose checksum is right and that is no entry", () => {
  /** Like the lines of the engine, whose heads alone are read where only the order matters. */
  const linked = (seq: number): Entry => {
    const { type, id, seq: _, ...others } = messageOf(seq);
    return { type, seq, id, parentId: `e${seq - 1}`, ...others } as Entry;
  };
  const spoiled = (line: string) => frame({ ...parseFields(line), content: null });
  let engineLines: readonly string[];
  beforeEach(async () => {
    engineLines ??= await linesOf([messageOf(1), ...[2, 3, 4, 5].map(linked)]);
  });

  it("does not hold up the next append where it is the last", async () => {
    const disk = diskWith(engineLines.with(4, spoiled(engineLines[4]!)));
    const log = await fileStore(disk).open(SESSION);
    const seqs = [];
    for await (const { entries } of log.readAll()) seqs.push(...entries.map(({ entry }) => entry.seq));
    expect(seqs).toEqual([1, 2, 3, 4]);
    for await (const _ of log.readAll({ damageOnly: true }));
    for await (const _ of log.readAll({ outline: true }));
    await log.append([linked(5)]);
    await log.close();
    expect((await readSession(fileStore(disk))).seqs).toEqual([1, 2, 3, 4, 5]);
  });

  it("wins over no entry with its number, also where other lines are not in order", async () => {
    const [first, second, third, fourth, fifth] = engineLines as [string, string, string, string, string];
    const moved = [second, third, fourth, spoiled(fifth), first, fifth];
    expect((await readSession(fileStore(diskWith(moved)))).seqs).toEqual([1, 2, 3, 4, 5]);
  });
});

it("a log that ends with an old stretch is taken over from a writer that may wake up, and gone on with", async () => {
  const long = await linesOf(ALL.map((seq) => message(seq, "x".repeat(2_000))));
  const disk = diskWith([...long, ...long.slice(20, 70)]);
  const world = new World();
  const sleeper = await world.start(disk).store.open(SESSION);
  await sleeper.acquire();
  world.clock.advance(60_000);

  const log = await world.start(disk).store.open(SESSION);
  await log.acquire();
  const seqs = [];
  for await (const { entries } of log.readAll()) seqs.push(...entries.map(({ entry }) => entry.seq));
  // The 201st tells the other writer that it was replaced.
  expect(seqs).toEqual([...ALL, 201]);
  await log.append([messageOf(202)]);
  await log.close();
  expect((await readSession(fileStore(disk))).seqs).toEqual([...ALL, 201, 202]);
  await sleeper.close();
});

describe("a log that was cut and gone on with", () => {
  const other = (seq: number): Entry => ({
    ...message(seq, `the other ${seq}`),
    id: `o${seq}`,
    parentId: seq === 101 ? "e100" : `o${seq - 1}`,
    at: 1_000 + seq,
  });

  it.each([
    { why: "old lines stand behind it", at: (count: number) => count, old: [104, 160] },
    { why: "old lines stand in the middle of it", at: () => 120, old: [104, 160] },
    { why: "old lines stand where it was cut", at: () => 100, old: [100, 160] },
  ])("shows what was written last: $why", async ({ at, old }) => {
    const later = ALL.slice(100, 150).map(other);
    const whole = await linesOf([...ALL.slice(0, 100).map((seq) => messageOf(seq)), ...later]);
    const stale = lines.slice(old[0], old[1]);
    const disk = diskWith(whole.toSpliced(at(whole.length), 0, ...stale));
    const { entries } = await readSession(fileStore(disk));
    expect(entries.slice(100, 150).map(({ id }) => id)).toEqual(later.map(({ id }) => id));
  });
});
