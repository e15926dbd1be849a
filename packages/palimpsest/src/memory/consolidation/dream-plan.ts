/**
 * Plans a dream over one memory directory: merge repetitions, supersede corrected facts, archive facts without
 * relevance, add what users asked for in sessions, and repair the index.
 *
 * Rules go first. A model's proposals follow as claims, each judged on the current memories (`dream-claims.ts`) and
 * within the same caps. A second dream finds nothing to do. A fact yields only to a newer one of a source as trusted.
 */
import { MEMORY_DREAM_DEFAULTS } from "../../base/defaults/memory/dream.ts";
import { MEMORY_RECALL_DEFAULTS } from "../../base/defaults/memory/recall.ts";
import { MEMORY_WRITE_DEFAULTS } from "../../base/defaults/memory/write.ts";
import { createMemorySearch, type MemorySearch } from "../../base/search/memory-search.ts";
import type { Steps } from "../../base/steps.ts";
import { fitIndex } from "../files/fit-index.ts";
import { parseIndex } from "../files/index-entries.ts";
import { type KnownMemory, type Memory, trustOf } from "../files/memory.ts";
import { areApart, INDEX_NAME, removeIndexLine, setIndexLine } from "../files/memory-index.ts";
import { relevanceScoreOf, standingOf } from "../recall/recall-plan.ts";
import { compareFacts, judgeClaim } from "../subject/same-subject.ts";
import { type FreshMemory, lineFor, planRemember } from "../write/plan-remember.ts";
import { considerClaims } from "./consider-claims.ts";
import {
  ConsolidationActions,
  type DreamAction,
  type DreamIndex,
  type PlannedChange,
  timeOf,
} from "./consolidation-actions.ts";
import { byFoundation, type ClaimedFact, type DreamClaims } from "./dream-claims.ts";
import { isOver, type PastMemory } from "./past-memories.ts";

export interface DreamPlan {
  readonly actions: readonly DreamAction[];
  /** Findings without an action, such as contradictions that a person has to decide. */
  readonly notes: readonly string[];
  /** Refused proposals of a model, with the reasons. */
  readonly refused: readonly string[];
  readonly changes: readonly PlannedChange[];
}

export interface DreamInput {
  /** The mount point of the directory: empty, or a folder with its `/`. */
  readonly folder: string;
  /** All of one directory; a team's is another one. */
  readonly known: readonly KnownMemory[];
  readonly index: DreamIndex | undefined;
  /** Facts that users asked to remember in sessions since the last dream. */
  readonly gathered: readonly FreshMemory[];
  /** Forgotten facts, with times: an old session must not add them again. */
  readonly forgotten?: readonly PastMemory[] | undefined;
  /** Files of the directory that are not readable memories: an index may name them. */
  readonly others?: readonly string[] | undefined;
  /** Proposals of a model. */
  readonly claims?: DreamClaims | undefined;
  /** In how many sessions each memory was of use. */
  readonly usedCounts: ReadonlyMap<string, number>;
  readonly nowMs: number;
}

/** Plans one; nothing is touched. */
export function* planDream(input: DreamInput): Steps<DreamPlan> {
  const { dream, consolidation, refused } = yield* runDream(input);
  dream.repairIndex();
  const { actions, notes } = consolidation;
  return { actions, notes: [...dream.undecided, ...notes], refused, changes: consolidation.changes() };
}

/** The memories as a dream would leave them. */
export function* memoriesAfterDream(input: DreamInput): Steps<ReadonlyMap<string, KnownMemory>> {
  return (yield* runDream(input)).consolidation.known;
}

/** All but the index. */
function* runDream(input: DreamInput) {
  const { known, index, claims, nowMs } = input;
  const consolidation = new ConsolidationActions(known, index, nowMs);
  const dream = new Dreaming(consolidation, input);
  yield* dream.consolidate();
  dream.remember();
  const refused =
    claims === undefined ? [] : yield* considerClaims(consolidation, claims, () => dream.consolidate());
  dream.prune();
  return { dream, consolidation, refused };
}

class Dreaming {
  /** Contradictions that a person has to decide. */
  readonly undecided = new Set<string>();
  readonly #consolidation: ConsolidationActions;
  readonly #input: DreamInput;
  /** Facts that were over before this dream. */
  readonly #past: readonly PastMemory[];

