/**
 * Dreams: consolidate memories between sessions, with a review first and a full undo.
 *
 * DESIGN. Orient and gather: read the memories and the users' requests in the sessions since the last dream; a model,
 * if there is one, is asked once about both (`dream-model.ts`). Consolidate and prune: plan it (`dream-plan.ts`).
 * Then apply the plan as one change, all or nothing, with a record that can undo it to the byte. One process at a
 * time dreams of one directory, a project's or a team's. If another program changes a memory meanwhile, the plan is
 * made again, and the model's claims are judged again.
 */
import { MEMORY_DREAM_DEFAULTS } from "../../../base/defaults/memory/dream.ts";
import { MEMORY_WRITE_DEFAULTS } from "../../../base/defaults/memory/write.ts";
import { HOUR_MS } from "../../../base/durations.ts";
import { MemoryError, OptionError } from "../../../base/errors.ts";
import {
  anything,
  checkOptions,
  flag,
  having,
  type OptionRules,
  oneOf,
  signal,
} from "../../../base/options/check-options.ts";
import { stopIfAborted } from "../../../base/stop-if-aborted.ts";
import type { DreamAction } from "../../../memory/consolidation/consolidation-actions.ts";
import { type DreamInput, type DreamPlan, planDream } from "../../../memory/consolidation/dream-plan.ts";
import type { PastMemory } from "../../../memory/consolidation/past-memories.ts";
import { INDEX_NAME } from "../../../memory/files/memory-index.ts";
import { diffText } from "../../../memory/files/text-diff.ts";
import type { FreshMemory } from "../../../memory/write/plan-remember.ts";
import type { MemoryStore } from "../../../ports/memory-store.ts";
import type { ModelClient } from "../../../ports/model-client.ts";
import type { Deadline } from "../../../ports/runtime.ts";
import { reportedUsage, type Spent, spentOf } from "../../../tokens/price/spent.ts";
import type { Usage } from "../../../transcript/blocks.ts";
import type { InjectionLog } from "../recall/recall-log.ts";
import { forgottenIn } from "../store/archived-memories.ts";
import type { MemoryCache } from "../store/memory-cache.ts";
import { mountOf, TEAM_FOLDER } from "../store/mounted-store.ts";
import {
  changesOf,
  type DreamChange,
  DreamJournal,
  type DreamPlace,
  type DreamRecord,
} from "./dream-journal.ts";
import {
  askForConsolidation,
  type DreamAnswer,
  type DreamConversation,
  inSteps,
  type YieldToEventLoop,
} from "./dream-model.ts";

/** The sessions that a dream may look into. */
export interface DreamSessions {
  /** The number of sessions active since then. */
  count(sinceMs: number): Promise<number>;
  /** Requests of their users to remember something, with times, the newest sessions first. */
  gather(sinceMs: number, signal: AbortSignal | undefined): Promise<readonly FreshMemory[]>;
  /** The conversations since then, the newest sessions first; without it a model sees memories only. */
  conversations?(sinceMs: number, signal: AbortSignal | undefined): AsyncIterable<DreamConversation>;
}

/** The directory of a dream. All options may be left out. */
export interface DreamPlaceOptions {
  /** The project's own memories, or its team's. @defaultValue `project` */
  readonly place?: "project" | "team";
}

/** Options of a dream. All may be left out. */
export interface DreamOptions extends DreamPlaceOptions {
  /** Says what it would do and changes nothing. @defaultValue false */
  readonly dryRun?: boolean;
  /** Also where none is due: after `restHours`, 24, and `sessionsCount`, 5. @defaultValue false */
  readonly force?: boolean;
  /**
   * Sessions to read; without them a dream uses memories only. A project's conversations never become a team's
   * memories: for a team, sessions are only counted.
   */
  readonly sessions?: DreamSessions;
  /** Asked behind the rules for what only who reads it can see. @defaultValue the memory's `lightModel` */
  readonly model?: ModelClient;
  /** `rules` asks no model. @defaultValue `model` where there is one */
  readonly by?: "model" | "rules";
  readonly signal?: AbortSignal | undefined;
}

/** `dreamPlace` checks the place. */
const PLACE_RULES: OptionRules<DreamPlaceOptions> = { place: anything };
const DREAM_RULES: OptionRules<DreamOptions> = {
  ...PLACE_RULES,
  dryRun: flag,
  force: flag,
  sessions: having(["count", "gather"], "the sessions of a dream", "storedSessions(store)"),
  model: having(["generate"], "a model client", "one, such as anthropicModel(client, { model })"),
  by: oneOf("model", "rules"),
  signal,
};

