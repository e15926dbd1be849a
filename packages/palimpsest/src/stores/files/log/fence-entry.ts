/** The entry that says: somebody took the session over here. It moves the log's numbers on, and has no other effect. */
import type { ProcessIdentity } from "../../../ports/runtime.ts";
import { ENTRY_VERSION, type Entry } from "../../../transcript/entries.ts";
import type { LastEntry } from "./log-assembler.ts";

/** The key of such an entry's metadata. */
const LEASE_KEY = "palimpsest.lease";

/** The entry behind `last`, by the process that took the session over. */
export function fenceEntry(
  last: LastEntry,
  { at, id, process }: { readonly at: number; readonly id: string; readonly process: ProcessIdentity },
): Entry {
  return {
    type: "metadata",
    seq: last.seq + 1,
    id,
    ...(last.id === undefined ? {} : { parentId: last.id }),
    v: ENTRY_VERSION,
    at,
    key: LEASE_KEY,
    value: { pid: process.pid, host: process.host },
  };
}
