/**
 * The rules of the options of sessions with a model, of turns and of compactions.
 */

import {
  anyString,
  anything,
  checkOptions,
  duration,
  either,
  flag,
  func,
  having,
  list,
  type OptionRules,
  object,
  oneOf,
  signal,
  text,
  wholeFrom,
} from "../../base/options/check-options.ts";
import type { AgentOptions, NotesOptions } from "./agent-options.ts";
import { checkTools } from "./tool-refusals.ts";
import type { AgentRequest, CompactOptions, PrepareOptions, TurnOptions } from "./turn/turn-options.ts";

const model = having(
  ["generate"],
  "a model client",
  "one, such as anthropicModel(client, { model }) or functionModel(async (request) => …)",
);

/** The options that `createPalimpsest` passes to each session. */
export const AGENT_RULES: OptionRules<AgentOptions> = {
  model,
  summaryModel: model,
  lightModel: model,
  hooks: object,
  restorers: list,
  fileReader: having(["read"], "a reader of files", "`folderFileReader(folder)`"),
  plan: either(oneOf("off"), object),
  notes: either(oneOf("off"), object),
  memory: having(["recall", "remember"], "a memory", "what `createMemory()` returns"),
  memoryExtraction: oneOf("auto", "rules", "model", "off"),
  restoredFiles: either(oneOf("off"), object),
  counters: list,
  summaryFailuresCount: wholeFrom(1),
  summaryTimeoutMs: duration,
  callTimeoutMs: duration,
  tasks: object,
};

export const NOTES_RULES: OptionRules<NotesOptions> = {
  updater: oneOf("forked", "cold", "extractive"),
  model,
  template: anything,
  prompt: anyString,
  costShareCap: anything,
  isGated: flag,
  editTool: object,
  updateTimeoutMs: duration,
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

const PREPARE_RULES: OptionRules<PrepareOptions> = { signal };

const COMPACT_RULES: OptionRules<CompactOptions> = {
  signal,
  instructions: anyString,
  from: wholeFrom(1),
  upTo: wholeFrom(1),
};

/** The fields of a request; `checkCallRequest` checks the required ones. */
const REQUEST_RULES: OptionRules<AgentRequest> = {
  model: anything,
  system: anything,
  tools: anything,
  historyTools: flag,
  parameters: object,
  betas: list,
  reservedMarks: wholeFrom(0),
  endpointEdits: object,
};

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
export function checkTurn(options: TurnOptions): void {
  if (options.tools !== undefined) checkTools(options.tools);
  checkOptions("turn", options, TURN_RULES);
}
