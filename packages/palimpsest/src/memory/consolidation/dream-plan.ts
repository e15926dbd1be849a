/**
 * What a dream would do to the memories of one directory: what is said twice is said once, what was corrected gives
 * way, what has lost its worth goes to the archive, what users asked for in sessions is kept, and the index names
 * what there is.
 *
 * Rules go first. What a model proposes comes behind them, as claims: each is judged on what is there now
 * (`dream-claims.ts`), within the same caps. It is a plan: nothing is touched, every action says why, and a second
 * dream on its result finds nothing to do. A fact gives way only to a newer one of somebody who is to be believed
 * as much; where that is not so, both stay and the plan says so.
 */
import { MEMORY_DREAM_DEFAULTS } from "../../base/defaults/memory/dream.ts";
import { MEMORY_RECALL_DEFAULTS } from "../../base/defaults/memory/recall.ts";
import { MEMORY_WRITE_DEFAULTS } from "../../base/defaults/memory/write.ts";
import { createMemorySearch, type MemorySearch } from "../../base/search/memory-search.ts";
import { type KnownMemory, type Memory, trustOf } from "../files/memory.ts";
import { areApart, INDEX_NAME } from "../files/memory-index.ts";
import { standingOf, worthOf } from "../recall/relevance-score.ts";
import { areOfTwoInstances, judgeMatter } from "../subject/same-subject.ts";
import { type FreshMemory, planRemember } from "../write/plan-remember.ts";
import { considerClaims } from "./consider-claims.ts";
import { type DreamAction, DreamHands, timeOf } from "./dream-actions.ts";
import { type DraftedChange, DreamDraft } from "./dream-changes.ts";
import { byFoundation, type ClaimedFact, type DreamClaims, isRelated } from "./dream-claims.ts";
import { isOver, type PastMemory } from "./past-memories.ts";
import { mendIndex } from "./repair-index.ts";

export interface DreamPlan {
  readonly actions: readonly DreamAction[];
  /** What was seen and left: contradictions that a person has to decide, what is beyond the caps. */
  readonly notes: readonly string[];
  /** What a model proposed and may not be done, and why. */
  readonly refused: readonly string[];
  readonly changes: readonly DraftedChange[];
}

export interface DreamInput {
  /** Where the directory is mounted: empty, or a folder with its `/`. */
  readonly folder: string;
  /** All of one directory; a team's is another one. */
  readonly known: readonly KnownMemory[];
  readonly index: { readonly path: string; readonly text: string; readonly version: string } | undefined;
  /** What users asked for in the sessions since the last dream. */
  readonly gathered: readonly FreshMemory[];
  /** What was forgotten, and when: it does not come back because it stands in an old session. */
  readonly forgotten?: readonly PastMemory[] | undefined;
  /** Files of the directory that are no memory, or cannot be read: an index may name them. */
  readonly others?: readonly string[] | undefined;
  /** What a model makes of it all. */
  readonly claims?: DreamClaims | undefined;
  /** In how many sessions each memory was of use. */
  readonly usedCounts: ReadonlyMap<string, number>;
  readonly nowMs: number;
}

/**
 * Work in steps of a few milliseconds each: thousands of memories take seconds, and whoever carries it out has other
 * things to do, too.
 */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Plans one; nothing is touched. */
export function* planDream(input: DreamInput): Steps<DreamPlan> {
  const { dream, hands, refused } = yield* dreamt(input);
  dream.mendIndex();
  const { draft, actions, notes } = hands;
  return { actions, notes: [...dream.undecided, ...notes], refused, changes: draft.changes() };
}

/** The memories as a dream would leave them. */
export function* memoriesAfterDream(input: DreamInput): Steps<ReadonlyMap<string, KnownMemory>> {
  return (yield* dreamt(input)).hands.draft.known;
}

