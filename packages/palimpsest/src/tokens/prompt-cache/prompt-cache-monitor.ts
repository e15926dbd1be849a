/**
 * Detects calls that read less from the prompt cache than they could have, and explains why.
 *
 * DESIGN. A call should read what the last answered call left in the cache. If it reads clearly less, the monitor names the
 * most certain cause: another model, an expired cache, a rewrite by a layer (`rewritten`), an unexpected change of the
 * prompt, or nothing known on this side. Only the last two are unexpected. The monitor gets every request (`sent`) and the
 * provider's report on it (`reported`); reports may be late or never arrive.
 *
 * A provider that never reported cache reads or writes has no cache, so nothing is a miss.
 */
import { promptTokens, type Usage } from "../../transcript/blocks.ts";
import type { Tariff } from "../price/tariff.ts";
import {
  findPromptChange,
  type Prompt,
  type PromptChange,
  type PromptFingerprint,
  PromptFingerprinter,
} from "./prompt-fingerprint.ts";

/** Least shortfall of a cache read that is a miss, in tokens. Smaller ones are due to rounding and to marks a block early. Our choice. */
const MISS_TOKENS = 2_000;
/** The same as a share of what the call could have read; a miss reaches both. Our choice; where-the-numbers-come-from.md, "Cost and the prompt cache". */
const MISS_SHARE = 0.05;

/** A request that left, as the monitor remembers it; handed back with its report. */
export interface SentPrompt {
  readonly fingerprint: PromptFingerprint;
  readonly atMs: number;
  readonly tariff: Tariff;
  /** Number of rewrites before it. */
  readonly rewrites: number;
}

/**
 * Why the cache was missed. `cold`: it had expired. `rewritten`: the window was edited on purpose.
 * `switched`: another model. `changed`: something in the prompt differs; `change` says what. `unknown`:
 * nothing that we know of differs, so it is the provider's doing, or a part that the host did not tell.
 */
type CacheMissCause =
  | { readonly type: "cold" }
  | { readonly type: "rewritten" }
  | { readonly type: "switched" }
  | { readonly type: "changed"; readonly change: PromptChange }
  | { readonly type: "unknown" };

/** A call that read less from the cache than the one before had left there. */
export interface CacheMiss {
  readonly cause: CacheMissCause;
  /** True for a cold cache, a rewrite or another model: nothing is wrong then. */
  readonly isExpected: boolean;
  /** Tokens that the call could have read: all that the call before left there, or all of its prompt. */
  readonly expectedTokens: number;
  /** Tokens that it did read. */
  readonly readTokens: number;
  /** The difference: tokens that were billed again. */
  readonly rebilledTokens: number;
  /** Time since the call before, in milliseconds. */
  readonly idleMs: number;
}

interface Answered {
  readonly sent: SentPrompt;
  /** Tokens that it left in the cache. */
  readonly cachedTokens: number;
}

/**
 * Follows the requests of one session and explains each miss of the prompt cache. A `Session` has one and
 * tells its observer (`cache-miss`); use it by itself where another program makes the requests.
 */
export class PromptCacheMonitor {
  readonly #fingerprinter = new PromptFingerprinter();
  #rewrites = 0;
  #hasCache = false;
  #answered: Answered | undefined;
  /** Longest pause after which the cache was still read: it lives at least so long, whatever its tariff says. */
  #provenLifetimeMs = 0;

  /** Takes the fingerprint of a request that is about to leave. */
  sent(prompt: Prompt, { atMs, tariff }: { readonly atMs: number; readonly tariff: Tariff }): SentPrompt {
    return { fingerprint: this.#fingerprinter.take(prompt), atMs, tariff, rewrites: this.#rewrites };
  }

  /** The window is rewritten on purpose: the next request will read less, as expected. */
  rewritten(): void {
    this.#rewrites++;
  }

  /** Takes the report on a request; returns the miss if it was one. */
  reported(sent: SentPrompt, usage: Usage): CacheMiss | undefined {
    const before = this.#answered;
    // A report that comes after that of a later request is about a cache that was already replaced.
    if (before !== undefined && sent.atMs < before.sent.atMs) return undefined;
    this.#hasCache ||= usage.cacheReadTokens > 0 || usage.cacheWriteTokens > 0;
    this.#answered = { sent, cachedTokens: cachedTokens(usage, sent.tariff) };
    if (before === undefined || !this.#hasCache) return undefined;

    // A prompt that became shorter cannot read more than it holds.
    const expectedTokens = Math.min(before.cachedTokens, promptTokens(usage));
    const { cacheReadTokens: readTokens } = usage;
    const rebilledTokens = expectedTokens - readTokens;
    const idleMs = sent.atMs - before.sent.atMs;
    if (rebilledTokens < MISS_TOKENS || rebilledTokens < expectedTokens * MISS_SHARE) {
      if (readTokens >= MISS_TOKENS) this.#provenLifetimeMs = Math.max(this.#provenLifetimeMs, idleMs);
      return undefined;
    }
    const lifetimeMs = Math.max(before.sent.tariff.cacheLifetimeMs, this.#provenLifetimeMs);
    const cause = findCause(before.sent, sent, lifetimeMs);
    const isExpected = cause.type !== "changed" && cause.type !== "unknown";
    return { cause, isExpected, expectedTokens, readTokens, rebilledTokens, idleMs };
  }
}

/** Tokens that a call leaves in the cache; with entries at marks only, those before the last mark. */
function cachedTokens(usage: Usage, { matching }: Tariff): number {
  return matching === "prefix" ? promptTokens(usage) : usage.cacheReadTokens + usage.cacheWriteTokens;
}

function findCause(before: SentPrompt, sent: SentPrompt, lifetimeMs: number): CacheMissCause {
  if (before.fingerprint.model !== sent.fingerprint.model) return { type: "switched" };
  if (sent.atMs - before.atMs > lifetimeMs) return { type: "cold" };
  if (before.rewrites !== sent.rewrites) return { type: "rewritten" };
  const change = findPromptChange(before.fingerprint, sent.fingerprint);
  return change === undefined ? { type: "unknown" } : { type: "changed", change };
}

/** A miss in words for people. */
export function describeCacheMiss({ cause, rebilledTokens, expectedTokens, idleMs }: CacheMiss): string {
  const lost = `${format(rebilledTokens)} of ${format(expectedTokens)} cached tokens were billed anew`;
  switch (cause.type) {
    case "cold":
      return `${lost}: the cache had expired, ${format(idleMs / 60_000)} minutes after the call before.`;
    case "rewritten":
      return `${lost}: earlier messages were edited, by a layer or by an undo, a rewind or a repair.`;
    case "switched":
      return `${lost}: another model answers.`;
    case "unknown":
      return `${lost}: nothing that this session knows of changed. It was the provider, or a part of the request that the session is not told.`;
    case "changed":
      return `${lost}: ${describeChange(cause.change)}.`;
  }
}

function describeChange(change: PromptChange): string {
  switch (change.part) {
    case "tool-order":
      return "the tools are in another order";
    case "tool":
      return `the tool ${change.name} was ${change.change}`;
    case "parameter":
      return `the parameter ${change.name} changed`;
    case "message":
      return `message ${change.message} of the request changed at block ${change.block}`;
    case "system": {
      const article = change.kind === "id" ? "an" : "a";
      const what = change.kind === "text" ? "" : `, where ${article} ${change.kind} stands`;
      return `the system prompt differs at character ${format(change.at)}${what}`;
    }
  }
}

function format(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
