/**
 * Something that counts the tokens of a request exactly, or close to it: a provider's counting
 * endpoint or a published tokenizer. A counter that fails falls through to the next.
 */
import type { Message } from "../transcript/messages.ts";

/** A request as a counter gets it: what would be sent, in our own blocks. */
export interface CountableRequest {
  readonly model: string;
  /** The system prompt. */
  readonly system?: string;
  /** The tools as they are sent, in JSON. */
  readonly tools?: string;
  readonly messages: readonly Message[];
}

/** Counts requests for a `CountingChain`. Wrap a provider's counting endpoint or a tokenizer in one. */
export interface TokenCounter {
  /** Shown as the source of a figure, such as `anthropic-count-tokens`. */
  readonly name: string;
  /** @throws when it cannot count; the chain goes on to the next counter. */
  count(request: CountableRequest): Promise<number>;
}
