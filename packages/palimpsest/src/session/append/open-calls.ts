/**
 * Calls that left and were not answered yet: what each held, so that its report is taken for what it
 * is about. A few at the most; a call that was given up is forgotten when newer ones come.
 */
import { asNumber, isObject, type JsonObject } from "../../base/json/json.ts";
import type { SentRequest } from "../../tokens/count/usage-ledger.ts";

/** Unanswered calls that are remembered: a host retries a call a few times, not more. */
const REMEMBERED = 8;

export class OpenCalls {
  readonly #sent = new Map<number, SentRequest>();
  readonly #models = new Map<number, string>();

  /** The newest call that was not answered yet. */
  get newest(): number | undefined {
    return [...this.#sent.keys()].at(-1);
  }

  left(callSeq: number, request: SentRequest, model?: string): void {
    this.#sent.set(callSeq, request);
    if (model !== undefined) this.#models.set(callSeq, model);
    const [oldest] = this.#sent.keys();
    if (this.#sent.size > REMEMBERED && oldest !== undefined) this.#forget(oldest);
  }

  /** The model that was called, as far as it is known. */
  modelOf(callSeq: number): string | undefined {
    return this.#models.get(callSeq);
  }

  #forget(callSeq: number): void {
    this.#sent.delete(callSeq);
    this.#models.delete(callSeq);
  }

  find(callSeq: number): SentRequest | undefined {
    return this.#sent.get(callSeq);
  }

  /** A call was answered: earlier ones will not be answered now. */
  answered(callSeq: number): void {
    for (const open of this.#sent.keys()) if (open <= callSeq) this.#forget(open);
  }

  clear(): void {
    this.#sent.clear();
    this.#models.clear();
  }

  /** The newest call for the next checkpoint, if it is about the current window. */
  snapshot(generation: number): JsonObject {
    const callSeq = this.newest;
    const request = callSeq === undefined ? undefined : this.#sent.get(callSeq);
    if (callSeq === undefined || request?.generation !== generation) return {};
    return { openCall: { callSeq, coveredTokens: request.coveredTokens } };
  }

  /** Takes over what {@link snapshot} gave, for a ledger of this `generation`. */
  restore(carried: unknown, generation: number): void {
    const open = isObject(carried) && isObject(carried["openCall"]) ? carried["openCall"] : {};
    const callSeq = asNumber(open["callSeq"]);
    const coveredTokens = asNumber(open["coveredTokens"]);
    if (callSeq !== undefined && coveredTokens !== undefined)
      this.left(callSeq, { coveredTokens, generation });
  }
}
