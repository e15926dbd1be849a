/**
 * Options of a recall, and their check.
 */
import {
  anyString,
  checkOptions,
  flag,
  having,
  list,
  number,
  type OptionRules,
  oneOf,
  signal,
} from "../../../base/options/check-options.ts";
import type { ModelClient } from "../../../ports/model-client.ts";

/** Options of a recall. All may be left out. */
export interface RecallOptions {
  /** @defaultValue `recalledCount`, 5 */
  readonly limit?: number;
  /** Tokens that the text may take. @defaultValue `recallTokens`, 2,000 */
  readonly budgetTokens?: number;
  /** Paths of memories that the model sees already. */
  readonly shown?: Iterable<string>;
  /** Tools that were called lately: how they are used is left out, warnings about them are not. */
  readonly recentTools?: readonly string[];
  /** Chooses among what was found. @defaultValue the memory's `lightModel` */
  readonly model?: ModelClient | undefined;
  /** `rank` asks no model. @defaultValue `model` where there is one */
  readonly chooseBy?: "model" | "rank";
  /**
   * `true` gives only what clearly fits, for a message that asked for no memories; `false` gives whatever has a word of
   * it. Left out, nothing is given if not one memory fits at least roughly. A model that chooses sees more.
   */
  readonly onlyClear?: boolean;
  /** False leaves it out of the injection log, if no model gets the text. @defaultValue true */
  readonly isLogged?: boolean;
  /** Written into the injection log beside what was recalled. */
  readonly sessionId?: string;
  readonly signal?: AbortSignal | undefined;
}

const RULES: OptionRules<RecallOptions> = {
  limit: number,
  budgetTokens: number,
  shown: {
    isFit: (value) => typeof Object(value)[Symbol.iterator] === "function",
    says: "a list of paths",
  },
  recentTools: list,
  model: having(["generate"], "a model client", "one, such as anthropicModel(client, { model })"),
  chooseBy: oneOf("model", "rank"),
  onlyClear: flag,
  isLogged: flag,
  sessionId: anyString,
  signal,
};

/** @throws `OptionError` */
export function checkRecall(options: RecallOptions): void {
  checkOptions("recall", options, RULES);
}
