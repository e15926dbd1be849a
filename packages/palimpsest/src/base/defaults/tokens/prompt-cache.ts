/**
 * Numbers of the prompt cache: what providers charge for it, and what they allow.
 *
 * Prices are multiples of what one plain input token costs, so a tariff has no currency and does not
 * age with a price list. Lifetimes are in milliseconds.
 */
import { assert } from "../../assert.ts";

/**
 * Tariffs that can be named in an option. A model's own come from the catalogue. Four marks and a
 * look-back of 20 blocks are Anthropic's (docs, "Prompt caching"); they count where matching is by marks.
 */
export const TARIFF_DEFAULTS = {
  /** Claude with its usual cache of five minutes. Source: Anthropic docs, "Prompt caching"; models that read for less have it from the catalogue. */
  "anthropic-5m": {
    read: 0.1,
    write: 1.25,
    outputRatio: 5,
    cacheLifetimeMs: 300_000,
    minimumCacheTokens: 1_024,
    maxMarks: 4,
    lookBackBlocks: 20,
    matching: "breakpoints",
  },
  /** Claude with the cache of one hour, which is dearer to write. Source: Anthropic docs, "Prompt caching". */
  "anthropic-1h": {
    read: 0.1,
    write: 2,
    outputRatio: 5,
    cacheLifetimeMs: 3_600_000,
    minimumCacheTokens: 1_024,
    maxMarks: 4,
    lookBackBlocks: 20,
    matching: "breakpoints",
  },
  /** OpenAI's automatic cache at the discount of its newer models; it forgets after 5 to 10 minutes, of which we take the longer. Source: OpenAI docs, "Prompt caching"; OpenAI price list for the ratio of the output. */
  openai: {
    read: 0.1,
    write: 1,
    outputRatio: 8,
    cacheLifetimeMs: 600_000,
    minimumCacheTokens: 1_024,
    maxMarks: 4,
    lookBackBlocks: 20,
    matching: "prefix",
  },
  /** The same at the discount of GPT-4o and the first o-models. Source: OpenAI price list. */
  "openai-50": {
    read: 0.5,
    write: 1,
    outputRatio: 4,
    cacheLifetimeMs: 600_000,
    minimumCacheTokens: 1_024,
    maxMarks: 4,
    lookBackBlocks: 20,
    matching: "prefix",
  },
  /** An unknown provider. Cautious is whatever makes a rewrite pay late: a large discount, a premium for writing and a cache that lives long. Taking a warm cache for a cold one, or a cheap one for a dear one, rewrites too often and costs money and memory; the other way round only saves less. Source: our choice: the dearest usual rewrite (Anthropic's) and the longest lifetime that is usual. */
  generic: {
    read: 0.1,
    write: 1.25,
    outputRatio: 5,
    cacheLifetimeMs: 3_600_000,
    minimumCacheTokens: 1_024,
    maxMarks: 4,
    lookBackBlocks: 20,
    matching: "prefix",
  },
} as const;

export const PROMPT_CACHE_DEFAULTS = {
  /** Marks that a host is taken to set itself, where it does not say: one on the tools, one on the system prompt. Source: our choice: most clients that were recorded set two or fewer outside the messages, and one mark too many costs the request. */
  reservedMarks: 2,
} as const;

for (const { read, write, maxMarks } of Object.values(TARIFF_DEFAULTS)) {
  assert(read <= write, "reading from a cache is never dearer than writing to it");
  assert(maxMarks >= 2, "the end and one stable place can be marked");
}
