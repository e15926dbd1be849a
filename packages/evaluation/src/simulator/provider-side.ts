/**
 * A provider's own edits in the simulator: the place up to which old results are cleared, by the library's planner, and
 * summaries that the provider writes while it answers. A vendor's summary cannot be had here; the simulator's writer
 * predicts one, the same as for everybody.
 */
import type { WindowState } from "palimpsest/experimental";
import { microcompactPolicy } from "palimpsest/experimental";
import { asProviderShows, clearableToolsOf, planProviderClear, situationOf } from "palimpsest/internal";
import type { LayerEdit, VisibleMessage } from "palimpsest/transcript";

/** The edits that the provider is asked for. */
export interface ProviderEdits {
  readonly clear?: boolean;
  readonly compact?: boolean;
}

export class ProviderSide {
  readonly #edits: ProviderEdits;
  #cleared: LayerEdit["cleared"];
  /** Cleared messages stay the same objects, so that the cache model knows them again. */
  readonly #forms = new WeakMap<VisibleMessage, VisibleMessage>();

  constructor(edits: ProviderEdits) {
    this.#edits = edits;
  }

  /** The window as the model reads it. */
  shown(visible: readonly VisibleMessage[]): readonly VisibleMessage[] {
    const view = asProviderShows(visible, this.#cleared);
    if (view === visible) return visible;
    return view.map((message, index) => {
      const original = visible[index]!;
      if (message === original) return message;
      const known = this.#forms.get(original);
      if (known !== undefined) return known;
      this.#forms.set(original, message);
      return message;
    });
  }

  /** Clears more if that is due; returns the tokens that it frees, or 0. */
  clear(state: WindowState): boolean {
    if (this.#edits.clear !== true) return false;
    const policy = microcompactPolicy(situationOf(state), state.budget.microcompactGateTokens);
    const clearableTools = clearableToolsOf(state);
    const cleared = planProviderClear(state, { ...policy, clearableTools, clearsThinking: false });
    if (cleared === undefined) return false;
    this.#cleared = cleared;
    return true;
  }

  /** True if the request reached the size from which on the provider summarises. */
  compacts({ usedTokens, budget }: WindowState): boolean {
    return this.#edits.compact === true && usedTokens >= budget.microcompactGateTokens;
  }
}

/** The provider's summary in the place of everything. */
export function providerSummary(text: string, throughSeq: number, state: WindowState): LayerEdit {
  const inserted = new Set(state.visible.flatMap(({ insertedBy }) => insertedBy ?? []));
  return {
    kind: "provider-clear",
    reason: "compacted",
    isBoundary: true,
    freedTokens: 0,
    effect: {
      hide: [{ from: 1, to: throughSeq }],
      hideInserted: [...inserted],
      insert: [
        {
          afterSeq: throughSeq,
          messages: [{ role: "user", origin: "summary", content: [{ type: "text", text }] }],
        },
      ],
    },
  };
}
