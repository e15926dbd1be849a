/**
 * The prompt cache of a provider: what a request reads from it, and what it writes.
 *
 * By marks, as Anthropic does it: a mark writes the prefix up to it, and looks back over a few positions for a
 * prefix that an earlier mark wrote. Or automatically, as OpenAI does it: the longest prefix that was sent
 * before, in steps of tokens. Either way a prefix is known by a chain of digests, so that one changed
 * character makes everything behind it unknown.
 */
import { createHash } from "node:crypto";
import type { PromptPosition, PromptTier } from "./prompt.ts";
import { PROVIDER_FACTS } from "./provider-facts.ts";

/** A prompt as the cache sees it. */
interface CachedPrompt {
  readonly positions: readonly PromptPosition[];
  /** Further fields on which a tier depends: `tools` on the model, `messages` on how the model is to think. */
  readonly salts: Readonly<Record<PromptTier, string>>;
  readonly minimumTokens: number;
  readonly nowMs: number;
}

/** Tokens that a request reads from the cache and writes to it. */
export interface CacheUse {
  readonly readTokens: number;
  /** Tokens that are written, by lifetime. */
  readonly writtenTokens: { readonly "5m": number; readonly "1h": number };
  readonly plainTokens: number;
  /** Writes and refreshes; the answer has begun. */
  commit(): void;
}

interface CacheEntry {
  expiresAtMs: number;
  readonly lifetimeMs: number;
}

const TIERS: readonly PromptTier[] = ["tools", "system", "messages"];

/** The prefixes that one provider remembers. */
export class PromptCache {
  readonly #entries = new Map<string, CacheEntry>();

  forget(): void {
    this.#entries.clear();
  }

  /** By marks. */
  useMarks(prompt: CachedPrompt): CacheUse {
    const { positions, minimumTokens, nowMs } = prompt;
    const { keys, totals } = chain(prompt);
    const slots = slotsOf(positions);
    const marks = positions.flatMap(({ mark }, index) =>
      mark !== undefined && totals[index]! >= minimumTokens ? [{ index, mark }] : [],
    );
    const hit = Math.max(-1, ...marks.map(({ index }) => this.#findBackward(index, { keys, slots, nowMs })));
    const writtenTokens = { "5m": 0, "1h": 0 };
    let from = hit === -1 ? 0 : totals[hit]!;
    const readTokens = from;
    for (const { index, mark } of marks) {
      if (index <= hit) continue;
      writtenTokens[mark] += totals[index]! - from;
      from = totals[index]!;
    }
    return {
      readTokens,
      writtenTokens,
      plainTokens: (totals.at(-1) ?? 0) - from,
      commit: () => {
        if (hit !== -1) this.#refresh(keys[hit]!, nowMs);
        for (const { index, mark } of marks) {
          if (index <= hit) this.#refresh(keys[index]!, nowMs);
          else this.#write(keys[index]!, PROVIDER_FACTS.markLifetimeMs[mark], nowMs);
        }
      },
    };
  }

  /** Automatically. */
  usePrefix(prompt: CachedPrompt & { readonly reportsWrites: boolean }): CacheUse {
    const { minimumTokens, nowMs } = prompt;
    const { keys, totals } = chain(prompt);
    const { step } = PROVIDER_FACTS.automaticCacheTokens;
    const matched = totals[keys.findLastIndex((key) => this.#has(key, nowMs))] ?? 0;
    const total = totals.at(-1) ?? 0;
    const cached = (tokens: number): number => (tokens < minimumTokens ? 0 : tokens - (tokens % step));
    const readTokens = cached(matched);
    const written = prompt.reportsWrites ? cached(total) - readTokens : 0;
    return {
      readTokens,
      writtenTokens: { "5m": written, "1h": 0 },
      plainTokens: total - readTokens - written,
      commit: () => {
        for (const key of keys) this.#write(key, PROVIDER_FACTS.automaticCacheLifetimeMs, nowMs);
      },
    };
  }

  #findBackward(
    markIndex: number,
    {
      keys,
      slots,
      nowMs,
    }: { readonly keys: readonly string[]; readonly slots: readonly number[]; readonly nowMs: number },
  ): number {
    const last = slots[markIndex]!;
    for (let index = markIndex; index >= 0; index--) {
      if (last - slots[index]! >= PROVIDER_FACTS.lookBackCount) return -1;
      if (this.#has(keys[index]!, nowMs)) return index;
    }
    return -1;
  }

  #has(key: string, nowMs: number): boolean {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.expiresAtMs >= nowMs;
  }

  #write(key: string, lifetimeMs: number, nowMs: number): void {
    this.#entries.set(key, { expiresAtMs: nowMs + lifetimeMs, lifetimeMs });
  }

  #refresh(key: string, nowMs: number): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.expiresAtMs = nowMs + entry.lifetimeMs;
  }
}

/** A key for the prefix up to each position, and its tokens. */
function chain({ positions, salts }: CachedPrompt): {
  readonly keys: readonly string[];
  readonly totals: readonly number[];
} {
  const keys: string[] = [];
  const totals: number[] = [];
  const hash = createHash("sha256");
  let tierIndex = -1;
  let total = 0;
  for (const { tier, text, tokens } of positions) {
    for (; tierIndex < TIERS.indexOf(tier); tierIndex++)
      hash.update(`${TIERS[tierIndex + 1]}:${salts[TIERS[tierIndex + 1]!]};`);
    hash.update(`${text.length}:`).update(text);
    keys.push(hash.copy().digest("base64url"));
    total += tokens;
    totals.push(total);
  }
  return { keys, totals };
}

/** Numbers positions, those of one run alike. */
function slotsOf(positions: readonly PromptPosition[]): readonly number[] {
  let slot = -1;
  let previous: string | undefined;
  return positions.map(({ run }) => {
    if (run === undefined || run !== previous) slot += 1;
    previous = run;
    return slot;
  });
}
