/**
 * `palimpsest context [SESSION]`: what fills the window of a stored session, as a coloured bar and a table.
 */
import {
  clearedTokens,
  contextUse,
  figuresOf,
  learnedWindows,
  thinkingBudget,
  WINDOWS_MARK,
} from "palimpsest/internal";
import { estimateBlock, estimateFixed, planBudget, resolveModelLimits } from "palimpsest/tokens";
import type { CallEntry } from "palimpsest/transcript";
import { parseWindowSize } from "../command-line/window-option.ts";
import {
  findCall,
  findLastCall,
  foldWindow,
  type OpenedLog,
  windowOf,
  withLog,
} from "../stored-sessions/read-session.ts";
import {
  LATEST_ARGUMENT,
  type PlaceCall,
  type PlaceFlags,
  sessionCommand,
} from "../stored-sessions/session-place.ts";
import { nameOf } from "../stored-sessions/session-words.ts";
import { layoutOf } from "../terminal/terminal.ts";
import { renderContext, type StoredContextUse } from "./context-report.ts";

interface ContextFlags extends PlaceFlags {
  readonly window?: number;
}

const WINDOW_OPTION = [
  "--window <tokens>",
  "window of the model, such as 200k (default: that of the last call)",
  parseWindowSize,
] as const;

export const contextCommand = sessionCommand(
  {
    name: "context",
    description: "show what fills the window of a session, by category",
    args: LATEST_ARGUMENT,
    options: [WINDOW_OPTION],
    examples: ["context", "context 3f2a91c0", "context 3f2a91c0 --window 64k --json"],
    notes: [
      "It shows the window as the next call would find it. Compaction starts at the size of the policies' gate.",
    ],
  },
  async ({ place, flags, context }: PlaceCall<ContextFlags>, which: string | undefined) =>
    withLog(place, which, async (opened) => {
      const use = await contextOf(opened, flags.window);
      return {
        json: { sessionId: opened.info.sessionId, ...use },
        out: renderContext(nameOf(opened.info) ?? opened.info.sessionId, use, layoutOf(context.out)),
      };
    }),
);

/** The window as a resume would find it. */
async function contextOf(opened: OpenedLog, asked: number | undefined): Promise<StoredContextUse> {
  const { projection, tracker, carried } = await foldWindow(opened);
  const call = await findLastCall(opened, projection);
  // A session that was imported made no calls here, but its answers name their model.
  const model =
    projection.callSeqs.length > 0
      ? tracker.ledger.model
      : (projection.visible.findLast((message) => message.model !== undefined)?.model ??
        tracker.ledger.model);
  const windowTokens = asked ?? windowOf(call, model);
  const limits = resolveModelLimits({ model, option: windowTokens === undefined ? {} : { windowTokens } });
  // As in an open session: a refusal is later news than the catalogue.
  const learned = asked === undefined ? learnedWindows(carried?.[WINDOWS_MARK])[model] : undefined;
  const budget = planBudget({ ...limits, ceilingTokens: learned });
  const use = contextUse({
    model,
    visible: tracker.shown(projection),
    clearedTokens: Math.round(
      clearedTokens(
        projection.visible,
        tracker.cleared,
        (block) => estimateBlock(block, model) * tracker.ledger.ratio,
      ),
    ),
    edits: projection.activeEdits,
    callSeqs: projection.callSeqs,
    figures: figuresOf(tracker, projection, thinkingBudget({ budget })),
    budget,
    windowSource:
      budget.windowTokens < limits.windowTokens || budget.windowTokens === learned
        ? "learned"
        : limits.windowSource,
    fixed: await fixedOf(opened, call),
  });
  const isOfCall = asked === undefined && use.windowSource === "option";
  return isOfCall ? { ...use, windowSource: "last-call" } : use;
}

/** System prompt and tools of the last call, from the texts beside the log. */
async function fixedOf(
  { log }: OpenedLog,
  last: CallEntry | undefined,
): Promise<{ readonly systemTokens: number; readonly toolsTokens: number }> {
  // A later call names the one that has them.
  const call = last?.fixedAs === undefined ? last : await findCall(log, last.fixedAs);
  const textOf = async (ref: CallEntry["system"]): Promise<string | undefined> =>
    ref === undefined ? undefined : await log.getBlob(ref.hash).catch(() => undefined);
  const [system, tools] = await Promise.all([textOf(call?.system), textOf(call?.tools)]);
  return {
    systemTokens: system === undefined ? 0 : estimateFixed({ system }),
    toolsTokens: tools === undefined ? 0 : estimateFixed({ tools }),
  };
}
