/**
 * A folder of sessions through the years: sessions are used, the true time goes on, the clock jumps, and now and
 * then there is a clean-up. It knows what really happened, whatever the clock said.
 */

import { InMemoryFileSystem, seededIds } from "palimpsest-testing";
import type { SessionLog } from "#ports/session-store.ts";
import { cleanUp } from "#session/lifecycle/clean-up.ts";
import type { CleanUpOptions } from "#session/lifecycle/clean-up-run.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import type { MessageEntry } from "#transcript/entries.ts";

export const DAY_MS = 86_400_000;
export const WORLD_ROOT = "/home/user/project";
const START_MS = Date.UTC(2026, 2, 1, 12);
const BLOB = JSON.stringify("a large result ".repeat(10));

/** Files of other programs, which no clean-up may touch. */
export const FOREIGN_FILES = [
  "memory/MEMORY.md",
  "memory/topics/build.md",
  "memory.jsonl",
  "notes-of-mine.txt",
  "other/deep/file",
] as const;

interface Truth {
  lastUsedMs: number;
  trashedMs: number | undefined;
  isDamaged: boolean;
  isGone: boolean;
}

export class CleanUpWorld {
  readonly disk: InMemoryFileSystem;
  readonly store: FileSessionStore;
  readonly sessions = new Map<string, Truth>();
  readonly #open = new Map<string, { readonly log: SessionLog; seq: number }>();
  trueMs = START_MS;
  offsetMs = 0;
  /** By how much the clock may have misled without a leap, so far. */
  slackMs = 0;

  constructor() {
    const clock = { nowMs: () => this.nowMs };
    this.disk = new InMemoryFileSystem(clock.nowMs);
    const process = { pid: 1, host: "host", space: "space", startedAt: undefined, isAlive: () => true };
    // A lease that is not renewed runs out; here its writer lives.
    const timer = {
      every: (_ms: number, beat: () => void) => {
        this.#beats.add(beat);
        return () => this.#beats.delete(beat);
      },
    };
    const lease = { clock, process, timer };
    this.store = new FileSessionStore({
      root: WORLD_ROOT,
      fs: this.disk,
      hasher: nodeHasher,
      ids: seededIds(),
      lease,
    });
    for (const name of FOREIGN_FILES) this.disk.writeFile(`${WORLD_ROOT}/${name}`, Buffer.from(name));
  }

  readonly #offsets = [0];
  readonly #beats = new Set<() => void>();

  get nowMs(): number {
    return this.trueMs + this.offsetMs;
  }

  advance(ms: number): void {
    this.trueMs += ms;
    for (const beat of this.#beats) beat();
  }

  jump(offsetMs: number): void {
    // No program may have read the clock between this jump and earlier ones, so it is measured from every earlier time.
    const steps = this.#offsets.map((each) => Math.abs(offsetMs - each));
    this.slackMs += Math.max(0, ...steps.filter((byMs) => byMs < 366 * DAY_MS));
    this.#offsets.push(offsetMs);
    this.offsetMs = offsetMs;
    for (const beat of this.#beats) beat();
  }

  get openIds(): readonly string[] {
    return [...this.#open.keys()];
  }

  /** Uses a session, which begins with it; it stays open. */
  async use(id: string): Promise<void> {
    const truth = this.sessions.get(id);
    if (truth?.trashedMs !== undefined || truth?.isGone) return;
    const open = this.#open.get(id) ?? (await this.#openSession(id, truth !== undefined));
    await open.log.append([messageAt(++open.seq, this.nowMs)]);
    this.sessions.set(id, this.#truthOf(this.trueMs));
  }

  async #openSession(id: string, isThere: boolean) {
    const log = isThere ? await this.store.open(id) : await this.store.create(id);
    let seq = 0;
    for await (const { entries } of log.readAll()) seq = entries.at(-1)?.entry.seq ?? seq;
    if (!isThere) await log.putBlob(nodeHasher.sha256(BLOB), BLOB);
    const open = { log, seq };
    this.#open.set(id, open);
    return open;
  }

  async close(id: string): Promise<void> {
    await this.#open.get(id)?.log.close();
    this.#open.delete(id);
  }

  /** Sets the date of a session: of its last entry, and of its file. */
  async stamp(id: string, ageMs: number): Promise<void> {
    if (this.sessions.has(id)) return;
    const atMs = this.nowMs - ageMs;
    const log = await this.store.create(id);
    await log.putBlob(nodeHasher.sha256(BLOB), BLOB);
    await log.append([messageAt(1, atMs)]);
    await log.close();
    this.disk.touch(`${WORLD_ROOT}/${id}.jsonl`, atMs);
    this.sessions.set(id, this.#truthOf(this.trueMs - ageMs));
  }

  /** A date that cannot be. */
  async damage(id: string, atMs: number): Promise<void> {
    await this.stamp(id, this.nowMs - atMs);
    this.sessions.get(id)!.isDamaged = true;
  }

  async restore(id: string): Promise<boolean> {
    const truth = this.sessions.get(id);
    if (truth?.trashedMs === undefined || truth.isGone) return false;
    await this.store.restore(id);
    this.sessions.set(id, this.#truthOf(this.trueMs));
    return true;
  }

  #truthOf(lastUsedMs: number): Truth {
    return { lastUsedMs, trashedMs: undefined, isDamaged: false, isGone: false };
  }

  cleanUp(options: Partial<CleanUpOptions> = {}) {
    const clock = { nowMs: () => this.nowMs };
    return cleanUp(this.store, { clock, ledger: this.store.cleanUpLedger(), ...options });
  }

  /** True if all of a session is there: its entries, and its blob. */
  async isWhole(id: string): Promise<boolean> {
    const log = await this.store.open(id);
    let count = 0;
    for await (const { entries } of log.readAll()) count += entries.length;
    const blob = await log.getBlob(nodeHasher.sha256(BLOB));
    await log.close();
    return count > 0 && blob === BLOB;
  }

  /** Every file with its bytes and its date, and every folder. */
  tree(folder = "/"): Readonly<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const name of [...this.disk.list(folder)].sort()) {
      const path = `${folder === "/" ? "" : folder}/${name}`;
      const stat = this.disk.stat(path)!;
      if (stat.isDirectory) Object.assign(found, { [`${path}/`]: "" }, this.tree(path));
      else found[path] = `${stat.modifiedMs} ${Buffer.from(this.disk.readFile(path)).toString("base64")}`;
    }
    return found;
  }

  auditOf(id: string): readonly string[] {
    const path = `${WORLD_ROOT}/.trash/audit.jsonl`;
    if (this.disk.stat(path) === undefined) return [];
    const lines = Buffer.from(this.disk.readFile(path)).toString().trim().split("\n");
    return lines
      .map((line) => JSON.parse(line) as { readonly sessionId: string; readonly action: string })
      .filter(({ sessionId }) => sessionId === id)
      .map(({ action }) => action);
  }
}

function messageAt(seq: number, at: number): MessageEntry {
  const content = [{ type: "text", text: `message ${seq}` }] as const;
  const place = { seq, id: `e${seq}`, ...(seq > 1 && { parentId: `e${seq - 1}` }), v: 1, at };
  return { type: "message", ...place, role: "user", content, origin: "user" };
}
