/**
 * Microcompact, usage trigger: above the gate, old results of tools that can be run again shrink to
 * a brief of one line, and large old arguments of the same tools to a preview.
 *
 * Everything is cleared in one batch or not at all: each rewrite re-bills what stands behind it, and
 * clearing results one by one costs more than not managing the window
 * (where-the-numbers-come-from.md, "Offload and microcompact").
 * Results of agents, MCP servers and unknown tools are kept: they cannot be had again.
 */
import type { ContentBlock, ToolResultBlock, ToolUseBlock } from "../transcript/blocks.ts";
import type { BlockForm, LayerEdit } from "../transcript/edits.ts";
import type { VisibleBlock, VisibleMessage } from "../transcript/window.ts";
import { CLEARED_PREFIX, formatBrief } from "./brief.ts";
import { type HistoryState, mayRewriteHistory } from "./editing-rule.ts";
import { type Measure, recentTailStart } from "./measure.ts";
import type { UsageInput } from "./offload-by-usage.ts";
import { formatPointer } from "./pointer.ts";
import { previewLargeStrings } from "./shrink-input.ts";
import { toolKey } from "./tool-kinds.ts";
import { findLiteralsOf, type LiteralScope } from "./visible-literals.ts";
import { isWorthARewrite, type RewriteWorth } from "./worth-a-rewrite.ts";

/**
 * What may be cleared, and from when on. Sizes are in tokens unless the name says otherwise;
 * `microcompactPolicy` makes the policy of a window of a given size.
 */
export interface MicrocompactPolicy extends HistoryState, RewriteWorth {
  /** Size of the whole request from which on this layer acts. */
  readonly gateTokens: number;
  /** This many clearable results start a pass whatever the usage. */
  readonly clearableCountGate: number;
  /** Names by `toolKey`; results and arguments of other tools are kept. */
  readonly clearableTools: ReadonlySet<string>;
  /** Names by `toolKey`; short results of these are cleared without a brief. */
  readonly readOnlyTools: ReadonlySet<string>;
  /** Newest clearable results that stay whole … */
  readonly resultsKeptCount: number;
  /** … as far as they fit into this; the newest in any case. */
  readonly resultsKeptTokens: number;
  /** Newest part of the window that is left alone. */
  readonly recentTailTokens: number;
  /** What stands for a cleared result. */
  readonly briefTokens: number;
  /** Strings of a cleared result that its brief names. */
  readonly briefStringCount: number;
  /** A result of a read-only tool below this many characters gets no brief. */
  readonly smallResultCharacters: number;
  /** Strings in arguments of calls above this are previewed. */
  readonly argumentTokens: number;
  /** What is left of such a string. */
  readonly argumentPreviewTokens: number;
}

/** A result that may be cleared, with the call it answers. */
interface Candidate {
  readonly seq: number;
  readonly shown: VisibleBlock;
  readonly result: ToolResultBlock;
  readonly call: ToolUseBlock;
}

/** Plans the edit, or returns `undefined` below the gates and where one batch frees too little. */
export function planMicrocompactByUsage(
  { visible, usedTokens, measure }: UsageInput,
  policy: MicrocompactPolicy,
): LayerEdit | undefined {
  if (!mayRewriteHistory(policy)) return undefined;
  const results = findClearableResults(visible, policy);
  if (usedTokens < policy.gateTokens && results.length < policy.clearableCountGate) return undefined;

  const tailStart = recentTailStart(visible, policy.recentTailTokens, measure);
  const tailSeq = visible[tailStart]?.seq ?? Number.POSITIVE_INFINITY;
  const stale = results
    .slice(0, results.length - countKept(results, policy, measure))
    .filter(({ seq }) => seq < tailSeq);
  const old = visible.slice(0, tailStart);
  // The forms are dear to make: not where clearing all of it would free too little.
  const mostTokens = mostFreedTokens(stale, old, policy, measure);
  if (!isWorthARewrite({ usedTokens, freedTokens: mostTokens }, policy)) return undefined;

  const forms = [...planResults(visible, stale, policy, measure), ...planArguments(old, policy, measure)];
  const freedTokens = forms.reduce((sum, form) => sum + form.freedTokens, 0);
  if (!isWorthARewrite({ usedTokens, freedTokens }, policy)) return undefined;

  return {
    kind: "microcompact",
    reason: usedTokens < policy.gateTokens ? "count" : "usage",
    freedTokens: Math.round(freedTokens),
    effect: { forms: forms.map(({ form }) => form) },
  };
}