/** All but the index. */
function* dreamt(input: DreamInput) {
  const { known, index, claims, nowMs } = input;
  const draft = new DreamDraft(known, index === undefined ? [] : [index]);
  const hands = new DreamHands(draft, nowMs);
  const dream = new Dreaming(hands, input);
  yield* dream.consolidate();
  dream.remember();
  const refused = claims === undefined ? [] : yield* considerClaims(hands, claims, () => dream.consolidate());
  dream.prune();
  return { dream, hands, refused };
}

class Dreaming {
  /** Contradictions that a person has to decide. */
  readonly undecided = new Set<string>();
  readonly #hands: DreamHands;
  readonly #input: DreamInput;
  /** What was over before this dream. */
  readonly #past: readonly PastMemory[];

  constructor(hands: DreamHands, input: DreamInput) {
    this.#hands = hands;
    this.#input = input;
    const corrected = input.known.flatMap(({ memory }): readonly PastMemory[] =>
      memory.supersededBy === undefined ? [] : [{ ...memory, overMs: timeOf(memory) }],
    );
    this.#past = [...corrected, ...(input.forgotten ?? [])];
  }

  /** As long as there is anything: what was merged is newer, and may correct what it did not before. */
  *consolidate(): Steps<void> {
    for (let doneCount = -1; doneCount !== this.#hands.actions.length; ) {
      doneCount = this.#hands.actions.length;
      this.undecided.clear();
      yield* this.#compareAll();
    }
  }

  /** The best founded come first and stay; each later one is compared with those. */
  *#compareAll(): Steps<void> {
    const search = createMemorySearch();
    const active = this.#hands.active().map(({ memory }) => memory);
    for (const memory of active.toSorted(byFoundation)) {
      yield undefined;
      const others = this.#alike(search, memory);
      const same = others.find(({ matter }) => matter === "repeats");
      if (same !== undefined && this.#hands.merge(same.memory.path, memory, REPEATED)) continue;
      // It may correct what is older, or be corrected by what is newer and as well founded.
      const newer = others.find(
        ({ memory: other, matter }) => matter === "contradicts" && timeOf(other) > timeOf(memory),
      );
      const older = others.filter(
        ({ memory: other, matter }) => matter === "contradicts" && timeOf(other) <= timeOf(memory),
      );
      if (newer !== undefined) {
        this.#hands.supersede(newer.memory.path, memory, CONTRADICTED);
        continue;
      }
      for (const { memory: other } of older) this.#decide(memory, other, search);
      add(search, memory);
    }
  }

  /** What users asked for, as if it had been remembered at once; then what a model found. */
  remember(): void {
    const { gathered, claims } = this.#input;
    const search = createMemorySearch();
    for (const { memory } of this.#hands.active()) add(search, memory);
    const facts: readonly (FreshMemory & Partial<ClaimedFact>)[] = [...gathered, ...(claims?.facts ?? [])];
    const { gatheredCount } = MEMORY_DREAM_DEFAULTS;
    for (const fact of facts.slice(0, gatheredCount)) this.#remember(fact, search);
    const leftCount = facts.length - gatheredCount;
    if (leftCount > 0)
      this.#hands.notes.add(
        `${leftCount} facts of the sessions were left out: one dream takes ${gatheredCount}.`,
      );
  }

