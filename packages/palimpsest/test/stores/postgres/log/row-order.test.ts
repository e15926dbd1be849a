/** Which rows count if numbers and parent ids contradict each other: a table of rows, without a database. */
import { describe, expect, it } from "vitest";
import type { ReadRow } from "#stores/postgres/log/entry-rows.ts";
import { RowScan } from "#stores/postgres/log/row-order.ts";
import { message } from "#test/fault/workload.ts";

interface RowCase {
  readonly why: string;
  readonly rows: readonly ReadRow[];
  readonly kept: readonly number[];
  readonly damage: readonly string[];
}

const upTo = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);
const row = (place: number, { seq = place, log = "e", isVerified = true } = {}): ReadRow => {
  const entry = { ...message(seq, "text"), id: `${log}${seq}`, parentId: `${log}${seq - 1}`, at: seq };
  return { place, bytes: 100, entry, isVerified };
};
const rows = (from: number, to: number, log?: string) => upTo(from, to).map((seq) => row(seq, { log }));
const damaged: ReadRow = { place: 3, bytes: 100, reason: "bad-checksum", isVerified: true };

const CASES: readonly RowCase[] = [
  { why: "sound rows", rows: rows(1, 5), kept: upTo(1, 5), damage: [] },
  {
    why: "swapped rows are put back",
    rows: [row(1), row(2, { seq: 4 }), row(3), row(4, { seq: 2 }), row(5)],
    kept: upTo(1, 5),
    damage: ["2 out-of-order", "4 out-of-order"],
  },
  {
    why: "a copy behind the end is refused",
    rows: [...rows(1, 5), row(6, { seq: 2 })],
    kept: upTo(1, 5),
    damage: ["6 duplicate-seq"],
  },
  {
    why: "a damaged row is found in another place",
    rows: [row(1), row(2), damaged, ...rows(4, 5), row(6, { seq: 3 })],
    kept: upTo(1, 5),
    damage: ["3 bad-checksum", "6 out-of-order"],
  },
  {
    why: "a gap is reported once, at its first number",
    rows: [row(1), row(2), row(6)],
    kept: [1, 2, 6],
    damage: ["3 missing"],
  },
  {
    why: "rows of another log after the start of this one are foreign",
    rows: [...rows(1, 4), ...rows(5, 6, "f")],
    kept: upTo(1, 4),
    damage: ["5 forked", "6 forked"],
  },
  {
    why: "a long run is trusted more than a short start",
    rows: [...rows(1, 2), ...rows(3, 67, "f")],
    kept: upTo(3, 67),
    damage: ["1 forked", "2 forked"],
  },
  {
    why: "without a start or a long run there is no evidence: both count",
    rows: [...rows(3, 4), ...rows(5, 6, "f")],
    kept: upTo(3, 6),
    damage: ["1 missing", "5 missing"],
  },
  {
    why: "behind the last entry, a row far beyond its place is a sign that there were more",
    rows: [row(1), ...rows(3, 4), row(90, { seq: 2 })],
    kept: upTo(1, 4),
    damage: ["5 missing", "90 out-of-order"],
  },
  {
    why: "an id without a checksum proves nothing",
    rows: [...rows(1, 3), row(4, { log: "f", isVerified: false }), row(5, { log: "f" })],
    kept: upTo(1, 5),
    damage: ["4 missing"],
  },
];

describe("the order of rows", () => {
  it.each(CASES)("$why", ({ rows: found, kept, damage }) => {
    const scan = new RowScan({ seq: 0, isVerified: true });
    for (const one of found) scan.add(one);
    const order = scan.order();
    expect(order.kept.flatMap(({ fromSeq, toSeq }) => upTo(fromSeq, toSeq))).toEqual(kept);
    expect(order.damage.map(({ position, reason }) => `${position} ${reason}`)).toEqual(damage);
    expect(order.endSeq).toBe(kept.at(-1));
  });

  it("keeps what was read before, and refuses what repeats it", () => {
    const scan = new RowScan({ seq: 80, id: "e80", isVerified: true });
    for (const one of [...rows(81, 82), row(83, { seq: 40 }), row(84, { seq: 83 })]) scan.add(one);
    const { endSeq, damage, misplaced } = scan.order();
    expect(endSeq).toBe(83);
    expect(damage.map(({ position, reason }) => `${position} ${reason}`)).toEqual([
      "83 duplicate-seq",
      "84 out-of-order",
    ]);
    expect(misplaced).toEqual([{ seq: 83, place: 84 }]);
  });
});