/** The result of a dream, or of its dry run. */
export interface DreamReport {
  /**
   * `applied`; `planned` of a dry run; `nothing-to-do`; `not-due`; `busy`, where another process is dreaming.
   */
  readonly status: "applied" | "planned" | "nothing-to-do" | "not-due" | "busy";
  readonly reason: string;
  /** To revert it by. */
  readonly id?: string;
  readonly actions: readonly DreamAction[];
  /** Findings for a person, and the reason why a model was not used. */
  readonly notes: readonly string[];
  /** Refused proposals of a model, with the reasons. */
  readonly refused: readonly string[];
  /** The usage of a model's calls, if its provider reports it. */
  readonly usage?: Usage;
  /** These calls, and what they cost. */
  readonly spent?: Spent;
  /** Every changed file: the lines that go and that come. */
  readonly diff: string;
}

interface DreamWorld extends DreamPlace {
  /** With every place mounted. */
  readonly store: MemoryStore;
  readonly cache: MemoryCache;
  readonly injections: InjectionLog;
  readonly now: () => number;
  readonly deadline: Deadline;
  readonly yieldTurn: YieldToEventLoop;
  readonly lightModel: ModelClient | undefined;
}

/** What dreams of every place share, and the places. */
export interface DreamPlaces extends Omit<DreamWorld, "records" | "folder"> {
  readonly project: MemoryStore;
  readonly team: MemoryStore | undefined;
}

/**
 * The project's own directory, or its team's. Each has its own lock, its own journal and its own index, and nothing of
 * one becomes the other's. @throws `OPTION_INVALID`
 */
export function dreamPlace(
  { project, team, ...world }: DreamPlaces,
  options: DreamPlaceOptions,
  call: "dream" | "dreams" | "revertDream",
): DreamWorld {
  checkOptions(call, options, call === "dream" ? DREAM_RULES : PLACE_RULES);
  const { place = "project" } = options;
  if (place === "project") return { ...world, records: project, folder: "" };
  if (place !== "team")
    throw new OptionError({
      message: `${JSON.stringify(place)} is not a place of memories.`,
      hint: "Use `project` or `team`.",
    });
  if (team !== undefined) return { ...world, records: team, folder: TEAM_FOLDER };
  throw new OptionError({
    message: "There is no team whose memories could be dreamt of.",
    hint: "Open the memory with a team, or leave `place` out.",
  });
}

const LOCK = "dream";

/** @throws `ABORTED`, `STORE_FAILED`, `MEMORY_REFUSED` where others change memories without end */
export async function dream(world: DreamWorld, options: DreamOptions): Promise<DreamReport> {
  const journal = new DreamJournal(world);
  const lastMs = (await lastOf(journal))?.atMs;
  const notDue = options.force === true ? undefined : await reasonNotDue(world, lastMs, options.sessions);
  if (notDue !== undefined) return ended("not-due", notDue);
  if (options.dryRun === true) {
    const collected = await collectFacts(world, lastMs, options);
    const input = { ...(await lookInto(world, collected)), claims: collected.answer?.claims };
    return preview(await inSteps(planDream(input), world, options.signal), collected);
  }
  const lock = await world.records.tryLock(LOCK);
  if (lock === undefined) return ended("busy", "Another process is dreaming.");
  try {
    // The next dream starts here: messages that arrive during the model's call are for that one.
    const atMs = world.now();
    const collected = await collectFacts(world, lastMs, options);
    // A process that lost the lock during the call leaves the dream to the new holder.
    if (!lock.isHeld()) return ended("busy", "Another process has begun to dream meanwhile.");
    return await dreamAlone(world, journal, { collected, atMs, signal: options.signal });
  } finally {
    await lock.release();
  }
}

/** The last one that was carried out. */
async function lastOf(journal: DreamJournal): Promise<DreamRecord | undefined> {
  for await (const record of journal.newestFirst()) if (record.state !== "planned") return record;
  return undefined;
}

/** The result of reading and asking, once for each dream. */
interface CollectedFacts {
  readonly gathered: readonly FreshMemory[];
  readonly forgotten: readonly PastMemory[];
  readonly answer: DreamAnswer | undefined;
}

