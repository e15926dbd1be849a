/**
 * A processor for the agents of Mastra: before each step it puts the model behind the session's window.
 *
 * Mastra calls language models of the AI SDK, so a step's model is wrapped as `wrapLanguageModel` would wrap it. Prompts
 * that are refused for their size are recovered from inside the call, where Mastra has nothing to repeat.
 */

import type { AgentSession } from "../../agent/agent-session.ts";
import { OptionError } from "../../base/errors.ts";
import { isObject } from "../../base/json/json.ts";
import { checkOptions, flag, type OptionRules, oneOf } from "../../base/options/check-options.ts";
import type { AiSdkMessage } from "../../wire/ai-sdk/model-messages.ts";
import { aiSdkTools } from "../ai-sdk/ai-sdk-tools.ts";
import { callThroughWindow, type ModelCall } from "../ai-sdk/managed-call.ts";
import { sessionFinder } from "../shared/given-session.ts";

/** Options of a `mastraProcessor`. All are optional. */
export interface MastraProcessorOptions {
  /**
   * The messages that the agent gets: `new` if it is only what the user says now, `full` if it is the whole
   * conversation, which your program or the agent's memory keeps. What a full list leaves out is hidden.
   * @defaultValue `new`
   */
  readonly list?: "new" | "full";
  /** False: the model cannot search the history. @defaultValue true */
  readonly historyTools?: boolean;
}

const RULES: OptionRules<MastraProcessorOptions> = { list: oneOf("new", "full"), historyTools: flag };

/** The part of a step that is read. */
export interface MastraStep<Model = unknown> {
  readonly model: Model;
  readonly stepNumber: number;
  readonly tools?: Record<string, unknown>;
  /** Kept by Mastra for all steps of a request. */
  readonly state: Record<string, unknown>;
  /** The messages so far; each names its thread. */
  readonly messages: readonly { readonly threadId?: string }[];
}

/** A processor for `inputProcessors` of an agent. */
export interface MastraProcessor {
  readonly id: "palimpsest";
  readonly processInputStep: <Model>(
    step: MastraStep<Model>,
  ) => Promise<{ model: Model; tools: Record<string, unknown> }>;
}

/**
 * A processor for an agent of Mastra 1: every call of its model has the window of the session, and is recorded. For an
 * agent with several threads, pass a function that returns the session of a step.
 *
 * @example
 * ```ts
 * const agent = new Agent({ name, instructions, model, tools, inputProcessors: [mastraProcessor(session)] });
 * const { text } = await agent.generate("List the files");
 * ```
 * @throws `OptionError` for anything but a session of `createPalimpsest`, or a function
 */
export function mastraProcessor(
  session: AgentSession | ((step: MastraStep) => AgentSession | Promise<AgentSession>),
  options: MastraProcessorOptions = {},
): MastraProcessor {
  const find = sessionFinder<MastraStep>(session, { of: "mastraProcessor", call: "$" });
  checkOptions("mastraProcessor", options, RULES);
  const { list = "new", historyTools = true } = options;
  return {
    id: "palimpsest",
    processInputStep: async (step) => {
      const own = await find(step);
      const selectNew = list === "new" ? newSince(step) : undefined;
      return {
        model: managedModel(own, step.model, selectNew),
        tools: { ...(historyTools ? aiSdkTools({ session: own }) : {}), ...step.tools },
      };
    },
  };
}

type SelectNew = (messages: readonly AiSdkMessage[]) => readonly AiSdkMessage[];

/** Selects what a step adds: everything in the first one, later the results of tools; nothing if it is repeated. */
function newSince({ state, stepNumber }: MastraStep): SelectNew {
  return (messages) => {
    if (state["palimpsestStep"] === stepNumber) return [];
    state["palimpsestStep"] = stepNumber;
    if (stepNumber === 0) return messages;
    return messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1);
  };
}

function managedModel<Model>(session: AgentSession, model: Model, selectNew: SelectNew | undefined): Model {
  if (!isObject(model) || typeof model["doStream"] !== "function")
    throw new OptionError({
      message: "The model of the step is not a language model of the AI SDK.",
      hint: 'Give the agent a model that is one, such as `anthropic("claude-opus-4-6")` of `@ai-sdk/anthropic`.',
    });
  return new Proxy(model, {
    get: (target, name) => {
      if (name === "doGenerate" || name === "doStream")
        return (params: ModelCall["params"]) =>
          callThroughWindow(session, name, { params, model: target as never }, selectNew);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  }) as Model;
}