/** How many of the newest results stay. */
function countKept(
  results: readonly Candidate[],
  { resultsKeptCount, resultsKeptTokens }: MicrocompactPolicy,
  measure: Measure,
): number {
  let keptTokens = 0;
  let count = 0;
  for (const { result } of results.slice(-resultsKeptCount).reverse()) {
    keptTokens += measure(result);
    if (count > 0 && keptTokens > resultsKeptTokens) break;
    count++;
  }
  return count;
}

/** What clearing everything without a trace would free. */
function mostFreedTokens(
  stale: readonly Candidate[],
  old: readonly VisibleMessage[],
  policy: MicrocompactPolicy,
  measure: Measure,
): number {
  let tokens = 0;
  for (const { result } of stale) tokens += measure(result);
  for (const { blocks } of old)
    for (const { block } of blocks) if (isLargeArgument(block, policy, measure)) tokens += measure(block);
  return tokens;
}

function isLargeArgument(
  block: ContentBlock,
  { clearableTools, argumentTokens }: MicrocompactPolicy,
  measure: Measure,
): block is ToolUseBlock {
  return (
    block.type === "tool_use" && measure(block) > argumentTokens && clearableTools.has(toolKey(block.name))
  );
}

interface PlannedForm {
  readonly form: BlockForm;
  readonly freedTokens: number;
}

/**
 * Results of clearable tools that still show something, oldest first. A result belongs to the
 * nearest call before it with its id: damaged logs hold the same id twice.
 */
function findClearableResults(
  visible: readonly VisibleMessage[],
  { clearableTools }: MicrocompactPolicy,
): readonly Candidate[] {
  const calls = new Map<string, ToolUseBlock>();
  const found: Candidate[] = [];
  for (const { seq, insertedBy, blocks } of visible)
    for (const shown of blocks) {
      const { block } = shown;
      if (block.type === "tool_use") calls.set(block.id, block);
      if (block.type !== "tool_result" || insertedBy !== undefined || isCleared(shown)) continue;
      const call = calls.get(block.tool_use_id);
      if (call !== undefined && clearableTools.has(toolKey(call.name)))
        found.push({ seq, shown, result: block, call });
    }
  return found;
}

/** Only a form that an edit gave can be a brief: a tool that prints one is not spared by it. */
function isCleared({ block, form }: VisibleBlock): boolean {
  return (
    form === "edited" &&
    block.type === "tool_result" &&
    typeof block.content === "string" &&
    block.content.startsWith(CLEARED_PREFIX)
  );
}

function planResults(
  visible: readonly VisibleMessage[],
  stale: readonly Candidate[],
  policy: MicrocompactPolicy,
  measure: Measure,
): readonly PlannedForm[] {
  if (stale.length === 0) return [];
  const cleared = new Set(stale.map(({ shown }) => shown));
  const scope = findLiteralsOf(visible, (shown) => !cleared.has(shown));
  // Newest first, so that a string in several cleared results is named where it was seen last.
  return [...stale]
    .reverse()
    .map((candidate) => planResult(candidate, scope, policy, measure))
    .filter((form) => form !== undefined)
    .reverse();
}

function planResult(
  { seq, shown, result, call }: Candidate,
  scope: LiteralScope,
  policy: MicrocompactPolicy,
  measure: Measure,
): PlannedForm | undefined {
  const pointer = formatPointer({ seq, block: shown.index });
  const content = formatBrief({ pointer, shown, result, call, scope }, policy, measure);
  const brief: ToolResultBlock = { ...result, content };
  const freedTokens = measure(result) - measure(brief);
  if (freedTokens <= 0) return undefined;
  const blob = shown.blob === undefined ? {} : { blob: shown.blob };
  return { form: { seq, block: shown.index, shown: brief, ...blob }, freedTokens };
}

function planArguments(
  old: readonly VisibleMessage[],
  policy: MicrocompactPolicy,
  measure: Measure,
): readonly PlannedForm[] {
  const { argumentTokens, argumentPreviewTokens } = policy;
  return old
    .filter((message) => message.insertedBy === undefined)
    .flatMap(({ seq, blocks }) =>
      blocks.flatMap(({ index, block, blob }): readonly PlannedForm[] => {
        if (!isLargeArgument(block, policy, measure)) return [];
        const input = previewLargeStrings(
          block.input,
          {
            limitTokens: argumentTokens,
            previewTokens: argumentPreviewTokens,
            pointer: formatPointer({ seq, block: index }),
          },
          measure,
        );
        if (input === undefined) return [];
        const form: BlockForm = {
          seq,
          block: index,
          shown: { ...block, input },
          ...(blob === undefined ? {} : { blob }),
        };
        return [{ form, freedTokens: measure(block) - measure({ ...block, input }) }];
      }),
    );
}