  constructor(consolidation: ConsolidationActions, input: DreamInput) {
    this.#consolidation = consolidation;
    this.#input = input;
    const corrected = input.known.flatMap(({ memory }): readonly PastMemory[] =>
      memory.supersededBy === undefined ? [] : [{ ...memory, overMs: timeOf(memory) }],
    );
    this.#past = [...corrected, ...(input.forgotten ?? [])];
  }

  /** Repeats while anything changes: a merged memory is newer, and may correct other ones. */
  *consolidate(): Steps {
    for (let doneCount = -1; doneCount !== this.#consolidation.actions.length; ) {
      doneCount = this.#consolidation.actions.length;
      this.undecided.clear();
      yield* this.#compareAll();
    }
  }

  /** The best founded come first and stay; each later one is compared with those. */
  *#compareAll(): Steps {
    const search = createMemorySearch();
    const active = this.#consolidation.active().map(({ memory }) => memory);
    for (const memory of active.toSorted(byFoundation)) {
      yield undefined;
      const others = this.#alike(search, memory);
      const same = others.find(({ relation }) => relation === "repeats");
      if (same !== undefined && this.#consolidation.merge(same.memory.path, memory, REPEATED)) continue;
      // It may correct an older one, or be corrected by a newer one as well founded.
      const contrary = others.flatMap((one) => (one.relation === "contradicts" ? [one.memory] : []));
      const newer = contrary.find((other) => timeOf(other) > timeOf(memory));
      if (newer !== undefined) {
        this.#consolidation.supersede(newer.path, memory, CONTRADICTED);
        continue;
      }
      for (const other of contrary) this.#decide(memory, other, search);
      search.set(memory.path, memory);
    }
  }

  /** Adds what users asked for, as if remembered at once; then what a model found. */
  remember(): void {
    const { gathered, claims } = this.#input;
    const search = createMemorySearch();
    for (const { memory } of this.#consolidation.active()) search.set(memory.path, memory);
    const facts: readonly (FreshMemory & Partial<ClaimedFact>)[] = [...gathered, ...(claims?.facts ?? [])];
    const { gatheredCount } = MEMORY_DREAM_DEFAULTS;
    for (const fact of facts.slice(0, gatheredCount)) this.#remember(fact, search);
    const leftCount = facts.length - gatheredCount;
    if (leftCount > 0)
      this.#consolidation.notes.add(
        `${leftCount} facts of the sessions were left out: one dream takes ${gatheredCount}.`,
      );
  }

