/**
 * Records of dreams: the time of the last one, its changes, and all that is needed to undo it to the byte.
 *
 * A record is written before the change, marked as planned, and again after it. A dream that was only planned changed
 * nothing: the change is all or nothing.
 */
import { MemoryError } from "../../../base/errors.ts";
import { asNumber, asString, isObject, parseJson } from "../../../base/json/json.ts";
import type { DreamAction, PlannedChange } from "../../../memory/consolidation/consolidation-actions.ts";
import type { MemoryStore } from "../../../ports/memory-store.ts";

/** Dreams that can be reverted; records of older ones stay as they are. Our choice: a month of one a day. */
const LISTED_COUNT = 31;

/** One dream. */
export interface DreamRecord {
  readonly id: string;
  /** The time at which it began to read: later messages are for the next dream. */
  readonly atMs: number;
  /** `planned`: it was killed before it changed anything. */
  readonly state: "planned" | "applied" | "reverted";
  readonly actions: readonly DreamAction[];
  readonly changes: readonly DreamChange[];
}

/** One file, before and after. `undefined` where there was none, or it went to the archive. */
export interface DreamChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

const FOLDER = "dreams/";

/** A directory's own records, and its mount point: a team's directory is a folder of another one. */
export interface DreamPlace {
  readonly records: MemoryStore;
  /** Empty, or a folder with its `/`. */
  readonly folder: string;
}

export class DreamJournal {
  readonly #store: MemoryStore;
  readonly #folder: string;

  constructor({ records, folder }: DreamPlace) {
    this.#store = records;
    this.#folder = folder;
  }

  async write(record: DreamRecord): Promise<void> {
    // With paths relative to the directory, so that another mount of it can undo the dream.
    const own = withPaths(record, (path) => path.slice(this.#folder.length));
    await this.#store.writeRecord(`${FOLDER}${record.id}.json`, JSON.stringify(own));
  }

  /** An id that none has; ids of later dreams come later in the alphabet. */
  async newId(atMs: number): Promise<string> {
    const time = String(Math.max(0, Math.floor(atMs))).padStart(15, "0");
    const { length } = await this.#store.listRecords(`${FOLDER}${time}-`);
    return `${time}-${String(length + 1).padStart(4, "0")}`;
  }

  /** The newest first, as far as people look back. */
  async list(): Promise<readonly DreamRecord[]> {
    const records: DreamRecord[] = [];
    for await (const record of this.newestFirst()) {
      records.push(record);
      if (records.length === LISTED_COUNT) break;
    }
    return records;
  }

  /** All of them, one read at a time. Records that cannot be read are passed over. */
  async *newestFirst(): AsyncGenerator<DreamRecord> {
    for (const name of (await this.#store.listRecords(FOLDER)).toSorted().toReversed()) {
      const record = await this.#read(name);
      if (record !== undefined) yield withPaths(record, (path) => this.#folder + path);
    }
  }

  async #read(name: string): Promise<DreamRecord | undefined> {
    try {
      return readRecord((await this.#store.readRecord(name)) ?? "");
    } catch (error) {
      // Damaged beyond being a text: the others are no worse for it.
      if (error instanceof MemoryError) return undefined;
      throw error;
    }
  }
}

export function changesOf(changes: readonly PlannedChange[]): readonly DreamChange[] {
  return changes.map(({ path, before, text }) => ({ path, before, after: text }));
}

function readRecord(text: string): DreamRecord | undefined {
  const parsed = parseJson(text);
  const {
    id,
    atMs,
    state: written,
    actions,
    changes,
  } = parsed.ok && isObject(parsed.value) ? parsed.value : {};
  const state = STATES.find((known) => known === written);
  if (typeof id !== "string" || asNumber(atMs) === undefined || state === undefined) return undefined;
  if (!Array.isArray(actions) || !Array.isArray(changes)) return undefined;
  return {
    id,
    atMs: atMs as number,
    state,
    actions: actions.flatMap(readAction),
    changes: changes.flatMap(readChange),
  };
}

function withPaths(record: DreamRecord, pathOf: (path: string) => string): DreamRecord {
  return {
    ...record,
    actions: record.actions.map((action) => ({ ...action, paths: action.paths.map(pathOf) })),
    changes: record.changes.map((change) => ({ ...change, path: pathOf(change.path) })),
  };
}

const STATES = ["planned", "applied", "reverted"] as const;

function readAction(value: unknown): readonly DreamAction[] {
  const { kind: written, paths, why, by } = isObject(value) ? value : {};
  const kind = KINDS.find((known) => known === written);
  if (kind === undefined) return [];
  const named = Array.isArray(paths) ? paths.filter((path) => typeof path === "string") : [];
  return [{ kind, paths: named, why: asString(why) ?? "", ...(by === "model" ? { by } : {}) }];
}

const KINDS = ["merge", "supersede", "prune", "remember", "index"] as const;

function readChange(value: unknown): readonly DreamChange[] {
  const { path, before, after } = isObject(value) ? value : {};
  return typeof path === "string" ? [{ path, before: asString(before), after: asString(after) }] : [];
}
