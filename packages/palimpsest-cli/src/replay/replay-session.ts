/**
 * Replays one recorded session through a finite window, call by call, as a live host would have run it. Then checks on
 * the stored log that every window can be rebuilt and nothing was lost.
 */
import { basename } from "node:path";
import { nodeSessions, type Session } from "palimpsest";
import type { PolicyName } from "palimpsest/compaction";
import type { ImportedMessage, ImportedSession } from "palimpsest/formats";
import {
  type CallRequest,
  EventLoopYielder,
  internalsOf,
  isObject,
  type NodeSessionOptions,
  type SessionObserver,
} from "palimpsest/internal";
import { type ContextBudget, type ResolvedTariff, resolveTariff, type TariffName } from "palimpsest/tokens";
import {
  type CostFigures,
  type SurvivalFigures,
  trajectoryOf,
  WindowMeter,
} from "palimpsest-testing/internal";
import { describeError } from "../terminal/error-report.ts";
import { quantile, roundMs } from "../terminal/figures.ts";
import { RecordedUsage } from "./measure/billed-usage.ts";
import {
  type FailedSession,
  judgeFit,
  type PromptFigures,
  type ReplayedSession,
  type SourceFigures,
  type WindowFigures,
} from "./measure/replay-json.ts";
import { planReplay, RecordedClock, type ReplayStep } from "./measure/replay-plan.ts";
import { promptOf, type ReplayedPrompt } from "./measure/replayed-prompt.ts";
import { SessionTrack } from "./measure/session-track.ts";
import {
  budgetOf,
  mainModel,
  sourceFigures,
  sourceMessages,
  windowFigures,
} from "./measure/source-figures.ts";
import {
  checkLossless,
  checkRebuild,
  type LosslessResult,
  type RebuildResult,
} from "./measure/stored-checks.ts";
import { WireJudge } from "./measure/wire-judge.ts";
import type { PageCosts } from "./page/page-data.ts";
import type { PageRecorder } from "./page/page-recorder.ts";

/** Settings of a replay. */
export interface ReplaySettings {
  /** System prompt and tools in tokens; @defaultValue as recorded or billed */
  readonly fixedTokens?: number | undefined;
  /** Model to assume instead of the recorded one. */
  readonly model?: string | undefined;
  /** Policy that decides when rewriting the window pays. @defaultValue the library's */
  readonly policy?: PolicyName | undefined;
  /** Prices of tokens. @defaultValue the model's own */
  readonly tariff?: TariffName | undefined;
  /** `permissive` if earlier messages may be rewritten. @defaultValue derived from model and session */
  readonly editSafety?: "strict" | "permissive" | undefined;
}

interface ReplayTask extends ReplaySettings {
  /** The file as it was given, which figures and stored sessions name. */
  readonly file: string;
  readonly imported: ImportedSession;
  /** Folder that the session is stored in. */
  readonly folder: string;
  /** Window to use instead of the model's own. */
  readonly windowTokens?: number | undefined;
  /** Records the page of the session. */
  readonly page?: PageRecorder | undefined;
  readonly signal: AbortSignal;
  /** Called with the finished share, from 0 to 1, and the tokens that the window holds. */
  readonly onProgress: (share: number, windowTokens: number) => void;
}

/** A replayed session, with what the readable report shows beside the figures. */
export interface Replayed {
  readonly type: "replayed";
  readonly result: ReplayedSession;
  readonly storedAs: string;
  readonly budget: ContextBudget;
  readonly track: SessionTrack;
  readonly lossless: LosslessResult;
  readonly rebuild: RebuildResult;
  /** Cost of each call, for pages. */
  readonly costs: PageCosts;
  readonly imported: ImportedSession;
}

/** A session that could not be replayed, with as much of it as is known. */
export interface NotReplayed {
  readonly type: "failed";
  readonly result: FailedSession;
}

/** Everything that is decided before the first call. */
interface Setting {
  readonly source: SourceFigures;
  readonly window: WindowFigures;
  readonly prompt: ReplayedPrompt;
  readonly budget: ContextBudget;
  readonly request: CallRequest;
  readonly tariff: ResolvedTariff;
}

const BILLED_HINT =
  "The size of system prompt and tools is estimated from what was billed; --fixed N names another.";

/** Share of the progress bar that the calls take; the rest is for the checks. */
const CALLS_SHARE = 0.8;

