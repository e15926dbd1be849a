/**
 * What each layer saved: the difference to the session without a policy, divided among the layers by
 * the rent that their edits spared: what they took out, times the calls that did not carry it.
 */
import type { LayerName } from "palimpsest/transcript";
import type { PageCallCost, PageEdit } from "./page-data.ts";

export function savedByLayer(
  edits: readonly PageEdit[],
  calls: readonly PageCallCost[],
): Readonly<Partial<Record<LayerName, number>>> {
  const saved = calls.reduce((sum, { cost, uncompactedCost = cost }) => sum + uncompactedCost - cost, 0);
  const spared = new Map<LayerName, number>();
  for (const { layer, freedTokens, call } of edits)
    if (layer !== "repair")
      spared.set(layer, (spared.get(layer) ?? 0) + Math.max(0, freedTokens) * (calls.length - call));
  const all = [...spared.values()].reduce((sum, tokens) => sum + tokens, 0);
  if (all === 0) return {};
  return Object.fromEntries(
    [...spared].map(([layer, tokens]) => [layer, Math.round((saved * tokens) / all)]),
  );
}