  #remember({ why, replaces, ...fresh }: FreshMemory & Partial<ClaimedFact>, search: MemorySearch): void {
    if (isOver(fresh, this.#past)) return;
    const others = this.#alike(search, { path: fresh.folder, body: fresh.body });
    const pathsThat = (matter: Seen) =>
      others.filter((one) => one.matter === matter).map(({ memory }) => memory.path);
    const replaced = replaces !== undefined && this.#isCorrected(replaces, fresh.body) ? [replaces.path] : [];
    const plan = planRemember(fresh, {
      known: this.#hands.draft.known,
      repeated: pathsThat("repeats"),
      corrected: [...new Set([...pathsThat("contradicts"), ...replaced])],
      nowMs: this.#input.nowMs,
    });
    if (plan.status === "merged" || plan.status === "rejected") return;
    for (const { path, text } of plan.changes) this.#hands.draft.setMemory(path, text);
    this.#hands.keep(plan.path);
    add(search, this.#hands.activeAt(plan.path)!);
    const paths = [plan.path, ...plan.superseded];
    if (why === undefined) this.#hands.act("remember", paths, { why: `A user asked for it. ${plan.reason}` });
    else this.#hands.act("remember", paths, { why: `${why} ${plan.reason}`, by: "model" });
  }

  /** Whether a memory is as it was when a model said that a fact corrects it, and is about the same thing. */
  #isCorrected({ path, body }: NonNullable<ClaimedFact["replaces"]>, by: string): boolean {
    return this.#hands.activeAt(path)?.body === body && isRelated(body, by) && !areOfTwoInstances(body, by);
  }

  /** What this dream has decided for stays, however old it is. */
  prune(): void {
    const { pruneBelowWorth } = MEMORY_RECALL_DEFAULTS;
    const { nowMs, usedCounts } = this.#input;
    for (const { memory } of this.#hands.active()) {
      const worth = standingOf(memory, nowMs, usedCounts.get(memory.path));
      if (worth >= pruneBelowWorth || this.#hands.isKept(memory.path)) continue;
      if (!this.#hands.archive(memory.path)) continue;
      const why = `Its worth is ${worth.toFixed(3)}, below ${pruneBelowWorth}: nobody stood by it for long.`;
      this.#hands.act("prune", [memory.path], { why });
    }
  }

  mendIndex(): void {
    const { folder, others = [] } = this.#input;
    const { draft, notes } = this.#hands;
    const path = this.#input.index?.path ?? folder + INDEX_NAME;
    const before = draft.textOf(path) ?? "";
    const memories = this.#hands.active().map(({ memory }) => memory);
    const worthOfOne = (memory: Memory): number => this.#worthOf(memory);
    const { text, why, unlistedCount } = mendIndex(before, memories, { folder, others, worthOf: worthOfOne });
    if (unlistedCount > 0)
      notes.add(`The index is full: ${unlistedCount} memories have no line and are found by searching.`);
    if (text === before) return;
    draft.setFile(path, text);
    this.#hands.act("index", [path], { why });
  }

  #worthOf(memory: Memory): number {
    return worthOf(memory, this.#input.nowMs, this.#input.usedCounts.get(memory.path));
  }

  #alike(
    search: MemorySearch,
    { path, body }: Pick<Memory, "path" | "body">,
  ): readonly { readonly memory: Memory; readonly matter: Seen }[] {
    const hits = search.search(body, { limit: MEMORY_WRITE_DEFAULTS.comparedCount });
    return hits.flatMap(({ id }) => {
      const memory = this.#hands.activeAt(id);
      return memory === undefined || areApart(path, memory.path)
        ? []
        : [{ memory, matter: seen(body, memory.body) }];
    });
  }

  /** Of two that contradict each other. */
  #decide(newer: Memory, older: Memory, search: MemorySearch): void {
    if (trustOf(newer) < trustOf(older)) {
      this.undecided.add(
        `${newer.path} says otherwise than ${older.path}, which is better founded: a person has to decide.`,
      );
      return;
    }
    this.#hands.supersede(newer.path, older, CONTRADICTED);
    search.remove(older.path);
  }
}

const REPEATED = { why: "They say the same; the better founded one stays." };
const CONTRADICTED = { why: "They contradict each other; the newer one wins." };

type Seen = "repeats" | "contradicts" | "other";

/** Whichever of the two is the newer one. */
function seen(one: string, other: string): Seen {
  const matter = judgeMatter(one, other);
  if (matter === "repeats") return "repeats";
  return matter === "corrects" || judgeMatter(other, one) === "corrects" ? "contradicts" : "other";
}

function add(search: MemorySearch, { path, name, description, body }: Memory): void {
  search.set(path, { name, description, body });
}
