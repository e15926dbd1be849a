/** Scripts of the goldens: their shape, and the work that most of them share. */
import { callTool, type ScriptStep } from "#palimpsest-testing/entries/index.ts";
import type { GoldenRun } from "./golden.ts";
import { runScript, type ScriptedRun, type ScriptOptions, SYSTEM, type Wire } from "./scripted-run.ts";
import { TOOLS, workAt } from "./scripted-work.ts";

export interface Script {
  readonly name: string;
  /** True if the default run includes it. */
  readonly isShort?: boolean;
  readonly live: (run: GoldenRun) => Promise<void>;
}

export type WorkOptions = Partial<ScriptOptions> & {
  readonly turns?: number;
  readonly thinks?: boolean;
  readonly streams?: boolean;
  readonly scale?: number;
  /** Pause between two turns. */
  readonly pauseMs?: number;
};

export const PER_TURN = 12;

/** Takes turns of the usual work. */
export async function work(
  life: ScriptedRun,
  { turns = 3, streams = false, pauseMs = 0 }: WorkOptions,
  from = 0,
) {
  const tools = life.calm(TOOLS);
  for (let turn = from; turn < from + turns; turn++) {
    await life.turn(`Please do part ${turn} of the parser. Always run the tests first.`, {
      ...{ system: SYSTEM, tools },
      ...(streams ? { onEvent: () => {} } : {}),
    });
    life.clock.advance(pauseMs);
  }
}

export const working = (name: string, options: WorkOptions = {}): Script => ({
  name,
  live: (run) => {
    const { thinks = false, scale = 1, turns: _, streams: __, pauseMs: ___, ...others } = options;
    const usual = (_request: unknown, index: number) => workAt(index, { perTurn: PER_TURN, thinks, scale });
    return runScript(run, { answer: usual, ...others }, (life) => work(life, options));
  },
});

export const WIRES: readonly Wire[] = ["anthropic", "anthropic-strict", "openai-chat", "openai-responses"];
export const UNGATED = { isGated: false, costShareCap: "off" } as const;

/** Answers with the steps in order, then with "Done." */
export const steps =
  (list: readonly ScriptStep[]): ScriptOptions["answer"] =>
  (_, index) =>
    list[index] ?? "Done.";

export const read = (index: number) =>
  callTool("Read", { file_path: `/repo/src/part${index}.ts` }, `read_${index}`);
