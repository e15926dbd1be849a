/**
 * Provider-side layers: which old results and which thinking the provider is asked to leave out, and from which size on
 * it is asked for a summary.
 *
 * On a strict session, an edit of ours would cost the thinking after it; the provider's own edits do not. The session
 * chooses a place, and asks for everything before it to be cleared on every request until a new place pays: one by one,
 * results would break the cached prefix with each call. The log keeps all of it.
 */
import type { EndpointEdits, ProviderEditPlan } from "../../../ports/model-client.ts";
import { isThinking } from "../../../transcript/blocks.ts";
import type { ProviderCleared } from "../../../transcript/edits.ts";
import { asProviderShows, countCleared } from "../../../transcript/provider-view.ts";
import type { VisibleMessage } from "../../../transcript/window.ts";
import { recentTailStart } from "../../shared/measure.ts";
import { pinnedPlaces } from "../../shared/pins.ts";
import { toolKey } from "../../shared/tool-kinds.ts";
import type { WindowState } from "../../shared/window-state.ts";

/** When and how far the provider clears. Sizes are in tokens. */
interface ClearPolicy {
  /** Size of the whole request from which on more is cleared … */
  readonly gateTokens: number;
  /** … until it has this size, as far as that is possible. */
  readonly lowWaterTokens: number;
  readonly minFreedTokens: number;
  /** Newest part of the window that stays. */
  readonly recentTailTokens: number;
  /** Newest results that stay. */
  readonly resultsKeptCount: number;
  /** Names by `toolKey`; results of other tools stay. */
  readonly clearableTools: ReadonlySet<string>;
  readonly clearsThinking: boolean;
}

/**
 * Chooses the place up to which the provider clears; `undefined` below the gate, and where too little would go.
 * `state.visible` is the window as the provider shows it now.
 */
export function planProviderClear(
  {
    visible,
    usedTokens,
    measure,
    padding,
    pins,
  }: Pick<WindowState, "visible" | "usedTokens" | "measure" | "padding" | "pins">,
  policy: ClearPolicy,
): ProviderCleared | undefined {
  if (usedTokens < policy.gateTokens) return undefined;
  const end = clearableEnd(visible, pins, policy, measure);
  const calls = new Map<string, string>();
  const keptTools = new Set<string>();
  const neededTokens = usedTokens - policy.lowWaterTokens;
  let freedTokens = 0;
  let throughSeq = 0;
  for (const { seq, blocks } of visible.slice(0, end)) {
    if (freedTokens * padding >= neededTokens) break;
    for (const { block } of blocks) {
      if (block.type === "tool_use") calls.set(block.id, block.name);
      if (policy.clearsThinking && isThinking(block)) freedTokens += measure(block);
      if (block.type !== "tool_result") continue;
      const tool = calls.get(block.tool_use_id);
      throughSeq = seq;
      if (tool !== undefined && policy.clearableTools.has(toolKey(tool))) freedTokens += measure(block);
      else if (tool !== undefined) keptTools.add(tool);
    }
  }
  if (throughSeq === 0 || freedTokens < policy.minFreedTokens) return undefined;
  const cleared = { throughSeq, keptTools: [...keptTools].sort() };
  return policy.clearsThinking ? { ...cleared, thinkingThroughSeq: throughSeq } : cleared;
}

/** Index of the first message that stays: of the newest part, of the newest results, or the first with a pin. */
function clearableEnd(
  visible: readonly VisibleMessage[],
  pins: WindowState["pins"],
  { recentTailTokens, resultsKeptCount }: ClearPolicy,
  measure: WindowState["measure"],
): number {
  const pinned = pinnedPlaces(pins);
  const isResult = ({ blocks }: VisibleMessage): boolean =>
    blocks.some(({ block }) => block.type === "tool_result");
  const results = visible.flatMap((message, index) => (isResult(message) ? [index] : []));
  const firstKept = results.at(-resultsKeptCount) ?? 0;
  const firstPinned = visible.findIndex(({ seq, blocks }) =>
    blocks.some(({ index, block }) => block.type === "tool_result" && pinned.has({ seq, block: index })),
  );
  return Math.min(
    recentTailStart(visible, recentTailTokens, measure),
    firstKept,
    firstPinned < 0 ? visible.length : firstPinned,
  );
}

/** The edits that a request asks for; `undefined` for none. `visible`: the window as it is sent. */
export function providerEditPlan(
  visible: readonly VisibleMessage[],
  {
    cleared,
    compactAtTokens,
  }: { readonly cleared: ProviderCleared | undefined; readonly compactAtTokens: number | undefined },
): ProviderEditPlan | undefined {
  const counts = cleared === undefined ? undefined : countCleared(visible, cleared);
  const clearsResults = cleared !== undefined && counts !== undefined && counts.clearedResults > 0;
  const clearsThinking = counts !== undefined && counts.clearedTurns > 0;
  if (!clearsResults && !clearsThinking && compactAtTokens === undefined) return undefined;
  return {
    ...(clearsResults
      ? {
          clearResults: {
            keptCount: counts.keptResults,
            clearedCount: counts.clearedResults,
            ...(cleared.keptTools.length === 0 ? {} : { keptTools: cleared.keptTools }),
          },
        }
      : {}),
    // The newest thinking may belong to a call that has just been answered.
    ...(clearsThinking ? { clearThinking: { keptTurns: Math.max(1, counts.keptTurns) } } : {}),
    ...(compactAtTokens === undefined ? {} : { compactAtTokens }),
  };
}

/** The size from which on the provider is asked for a summary; `undefined` if it makes none that early. */
export function compactAtTokens(
  { microcompactGateTokens, blockingTokens }: WindowState["budget"],
  { compacts, leastCompactTokens }: Pick<EndpointEdits, "compacts" | "leastCompactTokens">,
): number | undefined {
  const tokens = Math.max(leastCompactTokens, microcompactGateTokens);
  return compacts && tokens < blockingTokens ? tokens : undefined;
}

/** Tokens that the provider leaves out of a window. */
export function clearedTokens(
  visible: readonly VisibleMessage[],
  cleared: ProviderCleared | undefined,
  measure: WindowState["measure"],
): number {
  const sizeOf = (messages: readonly VisibleMessage[]): number =>
    messages.reduce((sum, { blocks }) => sum + blocks.reduce((all, { block }) => all + measure(block), 0), 0);
  return cleared === undefined ? 0 : sizeOf(visible) - sizeOf(asProviderShows(visible, cleared));
}
