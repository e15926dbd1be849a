/**
 * The numbers of compaction that a program may set, each with its unit and its default, and how they are checked.
 */
import { BUDGET_DEFAULTS } from "../../base/defaults/tokens/tokens.ts";
import { OptionError } from "../../base/errors.ts";
import { checkOptions, duration, type OptionRule, wholeFrom } from "../../base/options/check-options.ts";
import type { CostPolicy } from "../../compaction/planner/cost-policy.ts";
import { LAYER_LIMITS, type LayerLimits } from "../../compaction/shared/layer-limits.ts";
import type { ScaledTokens } from "../../compaction/shared/measure.ts";
import type { BudgetPolicy } from "../../tokens/budget/budget.ts";

/**
 * Thresholds, margins, gates, counts, gaps and budgets of compaction. All of them are optional; defaults are named as in
 * the reference of defaults. `…Tokens` are tokens of a window of 200,000, and scale down with a smaller one; `…Share` are
 * shares from 0 to 1; `…Count` are whole numbers; `…Ms` are milliseconds.
 */
export interface WindowLimits {
  /** Kept free for a summary, or the model's longest answer if that is less. @defaultValue `summaryReserveTokens`, 20,000 */
  readonly summaryReserveTokens?: number;
  /** Auto-compact begins this far below the effective window (the window less the reserve). @defaultValue `autoCompactMarginTokens`, 13,000 */
  readonly autoCompactMarginTokens?: number;
  /** Auto-compact begins at this share of the effective window, or above its margin if that is later. @defaultValue `autoCompactGateShare`, 0.9 */
  readonly autoCompactGateShare?: number;
  /** Auto-compact begins at this per cent of the effective window, from 1 to 100; it makes it earlier, never later. @defaultValue none */
  readonly autoCompactPercent?: number;
  /** The user is warned this far below the effective window. @defaultValue `warningMarginTokens`, 20,000 */
  readonly warningMarginTokens?: number;
  /** The warning is an error this far below the effective window. @defaultValue `errorMarginTokens`, 20,000 */
  readonly errorMarginTokens?: number;
  /** Nothing is sent beyond this far below the effective window. @defaultValue `blockingMarginTokens`, 3,000 */
  readonly blockingMarginTokens?: number;
  /** Old blocks become previews from this share of the effective window on. @defaultValue `offloadGateShare`, 0.6 */
  readonly offloadGateShare?: number;
  /** Old results are cleared from this share of the effective window on. @defaultValue `microcompactGateShare`, 0.8 */
  readonly microcompactGateShare?: number;
  /** Size aimed at after a summary, as a share of the effective window. @defaultValue `fullTargetShare`, 0.35; 0.42 under `balanced` */
  readonly fullTargetShare?: number;
  /** The same after a compaction from notes. @defaultValue `sessionMemoryTargetShare`, 0.5; 0.35 under `balanced` */
  readonly sessionMemoryTargetShare?: number;

  /** A new block above this becomes a preview when it arrives. @defaultValue `arrivalBlock` */
  readonly arrivalBlockTokens?: number;
  /** All results of one new message together. @defaultValue `arrivalMessage`, 50,000 */
  readonly arrivalMessageTokens?: number;
  /** Bytes of a new block; not scaled. @defaultValue `arrivalBlockBytes`, 100,000 */
  readonly arrivalBlockBytes?: number;
  /** Characters of a line of a new block; not scaled. @defaultValue `arrivalLineCharacters`, 20,000 */
  readonly arrivalLineCharacters?: number;
  /** Head and tail of such a preview. @defaultValue `arrivalPreview` */
  readonly arrivalPreviewTokens?: number;
  /** An old block above this becomes a preview, above the gate. @defaultValue `oldBlock`, 2,000 */
  readonly oldBlockTokens?: number;
  /** Head and tail of that preview. @defaultValue `preview`, 1,000 */
  readonly previewTokens?: number;
  /** Newest part of the window that offload, microcompact by size, and collapse leave alone. @defaultValue `recentTail`, 20,000 */
  readonly recentTailTokens?: number;

  /** Newest clearable results that stay. @defaultValue `resultsKeptCount`, 5 */
  readonly resultsKeptCount?: number;
  /** Clearable results from this count on are cleared, whatever their size. @defaultValue `clearableCountGate`, 100 */
  readonly clearableCountGate?: number;
  /** Time without an answer after which old results are cleared. @defaultValue the lifetime of the provider's cache */
  readonly coldGapMs?: number;

