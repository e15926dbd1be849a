/**
 * What a session costs, with everything that it causes: answers, summaries, notes, memories, agents in the background.
 *
 * Answers are in the log. The rest is counted from the session's events and carried by its checkpoints: what a killed
 * process spent on it after the last checkpoint is not known later.
 */
import { isObject, type JsonValue } from "../base/json/json.ts";
import type { SummaryProblem } from "../compaction/summary/summary-answer.ts";
import { SPENT_MARK } from "../session/append/carried-marks.ts";
import type { SessionEvent } from "../session/events/events.ts";
import { internalsOf, type Session } from "../session/session.ts";
import {
  addSpent,
  formatSpent,
  NOTHING_SPENT,
  parseSpent,
  type Spent,
  type SpentSum,
  spentOf,
  spentOn,
  spentSince,
} from "../tokens/price/spent.ts";
import type { AgentOptions, AgentWorld } from "./options/agent-options.ts";
import type { Spending } from "./options/turn/turn-options.ts";

type Purpose = Exclude<keyof Spending, keyof Spent>;
const PURPOSES: readonly Purpose[] = ["answers", "summaries", "notes", "memory", "tasks"];
/** The purposes that checkpoints carry. */
const CARRIED: readonly Purpose[] = ["summaries", "notes", "memory"];

/** Outcomes of calls for summaries that were answered. */
const ANSWERED: Readonly<Record<SummaryProblem | "written", true>> = {
  written: true,
  "called-a-tool": true,
  "cut-off": true,
  refused: true,
  empty: true,
  "not-a-summary": true,
};

/** Amounts by purpose. Purposes without an amount cost nothing. */
type Amounts = ReadonlyMap<Purpose, SpentSum>;

function spendingOf(amounts: Amounts): Spending {
  const sums = PURPOSES.map((purpose) => amounts.get(purpose) ?? NOTHING_SPENT);
  const [answers, summaries, notes, memory, tasks] = sums.map(spentOf) as [Spent, Spent, Spent, Spent, Spent];
  return { ...spentOf(sums.reduce(addSpent)), answers, summaries, notes, memory, tasks };
}

type SpendingOptions = Pick<AgentOptions, "model" | "summaryModel" | "lightModel" | "notes">;

interface SpendingWorld extends Pick<AgentWorld, "onSpent"> {
  /** Returns what the model calls of background tasks cost so far. */
  readonly tasksSpent: () => SpentSum;
}

/** Counts what a session spends while it is open. */
export class SpendingCounter {
  readonly #session: Session;
  readonly #world: SpendingWorld;
  /** The models that are asked for notes and for memories. */
  readonly #asked: { readonly [Of in "notes" | "memory"]: string | undefined };
  readonly #models = new Map<number, string>();
  /** The model of the last call, which forked updates of notes ask, too. */
  #lastModel: string | undefined;
  /** Since the session was opened. */
  readonly #opened = new Map<Purpose, SpentSum>();
  /** Before it was opened, of the purposes that are carried. */
  readonly #before: Amounts;
  /** The number of the first entry since the session was opened. */
  readonly #openedSeq: number;
  /** The answers before that, read once. */
  #answersBefore: Promise<SpentSum> | undefined;

