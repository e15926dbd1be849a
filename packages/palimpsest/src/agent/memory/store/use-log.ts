/**
 * Counts the sessions in which each memory was used: lines beside the memories, which every recall reads.
 *
 * It stays small: a session counts once, and nothing more is written for a memory at the maximum. A reader caches its
 * lines, reads only new ones, and checks for other writers' lines from time to time. An unreadable or unwritable
 * record changes the order a little, and fails no call.
 */
import { MEMORY_RECALL_DEFAULTS } from "../../../base/defaults/memory/recall.ts";
import { OptionError } from "../../../base/errors.ts";
import { asString, isObject, parseJson } from "../../../base/json/json.ts";
import {
  anyString,
  anything,
  checkOptions,
  checkText,
  type OptionRules,
} from "../../../base/options/check-options.ts";
import type { MemoryStore } from "../../../ports/memory-store.ts";

/** The shown memories and the conversation before an answer. */
export interface AnsweredOptions {
  /** Paths of the memories that the model was shown. */
  readonly shown: Iterable<string>;
  /** The text beside the memories, above all the question: an answer with only these words used no memory. */
  readonly userText?: string;
  /** A session counts once for each memory. */
  readonly sessionId?: string;
}

const RULES: OptionRules<AnsweredOptions> = { shown: anything, userText: anyString, sessionId: anyString };

/** Checks the options of `answered`. @throws `OptionError` */
export function checkAnswered(answer: string, options: AnsweredOptions): AnsweredOptions {
  checkText("answered", "answer", answer);
  checkOptions("answered", options, RULES);
  if (typeof options.shown?.[Symbol.iterator] === "function") return options;
  throw new OptionError({
    message: "The option `shown` of `answered` is not a list of paths.",
    hint: "Pass { shown: recall.memories.map(({ path }) => path) }.",
  });
}

const RECORD = "uses.jsonl";
const { usedBonus, used } = MEMORY_RECALL_DEFAULTS;
const MOST_USES = Math.ceil(usedBonus.most / usedBonus.each);

export class UseLog {
  readonly #store: MemoryStore;
  readonly #now: () => number;
  #counts = new Map<string, number>();
  /** Memories used in one session, which counts once. */
  #seen = new Set<string>();
  #readCharacters = 0;
  #readAtMs: number | undefined;

  constructor(store: MemoryStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** By path; another process's uses of the last minute may be missing. Never rejects. */
  async counts(): Promise<ReadonlyMap<string, number>> {
    const nowMs = this.#now();
    const isFresh = this.#readAtMs !== undefined && Math.abs(nowMs - this.#readAtMs) < used.lookAgainMs;
    if (!isFresh) {
      this.#readAtMs = nowMs;
      await this.#read();
    }
    return this.#counts;
  }

  /** Says that a session used these memories. @throws `STORE_FAILED` */
  async add(paths: readonly string[], sessionId: string | undefined): Promise<void> {
    await this.counts();
    for (const path of new Set(paths)) {
      const isKnown = sessionId !== undefined && this.#seen.has(useKey(path, sessionId));
      if (isKnown || (this.#counts.get(path) ?? 0) >= MOST_USES) continue;
      const line = { atMs: this.#now(), path, ...(sessionId === undefined ? {} : { sessionId }) };
      await this.#store.appendRecord(RECORD, JSON.stringify(line));
    }
    await this.#read();
  }

  async #read(): Promise<void> {
    const text = await this.#store.readRecord(RECORD).catch(() => undefined);
    if (text === undefined) return;
    // Another program replaced it.
    if (text.length < this.#readCharacters) {
      this.#counts = new Map();
      this.#seen = new Set();
      this.#readCharacters = 0;
    }
    // The last line may still be being written.
    const end = text.lastIndexOf("\n") + 1;
    if (end <= this.#readCharacters) return;
    for (const line of text.slice(this.#readCharacters, end).split("\n")) this.#count(line);
    this.#readCharacters = end;
  }

  #count(line: string): void {
    const parsed = parseJson(line);
    const value = parsed.ok ? parsed.value : undefined;
    if (!isObject(value)) return;
    const path = asString(value["path"]);
    const sessionId = asString(value["sessionId"]);
    if (path === undefined) return;
    if (sessionId !== undefined) {
      const key = useKey(path, sessionId);
      if (this.#seen.has(key)) return;
      this.#seen.add(key);
    }
    this.#counts.set(path, (this.#counts.get(path) ?? 0) + 1);
  }
}

const useKey = (path: string, sessionId: string): string => JSON.stringify([path, sessionId]);
