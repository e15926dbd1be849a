/**
 * The forms of blocks that microcompact clears, each with the tokens it frees: a brief or one line for a
 * result, nothing at all for a small result and its call, previews for large arguments. The callers decide
 * which blocks are cleared.
 */
import type { Steps } from "../../../base/steps.ts";
import { type ToolResultBlock, type ToolUseBlock, toolResultText } from "../../../transcript/blocks.ts";
import type { BlockForm } from "../../../transcript/edits.ts";
import type { SeqPin } from "../../../transcript/projection.ts";
import type { VisibleBlock, VisibleMessage } from "../../../transcript/window.ts";
import { secretsInSteps, withoutSecrets } from "../../../transcript/without-secrets.ts";
import { findLiteralsOf, type LiteralScope } from "../../literals/literal-ledger.ts";
import { visitInSteps } from "../../literals/literals.ts";
import { formatThousands } from "../../preview/preview.ts";
import { secretsIn } from "../../preview/shrink-block.ts";
import { previewLargeStrings } from "../../preview/shrink-input.ts";
import { type Measure, measureText } from "../../shared/measure.ts";
import { formatOriginal, formatPointer, type HistoryAccess } from "../../shared/pointer.ts";
import { mainArgument, type ToolKind, toolKind } from "../../shared/tool-kinds.ts";
import { CLEARED_PREFIX, outcomeOf } from "../../shared/tool-results.ts";
import type { ClearableResult, LargeArgument } from "./clearable-results.ts";
import {
  findRemovableExchanges,
  isSmallQuery,
  type PlacedBlock,
  type SmallQueryPolicy,
} from "./small-exchanges.ts";

/** One block in its cleared form, and what that frees. */
interface ClearedForm {
  readonly form: BlockForm;
  readonly freedTokens: number;
}

/** The form of large strings in arguments. */
interface ArgumentPolicy extends HistoryAccess {
  /** Strings in arguments of calls above this are previewed. */
  readonly argumentTokens: number;
  /** The size of such a string's preview. */
  readonly argumentPreviewTokens: number;
}

/** The blocks chosen to be cleared. */
interface ChosenToClear {
  readonly results: readonly ClearableResult[];
  readonly arguments: readonly LargeArgument[];
}

/** The forms of the chosen blocks. */
export interface ClearPolicy extends BriefPolicy, ArgumentPolicy {
  /** Places that are never cleared. @defaultValue none */
  readonly pins?: readonly SeqPin[] | undefined;
}

/**
 * The forms of everything chosen. Small results of read-only queries disappear with their calls where
 * {@link findRemovableExchanges} allows; what clearing would not make smaller has no form.
 */
