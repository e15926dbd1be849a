/**
 * A session's worth of work on a store, and what it was promised: the base of the fault sweeps.
 */

import { seededIds } from "palimpsest-testing";
import { PalimpsestError } from "#base/errors.ts";
import type { FileSystem } from "#ports/file-system.ts";
import type { LogDamage, SessionLog, SessionStore } from "#ports/session-store.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import type { CheckpointEntry, Entry, MessageEntry } from "#transcript/entries.ts";

export const ROOT = "/home/user/sessions";
export const SESSION = "session";

export function fileStore(fs: FileSystem, root = ROOT): SessionStore {
  return new FileSessionStore({ root, fs, hasher: nodeHasher, ids: seededIds() });
}

const base = (seq: number) => ({ seq, id: `e${seq}`, v: 1, at: 1_767_225_600_000 + seq });

export function message(seq: number, text = `message ${seq}`): MessageEntry {
  // Its fields stand as the engine has them: it is written as most messages are.
  return { type: "message", ...base(seq), role: "user", origin: "user", content: [{ type: "text", text }] };
}

export function checkpoint(seq: number): CheckpointEntry {
  return { type: "checkpoint", ...base(seq), runs: [], line: [{ from: 1, to: seq }], undone: [], pins: [] };
}

type Step =
  | { readonly do: "append"; readonly entries: readonly Entry[] }
  | { readonly do: "blob"; readonly text: string }
  | { readonly do: "sync" };

/** Appends alone and in batches, blobs, a checkpoint, syncs between them. */
export const STEPS: readonly Step[] = [
  { do: "append", entries: [message(1), message(2)] },
  { do: "append", entries: [message(3)] },
  { do: "sync" },
  { do: "blob", text: JSON.stringify("first blob ".repeat(50)) },
  { do: "append", entries: [message(4), message(5), message(6)] },
  { do: "sync" },
  { do: "append", entries: [checkpoint(7)] },
  { do: "blob", text: JSON.stringify("second blob ".repeat(50)) },
  { do: "blob", text: JSON.stringify("first blob ".repeat(50)) },
  { do: "append", entries: [message(8, "ü".repeat(300))] },
  { do: "sync" },
  { do: "append", entries: [message(9)] },
];

export const ALL_SEQS: readonly number[] = [1, 2, 3, 4, 5, 6, 7, 8, 9];

/** Acknowledged writes so far. */
export interface Promised {
  readonly acknowledged: number[];
  readonly durable: number[];
  readonly blobs: string[];
  readonly durableBlobs: string[];
  /** The append that was under way when the process ended: it may be there, but only as a whole. */
  inFlight: readonly number[];
  /** Anything thrown that is not an error of ours. */
  readonly foreignErrors: unknown[];
  failures: number;
}

export interface RunOptions {
  /** Attempts of a failing step on the same open log. */
  readonly attempts: number;
}

/** Runs the steps; stops at the first that fails for good. */
export async function runWorkload(store: SessionStore, { attempts }: RunOptions): Promise<Promised> {
  const promised: Promised = {
    acknowledged: [],
    durable: [],
    blobs: [],
    durableBlobs: [],
    inFlight: [],
    foreignErrors: [],
    failures: 0,
  };
  let log: SessionLog | undefined;
  const isDone = await retry(promised, attempts, async () => {
    log = await store.create(SESSION);
  });
  if (!isDone || log === undefined) return promised;

  const open = log;
  for (const step of STEPS) {
    if (step.do === "append") promised.inFlight = step.entries.map(({ seq }) => seq);
    if (!(await retry(promised, attempts, () => doStep(open, step, promised)))) return promised;
    promised.inFlight = [];
  }
  await retry(promised, attempts, () => open.close());
  return promised;
}

async function doStep(log: SessionLog, step: Step, promised: Promised): Promise<void> {
  if (step.do === "append") {
    await log.append(step.entries);
    promised.acknowledged.push(...step.entries.map(({ seq }) => seq));
  } else if (step.do === "blob") {
    await log.putBlob(nodeHasher.sha256(step.text), step.text);
    promised.blobs.push(step.text);
  } else {
    await log.sync();
    promised.durable.splice(0, Number.POSITIVE_INFINITY, ...promised.acknowledged);
    promised.durableBlobs.splice(0, Number.POSITIVE_INFINITY, ...promised.blobs);
  }
}

async function retry(promised: Promised, attempts: number, work: () => Promise<void>): Promise<boolean> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    try {
      await work();
      return true;
    } catch (error) {
      promised.failures++;
      if (!(error instanceof PalimpsestError)) promised.foreignErrors.push(error);
    }
  }
  return false;
}

export interface Found {
  readonly seqs: readonly number[];
  readonly entries: readonly Entry[];
  readonly damage: readonly LogDamage[];
}

/** Everything in the session; nothing where there is no session. */
export async function readSession(store: SessionStore, texts: readonly string[] = []): Promise<Found> {
  const isThere = (await store.list()).includes(SESSION);
  if (!isThere) return { seqs: [], entries: [], damage: [] };
  const log = await store.open(SESSION);
  const entries: Entry[] = [];
  const damage: LogDamage[] = [];
  for await (const part of log.readAll()) {
    entries.push(...part.entries.map(({ entry }) => entry));
    damage.push(...part.damage);
  }
  for (const text of texts)
    if ((await log.getBlob(nodeHasher.sha256(text))) !== text) throw new RangeError(`lost a blob: ${text}`);
  await log.close();
  return { seqs: entries.map(({ seq }) => seq), entries, damage };
}
