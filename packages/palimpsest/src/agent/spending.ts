/**
 * What a session costs, with everything that it causes: answers, summaries, notes, memories, agents in the background.
 *
 * Answers are in the log. The rest is counted from the session's events and carried by its checkpoints: what a killed
 * process spent on it after the last checkpoint is not known later.
 */
import { asNumber, isObject, type JsonValue } from "../base/json/json.ts";
import { SPENT_MARK } from "../session/append/carried-marks.ts";
import type { SessionEvent } from "../session/events/events.ts";
import { internalsOf, type Session } from "../session/session.ts";
import { usageCostUsd } from "../tokens/price/usage-cost.ts";
import { sumUsage, type Usage } from "../transcript/blocks.ts";
import type { AgentOptions } from "./options/agent-options.ts";
import type { Spending, Spent } from "./options/turn/turn-options.ts";

type Purpose = Exclude<keyof Spending, keyof Spent>;
const PURPOSES: readonly Purpose[] = ["answers", "summaries", "notes", "memory", "tasks"];
/** The purposes that checkpoints carry. */
const CARRIED: readonly Purpose[] = ["summaries", "notes", "memory"];

const NO_USAGE: Usage = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
const NOTHING: Spent = { calls: 0, usage: NO_USAGE, costUsd: 0 };

function add(one: Spent, other: Spent): Spent {
  const isPriced = one.costUsd !== undefined && other.costUsd !== undefined;
  return {
    calls: one.calls + other.calls,
    usage: sumUsage([one.usage, other.usage]),
    costUsd: isPriced ? one.costUsd + other.costUsd : undefined,
  };
}

/** One call of a model. An unknown model has no price. */
function spentOn(usage: Usage, model: string | undefined): Spent {
  return { calls: 1, usage, costUsd: model === undefined ? undefined : usageCostUsd(usage, model) };
}

/** Amounts by purpose. Purposes without an amount cost nothing. */
type Amounts = ReadonlyMap<Purpose, Spent>;

function spendingOf(amounts: Amounts): Spending {
  const of = (purpose: Purpose): Spent => amounts.get(purpose) ?? NOTHING;
  const [answers, summaries, notes, memory, tasks] = PURPOSES.map(of) as [Spent, Spent, Spent, Spent, Spent];
  const total = PURPOSES.map(of).reduce(add, NOTHING);
  return { ...total, answers, summaries, notes, memory, tasks };
}

type SpendingOptions = Pick<AgentOptions, "model" | "summaryModel" | "lightModel" | "notes">;

/** Counts what a session spends while it is open. */
export class SpendingCounter {
  readonly #session: Session;
  readonly #tasksUsage: () => Usage | undefined;
  readonly #models = new Map<number, string>();
  /** The model of the last call, which forked updates of notes ask, too. */
  #lastModel: string | undefined;
  /** Since the session was opened. */
  readonly #opened = new Map<Purpose, Spent>();
  /** Before it was opened, of the purposes that are carried. */
  readonly #before: Amounts;
  /** The number of the first entry since the session was opened. */
  readonly #openedSeq: number;
  /** The answers before that, read once. */
  #answersBefore: Promise<Spent> | undefined;