export function* clearForms(
  visible: readonly VisibleMessage[],
  chosen: ChosenToClear,
  policy: ClearPolicy,
  measure: Measure,
): Steps<readonly ClearedForm[]> {
  const small = chosen.results.filter((result) => isSmallQuery(result, policy));
  const exchanges = findRemovableExchanges(visible, small, policy.pins);
  const gone = new Set(exchanges.flatMap(({ call, result }) => [call.shown, result.shown]));
  const isLeft = ({ shown }: { readonly shown: VisibleBlock }): boolean => !gone.has(shown);
  return [
    ...exchanges.flatMap(({ call, result }) => [remove(call, measure), remove(result, measure)]),
    ...(yield* clearResults(visible, { results: chosen.results.filter(isLeft), gone }, policy, measure)),
    ...(yield* previewArguments(chosen.arguments.filter(isLeft), policy, measure)),
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

function* clearResults(
  visible: readonly VisibleMessage[],
  {
    results,
    gone,
  }: { readonly results: readonly ClearableResult[]; readonly gone: ReadonlySet<VisibleBlock> },
  policy: BriefPolicy,
  measure: Measure,
): Steps<readonly ClearedForm[]> {
  if (results.length === 0) return [];
  const cleared = new Set(results.map(({ shown }) => shown));
  const scope = yield* findLiteralsOf(visible, (shown) => !cleared.has(shown) && !gone.has(shown));
  // Newest first, so that a string in several cleared results is named where it was seen last.
  const forms: ClearedForm[] = [];
  for (const result of results.toReversed()) {
    const form = yield* clearResult(result, scope, policy, measure);
    if (form !== undefined) forms.push(form);
    yield;
  }
  return forms.reverse();
}

function* clearResult(
  { seq, shown, result, call }: ClearableResult,
  scope: LiteralScope,
  policy: BriefPolicy,
  measure: Measure,
): Steps<ClearedForm | undefined> {
  const pointer = formatPointer({ seq, block: shown.index });
  const content = yield* briefInSteps({ pointer, shown, result, call, scope }, policy, measure);
  const brief: ToolResultBlock = { ...result, content };
  const freedTokens = measure(result) - measure(brief);
  if (freedTokens <= 0) return undefined;
  return { form: { seq, block: shown.index, shown: brief, ...blobOf(shown) }, freedTokens };
}

/** Without those that hold no large string. */
function* previewArguments(
  chosen: readonly LargeArgument[],
  { argumentTokens, argumentPreviewTokens, hasHistoryTools }: ArgumentPolicy,
  measure: Measure,
): Steps<readonly ClearedForm[]> {
  const sizes = { limitTokens: argumentTokens, previewTokens: argumentPreviewTokens };
  const forms: ClearedForm[] = [];
  for (const { seq, shown, call } of chosen) {
    yield* secretsInSteps(call);
    const place = {
      ...{ pointer: formatPointer({ seq, block: shown.index }), hasHistoryTools },
      secretsOf: (text: string) => secretsIn(call, text),
    };
    const input = previewLargeStrings(call.input, { ...sizes, ...place }, measure);
    yield;
    if (input === undefined) continue;
    const preview = { ...call, input };
    forms.push({
      form: { seq, block: shown.index, shown: preview, ...blobOf(shown) },
      freedTokens: measure(call) - measure(preview),
    });
  }
  return forms;
}

const blobOf = ({ blob }: VisibleBlock): Pick<BlockForm, "blob"> => (blob === undefined ? {} : { blob });

// Briefs: the text in place of a cleared result says what the result was, its size, how to read it, and the
// few distinctive strings that can be read nowhere else in the window.

interface BriefPolicy extends SmallQueryPolicy, HistoryAccess {
  /** The size of a cleared result's brief, in tokens. */
  readonly briefTokens: number;
  /** Strings of a cleared result that its brief names. */
  readonly briefStringCount: number;
}

interface BriefSubject {
  readonly pointer: string;
  readonly shown: VisibleBlock;
  readonly result: ToolResultBlock;
  readonly call: ToolUseBlock;
  /** Strings that can still be read; the strings that the brief names are added. */
  readonly scope: LiteralScope;
}

const ARGUMENT_CHARACTERS = 80;
const STRING_CHARACTERS = 40;
const OUTCOME_CHARACTERS = 100;
/** The strings of longer results are not kept. */
const KEPT_CHARACTERS = 64_000;

export function* briefInSteps(subject: BriefSubject, policy: BriefPolicy, measure: Measure): Steps<string> {
  const { pointer, result, call, scope } = subject;
  yield* secretsInSteps(result);
  const text = toolResultText(withoutSecrets(result) as ToolResultBlock);
  const read = formatOriginal(pointer, policy);
  if (isSmallQuery({ result, call }, policy)) return `${CLEARED_PREFIX}] ${read}`;

  const head = `${CLEARED_PREFIX}: ${describe(subject, text, measure)}`;
  const close = `] ${read}`;
  const named: string[] = [];
  for (const literal of yield* candidatesOf(result, text)) {
    if (named.length >= policy.briefStringCount) break;
    if (scope.isVisible(literal)) continue;
    const longer = `${head}; it named ${[...named, literal].join(", ")}${close}`;
    if (measureText(longer, measure) > policy.briefTokens && named.length > 0) break;
    named.push(literal);
    scope.show(literal);
  }
  return named.length === 0 ? `${head}${close}` : `${head}; it named ${named.join(", ")}${close}`;
}

function describe({ shown, result, call: made }: BriefSubject, text: string, measure: Measure): string {
  const call = withoutSecrets(made) as ToolUseBlock;
  const argument = mainArgument(call.name, call.input, ARGUMENT_CHARACTERS);
  const subject = argument === "" ? call.name : `${call.name} ${argument}`;
  const bytes = shown.form !== "original" && shown.blob !== undefined ? shown.blob.bytes : undefined;
  const size =
    bytes === undefined
      ? `about ${formatThousands(measure(result))} tokens`
      : `${formatThousands(bytes)} bytes`;
  const outcome = knownOutcome(result, text, toolKind(call.name, call.input));
  const failure = outcome.hasFailed ? `, failed: ${outcome.line.slice(0, OUTCOME_CHARACTERS)}` : "";
  return `${subject}, ${size}${failure}`;
}

// Planners look at the same results again and again. These never change, so their candidates and outcomes are kept.

interface KnownOutcome extends ReturnType<typeof outcomeOf> {
  readonly kind: ToolKind | undefined;
}

const knownOutcomes = new WeakMap<ToolResultBlock, KnownOutcome>();

function knownOutcome(result: ToolResultBlock, text: string, kind: ToolKind | undefined): KnownOutcome {
  const known = knownOutcomes.get(result);
  if (known !== undefined && known.kind === kind) return known;
  const outcome = { ...outcomeOf({ ...result, content: text }, kind), kind };
  knownOutcomes.set(result, outcome);
  return outcome;
}

const knownCandidates = new WeakMap<ToolResultBlock, readonly string[]>();

/** Strings that a brief may name, best first: those on definition lines, then what occurs most often. */
function* candidatesOf(result: ToolResultBlock, text: string): Steps<readonly string[]> {
  const known = knownCandidates.get(result);
  if (known !== undefined) return known;
  const scores = new Map<string, number>();
  yield* visitInSteps(text, (literal, kind, isOnDefinitionLine) => {
    if (literal.length > STRING_CHARACTERS || kind === "quoted") return;
    const weight = (kind === "number" ? 0.3 : 1) + (isOnDefinitionLine ? 1.5 : 0);
    scores.set(literal, Math.max(scores.get(literal) ?? 0, weight) + 0.1);
  });
  const candidates = [...scores].sort((a, b) => b[1] - a[1]).map(([literal]) => literal);
  if (text.length <= KEPT_CHARACTERS) knownCandidates.set(result, candidates);
  return candidates;
}
