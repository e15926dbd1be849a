/**
 * Replays a trajectory under a policy and measures what survived and what it cost.
 *
 * It is deterministic and asks no model. The recorded agent would have acted differently in another window, but its
 * messages cannot change here. So a string that it used and the window lacks is charged as a lookup. Costs are in
 * input-token-equivalents, without the answers of the main model, which are the same for every policy.
 */
import { isCacheWarm } from "palimpsest/experimental";
import {
  CacheModel,
  FAR_TOKENS,
  nextUnitId,
  Reachability,
  type Reference,
  type TrajectoryMessage,
} from "palimpsest-testing/internal";
import { EVALUATION_DEFAULTS as D } from "../defaults/evaluation.ts";
import {
  type CallMoment,
  type Contestant,
  type EditKind,
  findLookups,
  type PolicyUnderTest,
  type RunSetting,
  type SideCall,
} from "./contestant.ts";

/** References of one kind: how many there were and how many were visible or reachable. */
export interface SurvivalCount {
  readonly references: number;
  readonly visible: number;
  /**
   * Visible; or in a message that the window points to; or, for far references, found by search if the policy has
   * one.
   */
  readonly reachable: number;
}

export interface RunResult {
  readonly policy: string;
  /** References to what lay at least `farTokens` back, and all others. */
  readonly far: SurvivalCount;
  readonly near: SurvivalCount;
  /** Input-token-equivalents of the requests and of side calls and lookups. */
  readonly cost: number;
  readonly requestCost: number;
  readonly sideCost: number;
  readonly readTokens: number;
  readonly writtenTokens: number;
  readonly requests: number;
  readonly lookups: number;
  readonly sideCalls: number;
  readonly edits: Readonly<Record<EditKind, number>>;
  readonly peakTokens: number;
  /** Index of the message before which no further request fitted; the run ended there. */
  readonly failedAt?: number;
}

/** Called at every request with the window, for measuring reachability and for charts. */
type CallWatcher = (moment: CallMoment, contestant: Contestant, answer: TrajectoryMessage) => void;

interface SimulationOptions {
  /** True if missing strings are looked up again and charged. */
  readonly chargesLookups?: boolean;
  readonly onCall?: CallWatcher;
}

/** Replays a trajectory under a policy. */
export function simulate(
  policy: PolicyUnderTest,
  setting: RunSetting,
  options: SimulationOptions = {},
): RunResult {
  return new Simulation(policy, setting, options).run();
}

class Simulation {
  readonly #policy: PolicyUnderTest;
  readonly #setting: RunSetting;
  readonly #options: SimulationOptions;
  readonly #cache: CacheModel;
  readonly #contestant: Contestant;
  readonly #far = new Survival();
  readonly #near = new Survival();
  /** Reachability by search, for runs that count visible strings and charge nothing. */
  readonly #reachability: Reachability | undefined;
  readonly #edits: Record<EditKind, number> = { clear: 0, summary: 0, offload: 0, collapse: 0 };
  #requestCost = 0;
  #sideCost = 0;
  #readTokens = 0;
  #writtenTokens = 0;
  #requests = 0;
  #lookups = 0;
  #sideCalls = 0;
  #peakTokens = 0;
  #nowMs = 0;
  #lastRequestMs: number | undefined;
  #lastTokens = 0;

