/**
 * The reasons of edits in words: a threshold, the cost policy, a command by hand, or a provider's refusal.
 */

/** By the reason that the log has; a Map, since a log may name anything. */
const REASON_WORDS: ReadonlyMap<string, string> = new Map([
  ["arrival", "too large when it arrived"],
  ["usage", "layer's threshold"],
  ["count", "threshold: many results"],
  ["threshold", "auto-compact threshold"],
  ["payback", "cost policy, at the threshold: cheaper than clearing"],
  ["rent", "cost policy: cheaper than carrying on"],
  ["cache-cold", "cost policy: the cache had expired"],
  ["too-large", "larger than the window"],
  ["manual", "by hand"],
  ["reactive", "refused as too long"],
  ["silent-overflow", "cut off by the provider"],
  ["media", "media refused"],
  ["thinking", "thinking refused"],
]);

/** The reason of an edit in words; as it is in the log if no words are known for it. */
export function reasonWords(reason: string): string {
  return REASON_WORDS.get(reason) ?? reason;
}
