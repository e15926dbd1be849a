/**
 * Puts recent files behind a summary, as the log last held them: for sessions without an agent, and for simulations. A
 * pure function of the window, the edit and the digest. A session with an agent shows more (`plan-restoration.ts`),
 * from the same parts.
 */
import { finish, type Steps } from "../../base/steps.ts";
import { blockText, type Message } from "../../transcript/blocks.ts";
import type { LayerEdit } from "../../transcript/edits.ts";
import type { VisibleMessage } from "../../transcript/window.ts";
import type { Digest } from "../digest/digest.ts";
import { limitsOf } from "../shared/layer-limits.ts";
import { measureMessages, measureText, type ScaledTokens, scaleTokens } from "../shared/measure.ts";
import { situationOf, visibleAfter, type WindowState } from "../shared/window-state.ts";
import {
  candidatesInSteps,
  type EntryContent,
  loggedInSteps,
  type RankedCandidate,
  type RestorationSource,
} from "./restore-candidates.ts";
import {
  type FileBudget,
  fileBudget,
  filesInSteps,
  RESTORED_OPENING,
  restoredFileText,
} from "./restore-files.ts";

/** Files whose content is looked for before the budget is given out: some are gone, visible or empty. Our choice: some more than are put back. */
const CANDIDATES_COUNT = 24;

/** What a compaction hid, what it left, and the room for more. */
interface CompactedWindow extends RestorationSource {
  /** The window after the compaction. */
  readonly after: readonly VisibleMessage[];
  /** The tokens that the compaction's target leaves. */
  readonly budgetTokens: number;
}

/** Returns what a compaction leaves to be restored. */
export function compactedWindow(edit: LayerEdit, state: WindowState, digest: Digest): CompactedWindow {
  const after = visibleAfter(state, [edit]);
  const { fullTargetShare, sessionMemoryTargetShare } = limitsOf(state);
  const targetShare = edit.kind === "session-memory" ? sessionMemoryTargetShare : fullTargetShare;
  const targetTokens = Math.floor(situationOf(state).effectiveTokens * targetShare);
  return {
    after,
    hidden: hiddenBy(state.visible, after),
    tail: after.filter(({ insertedBy }) => insertedBy === undefined),
    summaryTexts: summaryTexts(edit),
    digest,
    budgetTokens: Math.max(0, targetTokens - measureMessages(after, state.measure)),
  };
}

/**
 * The budget of files behind a summary: a small one for the parts in use after a summary that only saves cost, the
 * usual one after any other.
 */
export function filesAfter(
  { reason }: Pick<LayerEdit, "reason">,
  { earlyFiles }: { readonly earlyFiles: ScaledTokens },
  windowTokens: number,
  usual: FileBudget = fileBudget(windowTokens),
): FileBudget {
  if (reason !== "rent" && reason !== "payback") return usual;
  const filesTokens = earlyFiles.tokens === 0 ? 0 : scaleTokens(earlyFiles, windowTokens);
  if (filesTokens >= usual.filesTokens) return usual;
  return { ...usual, filesTokens, isPartsInUse: true };
}

/** The sources of files that are restored from the log. */
interface LoggedFiles {
  readonly digest: Digest;
  readonly budget: FileBudget;
  /** Original blocks of entries that the window shows shortened, or not any longer. */
  readonly contentOf?: EntryContent;
}

/** Returns a compaction with recent files behind its summary, within its target; the edit itself where none fit. */
export function restoreFilesFromLog(
  edit: LayerEdit,
  state: WindowState,
  { digest, budget, contentOf }: LoggedFiles,
): LayerEdit {
  if (edit.isBoundary !== true || budget.filesTokens <= 0) return edit;
  const source = compactedWindow(edit, state, digest);
  const ranked = finish(firstCandidates(source));
  return finish(withFilesInSteps(edit, state, { source, ranked, budget, contentOf }));
}

/** The files that may be put back, best first. @internal */
export function* firstCandidates(source: RestorationSource): Steps<readonly RankedCandidate[]> {
  return (yield* candidatesInSteps(source)).slice(0, CANDIDATES_COUNT);
}

/** The window behind a compaction, and the files that may be put back. */
interface RankedFiles {
  readonly source: CompactedWindow;
  readonly ranked: readonly RankedCandidate[];
  readonly budget: FileBudget;
  readonly contentOf: EntryContent | undefined;
}

/** Puts files that were ranked behind a summary, in steps. @internal */
export function* withFilesInSteps(
  edit: LayerEdit,
  state: WindowState,
  { source, ranked, budget, contentOf }: RankedFiles,
): Steps<LayerEdit> {
  const { measure } = state;
  const leftTokens = source.budgetTokens - measureText(RESTORED_OPENING, measure);
  const filesTokens = Math.min(budget.filesTokens, leftTokens);
  const candidates = yield* loggedInSteps(ranked, source, contentOf);
  const { files } = yield* filesInSteps(candidates, { ...budget, filesTokens }, measure, state);
  if (files.length === 0) return edit;
  const texts = [RESTORED_OPENING, ...files.map(restoredFileText)];
  const content = texts.map((text) => ({ type: "text", text }) as const);
  return withInserted(edit, [{ role: "user", origin: "restored", content }]);
}

/** The messages that an edit takes from view. */
function hiddenBy(
  before: readonly VisibleMessage[],
  after: readonly VisibleMessage[],
): readonly VisibleMessage[] {
  const kept = new Set(after.map(({ seq, insertedBy }) => `${seq}:${insertedBy ?? ""}`));
  return before.filter(({ seq, insertedBy }) => !kept.has(`${seq}:${insertedBy ?? ""}`));
}

function summaryTexts({ effect }: LayerEdit): readonly string[] {
  return (effect.insert ?? []).flatMap(({ messages }) =>
    messages.flatMap(({ origin, content }) => (origin === "summary" ? content.map(blockText) : [])),
  );
}

/** The edit with messages behind its summary. */
export function withInserted(edit: LayerEdit, messages: readonly Message[]): LayerEdit {
  if (messages.length === 0) return edit;
  const insert = (edit.effect.insert ?? []).map((insertion) =>
    insertion.messages.some(({ origin }) => origin === "summary")
      ? { ...insertion, messages: [...insertion.messages, ...messages] }
      : insertion,
  );
  return { ...edit, effect: { ...edit.effect, insert } };
}
