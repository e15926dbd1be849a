/**
 * Dreams: between sessions, memories are looked through, and what rots is put right; reviewed first, and undone
 * with one call.
 *
 * DESIGN. Orient and gather: read what is there and what users asked for in the sessions since the last dream.
 * Consolidate and prune: plan it (`dream-plan.ts`). Then apply the plan as one change, which happens as a whole or
 * not at all, with a record from which it is taken back to the byte. One process dreams at a time, and where
 * somebody changes a memory meanwhile the plan is made anew.
 */
import { MEMORY_DREAM_DEFAULTS } from "../../base/defaults/memory-dream.ts";
import { MEMORY_WRITE_DEFAULTS } from "../../base/defaults/memory-write.ts";
import { MemoryError } from "../../base/errors.ts";
import { type DreamAction, type DreamPlan, planDream } from "../../memory/dream-plan.ts";
import { INDEX_NAME } from "../../memory/memory-index.ts";
import type { FreshMemory } from "../../memory/plan-remember.ts";
import { diffText } from "../../memory/text-diff.ts";
import type { MemoryStore } from "../../ports/memory-store.ts";
import { stopIfAborted } from "../stop-if-aborted.ts";
import { changesOf, type DreamChange, DreamJournal, type DreamRecord } from "./dream-journal.ts";
import type { InjectionLog } from "./injection-log.ts";
import type { MemoryShelf, ShelfView } from "./memory-shelf.ts";
import { mountOf } from "./memory-writer.ts";

/** The sessions that a dream may look into. */
export interface DreamSessions {
  /** How many were active since then. */
  count(sinceMs: number): Promise<number>;
  /** What their users asked to be remembered, the newest sessions first. */
  gather(sinceMs: number, signal: AbortSignal | undefined): Promise<readonly FreshMemory[]>;
}

/** How a dream is run. Everything may be left out. */
export interface DreamOptions {
  /** Says what it would do and changes nothing. @defaultValue false */
  readonly dryRun?: boolean;
  /** Also where none is due: after `restHours`, 24, and `sessionsCount`, 5. @defaultValue false */
  readonly force?: boolean;
  /** Where what was said is read; without it only what is remembered is looked at. */
  readonly sessions?: DreamSessions;
  readonly signal?: AbortSignal | undefined;
}

/** What a dream did, or would do. */
export interface DreamReport {
  /**
   * `applied`; `planned` of a dry run; `nothing-to-do`; `not-due`; `busy`, where another process is dreaming.
   */
  readonly status: "applied" | "planned" | "nothing-to-do" | "not-due" | "busy";
  readonly reason: string;
  /** To revert it by. */
  readonly id?: string;
  readonly actions: readonly DreamAction[];
  /** What was seen and left to a person. */
  readonly notes: readonly string[];
  /** Every changed file: the lines that go and that come. */
  readonly diff: string;
}

export interface DreamWorld {
  readonly store: MemoryStore;
  readonly shelf: MemoryShelf;
  readonly injections: InjectionLog;
  readonly now: () => number;
}

const LOCK = "dream";
const HOUR_MS = 3_600_000;

/** @throws `ABORTED`, `STORE_FAILED`, `MEMORY_REFUSED` where others change memories without end */
export async function dream(world: DreamWorld, options: DreamOptions): Promise<DreamReport> {
  const journal = new DreamJournal(world.store);
  const lastMs = (await journal.list()).find(({ state }) => state !== "planned")?.atMs;
  const notDue = options.force === true ? undefined : await reasonNotDue(world, lastMs, options.sessions);
  if (notDue !== undefined) return ended("not-due", notDue);
  if (options.dryRun === true) return preview(await plan(world, lastMs, options));
  const lock = await world.store.tryLock(LOCK);
  if (lock === undefined) return ended("busy", "Another process is dreaming.");
  try {
    return await dreamAlone(world, journal, { lastMs, options });
  } finally {
    await lock.release();
  }
}

async function dreamAlone(
  world: DreamWorld,
  journal: DreamJournal,
  { lastMs, options }: { readonly lastMs: number | undefined; readonly options: DreamOptions },
): Promise<DreamReport> {
  for (let tries = 1; ; tries++) {
    const planned = await plan(world, lastMs, options);
    stopIfAborted(options.signal, "The dream");
    const atMs = world.now();
    const id = await journal.newId(atMs);
    const { actions, changes } = planned;
    const record: DreamRecord = { id, atMs, state: "planned", actions, changes: changesOf(changes) };
    await journal.write(record);
    const applied = await world.store.apply(changes.map(({ path, base, text }) => ({ path, base, text })));
    if (applied.isApplied) {
      await journal.write({ ...record, state: "applied" });
      if (changes.length === 0) return { ...preview(planned), status: "nothing-to-do", id };
      return { ...preview(planned), status: "applied", id, reason: `Revert it with its id, ${id}.` };
    }
    if (tries >= MEMORY_WRITE_DEFAULTS.triesCount)
      throw refused(`${applied.conflicts.join(", ")} kept changing.`);
  }
}

