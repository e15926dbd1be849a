/**
 * What a dream would do to a project's memories, without a model: what is said twice is said once, what was
 * corrected gives way, what has lost its worth goes to the archive, what users asked for in sessions is kept, and
 * the index names what there is.
 *
 * It is a plan: nothing is touched, every action says why, and a second dream on its result finds nothing to do.
 * A fact gives way only to a newer one of somebody who is to be believed as much; where that is not so, both stay
 * and the plan says so.
 */
import { MEMORY_DREAM_DEFAULTS } from "../base/defaults/memory-dream.ts";
import { MEMORY_RECALL_DEFAULTS } from "../base/defaults/memory-recall.ts";
import { MEMORY_WRITE_DEFAULTS } from "../base/defaults/memory-write.ts";
import { firstLine } from "../base/text.ts";
import { cleanMemoryText } from "./clean-memory.ts";
import { type DraftedChange, DreamDraft } from "./dream-draft.ts";
import { fitIndex } from "./fit-index.ts";
import { parseIndex } from "./index-entries.ts";
import { type KnownMemory, type Memory, trustOf } from "./memory.ts";
import { updateMemoryFile } from "./memory-file.ts";
import { INDEX_NAME, removeIndexLine, setIndexLine } from "./memory-index.ts";
import { type FreshMemory, planRemember } from "./plan-remember.ts";
import { isRecallable } from "./recall-plan.ts";
import { judgeMatter, type Matter } from "./same-matter.ts";
import { createMemorySearch, type MemorySearch } from "./search/memory-search.ts";
import { worthOf } from "./worth.ts";

/** One thing that a dream does. */
export interface DreamAction {
  /**
   * `merge`: two say the same, one of them goes. `supersede`: the newer of two that contradict each other wins.
   * `prune`: it has lost its worth. `remember`: a user asked for it in a session. `index`: lines came or went.
   */
  readonly kind: "merge" | "supersede" | "prune" | "remember" | "index";
  /** The one that stays or is new first, then the others. */
  readonly paths: readonly string[];
  readonly why: string;
}

export interface DreamPlan {
  readonly actions: readonly DreamAction[];
  /** What was seen and left: contradictions that a person has to decide, what is beyond the caps. */
  readonly notes: readonly string[];
  readonly changes: readonly DraftedChange[];
}

export interface DreamInput {
  /** All of one directory; a team's is another one. */
  readonly known: readonly KnownMemory[];
  readonly index: { readonly text: string; readonly version: string } | undefined;
  /** What users asked for in the sessions since the last dream. */
  readonly gathered: readonly FreshMemory[];
  /** How often each memory was recalled. */
  readonly usedCounts: ReadonlyMap<string, number>;
  readonly nowMs: number;
}

/** Plans one; nothing is touched. */
export function planDream(input: DreamInput): DreamPlan {
  const { known, index } = input;
  const draft = new DreamDraft(known, index === undefined ? [] : [{ path: INDEX_NAME, ...index }]);
  const dream = new Dreaming(draft, input);
  dream.consolidate();
  dream.remember();
  dream.prune();
  dream.mendIndex();
  return { actions: dream.actions, notes: dream.notes, changes: draft.changes() };
}

class Dreaming {
  readonly actions: DreamAction[] = [];
  readonly notes: string[] = [];
  readonly #draft: DreamDraft;
  readonly #input: DreamInput;
  #archived = 0;

  constructor(draft: DreamDraft, input: DreamInput) {
    this.#draft = draft;
    this.#input = input;
  }

