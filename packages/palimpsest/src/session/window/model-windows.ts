/**
 * The windows of a session's models: from the host, the vendor's endpoint and the catalogue. A refusal is newer than all
 * of them; a limit that it named is kept with the session, so that no later request exceeds it.
 */
import type { JsonValue } from "../../base/json/json.ts";
import type { ReportedLimits } from "../../ports/model-client.ts";
import { type BudgetPolicy, type ContextBudget, planBudget } from "../../tokens/budget/budget.ts";
import {
  type ModelLimits,
  resolveModelLimits,
  SMALLEST_WINDOW_TOKENS,
} from "../../tokens/models/model-catalogue.ts";
import { learnedWindows, WINDOWS_MARK } from "../append/carried-marks.ts";
import type { WindowOptions } from "../options/session-options.ts";

/** Share of the size of a request that was refused without figures which is taken to fit. Our choice: the estimate is rarely further off. */
const REFUSED_SHARE = 0.75;

interface RefusedRequest {
  readonly model: string;
  readonly sentTokens: number;
  readonly limitTokens: number | undefined;
  /** True if `limitTokens` is the window, and not what may be sent in a minute. */
  readonly isWindow: boolean;
}

/** The numbers by which a window is divided. */
interface DividingLimits {
  readonly budget: BudgetPolicy;
  readonly autoCompactPercent?: number | undefined;
}

export class ModelWindows {
  readonly #options: Pick<WindowOptions, "windowTokens" | "maxOutputTokens" | "ceilingTokens">;
  readonly #carried: Map<string, JsonValue>;
  readonly #limits: DividingLimits;
  readonly #vendor = new Map<string, ReportedLimits>();
  readonly #learned: Map<string, number>;
  /** Models whose learned limit is a guess. */
  readonly #guessed = new Set<string>();
  /** The next request is held below this: the last one was refused, and the limit is not known. */
  #heldTokens: number | undefined;

  constructor(
    options: WindowOptions,
    { carried, limits }: { readonly carried: Map<string, JsonValue>; readonly limits: DividingLimits },
  ) {
    this.#options = options;
    this.#carried = carried;
    this.#limits = limits;
    this.#learned = new Map(Object.entries(learnedWindows(carried.get(WINDOWS_MARK))));
  }

  /** What is known of a model, refusals left out. */
  limitsOf(model: string): ModelLimits {
    const { windowTokens, maxOutputTokens } = this.#options;
    const option = { windowTokens, maxOutputTokens };
    return resolveModelLimits({ model, option, vendor: this.#vendor.get(model) });
  }

  /** The limits of a window of this model. */
  budgetFor(model: string): ContextBudget {
    const { budget, autoCompactPercent } = this.#limits;
    const { ceilingTokens = Number.POSITIVE_INFINITY } = this.#options;
    const limits = {
      ...this.limitsOf(model),
      ceilingTokens: Math.min(ceilingTokens, this.#refusedTokens(model)),
      autoCompactPercent,
    };
    return planBudget(limits, budget);
  }

  /** The source of the window of `budgetFor`. */
  sourceOf(model: string): ModelLimits["windowSource"] {
    const { windowTokens, windowSource } = this.limitsOf(model);
    const { windowTokens: usedTokens } = this.budgetFor(model);
    if (usedTokens >= windowTokens) return windowSource;
    return usedTokens >= this.#refusedTokens(model) ? "learned" : "option";
  }

  /** The size from which on the provider refused; infinite if it did not. */
  #refusedTokens(model: string): number {
    const learned = this.#learned.get(model) ?? Number.POSITIVE_INFINITY;
    return Math.min(learned, this.#heldTokens ?? Number.POSITIVE_INFINITY);
  }

  /** The vendor's models endpoint said what a model takes. */
  reported(model: string, limits: ReportedLimits): void {
    this.#vendor.set(model, limits);
  }

  /** The provider refused a request as too long. */
  refused({ model, sentTokens, limitTokens, isWindow }: RefusedRequest): void {
    if (limitTokens !== undefined && limitTokens >= SMALLEST_WINDOW_TOKENS) {
      if (isWindow) this.#learn(model, limitTokens);
      else this.#heldTokens = limitTokens;
      return;
    }
    this.#heldTokens = Math.floor(sentTokens * REFUSED_SHARE);
    if (!isWindow) return;
    // A guess: good for as long as the session is open, and not written down.
    this.#learned.set(model, this.#heldTokens);
    this.#guessed.add(model);
  }

  #learn(model: string, windowTokens: number): void {
    this.#guessed.delete(model);
    this.#learned.set(model, windowTokens);
    const known = learnedWindows(this.#carried.get(WINDOWS_MARK));
    this.#carried.set(WINDOWS_MARK, { ...known, [model]: windowTokens });
  }

  /** The request left: a limit for this one request ends. Returns false if there was none. */
  left(): boolean {
    const wasHeld = this.#heldTokens !== undefined;
    this.#heldTokens = undefined;
    return wasHeld;
  }

  /** Forgets limits that were only guessed. Returns false if there were none. */
  forgetGuess(model: string): boolean {
    const isGuessed = this.#guessed.delete(model);
    if (isGuessed) this.#learned.delete(model);
    return this.left() || isGuessed;
  }
}
