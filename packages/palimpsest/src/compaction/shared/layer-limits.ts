/**
 * The numbers of the layers in one session: the defaults, unless its program or its user sets others.
 *
 * Each has the name of the option that sets it (`WindowLimits` of a session). A window state carries them, so that
 * planners get complete policies and two sessions of one process may differ.
 */
import { COMPACTION_DEFAULTS } from "../../base/defaults/compaction/compaction.ts";
import { FULL_COMPACT_DEFAULTS } from "../../base/defaults/compaction/full-compact.ts";
import { RESTORE_DEFAULTS } from "../../base/defaults/compaction/restore.ts";
import { SESSION_MEMORY_DEFAULTS } from "../../base/defaults/compaction/session-memory.ts";
import { NOTES_DEFAULTS } from "../../base/defaults/notes.ts";
import { BUDGET_DEFAULTS } from "../../base/defaults/tokens/tokens.ts";
import { type ScaledTokens, scaleTokens } from "./measure.ts";

/** Thinking in the window, which is counted apart, in tokens. Source: Claude Code's thinking budget: 32,000; the floor is our choice. */
const THINKING = { tokens: 32_000, floor: 4_000 };

/** The numbers of a session that sets none. */
export const LAYER_LIMITS = {
  arrivalMessageTokens: COMPACTION_DEFAULTS.arrivalMessage,
  arrivalBlockBytes: COMPACTION_DEFAULTS.arrivalBlockBytes,
  arrivalLineCharacters: COMPACTION_DEFAULTS.arrivalLineCharacters,
  arrivalPreviewTokens: COMPACTION_DEFAULTS.arrivalPreview,
  oldBlockTokens: COMPACTION_DEFAULTS.oldBlock,
  previewTokens: COMPACTION_DEFAULTS.preview,
  recentTailTokens: COMPACTION_DEFAULTS.recentTail,
  resultsKeptCount: COMPACTION_DEFAULTS.resultsKeptCount,
  clearableCountGate: COMPACTION_DEFAULTS.clearableCountGate,
  userWordsTokens: FULL_COMPACT_DEFAULTS.userWords,
  appendixTokens: FULL_COMPACT_DEFAULTS.appendix,
  tooLongRetriesCount: FULL_COMPACT_DEFAULTS.tooLongRetriesCount,
  droppedShare: FULL_COMPACT_DEFAULTS.droppedShare,
  breakerFailuresCount: FULL_COMPACT_DEFAULTS.breakerFailuresCount,
  fullTargetShare: BUDGET_DEFAULTS.fullTargetShare,
  sessionMemoryTargetShare: BUDGET_DEFAULTS.sessionMemoryTargetShare,
  leastKeptTokens: SESSION_MEMORY_DEFAULTS.leastKept,
  leastKeptTextCount: SESSION_MEMORY_DEFAULTS.leastKeptTextCount,
  mostKeptTokens: SESSION_MEMORY_DEFAULTS.mostKept,
  restoredFilesCount: RESTORE_DEFAULTS.filesCount,
  restoredFileTokens: RESTORE_DEFAULTS.fileTokens,
  restoredFilesTokens: RESTORE_DEFAULTS.filesTokens,
  restoredItemTokens: RESTORE_DEFAULTS.itemTokens,
  restoredSkillsTokens: RESTORE_DEFAULTS.skillsTokens,
  notesStartTokens: NOTES_DEFAULTS.start,
  notesGrowthTokens: NOTES_DEFAULTS.growth,
  notesToolCallsCount: NOTES_DEFAULTS.toolCallsCount,
  notesCostShareCap: NOTES_DEFAULTS.costShareCap,
  notesSectionTokens: NOTES_DEFAULTS.section,
  notesTotalTokens: NOTES_DEFAULTS.total,
  thinkingTokens: THINKING,
} as const;

type Defaults = typeof LAYER_LIMITS;

/** The numbers of one session, by the name of their option. */
export type LayerLimits = {
  readonly [Name in keyof Defaults]: Defaults[Name] extends number ? number : ScaledTokens;
} & {
  /** Milliseconds without an answer after which old results are cleared. Absent: the lifetime of the provider's cache. */
  readonly coldGapMs?: number | undefined;
};

/** The numbers that a state or a situation carries. */
export function limitsOf({
  limits = LAYER_LIMITS,
}: {
  readonly limits?: LayerLimits | undefined;
}): LayerLimits {
  return limits;
}

/** The tokens that thinking may take in a window. */
export function thinkingBudget({
  budget,
  limits,
}: {
  readonly budget: { readonly windowTokens: number };
  readonly limits?: LayerLimits | undefined;
}): number {
  return scaleTokens(limitsOf({ limits }).thinkingTokens, budget.windowTokens);
}
