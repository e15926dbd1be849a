/** Ids that are the same in every run with the same seed. */
import type { IdSource } from "palimpsest";

/** Ids of a seed: UUIDs of version 4 in shape, and 16 hex digits that count up for entries. */
export function seededIds(seed = 1): IdSource {
  const nextByte = seededBytes(seed);
  const hex = (count: number) =>
    Array.from({ length: count }, () => nextByte().toString(16).padStart(2, "0")).join("");
  let entries = 0;
  const prefix = hex(3);

  return {
    sessionId: () => {
      const digits = hex(16);
      const variant = "89ab"[nextByte() & 3];
      return [
        digits.slice(0, 8),
        digits.slice(8, 12),
        `4${digits.slice(13, 16)}`,
        `${variant}${digits.slice(17, 20)}`,
        digits.slice(20),
      ].join("-");
    },
    // Counted rather than drawn, so that ids are distinct and a failure shows the order.
    entryId: () => `${prefix}${(++entries).toString(16).padStart(10, "0")}`,
  };
}

/** Mulberry32: small, and good enough for ids that only have to differ. */
function seededBytes(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) & 0xff;
  };
}
