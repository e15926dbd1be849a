/**
 * Whether a rewrite of old blocks is worth what it costs.
 *
 * Each rewrite bills everything behind it anew, so a layer either makes room for many calls at once or
 * leaves it to the next layer, which frees more: never one result at a time.
 */
import type { VisibleMessage } from "../../transcript/window.ts";
import type { Measure } from "./measure.ts";

/** The window that a usage layer looks at, and how large it is. */
export interface UsageInput {
  readonly visible: readonly VisibleMessage[];
  /** The whole prompt as it is estimated now, with system prompt and tools. */
  readonly usedTokens: number;
  readonly measure: Measure;
}

/** What one pass of a layer has to reach, in tokens. */
export interface RewriteThreshold {
  /** Size of the whole request that a pass comes down to … */
  readonly lowWaterTokens: number;
  /** … or, where the window is too full for that, what it frees at the least. */
  readonly minFreedTokens: number;
}

/** Whether a pass that frees `freedTokens` of a request of `usedTokens` makes room for many calls. */
export function meetsRewriteThreshold(
  pass: { readonly usedTokens: number; readonly freedTokens: number },
  { lowWaterTokens, minFreedTokens }: RewriteThreshold,
): boolean {
  const { usedTokens, freedTokens } = pass;
  return freedTokens > 0 && (freedTokens >= minFreedTokens || usedTokens - freedTokens <= lowWaterTokens);
}
