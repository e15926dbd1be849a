/**
 * Records which memory was shown to which session, when, and why: to look up where an answer came from, and to find
 * memories that are never used.
 *
 * The record has lines beside the memories, in one file a month, so that reading the newest costs the same after
 * years. Unreadable lines and months are skipped, and a failed write does not fail the recall.
 */
import { asString, isObject, parseJson } from "../../../base/json/json.ts";
import type { MemoryStore } from "../../../ports/memory-store.ts";
import { UseLog } from "../store/use-log.ts";
import type { Recall } from "./recall-memories.ts";

/** Words of a message that one line holds, the rarest of those that the memory has. Our choice: they say why, and are not the message. */
const WORDS_COUNT = 12;
/** Lines that are read where no one says how many. Our choice: a few screens. */
const NEWEST_COUNT = 200;

/** One memory in one recall. */
export interface Injection {
  readonly atMs: number;
  readonly path: string;
  /** The version of the shown file. */
  readonly version: string;
  /** The words of the message that called for it. */
  readonly words: readonly string[];
  readonly chosenBy: "model" | "rank";
  readonly sessionId: string | undefined;
}

const FOLDER = "injections/";

export class InjectionLog {
  readonly #store: MemoryStore;
  readonly #now: () => number;
  readonly #uses: UseLog;
  #adding: Promise<unknown> = Promise.resolve();

  constructor(store: MemoryStore, now: () => number) {
    this.#store = store;
    this.#now = now;
    this.#uses = new UseLog(store, now);
  }

  /** Writes in the background: a recall does not wait for the disk. Never rejects. */
  add(recall: Recall, sessionId: string | undefined): void {
    if (recall.memories.length === 0) return;
    // The directory may be read-only, or the disk full.
    const added = this.#add(recall, sessionId).catch(() => undefined);
    this.#adding = Promise.all([this.#adding, added]);
  }

  /** Resolves when everything is written. Never rejects. */
  async settled(): Promise<void> {
    await this.#adding;
  }

  async #add({ memories, chosenBy }: Recall, sessionId: string | undefined): Promise<void> {
    const atMs = this.#now();
    const lines = memories.map(({ path, version, why }) => {
      const words = why.words.map(({ word }) => word).slice(0, WORDS_COUNT);
      return JSON.stringify({
        atMs,
        path,
        version,
        words,
        chosenBy,
        ...(sessionId === undefined ? {} : { sessionId }),
      });
    });
    await this.#store.appendRecord(recordOf(atMs), lines.join("\n"));
  }

  /** In how many sessions each memory was of use, which is more than being shown. Never rejects. */
  usedCounts(): Promise<ReadonlyMap<string, number>> {
    return this.#uses.counts();
  }

  /** Says that a session used these memories. @throws `STORE_FAILED` */
  addUses(paths: readonly string[], sessionId: string | undefined): Promise<void> {
    return this.#uses.add(paths, sessionId);
  }

  /** The newest first. @throws `STORE_FAILED` where the records cannot be listed */
  async newest(limit: number = NEWEST_COUNT): Promise<readonly Injection[]> {
    await this.settled();
    const read: Injection[] = [];
    for (const name of (await this.#store.listRecords(FOLDER)).toSorted().toReversed()) {
      const lines = (await this.#linesOf(name)).toReversed();
      for (const line of lines) {
        if (read.length >= limit) return read;
        const injection = readLine(line);
        if (injection !== undefined) read.push(injection);
      }
    }
    return read;
  }

  /** Empty if it is damaged or far too large. */
  async #linesOf(name: string): Promise<readonly string[]> {
    const text = await this.#store.readRecord(name).catch(() => undefined);
    return text?.split("\n") ?? [];
  }
}

/** By the month; of a clock that shows no year of four digits there is one for all of it. */
function recordOf(atMs: number): string {
  const at = new Date(atMs);
  const month = Number.isNaN(at.getTime()) ? "" : at.toISOString().slice(0, 7);
  return `${FOLDER}${/^\d{4}-\d\d$/.test(month) ? month : "0000-00"}.jsonl`;
}

function readLine(line: string): Injection | undefined {
  const parsed = parseJson(line);
  const value = parsed.ok ? parsed.value : undefined;
  if (!isObject(value)) return undefined;
  const { atMs, chosenBy, words } = value;
  const path = asString(value["path"]);
  const version = asString(value["version"]);
  if (path === undefined || version === undefined || typeof atMs !== "number") return undefined;
  return {
    ...{ atMs, path, version },
    words: Array.isArray(words) ? words.filter((word) => typeof word === "string") : [],
    chosenBy: chosenBy === "model" ? "model" : "rank",
    sessionId: asString(value["sessionId"]),
  };
}
