/** Building blocks of the cases of the session store's contract: a harness, entries, and checks that throw. */
import type { Hasher, SessionLog, SessionStore } from "palimpsest";
import type {
  CheckpointEntry,
  Entry,
  LogContents,
  LogDamage,
  MessageEntry,
  StoredEntry,
} from "palimpsest/transcript";

/** A new, empty store for one case. */
export interface StoreHarness {
  readonly store: SessionStore;
  /** A store on the same data, as another process would open it later. */
  reopen(): SessionStore;
  readonly hasher: Hasher;
  /** Cuts the last bytes off a session's log, as a crash in the middle of a write does; if the store has such a thing. */
  readonly tear?: (sessionId: string, bytes: number) => void;
  /**
   * Lets so much time pass without a sign of life that a session's writer may be replaced; for a
   * store that has such a thing. One that keeps a session for its writer as long as the process lives has not.
   */
  readonly expireWriters?: () => void | Promise<void>;
}

/** One promise: its name as a test would show it, and what throws if it is not kept. */
export interface ContractCase<Harness = StoreHarness> {
  readonly name: string;
  readonly run: (harness: Harness) => Promise<void>;
}

/** Cases of runs by name. */
export function casesOf<Harness = StoreHarness>(
  runs: Readonly<Record<string, ContractCase<Harness>["run"]>>,
): readonly ContractCase<Harness>[] {
  return Object.entries(runs).map(([name, run]) => ({ name, run }));
}

/** The session that the cases are about. */
export const CONTRACT_ID = "6f0c1f5e-3c2b-4a52-9d0e-0f4f6f1f2a3b";

/** A store does not keep a promise of the port. */
export class ContractBrokenError extends Error {
  override readonly name = "ContractBrokenError";
}

const base = (seq: number) => ({
  seq,
  id: `e${seq}`,
  ...(seq > 1 && { parentId: `e${seq - 1}` }),
  v: 1,
  at: 1_767_225_600_000 + seq,
});

export function message(seq: number, text: string): MessageEntry {
  return { type: "message", ...base(seq), role: "user", content: [{ type: "text", text }], origin: "user" };
}

export function checkpoint(seq: number): CheckpointEntry {
  return {
    type: "checkpoint",
    ...base(seq),
    runs: [{ from: 1, to: seq, position: 0 }],
    line: [{ from: 1, to: seq }],
    undone: [],
    pins: [],
  };
}

/** Entries of a log that is read in several batches. */
export const MANY_COUNT = 5_000;

/** Appends so many messages to an empty log. */
export async function appendMany(log: SessionLog): Promise<void> {
  const text = "y".repeat(700);
  for (let seq = 1; seq <= MANY_COUNT; seq += 50)
    await log.append(Array.from({ length: 50 }, (_, index) => message(seq + index, text)));
}

export function textOf(entry: Entry): string | undefined {
  const block = entry.type === "message" ? entry.content[0] : undefined;
  return block?.type === "text" ? block.text : undefined;
}

export function seqs({ entries }: Pick<LogContents, "entries">): readonly number[] {
  return entries.map(({ entry }) => entry.seq);
}

export async function all(log: SessionLog): Promise<LogContents> {
  const entries: StoredEntry[] = [];
  const damage: LogDamage[] = [];
  for await (const part of log.readAll()) {
    entries.push(...part.entries);
    damage.push(...part.damage);
  }
  return { entries, damage };
}

export function holds(condition: boolean, promise: string): void {
  if (!condition) throw new ContractBrokenError(`Not kept: ${promise}.`);
}

/** Compares values as JSON does, whatever the order of their fields. */
export function same(actual: unknown, expected: unknown, promise: string): void {
  const [found, wanted] = [sorted(actual), sorted(expected)];
  if (found !== wanted)
    throw new ContractBrokenError(`Not kept: ${promise}. Expected ${wanted}, found ${found}.`);
}

function sorted(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === "object" && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? "undefined"
  );
}

export async function refuses(use: () => Promise<unknown>, code: string): Promise<void> {
  let found = "no error";
  try {
    await use();
  } catch (error) {
    found = String((error as { readonly code?: unknown }).code ?? error);
  }
  same(found, code, "the error's code");
}
