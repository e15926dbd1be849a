/**
 * The forms of what microcompact clears, each with what it frees: a brief or one line for a
 * result, previews for large arguments. Which of them are cleared was decided before.
 */
import type { ToolResultBlock } from "../transcript/blocks.ts";
import type { BlockForm } from "../transcript/edits.ts";
import type { VisibleBlock, VisibleMessage } from "../transcript/window.ts";
import { type BriefPolicy, formatBrief } from "./brief.ts";
import type { ClearableResult, LargeArgument } from "./clearable-results.ts";
import type { Measure } from "./measure.ts";
import { formatPointer } from "./pointer.ts";
import { previewLargeStrings } from "./shrink-input.ts";
import { findLiteralsOf, type LiteralScope } from "./visible-literals.ts";

/** One block in its cleared form, and what that frees. */
export interface ClearedForm {
  readonly form: BlockForm;
  readonly freedTokens: number;
}

/** How large strings in arguments are shown. */
export interface ArgumentPolicy {
  /** Strings in arguments of calls above this are previewed. */
  readonly argumentTokens: number;
  /** What is left of such a string. */
  readonly argumentPreviewTokens: number;
}

/** The forms of the chosen results, in their order; without those that clearing would not make smaller. */
export function clearResults(
  visible: readonly VisibleMessage[],
  chosen: readonly ClearableResult[],
  policy: BriefPolicy,
  measure: Measure,
): readonly ClearedForm[] {
  if (chosen.length === 0) return [];
  const cleared = new Set(chosen.map(({ shown }) => shown));
  const scope = findLiteralsOf(visible, (shown) => !cleared.has(shown));
  // Newest first, so that a string in several cleared results is named where it was seen last.
  return [...chosen]
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

/** The forms of the chosen arguments; without those that hold no large string. */
export function previewArguments(
  chosen: readonly LargeArgument[],
  { argumentTokens, argumentPreviewTokens }: ArgumentPolicy,
  measure: Measure,
): readonly ClearedForm[] {
  return chosen.flatMap(({ seq, shown, call }): readonly ClearedForm[] => {
    const pointer = formatPointer({ seq, block: shown.index });
    const options = { limitTokens: argumentTokens, previewTokens: argumentPreviewTokens, pointer };
    const input = previewLargeStrings(call.input, options, measure);
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