async function collectFacts(
  world: DreamWorld,
  lastMs: number | undefined,
  { sessions, signal, by, model = world.lightModel }: DreamOptions,
): Promise<CollectedFacts> {
  const sinceMs = lastMs ?? 0;
  // A project's conversations are not for its whole team.
  const ownSessions = world.folder === "" ? sessions : undefined;
  const gathered = (await ownSessions?.gather(sinceMs, signal)) ?? [];
  const forgotten = ownSessions === undefined ? [] : await forgottenIn(world.records);
  const collected: CollectedFacts = { gathered, forgotten, answer: undefined };
  if (model === undefined || by === "rules") return collected;
  const input = await lookInto(world, collected);
  const conversations = ownSessions?.conversations?.(sinceMs, signal);
  const { deadline, yieldTurn } = world;
  const answer = await askForConsolidation({ client: model, deadline, yieldTurn }, input, {
    conversations,
    signal,
  });
  return { gathered, forgotten, answer };
}

async function dreamAlone(
  world: DreamWorld,
  journal: DreamJournal,
  {
    collected,
    atMs,
    signal,
  }: { readonly collected: CollectedFacts; readonly atMs: number; readonly signal: AbortSignal | undefined },
): Promise<DreamReport> {
  for (let tries = 1; ; tries++) {
    const input = await lookInto(world, collected);
    const planning = planDream({ ...input, claims: collected.answer?.claims });
    const planned = await inSteps(planning, world, signal);
    stopIfAborted(signal, "The dream");
    const id = await journal.newId(atMs);
    const { actions, changes } = planned;
    const record: DreamRecord = { id, atMs, state: "planned", actions, changes: changesOf(changes) };
    await journal.write(record);
    const applied = await world.store.apply(changes.map(({ path, base, text }) => ({ path, base, text })));
    if (applied.isApplied) {
      await journal.write({ ...record, state: "applied" });
      const report = preview(planned, collected);
      if (changes.length === 0) return { ...report, status: "nothing-to-do", id };
      return { ...report, status: "applied", id, reason: `Revert it with its id, ${id}.` };
    }
    if (tries >= MEMORY_WRITE_DEFAULTS.triesCount)
      throw refused(`${applied.conflicts.join(", ")} kept changing.`);
  }
}

/** Reads the directory's current memories: a team's directory is another one, with its own dreams. */
async function lookInto(
  { cache, injections, now, folder }: DreamWorld,
  { gathered, forgotten }: Omit<CollectedFacts, "answer">,
): Promise<DreamInput> {
  const usedCounts = await injections.usedCounts();
  const { memories, indexes, problems } = await cache.lookWhole();
  const known = [...memories.values()].filter(({ memory }) => mountOf(memory.path) === folder);
  const index = indexes.get(folder + INDEX_NAME);
  const others = [...indexes.keys(), ...problems.map(({ path }) => path)].filter(
    (path) => mountOf(path) === folder && !memories.has(path),
  );
  return { folder, known, index, gathered, forgotten, others, usedCounts, nowMs: now() };
}

function preview({ actions, notes, refused, changes }: DreamPlan, { answer }: CollectedFacts): DreamReport {
  const diff = changes.map(({ path, before, text }) => diffText(path, before, text)).join("\n\n");
  const dreamPreview = {
    notes: [...notes, ...(answer?.notes ?? [])],
    refused: [...(answer?.refused ?? []), ...refused],
    ...(answer === undefined ? {} : costOf(answer)),
  };
  return changes.length === 0
    ? { ...ended("nothing-to-do", "Everything is as it should be."), ...dreamPreview }
    : { status: "planned", reason: `${changes.length} files would change.`, actions, ...dreamPreview, diff };
}

function costOf({ spent }: DreamAnswer): Pick<DreamReport, "usage" | "spent"> {
  const usage = reportedUsage(spent);
  return {
    ...(usage === undefined ? {} : { usage }),
    ...(spent.calls === 0 ? {} : { spent: spentOf(spent) }),
  };
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
  const journal = new DreamJournal(world);
  const record = await findDream(world.store, journal, id);
  if (record === undefined)
    throw new MemoryError("MEMORY_NOT_FOUND", {
      message:
        id === undefined ? "There is no dream to revert." : `There is no dream ${id} that was applied.`,
      hint: "`memory.dreams()` and `palimpsest memory dreams` list what dreams did.",
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
  return { ...ended("applied", "Everything is as it was."), id: record.id, diff };
}

/** The newest dream that changed something and is in force, or the one of this id. */
async function findDream(
  store: MemoryStore,
  journal: DreamJournal,
  id: string | undefined,
): Promise<DreamRecord | undefined> {
  for await (const record of journal.newestFirst()) {
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
  return { status, reason, actions: [], notes: [], refused: [], diff: "" };
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
