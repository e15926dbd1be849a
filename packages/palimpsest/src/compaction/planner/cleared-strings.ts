/**
 * The strings of results that are cleared or shortened: those that are likely to be needed are listed in the newest of
 * these results, like the appendix of a summary. A brief has only four of them.
 */
import type { Steps } from "../../base/steps.ts";
import type { LayerEdit } from "../../transcript/edits.ts";
import { addToDigestInSteps, createDigest } from "../digest/digest.ts";
import type { LiteralLedger } from "../literals/literal-ledger.ts";
import { scaleTokens } from "../shared/measure.ts";
import { visibleAfter, type WindowState } from "../shared/window-state.ts";
import { composeAppendix, rankForAppendix } from "../summary/log-parts.ts";
import { literalsOfWindow } from "../summary/loss-report.ts";
import type { CostPolicy } from "./cost-policy.ts";

const HEADING = "Strings of the results cleared up to here that may be needed to the letter:";

/** Adds the list to the edits of one rewrite. They stay as they are if no result can carry it, or nothing is lost. */
export function* withClearedStrings(
  state: WindowState,
  edits: readonly LayerEdit[],
  { clearedStrings }: Pick<CostPolicy, "clearedStrings">,
): Steps<readonly LayerEdit[]> {
  const budgetTokens =
    clearedStrings.tokens === 0 ? 0 : scaleTokens(clearedStrings, state.budget.windowTokens);
  const place = budgetTokens === 0 ? undefined : findCarrier(edits);
  if (place === undefined) return edits;
  const strings = yield* composeAppendix(
    yield* rankForAppendix(yield* lostLiterals(state, edits), budgetTokens),
    { budgetTokens, isShown: () => false },
    state.measure,
  );
  if (strings.length === 0) return edits;
  const addition = `\n${HEADING}\n${strings.join(" ")}`;
  return edits.map((edit, index) =>
    index === place.edit ? withText(edit, place.form, addition, state) : edit,
  );
}

interface Place {
  readonly edit: number;
  readonly form: number;
}

/** The newest result that still shows a text. */
function findCarrier(edits: readonly LayerEdit[]): Place | undefined {
  const places = edits.flatMap(({ effect }, edit) =>
    (effect.forms ?? []).flatMap(({ seq, shown }, form) =>
      shown?.type === "tool_result" && typeof shown.content === "string" ? [{ edit, form, seq }] : [],
    ),
  );
  // A later edit may show the block of an earlier one in another form.
  return places.toSorted((one, other) => one.seq - other.seq || one.edit - other.edit).at(-1);
}

/** The strings that the window shows before the edits and not after them. */
function* lostLiterals(state: WindowState, edits: readonly LayerEdit[]): Steps<LiteralLedger> {
  const digest = createDigest();
  for (const { seq, role, origin, blocks } of state.visible)
    yield* addToDigestInSteps(digest, seq, { role, origin, content: blocks.map(({ block }) => block) });
  const left = yield* literalsOfWindow(visibleAfter(state, edits), []);
  const { records, ...ledger } = digest.literals;
  return { ...ledger, records: records.filter((row) => !left.has(records.textAt(row))) };
}

function withText(edit: LayerEdit, at: number, addition: string, { measure }: WindowState): LayerEdit {
  const forms = (edit.effect.forms ?? []).slice();
  const form = forms[at]!;
  const { shown } = form;
  if (shown?.type !== "tool_result") return edit;
  const longer = { ...shown, content: `${shown.content}${addition}` };
  forms[at] = { ...form, shown: longer };
  const freedTokens = Math.round(edit.freedTokens - measure(longer) + measure(shown));
  return { ...edit, freedTokens, effect: { ...edit.effect, forms } };
}