  /** @param options - say which models are asked for notes and memories: their events do not */
  constructor(
    session: Session,
    { model, summaryModel, lightModel, notes }: SpendingOptions,
    world: SpendingWorld,
  ) {
    this.#session = session;
    this.#world = world;
    const { carried, observers, writer } = internalsOf(session);
    this.#openedSeq = writer.nextSeq;
    this.#before = readAmounts(carried.get(SPENT_MARK));
    this.#lastModel = model.model;
    const ofNotes = (notes === "off" ? undefined : notes?.model) ?? summaryModel ?? model;
    this.#asked = { notes: ofNotes.model, memory: (lightModel ?? model).model };
    observers.add({ onEvent: (event) => this.#count(event) });
  }

  /** Calls that were answered count, also those without a reported usage. */
  #count(event: SessionEvent): void {
    if (event.type === "call") {
      this.#models.set(event.seq, event.model);
      this.#lastModel = event.model;
    } else if (event.type === "answer") {
      this.#add("answers", spentOn(event.usage, this.#models.get(event.seq)));
      this.#models.delete(event.seq);
    } else if (event.type === "summary-call") {
      const { usage, outcome, model } = event;
      if (usage !== undefined || outcome in ANSWERED) this.#add("summaries", spentOn(usage, model));
    } else if (event.type === "notes-update") {
      const { usage, form, outcome } = event;
      const isAnswered = form !== "log" && outcome !== "failed";
      const cold = form === "cold" ? this.#asked.notes : undefined;
      if (usage !== undefined || isAnswered) this.#add("notes", spentOn(usage, cold ?? this.#lastModel));
    } else if (event.type === "memory-extracted" && event.by === "model")
      this.#add("memory", spentOn(event.usage, this.#asked.memory));
  }

  #add(purpose: Purpose, spent: SpentSum): void {
    this.#opened.set(purpose, addSpent(this.#opened.get(purpose) ?? NOTHING_SPENT, spent));
    if (CARRIED.includes(purpose)) {
      const carried = CARRIED.flatMap((name): [string, JsonValue][] => {
        const sum = this.#soFar(name);
        return sum.calls === 0 ? [] : [[name, formatSpent(spentOf(sum))]];
      });
      internalsOf(this.#session).carried.set(SPENT_MARK, Object.fromEntries(carried));
    }
    this.#world.onSpent?.(spent);
  }

  /** Begins to count a turn; the result says what was spent since. */
  begin(): () => Spending {
    const before = this.#now();
    return () => {
      const now = this.#now();
      const since = (purpose: Purpose): SpentSum =>
        spentSince(now.get(purpose) ?? NOTHING_SPENT, before.get(purpose) ?? NOTHING_SPENT);
      return spendingOf(new Map(PURPOSES.map((purpose) => [purpose, since(purpose)])));
    };
  }

  #now(): Amounts {
    return new Map(this.#opened).set("tasks", this.#world.tasksSpent());
  }

  /** Everything that the session cost so far. Reads the log the first time. @throws `StoreError` */
  async total(): Promise<Spending> {
    this.#answersBefore ??= this.#answersInLog().catch((error: unknown) => {
      this.#answersBefore = undefined;
      throw error;
    });
    const before = await this.#answersBefore;
    const amounts = new Map<Purpose, SpentSum>(CARRIED.map((purpose) => [purpose, this.#soFar(purpose)]));
    amounts.set("answers", addSpent(before, this.#opened.get("answers") ?? NOTHING_SPENT));
    amounts.set("tasks", this.#world.tasksSpent());
    return spendingOf(amounts);
  }

  #soFar(purpose: Purpose): SpentSum {
    return addSpent(this.#before.get(purpose) ?? NOTHING_SPENT, this.#opened.get(purpose) ?? NOTHING_SPENT);
  }

  async #answersInLog(): Promise<SpentSum> {
    const models = new Map<number, string>();
    let spent = NOTHING_SPENT;
    for await (const { entries } of internalsOf(this.#session).log.readAll())
      for (const { entry } of entries)
        if (entry.seq >= this.#openedSeq) return spent;
        else if (entry.type === "call") models.set(entry.seq, entry.model);
        // A call that failed has an entry, too.
        else if (entry.type === "answer" && (entry.usage !== undefined || entry.error === undefined))
          spent = addSpent(spent, spentOn(entry.usage, models.get(entry.callSeq)));
    return spent;
  }
}

/** Reads the amounts that a checkpoint carried. Anything else in it counts as nothing. */
function readAmounts(value: unknown): Amounts {
  const amounts = new Map<Purpose, SpentSum>();
  for (const purpose of CARRIED) {
    const sum = parseSpent(isObject(value) ? value[purpose] : undefined);
    if (sum !== undefined) amounts.set(purpose, sum);
  }
  return amounts;
}
