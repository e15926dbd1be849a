/**
 * Keeps extraction by a model within its share of what the session costs. The cost of the next call counts before it
 * is paid, as with the session's notes.
 */
import type { SessionEvent } from "../../../session/events/events.ts";
import { internalsOf, type Session } from "../../../session/session.ts";
import { usageCostUsd } from "../../../tokens/price/usage-cost.ts";
import type { Usage } from "../../../transcript/blocks.ts";

/** Highest share of the session's cost, extraction included. Our choice: as updates of the notes. */
const COST_SHARE = 0.05;
/** Tokens of a request beside the conversation: the instructions, the tools and the list of memories. Our choice: a hundred memories. */
const REQUEST_TOKENS = 3_000;
/** Tokens of an answer. Our choice: some facts, each in a call of a tool. */
const ANSWER_TOKENS = 600;
/** Prices of a model that the catalogue does not have, in $ for a million tokens. Our choice: those of a middling one. */
const UNKNOWN_PRICES: Usage = {
  inputTokens: 3,
  cacheReadTokens: 0.3,
  cacheWriteTokens: 3.75,
  outputTokens: 15,
};

export class ExtractionShare {
  readonly #model: string | undefined;
  readonly #models = new Map<number, { readonly model: string; readonly tokens: number }>();
  #sessionCost = 0;
  #ownCost = 0;

  /** @param model - the one that is asked to extract */
  constructor(session: Session, model: string | undefined) {
    this.#model = model;
    internalsOf(session).observers.add({ onEvent: (event) => this.#count(event) });
  }

  /** True if a model may be asked about so much of the conversation. */
  allows(conversationTokens: number): boolean {
    const expected = this.#price(
      { ...NO_USAGE, inputTokens: conversationTokens + REQUEST_TOKENS, outputTokens: ANSWER_TOKENS },
      this.#model,
    );
    return this.#ownCost + expected <= COST_SHARE * (this.#sessionCost + expected);
  }

  #count(event: SessionEvent): void {
    if (event.type === "call") this.#models.set(event.seq, event);
    else if (event.type === "answer") {
      const call = this.#models.get(event.seq);
      this.#models.delete(event.seq);
      // Without a report the whole prompt counts as read from the cache.
      const usage = event.usage ?? { ...NO_USAGE, cacheReadTokens: call?.tokens ?? 0 };
      this.#sessionCost += this.#price(usage, call?.model);
    } else if (event.type === "memory-extracted" && event.usage !== undefined) {
      const price = this.#price(event.usage, this.#model);
      this.#ownCost += price;
      this.#sessionCost += price;
    }
  }

  /** In $. Damaged figures cost nothing, and so allow nothing. */
  #price(usage: Usage, model: string | undefined): number {
    const known = model === undefined ? undefined : usageCostUsd(usage, model);
    const fields = Object.keys(UNKNOWN_PRICES) as readonly (keyof Usage)[];
    const price =
      known ?? fields.reduce((sum, field) => sum + (usage[field] * UNKNOWN_PRICES[field]) / 1e6, 0);
    return Number.isFinite(price) && price >= 0 ? price : 0;
  }
}

const NO_USAGE: Usage = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