async function plan(
  world: DreamWorld,
  lastMs: number | undefined,
  options: DreamOptions,
): Promise<DreamPlan> {
  const { shelf, injections, now } = world;
  const gathered = (await options.sessions?.gather(lastMs ?? 0, options.signal)) ?? [];
  const usedCounts = new Map<string, number>();
  for (const { path } of await injections.newest(Number.POSITIVE_INFINITY))
    usedCounts.set(path, (usedCounts.get(path) ?? 0) + 1);
  const view = await shelf.look();
  return planDream({ ...ownPart(view), gathered, usedCounts, nowMs: now() });
}

/** A team's memories are another directory, with dreams of its own. */
function ownPart({ memories, indexes }: ShelfView) {
  const known = [...memories.values()].filter(({ memory }) => mountOf(memory.path) === "");
  return { known, index: indexes.get(INDEX_NAME) };
}

function preview({ actions, notes, changes }: DreamPlan): DreamReport {
  const diff = changes.map(({ path, before, text }) => diffText(path, before, text)).join("\n\n");
  return changes.length === 0
    ? { ...ended("nothing-to-do", "Everything is as it should be."), notes }
    : { status: "planned", reason: `${changes.length} files would change.`, actions, notes, diff };
}

async function reasonNotDue(
  { now }: DreamWorld,
  lastMs: number | undefined,
  sessions: DreamSessions | undefined,
): Promise<string | undefined> {
  const { restHours, sessionsCount } = MEMORY_DREAM_DEFAULTS;
  const restedMs = lastMs === undefined ? Number.POSITIVE_INFINITY : now() - lastMs;
  // A clock that went back makes none due.
  if (restedMs < restHours * HOUR_MS)
    return `The last dream was ${Math.max(0, Math.floor(restedMs / HOUR_MS))} hours ago; one is due after ${restHours}.`;
  const count = (await sessions?.count(lastMs ?? 0)) ?? 0;
  return count >= sessionsCount
    ? undefined
    : `There were ${count} sessions since the last dream; one is due after ${sessionsCount}.`;
}

/**
 * Takes a dream back: every file is as it was, to the byte.
 * @throws `MEMORY_NOT_FOUND` where there is no such dream, `MEMORY_REFUSED` where something has changed since
 */
export async function revertDream(world: DreamWorld, id: string | undefined): Promise<DreamReport> {
  const journal = new DreamJournal(world.store);
  const record = await findDream(world.store, await journal.list(), id);
  if (record === undefined)
    throw new MemoryError("MEMORY_NOT_FOUND", {
      message:
        id === undefined ? "There is no dream to revert." : `There is no dream ${id} that was applied.`,
      hint: "`memory.dreams()` lists what dreams did.",
    });
  const back: DreamChange[] = record.changes.map(({ path, before, after }) => ({
    path,
    before: after,
    after: before,
  }));
  const changes = await Promise.all(back.map((change) => asChange(world.store, change, record.id)));
  const applied = await world.store.apply(changes);
  if (!applied.isApplied) throw changedSince(applied.conflicts, record.id);
  await journal.write({ ...record, state: "reverted" });
  const diff = back.map(({ path, before, after }) => diffText(path, before, after)).join("\n\n");
  return {
    status: "applied",
    reason: "Everything is as it was.",
    id: record.id,
    actions: [],
    notes: [],
    diff,
  };
}

/** The newest dream that changed something and is in force, or the one of this id. */
async function findDream(
  store: MemoryStore,
  records: readonly DreamRecord[],
  id: string | undefined,
): Promise<DreamRecord | undefined> {
  for (const record of records) {
    if ((id !== undefined && record.id !== id) || record.changes.length === 0) continue;
    // One that was killed between the change and its record is known as planned, and may have been done.
    if (record.state === "applied" || (record.state === "planned" && (await isInForce(store, record))))
      return record;
  }
  return undefined;
}

async function isInForce(store: MemoryStore, { changes }: DreamRecord): Promise<boolean> {
  for (const { path, after } of changes) if ((await store.read(path))?.text !== after) return false;
  return true;
}

async function asChange(store: MemoryStore, { path, before, after }: DreamChange, id: string) {
  const file = await store.read(path);
  if (file?.text !== before) throw changedSince([path], id);
  return { path, base: file?.version, text: after };
}

function ended(status: DreamReport["status"], reason: string): DreamReport {
  return { status, reason, actions: [], notes: [], diff: "" };
}

function changedSince(paths: readonly string[], id: string): MemoryError {
  return refused(`${paths.join(", ")} changed since dream ${id}, which cannot be taken back as a whole.`);
}

function refused(message: string): MemoryError {
  return new MemoryError("MEMORY_REFUSED", {
    message,
    hint: "Nothing was changed. `memory.dreams()` has every file as it was before.",
  });
}
