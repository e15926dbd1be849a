/**
 * Reading a log from somewhere in its middle, where it is not known which entry comes before.
 *
 * A writer that came too late leaves at most one append that does not count: it looks at once whether it
 * does, and writes nothing more if not (`log-writer.ts`). And every append goes on from an entry that does
 * count. So where an append follows the entry that it goes on from, with nothing between, both count, and
 * reading may begin there; where somebody else's entry lies between, it may not.
 */
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import type { OpenFile } from "../../../ports/file-system.ts";
import type { LogContents } from "../../../ports/session-store.ts";
import type { Entry } from "../../../transcript/entries.ts";
import type { LastEntry } from "./log-assembler.ts";
import { type BatchMark, parseLine } from "./log-line.ts";
import { readWholeLog } from "./log-reader.ts";
import { type ByteRange, readRawLines } from "./raw-lines.ts";

/** What was read, and the entry before it. */
interface MiddleOfLog extends LogContents {
  readonly before: LastEntry | undefined;
}

interface FirmStart {
  readonly position: number;
  readonly after: LastEntry | undefined;
}

/**
 * Entries from some line on that begins in the range; `undefined` where none is known to count. With
 * `startBy`, none that begins behind it will do.
 */
export function readMiddleOfLog(
  file: OpenFile,
  range: ByteRange & { readonly startBy?: number },
): MiddleOfLog | undefined {
  const start = range.from === 0 ? { position: 0, after: undefined } : findFirmStart(file, range);
  if (start === undefined) return undefined;
  const { position, after } = start;
  const known = after === undefined ? {} : { after };
  return { ...readWholeLog(file, { from: position, to: range.to, ...known }), before: after };
}

function findFirmStart(
  file: OpenFile,
  { from, to, startBy = to }: ByteRange & { readonly startBy?: number },
): FirmStart | undefined {
  let isFirst = true;
  let before: { readonly entry: Entry; readonly batch: BatchMark | undefined } | undefined;
  for (const line of readRawLines(file, { from, to, firstChunkBytes: STORE_DEFAULTS.lineProbeBytes })) {
    if (line.position > startBy) return undefined;
    // The range may begin in the middle of a line.
    const parsed = isFirst || line.bytes === undefined ? undefined : parseLine(line.bytes);
    isFirst = false;
    const found = parsed?.ok === true ? parsed : undefined;
    const after = found === undefined ? undefined : baseOf(found, before);
    if (after !== undefined) return { position: line.position, after: after === "any" ? undefined : after };
    before = found;
  }
  return undefined;
}

/** The entry that an append goes on from, if it lies right before it; `any` for an entry of an old log. */
function baseOf(
  { entry, batch }: { readonly entry: Entry; readonly batch: BatchMark | undefined },
  before: { readonly entry: Entry; readonly batch: BatchMark | undefined } | undefined,
): LastEntry | "any" | undefined {
  if (batch !== undefined && batch.index !== 1) return undefined;
  if (entry.parentId === undefined) return "any";
  const isWhole = before?.batch === undefined || before.batch.index === before.batch.count;
  const goesOn = before?.entry.id === entry.parentId && before.entry.seq + 1 === entry.seq;
  return isWhole && goesOn ? before.entry : undefined;
}
