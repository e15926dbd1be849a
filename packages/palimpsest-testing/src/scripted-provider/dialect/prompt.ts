/**
 * A prompt as a provider reads it: one list of positions, tools first, then the system prompt, then messages.
 *
 * All that follows is computed on this list: the tokens, the cache, what a signature was made over. Each
 * dialect makes it from its own shapes, leaving out what is not content, such as cache marks.
 */
import { createHash } from "node:crypto";
import { PROVIDER_FACTS } from "./provider-facts.ts";

/** The parts of a prompt in the order in which a prefix is built. */
export type PromptTier = "tools" | "system" | "messages";

/** One block, tool or message that is cached as a whole. */
export interface PromptPosition {
  readonly tier: PromptTier;
  /** Such as `messages.3.content.0`. */
  readonly path: string;
  /** All its content in one text; equal texts are equal content. */
  readonly text: string;
  readonly tokens: number;
  /** Neighbours of one run count as one position where a cache is searched backward. */
  readonly run?: string;
  /** True if a cache mark may stand here. */
  readonly isMarkable: boolean;
  /** Lifetime that a cache mark here asks for. */
  readonly mark?: "5m" | "1h";
}

/** Seals over what precedes a block, growing block by block. */
export class PrefixWalk {
  #hash = createHash("sha256");
  #count = 0;

  /** Starts over: what came before is not part of the prompt. */
  restart(): void {
    this.#hash = createHash("sha256");
    this.#count = 0;
  }

  add(text: string): void {
    this.#hash.update(`${text.length}:`).update(text);
    this.#count += 1;
  }

  get count(): number {
    return this.#count;
  }

  /** A digest of everything so far; the walk goes on after it. */
  digest(): string {
    return this.#hash.copy().digest("base64url").slice(0, DIGEST_LENGTH);
  }
}

/** Characters of a digest that are kept: 128 bits, enough to tell any two texts apart. */
const DIGEST_LENGTH = 22;

/** A digest of one text. */
export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, DIGEST_LENGTH);
}

/** Counts the tokens of a text for one model. */
export type TextCounter = (text: string) => number;

/** Tokens of a position: its text and what stands around it; media by a flat figure. */
export function positionTokens(text: string, count: TextCounter, mediaCount = 0): number {
  const textTokens = text === "" ? 0 : count(text);
  return Math.ceil(textTokens) + PROVIDER_FACTS.blockTokens + mediaCount * PROVIDER_FACTS.mediaTokens;
}

/** Tokens of all positions. */
export function sumPromptTokens(positions: readonly PromptPosition[]): number {
  return positions.reduce((sum, { tokens }) => sum + tokens, 0);
}