  /** A summary is made early once carrying the messages has cost this many times its price. @defaultValue by the policy */
  readonly summaryMultiple?: number;
  /** The user's own words in a summary, verbatim. @defaultValue by the policy */
  readonly userWordsTokens?: number;
  /** Files, commands, errors, decisions and open tasks in a summary from the log. @defaultValue by the policy */
  readonly factsTokens?: number;
  /** Strings that a summary carries to the letter. @defaultValue by the policy */
  readonly appendixTokens?: number;
  /** Newest rounds that stay behind a summary from the log. @defaultValue by the policy */
  readonly keptTailTokens?: number;
  /** Retries of a summary whose request was too long. @defaultValue `tooLongRetriesCount`, 3 */
  readonly tooLongRetriesCount?: number;
  /** Share of the rounds that such a retry leaves out. @defaultValue `droppedShare`, 0.2 */
  readonly droppedShare?: number;
  /** Failures in a row after which a layer is not tried again before a compaction by hand. @defaultValue `breakerFailuresCount`, 3 */
  readonly breakerFailuresCount?: number;

  /** Least of the newest messages that stay behind the notes. @defaultValue `leastKept`, 10,000 */
  readonly leastKeptTokens?: number;
  /** Least number of those messages that have text. @defaultValue `leastKeptTextCount`, 5 */
  readonly leastKeptTextCount?: number;
  /** Most of the newest messages that stay behind the notes. @defaultValue `mostKept`, 40,000 */
  readonly mostKeptTokens?: number;

  /** Files that are shown again after a compaction. @defaultValue `filesCount`, 20; 5 under `classic` */
  readonly restoredFilesCount?: number;
  /** The most of one of these files. @defaultValue `fileTokens` */
  readonly restoredFileTokens?: number;
  /** All of these files together. @defaultValue `filesTokens` */
  readonly restoredFilesTokens?: number;
  /** The most of another restored thing, such as a skill. @defaultValue `itemTokens`, 5,000 */
  readonly restoredItemTokens?: number;
  /** All skills and instructions of tool servers together. @defaultValue `skillsTokens`, 25,000 */
  readonly restoredSkillsTokens?: number;

  /** Conversation before the first update of the notes. @defaultValue `start`, 10,000 */
  readonly notesStartTokens?: number;
  /** Growth of the conversation from one update to the next. @defaultValue `growth`, 5,000 */
  readonly notesGrowthTokens?: number;
  /** Tool calls after which an update does not wait for a pause. @defaultValue `toolCallsCount`, 3 */
  readonly notesToolCallsCount?: number;
  /** Highest share of the session's cost that updates may have; 1: no cap. @defaultValue `costShareCap`, 0.05 */
  readonly notesCostShareCap?: number;
  /** Size of one section of the notes. @defaultValue `section`, 2,000 */
  readonly notesSectionTokens?: number;
  /** Size of all notes. @defaultValue `total`, 12,000 */
  readonly notesTotalTokens?: number;
  /** Thinking in the window; `session.context()` counts it apart, and says if it is over. @defaultValue 32,000 */
  readonly thinkingTokens?: number;
}

const share: OptionRule = {
  isFit: (value) => typeof value === "number" && value >= 0 && value <= 1,
  says: "a share from 0 to 1",
};
const percent: OptionRule = {
  isFit: (value) => typeof value === "number" && value >= 1 && value <= 100,
  says: "a number from 1 to 100",
};
const multiple: OptionRule = {
  isFit: (value) => typeof value === "number" && value > 0,
  says: "a number above 0",
};
const tokens: OptionRule = { ...wholeFrom(0), says: "a whole number of tokens from 0 on" };

const KNOWN = {
  ...BUDGET_DEFAULTS,
  ...LAYER_LIMITS,
  autoCompactPercent: 0,
  arrivalBlockTokens: 0,
  coldGapMs: 0,
  summaryMultiple: 0,
  factsTokens: 0,
  keptTailTokens: 0,
};
const { summaryReserveFloorTokens: _, ...NAMED } = KNOWN;