/** Replays a session. A failure becomes a result; only an abort is thrown (`ABORTED`). */
export async function replaySession(task: ReplayTask): Promise<Replayed | NotReplayed> {
  const startedMs = performance.now();
  const setting = settingOf(task);
  try {
    return await replay(task, setting, startedMs);
  } catch (error) {
    if (task.signal.aborted) throw error;
    const { source, window } = setting;
    const prompt = promptFigures(setting);
    const report = describeError(error);
    const isBilled = report.code === "WINDOW_TOO_SMALL" && prompt.source === "billed";
    const hint = isBilled ? `${report.hint} ${BILLED_HINT}` : report.hint;
    return {
      type: "failed",
      result: { file: task.file, source, window, prompt, error: { ...report, hint } },
    };
  }
}

function settingOf({ imported, windowTokens, fixedTokens, ...asked }: ReplayTask): Setting {
  const { policy, tariff, editSafety } = asked;
  const model = asked.model ?? mainModel(imported);
  const budget = budgetOf(model, windowTokens);
  const { system, tools } = imported;
  const source = sourceFigures(imported, model);
  return {
    source,
    prompt: promptOf(imported, { model, recordedTokens: source.fixedTokens, fixedTokens }),
    window: windowFigures(budget, { model, messages: sourceMessages(imported), policy, editSafety }),
    budget,
    tariff: resolveTariff({ model, option: tariff }),
    // With the history tools beside the recorded ones, as an agent would run it here.
    request: { model, system, tools, historyTools: true },
  };
}

function promptFigures({ prompt: { source, tokens } }: Setting): PromptFigures {
  return { source, tokens };
}

async function replay(task: ReplayTask, setting: Setting, startedMs: number): Promise<Replayed> {
  const { imported } = task;
  const yielder = new EventLoopYielder(task.signal);
  const track = new SessionTrack(new WireJudge({ hasAnthropicTools: hasAnthropicTools(imported) }));
  const clock = new RecordedClock(startOf(imported));
  const sessions = nodeSessions({ folder: task.folder, clock });
  const meter = meterOf(task, setting);
  const options = sessionOptions(task, track);
  const session = await sessions.create(options);
  internalsOf(session).tracker.ledger.reserveFixed(setting.prompt.reservedTokens);
  await session.setMetadata("source.file", task.file);
  await session.setMetadata("source.windowTokens", setting.window.tokens);
  const usage = new RecordedUsage({ model: setting.request.model });
  const steps = planReplay(imported.items);
  for (const [index, step] of steps.entries()) {
    await yielder.take();
    task.onProgress((index / steps.length) * CALLS_SHARE, track.calls.at(-1)?.tokens ?? 0);
    await take(step, { session, track, page: task.page, usage, request: setting.request, clock, meter });
  }
  task.page?.noted(await internalsOf(session).digest.get(), setting.window.tokens);
  const { survival, cost } = meter;
  const costs = { calls: meter.calls };
  await session.close();

  const reopened = await sessions.open(session.id, options);
  const rebuild = await checkRebuild(reopened, track.calls, yielder);
  task.onProgress((1 + CALLS_SHARE) / 2, track.calls.at(-1)?.tokens ?? 0);
  const lossless = await checkLossless(reopened, track.originals, yielder);
  await reopened.close();

  // Opening it again may have added a checkpoint.
  const bytesWritten = session.bytesWritten() + reopened.bytesWritten();
  const measured = { track, usage, survival, cost, rebuild, lossless, bytesWritten };
  const result = figuresOf({ task, setting, startedMs, ...measured });
  const { budget } = setting;
  const stored = { storedAs: session.id, track, lossless, rebuild };
  return { type: "replayed", result, ...stored, costs, budget, imported };
}

/** Start of the recording; the present if it has no time. */
function startOf(imported: ImportedSession): number {
  const first = sourceMessages(imported).find(({ message }) => message.at !== undefined);
  return first?.message.at ?? Date.now();
}

/** Makes the meter, which prices the replayed window. A system prompt that was not recorded is not priced. */
function meterOf(
  { imported, file }: ReplayTask,
  { request: { model }, tariff, source: { fixedTokens } }: Setting,
): WindowMeter {
  const trajectory = trajectoryOf(imported, { name: basename(file), model, fixedTokens });
  return new WindowMeter(trajectory, tariff);
}

/** Recorded tools are passed unchanged: Anthropic's have a schema under this name, or a type. */
function hasAnthropicTools({ tools = [] }: ImportedSession): boolean {
  return tools.every(
    (tool) =>
      isObject(tool) &&
      (isObject(tool["input_schema"]) || (typeof tool["type"] === "string" && tool["type"] !== "function")),
  );
}