  /** @param options - say which models are asked for notes and memories: their events do not */
  constructor(
    session: Session,
    { model, summaryModel, lightModel, notes }: SpendingOptions,
    tasksUsage: () => Usage | undefined,
  ) {
    this.#session = session;
    this.#tasksUsage = tasksUsage;
    const { carried, observers, writer } = internalsOf(session);
    this.#openedSeq = writer.nextSeq;
    this.#before = readAmounts(carried.get(SPENT_MARK));
    this.#lastModel = model.model;
    const ofNotes = (notes === "off" ? undefined : notes?.model) ?? summaryModel ?? model;
    const asked = { notes: ofNotes.model, memory: (lightModel ?? model).model };
    observers.add({ onEvent: (event) => this.#count(event, asked) });
  }

  #count(event: SessionEvent, asked: { readonly [Of in "notes" | "memory"]: string | undefined }): void {
    if (event.type === "call") {
      this.#models.set(event.seq, event.model);
      this.#lastModel = event.model;
    }
    const { usage } = "usage" in event ? event : {};
    if (usage === undefined) return;
    if (event.type === "answer") {
      this.#add("answers", spentOn(usage, this.#models.get(event.seq)));
      this.#models.delete(event.seq);
    } else if (event.type === "summary-call") this.#add("summaries", spentOn(usage, event.model));
    else if (event.type === "notes-update") {
      const cold = event.form === "cold" ? asked.notes : undefined;
      this.#add("notes", spentOn(usage, cold ?? this.#lastModel));
    } else if (event.type === "memory-extracted") this.#add("memory", spentOn(usage, asked.memory));
  }

  #add(purpose: Purpose, spent: Spent): void {
    this.#opened.set(purpose, add(this.#opened.get(purpose) ?? NOTHING, spent));
    if (!CARRIED.includes(purpose)) return;
    const carried = CARRIED.flatMap((name): [string, JsonValue][] => {
      const { calls, usage, costUsd = null } = this.#soFar(name);
      return calls === 0 ? [] : [[name, { calls, usage: { ...usage }, costUsd }]];
    });
    internalsOf(this.#session).carried.set(SPENT_MARK, Object.fromEntries(carried));
  }

  /** Begins to count a turn; the result says what was spent since. */
  begin(): () => Spending {
    const before = new Map(this.#opened).set("tasks", this.#tasks());
    return () => {
      const now = new Map(this.#opened).set("tasks", this.#tasks());
      return spendingOf(new Map(PURPOSES.map((purpose) => [purpose, difference(now, before, purpose)])));
    };
  }

  /** Everything that the session cost so far. Reads the log the first time. @throws `StoreError` */
  async total(): Promise<Spending> {
    this.#answersBefore ??= this.#answersInLog().catch((error: unknown) => {
      this.#answersBefore = undefined;
      throw error;
    });
    const before = await this.#answersBefore;
    const amounts = new Map<Purpose, Spent>(CARRIED.map((purpose) => [purpose, this.#soFar(purpose)]));
    amounts.set("answers", add(before, this.#opened.get("answers") ?? NOTHING));
    amounts.set("tasks", this.#tasks());
    return spendingOf(amounts);
  }

  #soFar(purpose: Purpose): Spent {
    return add(this.#before.get(purpose) ?? NOTHING, this.#opened.get(purpose) ?? NOTHING);
  }

  #tasks(): Spent {
    const usage = this.#tasksUsage();
    // Their agents may ask other models than this session.
    return usage === undefined ? NOTHING : { calls: 0, usage, costUsd: undefined };
  }

  async #answersInLog(): Promise<Spent> {
    const models = new Map<number, string>();
    let spent = NOTHING;
    for await (const { entries } of internalsOf(this.#session).log.readAll())
      for (const { entry } of entries)
        if (entry.seq >= this.#openedSeq) return spent;
        else if (entry.type === "call") models.set(entry.seq, entry.model);
        else if (entry.type === "answer" && entry.usage !== undefined)
          spent = add(spent, spentOn(entry.usage, models.get(entry.callSeq)));
    return spent;
  }
}

function difference(now: Amounts, before: Amounts, purpose: Purpose): Spent {
  const later = now.get(purpose) ?? NOTHING;
  const earlier = before.get(purpose) ?? NOTHING;
  const less = (field: keyof Usage): number => later.usage[field] - earlier.usage[field];
  const usage = {
    inputTokens: less("inputTokens"),
    cacheReadTokens: less("cacheReadTokens"),
    cacheWriteTokens: less("cacheWriteTokens"),
    outputTokens: less("outputTokens"),
  };
  if (later === earlier || Object.values(usage).every((tokens) => tokens === 0)) return NOTHING;
  const isPriced = later.costUsd !== undefined && earlier.costUsd !== undefined;
  return {
    calls: later.calls - earlier.calls,
    usage,
    costUsd: isPriced ? later.costUsd - earlier.costUsd : undefined,
  };
}

/** Reads the amounts that a checkpoint carried. Anything else in it counts as nothing. */
function readAmounts(value: unknown): Amounts {
  const amounts = new Map<Purpose, Spent>();
  for (const purpose of CARRIED) {
    const found = isObject(value) ? value[purpose] : undefined;
    const usage = isObject(found) && isObject(found["usage"]) ? found["usage"] : undefined;
    if (!isObject(found) || usage === undefined) continue;
    const figure = (from: Readonly<Record<string, unknown>>, name: string): number =>
      Math.max(0, asNumber(from[name]) ?? 0);
    amounts.set(purpose, {
      calls: figure(found, "calls"),
      usage: {
        inputTokens: figure(usage, "inputTokens"),
        cacheReadTokens: figure(usage, "cacheReadTokens"),
        cacheWriteTokens: figure(usage, "cacheWriteTokens"),
        outputTokens: figure(usage, "outputTokens"),
      },
      costUsd: asNumber(found["costUsd"]),
    });
  }
  return amounts;
}