  #remember({ why, replaces, ...fresh }: FreshMemory & Partial<ClaimedFact>, search: MemorySearch): void {
    if (isOver(fresh, this.#past)) return;
    const others = this.#alike(search, { path: fresh.folder, body: fresh.body });
    const pathsThat = (relation: Seen) =>
      others.filter((one) => one.relation === relation).map(({ memory }) => memory.path);
    const replaced = replaces !== undefined && this.#isCorrected(replaces, fresh.body) ? [replaces.path] : [];
    const plan = planRemember(fresh, {
      known: this.#consolidation.known,
      repeated: pathsThat("repeats"),
      corrected: [...new Set([...pathsThat("contradicts"), ...replaced])],
      nowMs: this.#input.nowMs,
    });
    if (plan.status === "merged" || plan.status === "rejected") return;
    for (const { path, text } of plan.changes) this.#consolidation.setMemory(path, text);
    this.#consolidation.keep(plan.path);
    search.set(plan.path, this.#consolidation.activeAt(plan.path)!);
    const paths = [plan.path, ...plan.superseded];
    const reason = { why: `${why ?? "A user asked for it."} ${plan.reason}` };
    this.#consolidation.act("remember", paths, why === undefined ? reason : { ...reason, by: "model" });
  }

  /** True if a memory is unchanged since a model said that a fact corrects it, and is about the same thing. */
  #isCorrected({ path, body }: NonNullable<ClaimedFact["replaces"]>, by: string): boolean {
    return this.#consolidation.activeAt(path)?.body === body && judgeClaim(by, body) === "corrects";
  }

  /** A memory that this dream has kept stays, however old it is. */
  prune(): void {
    const { pruneBelowScore } = MEMORY_RECALL_DEFAULTS;
    const { nowMs, usedCounts } = this.#input;
    for (const { memory } of this.#consolidation.active()) {
      const score = standingOf(memory, nowMs, usedCounts.get(memory.path));
      if (score >= pruneBelowScore || this.#consolidation.isKept(memory.path)) continue;
      if (!this.#consolidation.archive(memory.path)) continue;
      const why = `Its relevance has faded to ${score.toFixed(3)}, below ${pruneBelowScore}: no person has repeated or confirmed it since.`;
      this.#consolidation.act("prune", [memory.path], { why });
    }
  }

  /** Lines that lead nowhere go, and memories without one get one as long as there is room. */
  repairIndex(): void {
    const { folder, others = [], nowMs, usedCounts } = this.#input;
    const path = this.#input.index?.path ?? folder + INDEX_NAME;
    const before = this.#consolidation.textOf(path) ?? "";
    const scoreOf = (memory: Memory): number => relevanceScoreOf(memory, nowMs, usedCounts.get(memory.path));
    const listed = new Set(parseIndex(before).entries.map(({ file }) => file));
    const byFile = new Map(
      this.#consolidation.active().map(({ memory }) => [memory.path.slice(folder.length), memory]),
    );
    // Files that are not readable memories: lines that name them lead somewhere.
    const there = new Set(others.map((other) => other.slice(folder.length)));
    const gone = [...listed].filter((file) => !byFile.has(file) && !there.has(file));
    let text = gone.reduce(removeIndexLine, before);
    const missing = [...byFile]
      .filter(([file]) => !listed.has(file))
      .sort(([, one], [, other]) => scoreOf(other) - scoreOf(one) || (one.path < other.path ? -1 : 1));
    let addedCount = 0;
    for (const [file, memory] of missing) {
      const longer = setIndexLine(text, { ...lineFor(memory, memory.path), file });
      if (fitIndex(longer, () => 0).evicted.length > 0) break;
      text = longer;
      addedCount++;
    }
    const fitted = fitIndex(text, ({ file }) => {
      const memory = byFile.get(file);
      return memory === undefined ? Number(there.has(file)) : scoreOf(memory);
    });
    const unlistedCount = missing.length - addedCount;
    if (unlistedCount > 0)
      this.#consolidation.notes.add(
        `The index is full: ${unlistedCount} memories have no line and are found by searching.`,
      );
    if (fitted.text === before) return;
    this.#consolidation.setFile(path, fitted.text);
    const why = `${addedCount} lines came, ${gone.length} led nowhere, ${fitted.evicted.length} had to go for room.`;
    this.#consolidation.act("index", [path], { why });
  }

  #alike(
    search: MemorySearch,
    { path, body }: Pick<Memory, "path" | "body">,
  ): readonly { readonly memory: Memory; readonly relation: Seen }[] {
    const hits = search.search(body, { limit: MEMORY_WRITE_DEFAULTS.comparedCount });
    return hits.flatMap(({ id }) => {
      const memory = this.#consolidation.activeAt(id);
      return memory === undefined || areApart(path, memory.path)
        ? []
        : [{ memory, relation: seen(body, memory.body) }];
    });
  }

  /** Decides between two that contradict each other. */
  #decide(newer: Memory, older: Memory, search: MemorySearch): void {
    if (trustOf(newer) < trustOf(older)) {
      this.undecided.add(
        `${newer.path} says otherwise than ${older.path}, which is better founded: a person has to decide.`,
      );
      return;
    }
    this.#consolidation.supersede(newer.path, older, CONTRADICTED);
    search.remove(older.path);
  }
}

const REPEATED = { why: "They say the same; the better founded one stays." };
const CONTRADICTED = { why: "They contradict each other; the newer one wins." };

type Seen = "repeats" | "contradicts" | "other";

/** Whichever of the two is the newer one. */
function seen(one: string, other: string): Seen {
  const relation = compareFacts(one, other);
  if (relation === "repeats") return "repeats";
  return relation === "corrects" || compareFacts(other, one) === "corrects" ? "contradicts" : "other";
}
