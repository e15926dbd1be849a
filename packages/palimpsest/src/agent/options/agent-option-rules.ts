/**
 * The rules of the options of sessions with a model, of turns and of compactions.
 */

import { OptionError } from "../../base/errors.ts";
import {
  anyString,
  anything,
  checkOptions,
  closed,
  duration,
  eachOf,
  either,
  flag,
  func,
  having,
  list,
  number,
  type OptionRules,
  object,
  oneOf,
  signal,
  text,
  wholeFrom,
} from "../../base/options/check-options.ts";
import type { FileBudget } from "../../compaction/restore/restore-files.ts";
import type { SessionHooks } from "../../ports/session-hooks.ts";
import type { PlanHost } from "../../session/compact/restored-context.ts";
import { REQUEST_RULES } from "../../session/options/session-option-rules.ts";
import type { AgentDefinition } from "../tasks/local-agent/agent-task.ts";
import type { RemoteWorker } from "../tasks/remote-agent/remote-client.ts";
import type { ShellOptions } from "../tasks/shell/shell-task.ts";
import type { TasksOptions } from "../tasks/task-options.ts";
import type { TaskLimits } from "../tasks/task-run.ts";
import type { AgentOptions, NotesOptions } from "./agent-options.ts";
import { checkTools } from "./tool-refusals.ts";
import type { AgentRequest, CompactOptions, PrepareOptions, TurnOptions } from "./turn/turn-options.ts";

const model = having(
  ["generate"],
  "a model client",
  "one, such as anthropicModel(client, { model }) or functionModel(async (request) => …)",
);

const NOTES_RULES: OptionRules<NotesOptions> = {
  updater: oneOf("forked", "cold", "extractive"),
  model,
  template: anything,
  prompt: anyString,
  costShareCap: anything,
  isGated: flag,
  editTool: closed({ name: text, arguments: object } satisfies OptionRules<
    NotesOptions["editTool"] & object
  >),
  updateTimeoutMs: duration,
};

const PLAN_RULES: OptionRules<PlanHost> = { plan: func, planMode: func };

const FILE_RULES: OptionRules<FileBudget> = {
  filesCount: number,
  fileTokens: number,
  filesTokens: number,
  isPartsInUse: flag,
};

const HOOK_RULES: OptionRules<SessionHooks> = {
  sessionStart: func,
  preCompact: func,
  postCompact: func,
  postSampling: func,
  failed: func,
};

const DEFINITION_RULES: OptionRules<AgentDefinition> = {
  description: anyString,
  model,
  system: anyString,
  tools: list,
  maxIterations: wholeFrom(1),
};

const SHELL_RULES: OptionRules<ShellOptions> = { folder: text, env: object };
const WORKER_RULES: OptionRules<RemoteWorker> = { url: text, token: anyString, description: anyString };
const LIMIT_RULES: OptionRules<TaskLimits> = {
  outputBytes: number,
  sessionOutputBytes: number,
  freeDiskBytes: number,
  runningCount: number,
};

const TASK_RULES: OptionRules<TasksOptions> = {
  shell: either(oneOf("off"), closed(SHELL_RULES)),
  agents: eachOf(closed(DEFINITION_RULES)),
  mcpServers: eachOf(having(["connect"], "a server", "an object with `connect(signal, program)`")),
  workers: eachOf(closed(WORKER_RULES)),
  limits: closed(LIMIT_RULES),
};

/** The options that `createPalimpsest` passes to each session. */
export const AGENT_RULES: OptionRules<AgentOptions> = {
  model,
  summaryModel: model,
  lightModel: model,
  hooks: closed(HOOK_RULES),
  restorers: list,
  fileReader: having(["read"], "a reader of files", "`folderFileReader(folder)`"),
  plan: either(oneOf("off"), closed(PLAN_RULES)),
  notes: either(oneOf("off"), closed(NOTES_RULES)),
  memory: having(["recall", "remember"], "a memory", "what `createMemory()` returns"),
  memoryExtraction: oneOf("auto", "rules", "model", "off"),
  restoredFiles: either(oneOf("off"), closed(FILE_RULES)),
  counters: list,
  summaryFailuresCount: wholeFrom(1),
  summaryTimeoutMs: duration,
  callTimeoutMs: duration,
  tasks: closed(TASK_RULES),
};

const TURN_RULES: OptionRules<TurnOptions> = {
  model: text,
  system: anyString,
  tools: list,
  providerTools: list,
  historyTools: flag,
  approve: func,
  onApproval: func,
  parameters: object,
  betas: list,
  onEvent: func,
  signal,
  maxIterations: wholeFrom(1),
};

/** Names that other libraries have for options of a turn, and what to write here. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ...["maxTokens", "max_tokens", "maxOutputTokens", "temperature", "toolChoice", "thinking", "reasoning"].map(
    (name) => [name, "`parameters`, in your provider's words, such as { max_tokens: 4_000 }"] as const,
  ),
  ["abortSignal", "`signal`"],
  ["maxSteps", "`maxIterations`"],
  ["maxTurns", "`maxIterations`"],
  ["stopWhen", "`maxIterations`"],
  ["instructions", "`system`"],
  ["systemPrompt", "`system`"],
]);

const PREPARE_RULES: OptionRules<PrepareOptions> = { signal };

const COMPACT_RULES: OptionRules<CompactOptions> = {
  signal,
  instructions: anyString,
  from: wholeFrom(1),
  upTo: wholeFrom(1),
};

/** Checks the options of recovering from a refusal. @throws `OptionError` */
export function checkRecover(options: PrepareOptions): void {
  checkOptions("recover", options, PREPARE_RULES);
}

/** Checks a request and the options of preparing it. @throws `OptionError` */
export function checkPrepare(request: AgentRequest, options: PrepareOptions): void {
  checkOptions("prepare", request, REQUEST_RULES);
  checkOptions("prepare", options, PREPARE_RULES);
}

/** @throws `OptionError` */
export function checkCompact(options: CompactOptions): void {
  checkOptions("compact", options, COMPACT_RULES);
}

/** Checks the options of a turn, and the tools that it runs. @throws `OptionError` */
export function checkTurn(options: TurnOptions, call: "turn" | "stream" = "turn"): void {
  if (options?.tools !== undefined) checkTools(options.tools);
  for (const [name, value] of Object.entries(options ?? {})) {
    const ours = OTHER_NAMES.get(name);
    if (ours === undefined || value === undefined) continue;
    throw new OptionError({ message: `\`${call}\` has no option \`${name}\`.`, hint: `Here it is ${ours}.` });
  }
  checkOptions(call, options, TURN_RULES);
}
