/**
 * `palimpsest demo`: a scripted agent works in a folder, live, through a window a fraction the size of
 * what is said, and is asked at the end for what it was told at the beginning.
 */
import { join, resolve } from "node:path";
import type { ContextBudget } from "palimpsest/tokens";
import { DEMO_DEFAULTS } from "../defaults/cli.ts";
import { isSound, judgeFit, type ReplayedSession } from "../replay/measure/replay-json.ts";
import { budgetOf, windowFigures } from "../replay/measure/source-figures.ts";
import { formatTokens, quantile, roundMs } from "../terminal/figures.ts";
import { Progress } from "../terminal/progress.ts";
import { withTempFolder } from "../terminal/temp-folder.ts";
import { type CliContext, layoutOf } from "../terminal/terminal.ts";
import { writeStory } from "./demo-facts.ts";
import type { DemoJson } from "./demo-json.ts";
import { type PlayedDemo, renderDemo } from "./demo-report.ts";
import { type DemoOutcome, playDemo } from "./demo-session.ts";
import { writeSyntheticWorkspace } from "./demo-synthetic.ts";
import { surveyWorkspace } from "./demo-workspace.ts";

interface DemoOptions {
  readonly folder: string;
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
  /** How much is to be said, in tokens. @defaultValue `targetTokens` */
  readonly targetTokens?: number | undefined;
  /** The window it has to live in, in tokens. @defaultValue `windowTokens` */
  readonly windowTokens?: number | undefined;
}

/** Plays the demo and resolves with the exit code: 0 only if every check held. */
export async function runDemo(options: DemoOptions, context: CliContext): Promise<number> {
  const progress = new Progress({
    terminal: context.err,
    isQuiet: options.quiet === true,
    nowMs: () => performance.now(),
  });
  try {
    const played = await withTempFolder((temp) => play(options, temp, context, progress));
    progress.clear();
    report(played, options, context);
    return played.json.hasPassed ? 0 : 1;
  } finally {
    progress.clear();
  }
}

async function play(
  options: DemoOptions,
  temp: string,
  context: CliContext,
  progress: Progress,
): Promise<PlayedDemo> {
  const windowTokens = options.windowTokens ?? DEMO_DEFAULTS.windowTokens;
  const asked = surveyWorkspace(resolve(context.folder, options.folder));
  const isSynthetic = asked.totalBytes < DEMO_DEFAULTS.minFolderBytes;
  const workspace = isSynthetic ? surveyWorkspace(writeSyntheticWorkspace(join(temp, "workspace"))) : asked;
  const outcome = await playDemo({
    workspace,
    story: writeStory(workspace),
    storeFolder: join(temp, "sessions"),
    targetTokens: options.targetTokens ?? DEMO_DEFAULTS.targetTokens,
    windowTokens,
    signal: context.signal,
    onProgress: (share, tokens, words) =>
      progress.show({ label: `demo: ${words}`, share, detail: `window ${formatTokens(tokens)}` }),
  });
  const budget = budgetOf(DEMO_DEFAULTS.model, windowTokens);
  const session = figuresOf(outcome, budget);
  const { facts, billedPeakTokens } = outcome;
  const hasPassed =
    isSound(session) && facts.every((fact) => fact.isRight) && billedPeakTokens <= windowTokens;
  const json: DemoJson = {
    version: 1,
    folder: asked.root,
    isSynthetic,
    session,
    billedPeakTokens,
    facts,
    hasPassed,
  };
  return { json, outcome, budget, workspace };
}

function figuresOf(
  { track, figures, lossless, rebuild, ...rest }: DemoOutcome,
  budget: ContextBudget,
): ReplayedSession {
  const prepareMs = track.calls.map((call) => call.prepareMs);
  const prompt = { source: "recorded", tokens: figures.fixedTokens } as const;
  const calls = track.calls.length;
  const overflows = track.calls.filter(({ tokens }) => tokens > budget.blockingTokens).length;
  return {
    source: { format: "demo", entries: track.originals.size, ...figures },
    window: windowFigures(budget, { model: DEMO_DEFAULTS.model, messages: [] }),
    prompt,
    calls,
    peakTokens: track.peakTokens,
    overflows,
    ...judgeFit({ calls, overflows, prompt }),
    layers: track.layers,
    invariants: track.invariants,
    lossless: { blocks: lossless.blocks, recovered: lossless.recovered },
    rebuild: { checked: rebuild.checked, different: rebuild.different },
    repairs: track.repairs.length,
    notRead: { records: 0, bytes: 0, isCutOff: false },
    bytesWritten: rest.bytesWritten,
    ms: {
      prepareP50: roundMs(quantile(prepareMs, 0.5)),
      prepareP99: roundMs(quantile(prepareMs, 0.99)),
      total: Math.round(rest.totalMs),
    },
  };
}

function report(played: PlayedDemo, options: DemoOptions, { out }: CliContext): void {
  if (options.json === true) out.write(`${JSON.stringify(played.json, undefined, 2)}\n`);
  else if (options.quiet !== true || !played.json.hasPassed)
    out.write(`${renderDemo(played, layoutOf(out)).join("\n")}\n`);
}
