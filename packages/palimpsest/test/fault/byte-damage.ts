/**
 * Random damage as disks and crashes leave it, done to the bytes of a log. It knows nothing of how a log is
 * written but that lines end in a line break, so that it judges any store of lines or of rows joined by them.
 */
import fc from "fast-check";

const PAGE_BYTES = 4_096;
const NEWLINE = 0x0a;

/** A share of something, from its start to just before its end. */
const place = fc.double({ min: 0, max: 0.999_999, noNaN: true });

/** One thing that happened to the bytes. */
export const byteDamage = () =>
  fc.oneof(
    fc.record({ do: fc.constant("flip" as const), at: place, bit: fc.nat({ max: 7 }) }),
    fc.record({ do: fc.constant("cut" as const), at: place }),
    fc.record({ do: fc.constant("cut-at-line" as const), at: place }),
    fc.record({
      do: fc.constant("swap" as const),
      at: place,
      with: place,
      pages: fc.integer({ min: 1, max: 4 }),
    }),
    fc.record({ do: fc.constant("repeat-tail" as const), from: place }),
    fc.record({
      do: fc.constant("stale-tail" as const),
      from: place,
      share: place,
      isAppended: fc.boolean(),
    }),
    fc.record({
      do: fc.constant("move-lines" as const),
      at: place,
      to: place,
      count: fc.integer({ min: 1, max: 9 }),
    }),
    fc.record({ do: fc.constant("zero-page" as const), at: place }),
    fc.record({ do: fc.constant("late-writer" as const), at: place }),
  );
export type ByteDamage = ReturnType<typeof byteDamage> extends fc.Arbitrary<infer One> ? One : never;

/** `lateLine` makes the line of a writer that came too late, which goes on from the entry of a line before. */
export function damageBytes(
  bytes: Buffer,
  one: ByteDamage,
  lateLine: (before: string) => string | undefined,
): Buffer {
  const index = (share: number): number => Math.floor(share * bytes.length);
  switch (one.do) {
    case "flip": {
      const changed = Buffer.from(bytes);
      const at = index(one.at);
      changed[at] = changed[at]! ^ (1 << one.bit);
      return changed;
    }
    case "cut":
      return bytes.subarray(0, index(one.at));
    case "cut-at-line":
      // What is left looks whole; nothing of it, where the cut falls into the first line.
      return bytes.subarray(0, bytes.subarray(0, index(one.at)).lastIndexOf(NEWLINE) + 1);
    case "swap": {
      const size = one.pages * PAGE_BYTES;
      const pages = Math.floor(bytes.length / size);
      const [a, b] = [Math.floor(one.at * pages) * size, Math.floor(one.with * pages) * size];
      const changed = Buffer.from(bytes);
      bytes.copy(changed, a, b, b + size);
      bytes.copy(changed, b, a, a + size);
      return changed;
    }
    case "repeat-tail":
      return Buffer.concat([bytes, bytes.subarray(index(one.from))]);
    case "stale-tail": {
      const from = index(one.from);
      const size = Math.floor(one.share * Math.min(bytes.length - from, 16 * PAGE_BYTES));
      const stale = bytes.subarray(from, from + size);
      return Buffer.concat([one.isAppended ? bytes : bytes.subarray(0, bytes.length - size), stale]);
    }
    case "move-lines": {
      const lines = bytes.toString("latin1").split("\n").slice(0, -1);
      const moved = lines.splice(Math.floor(one.at * lines.length), one.count);
      lines.splice(Math.floor(one.to * (lines.length + 1)), 0, ...moved);
      return Buffer.from(lines.map((line) => `${line}\n`).join(""), "latin1");
    }
    case "zero-page": {
      const at = Math.floor(index(one.at) / PAGE_BYTES) * PAGE_BYTES;
      const changed = Buffer.from(bytes);
      return changed.fill(0, at, Math.min(bytes.length, at + PAGE_BYTES));
    }
    case "late-writer": {
      const lines = bytes.toString("latin1").split("\n").slice(0, -1);
      const at = 1 + Math.floor(one.at * (lines.length - 1));
      const late = lateLine(lines[at - 1]!);
      if (late !== undefined) lines.splice(at + 1, 0, late);
      return Buffer.from(lines.map((line) => `${line}\n`).join(""), "latin1");
    }
  }
}
