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
  type TrajectoryMessage,
} from "palimpsest-testing/internal";
import { EVALUATION_DEFAULTS as D } from "../defaults/evaluation.ts";
import {
  type KeyReference,
  REFERENCE_KINDS,
  type ReferenceKind,
  referencesOf,
  type SessionReferences,
} from "../references/references.ts";
import {
  type CallMoment,
  type Contestant,
  type EditKind,
  findLookups,
  findRereads,
  type Lookup,
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

/** References to what lay at least `farTokens` back, and all others. */
interface SurvivalByDistance {
  readonly far: SurvivalCount;
  readonly near: SurvivalCount;
}

export interface RunResult extends SurvivalByDistance {
  readonly policy: string;
  /** The same for lines that an edit copied, and for plain words; `far` and `near` are of named strings. */
  readonly lines: SurvivalByDistance;
  readonly words: SurvivalByDistance;
  /** Input-token-equivalents of the requests and of side calls and lookups. */
  readonly cost: number;
  readonly requestCost: number;
  readonly sideCost: number;
  readonly readTokens: number;
  readonly writtenTokens: number;
  readonly requests: number;
  /** Requests that were added, because something was looked up or read again. */
  readonly lookups: number;
  /** Files and results that were read again for an edit, and their size. */
  readonly rereads: number;
  readonly rereadTokens: number;
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
  readonly #references: SessionReferences;
  readonly #survival: Readonly<Record<ReferenceKind, { readonly far: Survival; readonly near: Survival }>>;
  /** Reachability by search, for runs that count visible strings and charge nothing. */
  readonly #reachability: Reachability | undefined;
  readonly #edits: Record<EditKind, number> = { clear: 0, summary: 0, offload: 0, collapse: 0 };
  #requestCost = 0;
  #sideCost = 0;
  #readTokens = 0;
  #writtenTokens = 0;
  #requests = 0;
  #lookups = 0;
  #rereads = 0;
  #rereadTokens = 0;
  #sideCalls = 0;
  #peakTokens = 0;
  #nowMs = 0;
  #lastRequestMs: number | undefined;
  #lastTokens = 0;

  constructor(policy: PolicyUnderTest, setting: RunSetting, options: SimulationOptions) {
    this.#policy = policy;
    this.#setting = setting;
    this.#options = options;
    this.#references = referencesOf(setting.trajectory);
    const survivals = REFERENCE_KINDS.map(
      (kind) => [kind, { far: new Survival(), near: new Survival() }] as const,
    );
    this.#survival = Object.fromEntries(survivals) as Record<ReferenceKind, (typeof survivals)[number][1]>;
    const { tariff, longTariff, trajectory } = setting;
    this.#cache = new CacheModel(tariff, trajectory.fixedTokens, policy.keepsHead ? longTariff : undefined);
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
    const missing = this.#count(this.#references.of[index]!);
    if (this.#options.chargesLookups === true && missing.length > 0) {
      const lookups = this.#lookUp(missing);
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

  /** Reads again what an edit needs; names that this does not bring back are looked up. */
  #lookUp(missing: readonly KeyReference[]): readonly Lookup[] {
    const rereads = findRereads(missing, this.#setting);
    this.#rereads += rereads.length;
    for (const { tokens } of rereads) this.#rereadTokens += tokens;
    const left = missing.filter(({ key }) => !rereads.some(({ strings }) => strings.has(key)));
    return [...rereads, ...findLookups(left, this.#setting)];
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
  #count(references: readonly KeyReference[]): readonly KeyReference[] {
    return references.filter((reference) => {
      const isVisible = this.#contestant.isVisible(reference.key);
      const { far, near } = this.#survival[reference.kind];
      const survival = reference.distanceTokens >= FAR_TOKENS ? far : near;
      survival.add(isVisible, isVisible || this.#isReachable(reference));
      return !isVisible;
    });
  }

  /** True if a visible pointer leads to it or, for far references, if a search for visible strings finds it. */
  #isReachable({ kind, key, source, distanceTokens }: KeyReference): boolean {
    if (this.#contestant.isBehindPointer(source)) return true;
    if (this.#reachability === undefined || kind !== "name" || distanceTokens < FAR_TOKENS) return false;
    return this.#reachability.isFound({ text: key, source, distanceTokens }, (text) =>
      this.#contestant.isVisible(text),
    );
  }

  #result(failedAt?: number): RunResult {
    return {
      policy: this.#policy.id,
      ...countsOf(this.#survival.name),
      lines: countsOf(this.#survival.line),
      words: countsOf(this.#survival.word),
      cost: this.#requestCost + this.#sideCost,
      requestCost: this.#requestCost,
      sideCost: this.#sideCost,
      readTokens: this.#readTokens,
      writtenTokens: this.#writtenTokens,
      requests: this.#requests,
      lookups: this.#lookups,
      rereads: this.#rereads,
      rereadTokens: Math.round(this.#rereadTokens),
      sideCalls: this.#sideCalls,
      edits: this.#edits,
      peakTokens: this.#peakTokens,
      ...(failedAt === undefined ? {} : { failedAt }),
    };
  }
}

function countsOf({ far, near }: { readonly far: Survival; readonly near: Survival }): SurvivalByDistance {
  return { far: far.count, near: near.count };
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