/** The rule of an option, by its name. */
function ruleOf(name: string): OptionRule {
  if (name === "autoCompactPercent") return percent;
  if (name === "summaryMultiple") return multiple;
  if (name.endsWith("Ms")) return duration;
  if (name.endsWith("Share") || name.endsWith("ShareCap")) return share;
  if (name.endsWith("Tokens")) return tokens;
  return wholeFrom(name === "tooLongRetriesCount" || name === "notesToolCallsCount" ? 0 : 1);
}

const RULES = Object.fromEntries(Object.keys(NAMED).map((name) => [name, ruleOf(name)])) as Readonly<
  Record<keyof Required<WindowLimits>, OptionRule>
>;

/** The numbers of a session, complete. */
export interface ResolvedLimits {
  readonly budget: BudgetPolicy;
  readonly autoCompactPercent: number | undefined;
  readonly layers: LayerLimits;
}

/** Pairs that must be in this order; the second may be as large as the first. */
const ORDER: readonly (readonly [larger: keyof WindowLimits, smaller: keyof WindowLimits, why: string])[] = [
  ["autoCompactMarginTokens", "blockingMarginTokens", "compaction begins before nothing is sent"],
  ["microcompactGateShare", "offloadGateShare", "cheaper layers act earlier"],
  ["oldBlockTokens", "previewTokens", "a preview is smaller than the blocks that get one"],
  ["mostKeptTokens", "leastKeptTokens", "what has to stay is less than what may"],
  ["restoredFilesTokens", "restoredFileTokens", "one file fits into what all files may take"],
  ["notesTotalTokens", "notesSectionTokens", "one section fits into the notes"],
];

/** @throws `OptionError` for a number that cannot be used, or two that contradict each other */
export function checkLimits(limits: unknown): void {
  if (limits === undefined) return;
  checkOptions("window.limits", limits, RULES);
  const { budget, layers } = resolveLimits(limits as WindowLimits);
  const values: Readonly<Record<string, unknown>> = { ...budget, ...layers };
  const sizeOf = (name: string): number => {
    const value = values[name] as number | ScaledTokens;
    return typeof value === "number" ? value : value.tokens;
  };
  for (const [larger, smaller, why] of ORDER) {
    if (sizeOf(larger) >= sizeOf(smaller)) continue;
    throw new OptionError({
      message: `\`window.limits.${larger}\` is ${sizeOf(larger)}, and \`${smaller}\` is ${sizeOf(smaller)}; ${why}.`,
      hint: `Set both, with \`${larger}\` at least as large.`,
    });
  }
}

/** The defaults with a session's own numbers in their place. Later ones go before earlier ones. */
export function resolveLimits(...given: readonly (WindowLimits | undefined)[]): ResolvedLimits {
  const limits = Object.assign({}, ...given.map(withoutUndefined)) as WindowLimits;
  const own = limits as Readonly<Record<string, number | undefined>>;
  const put = ([name, usual]: readonly [string, number | ScaledTokens]) => {
    const value = own[name];
    if (value === undefined || typeof usual === "number") return [name, value ?? usual] as const;
    return [name, { tokens: value, floor: Math.min(usual.floor, value) }] as const;
  };
  const layers = Object.fromEntries(Object.entries(LAYER_LIMITS).map(put)) as unknown as LayerLimits;
  const budget = Object.fromEntries(Object.entries(BUDGET_DEFAULTS).map(put)) as unknown as BudgetPolicy;
  return {
    budget,
    autoCompactPercent: limits.autoCompactPercent,
    layers: { ...layers, coldGapMs: limits.coldGapMs },
  };
}

/** The policy with a session's own numbers in its place. */
export function withLimits(policy: CostPolicy, limits: WindowLimits = {}): CostPolicy {
  const { summaryMultiple = policy.summaryMultiple } = limits;
  const part = (own: number | undefined, usual: ScaledTokens): ScaledTokens =>
    own === undefined ? usual : { tokens: own, floor: Math.min(usual.floor, own) };
  const { arrivalBlockTokens } = limits;
  return {
    ...policy,
    summaryMultiple,
    ...(arrivalBlockTokens === undefined
      ? {}
      : { arrivalBlock: part(arrivalBlockTokens, policy.arrivalBlock) }),
    userWords: part(limits.userWordsTokens, policy.userWords),
    facts: part(limits.factsTokens, policy.facts),
    appendix: part(limits.appendixTokens, policy.appendix),
    keptTail: part(limits.keptTailTokens, policy.keptTail),
  };
}

function withoutUndefined(limits: WindowLimits = {}): WindowLimits {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}
