/**
 * A session's life among several processes: one creates it, one dies with it open, one takes over from the
 * dead, one falls asleep and is replaced. The base of the sweeps that fail or kill at every file operation.
 */

import { FakeClock, seededIds } from "palimpsest-testing";
import { FakeProcess, FakeTimer } from "palimpsest-testing/internal";
import { PalimpsestError } from "#base/errors.ts";
import type { FileSystem } from "#ports/file-system.ts";
import type { SessionLog } from "#ports/session-store.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import type { Entry } from "#transcript/entries.ts";

export const ROOT = "/home/user/sessions";
export const SESSION = "session";

/** Machines and processes of one run: they share a clock, and a disk that may fail. */
export class World {
  readonly clock = new FakeClock();
  readonly living = new Set<string>();
  readonly timer = new FakeTimer();
  #started = 0;

  /** A new process with a store. */
  start(fs: FileSystem) {
    const process = new FakeProcess({ pid: ++this.#started, living: this.living });
    const lease = { clock: this.clock, process, timer: this.timer };
    const store = new FileSessionStore({
      root: ROOT,
      fs,
      hasher: nodeHasher,
      ids: seededIds(this.#started),
      lease,
    });
    return { process, store };
  }

  /** Every process is killed. */
  killAll(): void {
    this.living.clear();
  }
}

/** All acknowledged writes. */
export class Promised {
  readonly acknowledged: string[] = [];
  readonly durable: string[] = [];
  readonly blobs: string[] = [];
  readonly durableBlobs: string[] = [];
  /** The append that was under way when it ended. */
  inFlight: readonly string[] = [];
  /** True once a replaced writer was refused. */
  wasReportedLate = false;
  readonly foreignErrors: unknown[] = [];
  failures = 0;
  /** Number of waits for the end of a lease. */
  waits = 0;
}

/** One writer: an open log, and the entry that its next one goes on from. */
class Writer {
  readonly #promised: Promised;
  #last: Pick<Entry, "seq" | "id"> = { seq: 0, id: "" };
  log!: SessionLog;

  constructor(promised: Promised) {
    this.#promised = promised;
  }

  async open(log: () => Promise<SessionLog>): Promise<void> {
    this.log = await log();
    try {
      await this.log.acquire();
      for await (const { entries } of this.log.readAll()) this.#last = entries.at(-1)?.entry ?? this.#last;
    } catch (error) {
      await this.log.close();
      throw error;
    }
  }

  /** Appends entries of the kinds that a session has; ids say what they are. */
  async append(...names: readonly string[]): Promise<void> {
    let { seq, id } = this.#last;
    const entries = names.map((name) => {
      const parentId = id;
      id = name;
      return anEntry(name, ++seq, parentId);
    });
    this.#promised.inFlight = names;
    await this.log.append(entries);
    this.#promised.inFlight = [];
    this.#promised.acknowledged.push(...names);
    this.#last = { seq, id };
  }

  async blob(text: string): Promise<void> {
    await this.log.putBlob(nodeHasher.sha256(text), text);
    this.#promised.blobs.push(text);
  }

  async sync(): Promise<void> {
    await this.log.sync();
    const { durable, acknowledged, durableBlobs, blobs } = this.#promised;
    durable.splice(0, durable.length, ...acknowledged);
    durableBlobs.splice(0, durableBlobs.length, ...blobs);
  }
}

export function anEntry(name: string, seq: number, parentId: string): Entry {
  const base = { seq, id: name, ...(parentId === "" ? {} : { parentId }), v: 1, at: 1_767_225_600_000 + seq };
  if (name.startsWith("checkpoint"))
    return { type: "checkpoint", ...base, runs: [], line: [{ from: 1, to: seq }], undone: [], pins: [] };
  if (name.startsWith("title")) return { type: "metadata", ...base, key: "title", value: name };
  const content = [{ type: "text", text: `${name} `.repeat(30) }] as const;
  return { type: "message", ...base, role: "user", origin: "user", content };
}

/** Lives the whole life; stops where a step fails as often as it is tried. */
export async function runLife(world: World, fs: FileSystem, attempts: number): Promise<Promised> {
  const promised = new Promised();
  const aWriter = () => new Writer(promised);
  const [first, dying, heir, asleep, next] = [aWriter(), aWriter(), aWriter(), aWriter(), aWriter()] as const;
  const dyingProcess = world.start(fs);
  const open =
    (writer: Writer, { store } = world.start(fs)) =>
    () =>
      writer.open(() => store.open(SESSION));
  const creating = world.start(fs);
  const steps: readonly (() => Promise<void>)[] = [
    () => first.open(() => creating.store.create(SESSION)),
    () => first.append("a1", "a2"),
    () => first.blob("first blob ".repeat(50)),
    () => first.append("a3"),
    () => first.sync(),
    () => first.append("checkpoint-a4"),
    () => first.append("title-a5"),
    () => first.sync(),
    () => first.log.close(),
    open(dying, dyingProcess),
    () => dying.append("b1", "b2"),
    async () => dyingProcess.process.die(),
    open(heir),
    () => heir.append("c1"),
    () => heir.blob("second blob ".repeat(50)),
    () => heir.append("checkpoint-c2"),
    () => heir.sync(),
    () => heir.log.close(),
    open(asleep),
    () => asleep.append("d1"),
    async () => world.clock.advance(15_001),
    open(next),
    () => next.append("e1", "e2"),
    () => beRefused(asleep, promised),
    () => asleep.log.close(),
    () => next.append("title-e3"),
    () => next.sync(),
    () => next.log.close(),
  ];
  for (const step of steps) if (!(await retry({ world, promised, attempts }, step))) return promised;
  return promised;
}

/** A writer that was replaced in its sleep: its append is refused, whatever else goes wrong. */
async function beRefused(asleep: Writer, promised: Promised): Promise<void> {
  try {
    await asleep.append("late");
  } catch (error) {
    promised.inFlight = [];
    if (!(error instanceof PalimpsestError) || error.code !== "SESSION_TAKEN") throw error;
    promised.wasReportedLate = true;
  }
}

interface Trying {
  readonly world: World;
  readonly promised: Promised;
  readonly attempts: number;
}

async function retry({ world, promised, attempts }: Trying, work: () => Promise<void>): Promise<boolean> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    try {
      await work();
      return true;
    } catch (error) {
      promised.failures++;
      if (!(error instanceof PalimpsestError)) promised.foreignErrors.push(error);
      else if (error.code === "SESSION_IN_USE") {
        promised.waits++;
        world.clock.advance(15_001);
      }
    }
  }
  return false;
}

export interface Found {
  /** Ids of the entries; those that taking over leaves are `fence`. */
  readonly names: readonly string[];
  readonly damage: readonly string[];
}

/** Everything in the session; nothing where there is no session. Throws where a blob is lost. */
export async function readAll(world: World, fs: FileSystem, blobs: readonly string[]): Promise<Found> {
  const { store } = world.start(fs);
  if (!(await store.list()).includes(SESSION)) return { names: [], damage: [] };
  const log = await store.open(SESSION);
  const names: string[] = [];
  const damage: string[] = [];
  for await (const part of log.readAll()) {
    for (const { entry } of part.entries)
      names.push(entry.type === "metadata" && entry.key === "palimpsest.lease" ? "fence" : entry.id);
    damage.push(...part.damage.map(({ reason }) => reason));
  }
  for (const text of blobs)
    if ((await log.getBlob(nodeHasher.sha256(text))) !== text) throw new RangeError(`lost a blob: ${text}`);
  await log.close();
  return { names: names.filter((name) => name !== "fence"), damage };
}

/** The next start: a process opens the session (or begins it), writes, and closes it. */
export async function goOn(world: World, fs: FileSystem): Promise<void> {
  const { store } = world.start(fs);
  const writer = new Writer(new Promised());
  const isThere = (await store.list()).includes(SESSION);
  await writer.open(() => (isThere ? store.open(SESSION) : store.create(SESSION)));
  await writer.append("z1");
  await writer.log.close();
}