function sessionOptions(task: ReplayTask, track: SessionTrack): NodeSessionOptions {
  const { format, sessionId } = task.imported;
  return {
    observer: observedBy(track, task.page),
    // A replay can be run again: nothing of it has to survive a power loss.
    durability: "process",
    window: {
      windowTokens: task.windowTokens,
      policy: task.policy,
      tariff: task.tariff,
      editSafety: task.editSafety,
    },
    source: { format, sessionId },
  };
}

function observedBy(track: SessionTrack, page: PageRecorder | undefined): SessionObserver {
  if (page === undefined) return track;
  return {
    onEvent: (event) => {
      track.onEvent(event);
      page.onEvent(event);
    },
  };
}

/** The parts that a step of the replay uses. */
interface Driven {
  readonly session: Session;
  readonly track: SessionTrack;
  readonly page: PageRecorder | undefined;
  readonly usage: RecordedUsage;
  readonly request: CallRequest;
  readonly clock: RecordedClock;
  readonly meter: WindowMeter;
}

/** Carries out one step of the replay. */
async function take(step: ReplayStep, driven: Driven): Promise<void> {
  const { session, track, usage, clock, meter } = driven;
  if (step.type === "metadata") {
    if (step.isBoundary) usage.contextReplaced();
    await session.setMetadata(step.key, step.value);
  } else if (step.type === "append") {
    usage.added(step.item);
    const { message } = step.item;
    clock.observe(message);
    const seqs = await session.append(message);
    track.keep(seqs, [message]);
    for (const seq of seqs) meter.addMessage(message, seq);
  } else await call(step.answer, driven);
}

/** Prepares a request, measures its window, and records the recorded answer. */
async function call(
  answer: readonly ImportedMessage[],
  { session, track, page, usage, request, clock, meter }: Driven,
): Promise<void> {
  const startMs = performance.now();
  const prepared = await session.prepare(request);
  track.take(prepared, performance.now() - startMs);
  page?.take(session.visible, prepared);
  meter.called({
    visible: session.visible,
    markedBlocks: prepared.cacheMarks.flatMap(
      ({ message, block }) => prepared.messages[message]?.content[block] ?? [],
    ),
    nowMs: clock.nowMs(),
    answer: answer[0]?.message,
  });
  if (answer.length === 0) return;
  const sample = usage.answered(answer);
  const messages = answer.map((item) => item.message);
  for (const message of messages) clock.observe(message);
  // The recorded usage belongs to the recorded tool's context, not to this window, so it is not recorded with the
  // answer.
  const stopReason = answer.find((item) => item.stopReason !== undefined)?.stopReason;
  const seqs = await session.record({ messages, stopReason });
  track.keep(seqs, messages);
  seqs.forEach((seq, index) => {
    const message = messages[index];
    if (message !== undefined) meter.addMessage(message, seq);
  });
  if (sample !== undefined) session.calibrate(sample);
}

function figuresOf(run: {
  readonly task: ReplayTask;
  readonly setting: Setting;
  readonly track: SessionTrack;
  readonly usage: RecordedUsage;
  readonly survival: SurvivalFigures;
  readonly cost: CostFigures;
  readonly rebuild: RebuildResult;
  readonly lossless: LosslessResult;
  readonly bytesWritten: number;
  readonly startedMs: number;
}): ReplayedSession {
  const { task, setting, track, rebuild, lossless } = run;
  const prepareMs = track.calls.map((call) => call.prepareMs);
  const prompt = promptFigures(setting);
  const calls = track.calls.length;
  const overflows = track.calls.filter(({ tokens }) => tokens > setting.budget.blockingTokens).length;
  return {
    file: task.file,
    source: setting.source,
    window: setting.window,
    prompt,
    calls,
    peakTokens: track.peakTokens,
    overflows,
    ...judgeFit({ calls, overflows, prompt }),
    layers: track.layers,
    invariants: track.invariants,
    lossless: { blocks: lossless.blocks, recovered: lossless.recovered },
    rebuild: { checked: rebuild.checked, different: rebuild.different },
    estimator: run.usage.figures(),
    survival: run.survival,
    cost: run.cost,
    repairs: task.imported.repairs.length + track.repairs.length,
    notRead: task.imported.notRead ?? { records: 0, bytes: 0, isCutOff: false },
    bytesWritten: run.bytesWritten,
    ms: {
      prepareP50: roundMs(quantile(prepareMs, 0.5)),
      prepareP99: roundMs(quantile(prepareMs, 0.99)),
      total: Math.round(performance.now() - run.startedMs),
    },
  };
}
