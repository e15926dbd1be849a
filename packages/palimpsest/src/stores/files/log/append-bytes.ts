/** Entries as the bytes of one write, if they are within what a reader believes. */
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import type { Entry } from "../../../transcript/entries.ts";
import { storeFailure } from "../../shared/store-failure.ts";
import { type FramedBatch, formatBatch } from "./log-line.ts";

/** @throws `STORE_FAILED` where they are too many, too long, or nothing that can be written. */
export function formatAppend(entries: readonly Entry[], logFile: string): FramedBatch {
  const what = `${entries.length} entries could not be written to ${logFile}`;
  if (entries.length > STORE_DEFAULTS.batchLimitEntries)
    throw storeFailure(what, `one append takes ${STORE_DEFAULTS.batchLimitEntries}`);
  try {
    const batch = formatBatch(entries);
    const longest = longestLineBytes(batch);
    if (longest <= STORE_DEFAULTS.lineLimitBytes) return batch;
    throw storeFailure(what, `one has ${longest} bytes, and a line holds ${STORE_DEFAULTS.lineLimitBytes}`);
  } catch (error) {
    // Circular, or nested beyond what the platform can turn into JSON.
    throw storeFailure(what, error);
  }
}

function longestLineBytes({ bytes, offsets }: FramedBatch): number {
  return offsets.reduce(
    (longest, offset, index) => Math.max(longest, (offsets[index + 1] ?? bytes.length) - offset),
    0,
  );
}
