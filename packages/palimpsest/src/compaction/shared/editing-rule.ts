/**
 * Whether what the model has already seen may be changed at all.
 *
 * On a strict session every earlier message is bound to the thinking after it: a rewrite costs that
 * thinking, or the provider refuses the request. A pending call is answered against the history it
 * was made in. A cold cache makes a rewrite cheap, not safe; so nothing here asks about caches.
 */
import type { EditSafety } from "../../tokens/models/edit-safety.ts";
import type { SeqPin } from "../../transcript/projection.ts";

export interface HistoryState {
  readonly editSafety: EditSafety;
  /** Calls that have no result yet. */
  readonly pendingCallIds: readonly string[];
  /** What every layer leaves alone; nothing, where it is left out. */
  readonly pins?: readonly SeqPin[] | undefined;
}

export function mayRewriteHistory({ editSafety, pendingCallIds }: HistoryState): boolean {
  return editSafety === "permissive" && pendingCallIds.length === 0;
}
