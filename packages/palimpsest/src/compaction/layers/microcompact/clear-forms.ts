/**
 * The forms of what microcompact clears, each with what it frees: a brief or one line for a
 * result, or nothing at all for a small one and its call; previews for large arguments. Which of
 * them are cleared was decided before.
 */
import type { ToolResultBlock } from "../../../transcript/blocks.ts";
import type { BlockForm } from "../../../transcript/edits.ts";
import type { SeqPin } from "../../../transcript/projection.ts";
import type { VisibleBlock, VisibleMessage } from "../../../transcript/window.ts";
import { findLiteralsOf, type LiteralScope } from "../../literals/visible-literals.ts";
import { previewLargeStrings } from "../../preview/shrink-input.ts";
import type { Measure } from "../../shared/measure.ts";
import { formatPointer, type HistoryAccess } from "../../shared/pointer.ts";
import { type BriefPolicy, formatBrief } from "./brief.ts";
import type { ClearableResult, LargeArgument } from "./clearable-results.ts";
import { findRemovableExchanges, isSmallQuery, type PlacedBlock } from "./small-exchanges.ts";

/** One block in its cleared form, and what that frees. */
interface ClearedForm {
  readonly form: BlockForm;
  readonly freedTokens: number;
}

/** How large strings in arguments are shown. */
interface ArgumentPolicy extends HistoryAccess {
  /** Strings in arguments of calls above this are previewed. */
  readonly argumentTokens: number;
  /** What is left of such a string. */
  readonly argumentPreviewTokens: number;
}

/** What was chosen to be cleared. */
interface ChosenToClear {
  readonly results: readonly ClearableResult[];
  readonly arguments: readonly LargeArgument[];
}

/** How what was chosen is shown. */
export interface ClearPolicy extends BriefPolicy, ArgumentPolicy {
  /** What is never cleared; nothing, where it is left out. */
  readonly pins?: readonly SeqPin[] | undefined;
}

/**
 * The forms of everything chosen. Small results of read-only queries disappear with their calls where
 * {@link findRemovableExchanges} allows; what clearing would not make smaller has no form.
 */
export function clearForms(
  visible: readonly VisibleMessage[],
  chosen: ChosenToClear,
  policy: ClearPolicy,
  measure: Measure,
): readonly ClearedForm[] {
  const small = chosen.results.filter((result) => isSmallQuery(result, policy));
  const exchanges = findRemovableExchanges(visible, small, policy.pins);
  const gone = new Set(exchanges.flatMap(({ call, result }) => [call.shown, result.shown]));
  const isLeft = ({ shown }: { readonly shown: VisibleBlock }): boolean => !gone.has(shown);
  return [
    ...exchanges.flatMap(({ call, result }) => [remove(call, measure), remove(result, measure)]),
    ...clearResults(visible, { results: chosen.results.filter(isLeft), gone }, policy, measure),
    ...previewArguments(chosen.arguments.filter(isLeft), policy, measure),
  ];
}

/** The most that {@link clearForms} could free: cheap, for asking first whether it is worth it. */
export function mostClearedTokens(chosen: ChosenToClear, policy: ClearPolicy, measure: Measure): number {
  let tokens = 0;
  for (const { result, call } of chosen.results)
    tokens += measure(result) + (isSmallQuery({ result, call }, policy) ? measure(call) : 0);
  for (const { call } of chosen.arguments) tokens += measure(call);
  return tokens;
}

function remove({ seq, shown }: PlacedBlock, measure: Measure): ClearedForm {
  return { form: { seq, block: shown.index }, freedTokens: measure(shown.block) };
}

function clearResults(
  visible: readonly VisibleMessage[],
  {
    results,
    gone,
  }: { readonly results: readonly ClearableResult[]; readonly gone: ReadonlySet<VisibleBlock> },
  policy: BriefPolicy,
  measure: Measure,
): readonly ClearedForm[] {
  if (results.length === 0) return [];
  const cleared = new Set(results.map(({ shown }) => shown));
  const scope = findLiteralsOf(visible, (shown) => !cleared.has(shown) && !gone.has(shown));
  // Newest first, so that a string in several cleared results is named where it was seen last.
  return [...results]
    .reverse()
    .map((result) => clearResult(result, scope, policy, measure))
    .filter((form) => form !== undefined)
    .reverse();
}

function clearResult(
  { seq, shown, result, call }: ClearableResult,
  scope: LiteralScope,
  policy: BriefPolicy,
  measure: Measure,
): ClearedForm | undefined {
  const pointer = formatPointer({ seq, block: shown.index });
  const content = formatBrief({ pointer, shown, result, call, scope }, policy, measure);
  const brief: ToolResultBlock = { ...result, content };
  const freedTokens = measure(result) - measure(brief);
  if (freedTokens <= 0) return undefined;
  return { form: { seq, block: shown.index, shown: brief, ...blobOf(shown) }, freedTokens };
}

/** Without those that hold no large string. */
function previewArguments(
  chosen: readonly LargeArgument[],
  { argumentTokens, argumentPreviewTokens, hasHistoryTools }: ArgumentPolicy,
  measure: Measure,
): readonly ClearedForm[] {
  return chosen.flatMap(({ seq, shown, call }): readonly ClearedForm[] => {
    const pointer = formatPointer({ seq, block: shown.index });
    const sizes = { limitTokens: argumentTokens, previewTokens: argumentPreviewTokens };
    const input = previewLargeStrings(call.input, { ...sizes, pointer, hasHistoryTools }, measure);
    if (input === undefined) return [];
    const preview = { ...call, input };
    return [
      {
        form: { seq, block: shown.index, shown: preview, ...blobOf(shown) },
        freedTokens: measure(call) - measure(preview),
      },
    ];
  });
}

const blobOf = ({ blob }: VisibleBlock): Pick<BlockForm, "blob"> => (blob === undefined ? {} : { blob });
