/**
 * Files of which only the digest still knows, because an earlier compaction hid all that was done to them: when each was
 * used, for the ranking.
 *
 * In a small window that is most of them: it holds a dozen calls. The digest remembers entries, the ranking counts
 * calls, so the entries before the window count as many calls as those in it.
 */
import type { Digest } from "../digest/digest.ts";
import { KnownPaths, normalisePath } from "./restore-paths.ts";
import type { FileUse, FileUses, UsedMessage } from "./restore-uses.ts";

/** Most entries from a call to its result; entries no further apart are one use. Our choice: the record of the request may lie between. */
const ENTRIES_OF_USE = 3;
/** Calls in an entry where the window has none to count. Our choice: a call, its result and the record of the request. */
const CALLS_IN_ENTRY = 1 / 3;

/** The uses of these files, oldest first. `entries`: the messages of the window, without those that an edit inserted. */
export function earlierUses(
  { files }: Digest,
  { uses, callsCount }: FileUses,
  entries: readonly Pick<UsedMessage, "seq">[],
): readonly FileUse[] {
  const known = new KnownPaths();
  const here = new Set(uses.map(({ path }) => path));
  for (const path of here) known.add(path);
  const firstSeq = entries[0]?.seq ?? Number.POSITIVE_INFINITY;
  const span = (entries.at(-1)?.seq ?? firstSeq) - firstSeq + 1;
  const callsInEntry = callsCount === 0 || !(span > 1) ? CALLS_IN_ENTRY : callsCount / span;
  const callAt = (seq: number): number =>
    Number.isFinite(firstSeq) ? Math.min(0, Math.round((seq - firstSeq) * callsInEntry)) : 0;
  const earlier = [...files.values()].flatMap(({ path, lastHow, lastSeq, lastPointer, trail }) => {
    const normalised = normalisePath(path);
    const resolved = normalised === undefined ? undefined : known.resolve(normalised);
    if (resolved === undefined || here.has(resolved)) return [];
    const before = usesBefore(lastSeq, trail);
    return [...before, lastSeq].map(
      (seq): FileUse => ({
        path: resolved,
        how: seq === lastSeq ? lastHow : "read",
        call: callAt(seq),
        seq,
        pointer: lastPointer,
        hasWorked: true,
        input: null,
        isRemembered: true,
      }),
    );
  });
  return earlier.sort((one, other) => one.seq - other.seq);
}

/** The entries of a trail at which a use began that was before the last one. */
function usesBefore(lastSeq: number, trail: readonly number[]): readonly number[] {
  const found: number[] = [];
  for (const seq of trail) {
    const isOther = found.length === 0 || seq - found.at(-1)! > ENTRIES_OF_USE;
    if (isOther && lastSeq - seq > ENTRIES_OF_USE) found.push(seq);
  }
  return found;
}