  constructor(policy: PolicyUnderTest, setting: RunSetting, options: SimulationOptions) {
    this.#policy = policy;
    this.#setting = setting;
    this.#options = options;
    this.#cache = new CacheModel(setting.tariff, setting.trajectory.fixedTokens);
    const isSearched = policy.hasSearch === true && options.chargesLookups !== true;
    this.#reachability = isSearched ? new Reachability(setting.trajectory) : undefined;
    this.#contestant = policy.enter(setting, {
      sideCall: (call) => this.#sideCall(call),
      edited: (kind) => {
        this.#edits[kind]++;
      },
    });
  }

  run(): RunResult {
    const { messages } = this.#setting.trajectory;
    for (const [index, message] of messages.entries()) {
      if (message.author === "assistant" && !this.#call(message, index)) return this.#result(index);
      this.#contestant.append(message, index);
      this.#reachability?.addMessage(index, index, message.message);
    }
    return this.#result();
  }

  /** Makes the request that `answer` answered. Returns false if it does not fit the window. */
  #call(answer: TrajectoryMessage, index: number): boolean {
    const before = this.#setting.trajectory.messages[index - 1];
    // The request was sent when the message before the answer was there.
    this.#nowMs = before === undefined ? answer.atMs : before.atMs;
    const idleMs = this.#lastRequestMs === undefined ? 0 : this.#nowMs - this.#lastRequestMs;
    const isWarm = isCacheWarm(
      { idleMs: this.#lastRequestMs === undefined ? undefined : idleMs, cachedTokens: this.#lastTokens },
      this.#setting.tariff,
    );
    const moment: CallMoment = { index, nowMs: this.#nowMs, idleMs, isWarm };
    let marks = this.#prepare(moment);
    if (marks === undefined) return false;
    this.#options.onCall?.(moment, this.#contestant, answer);
    const missing = this.#count(answer.references);
    if (this.#options.chargesLookups === true && missing.length > 0) {
      const lookups = findLookups(missing, this.#setting.trajectory);
      if (lookups.length > 0) {
        this.#request(marks);
        this.#lookups++;
        this.#sideCost += lookups.length * D.lookupOutputTokens * this.#setting.tariff.outputRatio;
        for (const lookup of lookups) this.#contestant.lookedUp(lookup);
        marks = this.#prepare({ ...moment, idleMs: 0, isWarm: true });
        if (marks === undefined) return false;
      }
    }
    this.#request(marks);
    this.#lastRequestMs = this.#nowMs;
    return true;
  }

  #prepare(moment: CallMoment): readonly number[] | undefined {
    const marks = this.#contestant.prepare(moment);
    if (this.#contestant.totalTokens <= this.#setting.windowTokens) return marks;
    this.#contestant.overflow(moment);
    return this.#contestant.totalTokens <= this.#setting.windowTokens ? [] : undefined;
  }

  #request(marks: readonly number[]): void {
    const { units, totalTokens } = this.#contestant;
    this.#peakTokens = Math.max(this.#peakTokens, totalTokens);
    this.#lastTokens = totalTokens;
    const priced = this.#cache.request(units, this.#nowMs, marks);
    this.#requests++;
    this.#requestCost += priced.cost;
    this.#readTokens += priced.readTokens;
    this.#writtenTokens += priced.writtenTokens;
    this.#contestant.priced?.(priced);
  }

  #sideCall({ mode, inputTokens, outputTokens, addedTokens = D.sideCallTokens }: SideCall): number {
    this.#sideCalls++;
    const input =
      mode === "fresh"
        ? inputTokens
        : this.#cache.request(
            [...this.#contestant.units, { id: nextUnitId(), tokens: addedTokens, blocks: 1 }],
            this.#nowMs,
          ).cost;
    const cost = input + outputTokens * this.#setting.tariff.outputRatio;
    this.#sideCost += cost;
    return cost;
  }

  /** Counts the visible references and returns the others. */
  #count(references: readonly Reference[]): readonly Reference[] {
    return references.filter((reference) => {
      const isVisible = this.#contestant.isVisible(reference.text);
      const survival = reference.distanceTokens >= FAR_TOKENS ? this.#far : this.#near;
      survival.add(isVisible, isVisible || this.#isReachable(reference));
      return !isVisible;
    });
  }

  /** True if a visible pointer leads to it or, for far references, if a search for visible strings finds it. */
  #isReachable(reference: Reference): boolean {
    if (this.#contestant.isBehindPointer(reference.source)) return true;
    if (this.#reachability === undefined || reference.distanceTokens < FAR_TOKENS) return false;
    return this.#reachability.isFound(reference, (text) => this.#contestant.isVisible(text));
  }

  #result(failedAt?: number): RunResult {
    return {
      policy: this.#policy.id,
      far: this.#far.count,
      near: this.#near.count,
      cost: this.#requestCost + this.#sideCost,
      requestCost: this.#requestCost,
      sideCost: this.#sideCost,
      readTokens: this.#readTokens,
      writtenTokens: this.#writtenTokens,
      requests: this.#requests,
      lookups: this.#lookups,
      sideCalls: this.#sideCalls,
      edits: this.#edits,
      peakTokens: this.#peakTokens,
      ...(failedAt === undefined ? {} : { failedAt }),
    };
  }
}

class Survival {
  #references = 0;
  #visible = 0;
  #reachable = 0;

  add(isVisible: boolean, isReachable: boolean): void {
    this.#references++;
    if (isVisible) this.#visible++;
    if (isReachable) this.#reachable++;
  }

  get count(): SurvivalCount {
    return { references: this.#references, visible: this.#visible, reachable: this.#reachable };
  }
}
