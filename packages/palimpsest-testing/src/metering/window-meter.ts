/**
 * The meter: what a live session's windows cost and what survived in them, call by call.
 *
 * It looks at the very windows that were sent, beside the recording that they were made from. The
 * cost is without the answers, which are the same whatever the window shows, and without lookups.
 */
import type { ContentBlock, Message } from "palimpsest";
import type { ResolvedTariff } from "palimpsest/tokens";
import type { VisibleMessage } from "palimpsest/transcript";
import { type CachedUnit, CacheModel } from "./cache-model.ts";
import { type Reach, Reachability } from "./reachability.ts";
import { ShownWindow } from "./shown-window.ts";
import type { Trajectory } from "./trajectory.ts";
import { nextUnitId } from "./window-unit.ts";

/** A reference is far where its string was last seen this many tokens before. Source: where-the-numbers-come-from.md, "Survival": what lies nearer is in every policy's tail. */
export const FAR_TOKENS = 8_000;

/** Far references of a session, and how many of them were visible or reachable where they were used. */
export interface SurvivalFigures {
  readonly farReferences: number;
  readonly visible: number;
  /** Visible, behind a visible pointer, or found by a search for what is visible. */
  readonly reachable: number;
}

/** The costs of the requests, in input-token-equivalents, with and without a policy. */
export interface CostFigures {
  readonly inputTokenEquivalents: number;
  readonly uncompacted: number;
  /** `inputTokenEquivalents` by `uncompacted`. */
  readonly ratio: number;
  /** Name of the tariff. */
  readonly tariff: string;
  /** System prompt and tools within each request, in tokens, as far as they were recorded. */
  readonly fixedTokens: number;
}

/** The cost of one request. */
interface MeteredCall {
  readonly cost: number;
  readonly uncompactedCost: number;
  /** Tokens of this request, where the cache held nothing of the last one although it should have. */
  readonly missedTokens?: number;
}

/** A request as it left. */
interface MeteredRequest {
  readonly visible: readonly VisibleMessage[];
  /** Blocks that carry a cache mark. */
  readonly markedBlocks: readonly ContentBlock[];
  readonly nowMs: number;
  /** The answer's first message, where it was recorded. */
  readonly answer?: Message | undefined;
}

export class WindowMeter {
  readonly #trajectory: Trajectory;
  readonly #tariff: ResolvedTariff;
  readonly #shown: ShownWindow;
  readonly #cache: CacheModel;
  readonly #uncompactedCache: CacheModel;
  readonly #uncompacted: CachedUnit[] = [];
  readonly #reachability: Reachability;
  /** Messages of the trajectory by the recorded messages that they were made from. */
  readonly #indexOf = new Map<Message, number>();
  readonly #reaches: Record<Reach, number> = { visible: 0, pointer: 0, search: 0, lost: 0 };
  #cost = 0;
  #uncompactedCost = 0;
  #lastTokens = 0;
  readonly #calls: MeteredCall[] = [];

  constructor(trajectory: Trajectory, tariff: ResolvedTariff) {
    this.#trajectory = trajectory;
    this.#tariff = tariff;
    this.#shown = new ShownWindow(trajectory.model);
    this.#cache = new CacheModel(tariff, trajectory.fixedTokens);
    this.#uncompactedCache = new CacheModel(tariff, trajectory.fixedTokens);
    this.#reachability = new Reachability(trajectory);
    trajectory.messages.forEach(({ parts = [] }, index) => {
      for (const part of parts) this.#indexOf.set(part, index);
    });
  }

  /** A recorded message is entry `seq` of the log. */
  addMessage(message: Message, seq: number): void {
    const index = this.#indexOf.get(message);
    if (index !== undefined) this.#reachability.addMessage(index, seq, message);
  }

  called({ visible, markedBlocks, nowMs, answer }: MeteredRequest): MeteredCall {
    this.#shown.follow(visible);
    const { units } = this.#shown;
    const marks = markedBlocks.map((block) => indexOfBlock(visible, block)).filter((index) => index >= 0);
    const priced = this.#cache.request(units, nowMs, marks);
    const index = answer === undefined ? this.#trajectory.messages.length : this.#indexOf.get(answer);
    this.#catchUp(index ?? this.#uncompacted.length);
    const { cost: uncompactedCost } = this.#uncompactedCache.request(this.#uncompacted, nowMs);
    this.#cost += priced.cost;
    this.#uncompactedCost += uncompactedCost;
    if (index !== undefined) this.#count(index);
    const expected = Math.min(this.#lastTokens, this.#trajectory.fixedTokens);
    this.#lastTokens = priced.readTokens + priced.writtenTokens;
    const metered: MeteredCall = {
      cost: priced.cost,
      uncompactedCost,
      ...(priced.readTokens < expected ? { missedTokens: this.#lastTokens } : {}),
    };
    this.#calls.push(metered);
    return metered;
  }

  /** The cost of each request, in order. */
  get calls(): readonly MeteredCall[] {
    return this.#calls;
  }

  get survival(): SurvivalFigures {
    const { visible, pointer, search, lost } = this.#reaches;
    const reachable = visible + pointer + search;
    return { farReferences: reachable + lost, visible, reachable };
  }

  get cost(): CostFigures {
    return {
      inputTokenEquivalents: Math.round(this.#cost),
      uncompacted: Math.round(this.#uncompactedCost),
      ratio: this.#uncompactedCost === 0 ? 1 : this.#cost / this.#uncompactedCost,
      tariff: this.#tariff.name,
      fixedTokens: this.#trajectory.fixedTokens,
    };
  }

  #count(answer: number): void {
    const { strings } = this.#shown;
    const window = {
      isVisible: (text: string) => strings.has(text),
      pointsTo: (seq: number) => this.#shown.pointsTo(seq),
    };
    for (const reference of this.#trajectory.messages[answer]?.references ?? [])
      if (reference.distanceTokens >= FAR_TOKENS) this.#reaches[this.#reachability.of(reference, window)]++;
  }

  /** The request without a policy: every message before the answer. */
  #catchUp(index: number): void {
    for (const { tokens, message } of this.#trajectory.messages.slice(this.#uncompacted.length, index))
      this.#uncompacted.push({ id: nextUnitId(), tokens, blocks: message.content.length });
  }
}

function indexOfBlock(visible: readonly VisibleMessage[], wanted: ContentBlock): number {
  return visible.findLastIndex(({ blocks }) => blocks.some(({ block }) => block === wanted));
}