  /** The best founded come first and stay; each later one is compared with those. */
  consolidate(): void {
    const search = createMemorySearch();
    for (const { memory } of this.#active().toSorted(byFoundation)) {
      const others = this.#alike(search, memory.body);
      const same = others.find(({ matter }) => matter === "repeats");
      if (same !== undefined && this.#merge(same.memory, memory)) continue;
      // It may correct what is older, or be corrected by what is newer and as well founded.
      const newer = others.find(
        ({ memory: other, matter }) => matter === "contradicts" && timeOf(other) > timeOf(memory),
      );
      const older = others.filter(
        ({ memory: other, matter }) => matter === "contradicts" && timeOf(other) <= timeOf(memory),
      );
      if (newer !== undefined) {
        this.#supersede(newer.memory, memory);
        continue;
      }
      for (const { memory: other } of older) this.#decide(memory, other, search);
      add(search, memory);
    }
  }

  /** What users asked for, as if it had been remembered at once. */
  remember(): void {
    const search = createMemorySearch();
    for (const { memory } of this.#active()) add(search, memory);
    for (const fresh of this.#input.gathered.slice(0, MEMORY_DREAM_DEFAULTS.gatheredCount)) {
      const others = this.#alike(search, fresh.body);
      const pathsThat = (matter: Seen) =>
        others.filter((one) => one.matter === matter).map(({ memory }) => memory.path);
      const plan = planRemember(fresh, {
        known: this.#draft.known,
        repeated: pathsThat("repeats"),
        corrected: pathsThat("contradicts"),
        nowMs: this.#input.nowMs,
      });
      if (plan.status === "merged") continue;
      for (const { path, text } of plan.changes) this.#draft.setMemory(path, text);
      const { memory } = this.#draft.known.get(plan.path)!;
      add(search, memory);
      this.#act("remember", [plan.path, ...plan.superseded], `A user asked for it. ${plan.reason}`);
    }
  }

  prune(): void {
    const { pruneBelowWorth } = MEMORY_RECALL_DEFAULTS;
    const { usedCounts, nowMs } = this.#input;
    for (const { memory } of this.#active()) {
      const worth = worthOf(memory, nowMs, usedCounts.get(memory.path));
      if (worth >= pruneBelowWorth) continue;
      if (!this.#archive(memory.path)) continue;
      this.#act(
        "prune",
        [memory.path],
        `Its worth is ${worth.toFixed(3)}, below ${pruneBelowWorth}: nobody stood by it for long.`,
      );
    }
  }

  /** Lines that lead nowhere go; what has none gets one as long as there is room. */
  mendIndex(): void {
    const before = this.#draft.textOf(INDEX_NAME) ?? "";
    let text = before;
    const listed = new Set(parseIndex(text).entries.map(({ file }) => file));
    const active = new Map(this.#active().map(({ memory }) => [memory.path, memory]));
    const gone = [...listed].filter((file) => !active.has(file));
    for (const file of gone) text = removeIndexLine(text, file);
    const worth = (memory: Memory): number =>
      worthOf(memory, this.#input.nowMs, this.#input.usedCounts.get(memory.path));
    const missing = [...active.values()]
      .filter(({ path }) => !listed.has(path))
      .sort((one, other) => worth(other) - worth(one) || (one.path < other.path ? -1 : 1));
    const added: string[] = [];
    for (const { path, name, description, body, type } of missing) {
      const hook = cleanMemoryText(description === "" ? firstLine(body) : description, "hook").text;
      const longer = setIndexLine(text, { file: path, title: name, hook, type });
      if (fitIndex(longer, () => 0).evicted.length > 0) break;
      text = longer;
      added.push(path);
    }
    if (added.length < missing.length)
      this.notes.push(
        `The index is full: ${missing.length - added.length} memories have no line and are found by searching.`,
      );
    const byWorth = ({ file }: { readonly file: string }): number => {
      const memory = active.get(file);
      return memory === undefined ? 0 : worth(memory);
    };
    const fitted = fitIndex(text, byWorth);
    if (fitted.text === before) return;
    this.#draft.setFile(INDEX_NAME, fitted.text);
    const why = `${added.length} lines came, ${gone.length} led nowhere, ${fitted.evicted.length} had to go for room.`;
    this.#act("index", [INDEX_NAME], why);
  }

  #active(): readonly KnownMemory[] {
    return [...this.#draft.known.values()].filter(({ memory }) => isRecallable(memory));
  }

  #alike(search: MemorySearch, body: string): readonly { readonly memory: Memory; readonly matter: Seen }[] {
    const hits = search.search(body, { limit: MEMORY_WRITE_DEFAULTS.comparedCount });
    return hits.flatMap(({ id }) => {
      const memory = this.#draft.known.get(id)?.memory;
      return memory === undefined || !isRecallable(memory)
        ? []
        : [{ memory, matter: seen(body, memory.body) }];
    });
  }

  /** The better founded one stays, and is as old as the older and as new as the newer. */
  #merge(kept: Memory, gone: Memory): boolean {
    if (!this.#archive(gone.path)) return false;
    const { text } = this.#draft.known.get(kept.path)!;
    const createdAtMs = Math.min(
      kept.createdAtMs ?? Number.POSITIVE_INFINITY,
      gone.createdAtMs ?? Number.POSITIVE_INFINITY,
    );
    const updatedAtMs = Math.max(timeOf(kept), timeOf(gone));
    this.#draft.setMemory(
      kept.path,
      updateMemoryFile(text, {
        ...(Number.isFinite(createdAtMs) && createdAtMs !== kept.createdAtMs ? { createdAtMs } : {}),
        // What makes it older must not make it look less new than it is.
        ...(updatedAtMs > Math.max(createdAtMs, kept.updatedAtMs ?? 0) ? { updatedAtMs } : {}),
        ...(kept.decays && !gone.decays ? { decays: false } : {}),
      }),
    );
    this.#act("merge", [kept.path, gone.path], "They say the same; the better founded one stays.");
    return true;
  }

  /** Of two that contradict each other. */
  #decide(newer: Memory, older: Memory, search: MemorySearch): void {
    if (trustOf(newer) < trustOf(older)) {
      this.notes.push(
        `${newer.path} says otherwise than ${older.path}, which is better founded: a person has to decide.`,
      );
      return;
    }
    this.#supersede(newer, older);
    search.remove(older.path);
  }

  #supersede(newer: Memory, older: Memory): void {
    const { nowMs } = this.#input;
    const { text: oldText } = this.#draft.known.get(older.path)!;
    const { text: newText } = this.#draft.known.get(newer.path)!;
    this.#draft.setMemory(
      older.path,
      updateMemoryFile(oldText, { supersededBy: newer.path, updatedAtMs: nowMs }),
    );
    const supersedes = [...new Set([...newer.supersedes, older.path])];
    this.#draft.setMemory(newer.path, updateMemoryFile(newText, { supersedes }));
    this.#act("supersede", [newer.path, older.path], "They contradict each other; the newer one wins.");
  }

  #archive(path: string): boolean {
    const { archivedCount } = MEMORY_DREAM_DEFAULTS;
    if (this.#archived >= archivedCount) {
      this.notes.push(`${path} would go to the archive, and one dream puts at most ${archivedCount} there.`);
      return false;
    }
    this.#archived++;
    this.#draft.setMemory(path, undefined);
    return true;
  }

  #act(kind: DreamAction["kind"], paths: readonly string[], why: string): void {
    this.actions.push({ kind, paths, why });
  }
}

type Seen = "repeats" | "contradicts" | "other";

/** Whichever of the two is the newer one. */
function seen(one: string, other: string): Seen {
  const matters: readonly Matter[] = [judgeMatter(one, other), judgeMatter(other, one)];
  if (matters.includes("repeats")) return "repeats";
  return matters.includes("corrects") ? "contradicts" : "other";
}

function timeOf({ updatedAtMs, createdAtMs }: Memory): number {
  return Math.max(updatedAtMs ?? 0, createdAtMs ?? 0);
}

function byFoundation({ memory: one }: KnownMemory, { memory: other }: KnownMemory): number {
  return trustOf(other) - trustOf(one) || timeOf(other) - timeOf(one) || (one.path < other.path ? -1 : 1);
}

function add(search: MemorySearch, { path, name, description, body }: Memory): void {
  search.set(path, { name, description, body });
}
