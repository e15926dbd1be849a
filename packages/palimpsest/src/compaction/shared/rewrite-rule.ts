/**
 * Two rules for every rewrite of old blocks: it must be allowed, and it must pay for itself.
 *
 * Allowed: on a strict session every earlier message is bound to the thinking after it; a rewrite loses
 * that thinking, or the provider refuses the request. A pending call is answered against the history it was
 * made in. A cold cache makes a rewrite cheap, not safe; so no rule here asks about caches.
 *
 * It pays for itself: each rewrite bills everything behind it again. So a layer makes room for many calls at
 * once, or leaves it to the next layer, which frees more; it never clears one result at a time.
 */
import type { EditSafety } from "../../tokens/models/edit-safety.ts";
import type { SeqPin } from "../../transcript/projection.ts";
import type { VisibleMessage } from "../../transcript/window.ts";
import type { Measure } from "./measure.ts";

export interface HistoryState {
  readonly editSafety: EditSafety;
  /** Calls that have no result yet. */
  readonly pendingCallIds: readonly string[];
  /** Places that every layer leaves alone. @defaultValue none */
  readonly pins?: readonly SeqPin[] | undefined;
}

export function mayRewriteHistory({ editSafety, pendingCallIds }: HistoryState): boolean {
  return editSafety === "permissive" && pendingCallIds.length === 0;
}

/** The window that a usage layer looks at, and how large it is. */
export interface UsageInput {
  readonly visible: readonly VisibleMessage[];
  /** The whole prompt as it is estimated now, with system prompt and tools. */
  readonly usedTokens: number;
  readonly measure: Measure;
}

/** The goal of one pass of a layer, in tokens. */
export interface RewriteThreshold {
  /** Size of the whole request that a pass comes down to … */
  readonly lowWaterTokens: number;
  /** … or, where the window is too full for that, what it frees at the least. */
  readonly minFreedTokens: number;
}

/** True if a pass that frees `freedTokens` of a request of `usedTokens` makes room for many calls. */
export function meetsRewriteThreshold(
  pass: { readonly usedTokens: number; readonly freedTokens: number },
  { lowWaterTokens, minFreedTokens }: RewriteThreshold,
): boolean {
  const { usedTokens, freedTokens } = pass;
  return freedTokens > 0 && (freedTokens >= minFreedTokens || usedTokens - freedTokens <= lowWaterTokens);
}
