/**
 * The window of a session for `generateText` and `streamText`.
 *
 * Before each step the session makes the request; after it, the answer with its usage and the results of its tools are
 * recorded. AI SDK 7 hands the messages of one step on to the next, so only those of the first step are read.
 */

import type { AgentSession } from "../../agent/agent-session.ts";
import { OptionError } from "../../base/errors.ts";
import { asString, isObject } from "../../base/json/json.ts";
import {
  anyString,
  checkOptions,
  flag,
  type OptionRules,
  object,
  oneOf,
} from "../../base/options/check-options.ts";
import { internalsOf } from "../../session/session.ts";
import { aiSdkUsage, stopOf } from "../../wire/ai-sdk/answer.ts";
import { isSameJson } from "../../wire/ai-sdk/carrier.ts";
import { type AiSdkMessage, fromModelMessages } from "../../wire/ai-sdk/model-messages.ts";
import { MessageWriter, takesMarks } from "../../wire/ai-sdk/to-ai-sdk.ts";
import { givenSession } from "../shared/given-session.ts";
import { type AiSdkTool, aiSdkTools, definitionsOf } from "./ai-sdk-tools.ts";

/** Options of an `aiSdkWindow`. All are optional. */
export interface AiSdkWindowOptions<Tools> {
  /** The system prompt. */
  readonly system?: string;
  /** Your tools. */
  readonly tools?: Tools;
  /**
   * The messages that you pass to `generateText`: `new` if it is only what the user says now, `full` if it is the whole
   * conversation, which your program keeps. A full list is compared with the session: what it leaves out is hidden.
   * @defaultValue `new`
   */
  readonly list?: "new" | "full";
  /** False: the model cannot search the history. @defaultValue true */
  readonly historyTools?: boolean;
}

const RULES: OptionRules<AiSdkWindowOptions<object>> = {
  system: anyString,
  tools: object,
  list: oneOf("new", "full"),
  historyTools: flag,
};

/** What `generateText` and `streamText` need of a session: spread it into their options. */
export interface AiSdkWindow<Tools> {
  /** Absent if the window was not given one. */
  readonly system?: string;
  /** Your tools, with those of the session's history. */
  readonly tools: Tools;
  /** Makes the request of a step. */
  readonly prepareStep: <Sent>(step: AiSdkStepStart<Sent>) => Promise<{ messages: Sent[] }>;
  /** Records the answer of a step. */
  readonly onStepFinish: (step: AiSdkStep) => Promise<void>;
}

/** The part of a step that is read before it. */
interface AiSdkStepStart<Sent> {
  readonly messages: Sent[];
  readonly stepNumber: number;
  readonly steps: readonly AiSdkStep[];
  readonly model: unknown;
  /** The system prompt of the step, from version 7 on. */
  readonly instructions?: unknown;
  /** Messages of the user that came while the model was working. */
  readonly experimental_steeringMessages?: readonly unknown[];
}

/** The part of a step that is read after it. */
interface AiSdkStep {
  readonly response: { readonly messages: readonly unknown[]; readonly modelId?: string };
  readonly usage: object;
  readonly finishReason: string;
  readonly providerMetadata?: unknown;
}

/**
 * The window of a session for `generateText` and `streamText` of `ai` 5, 6 and 7.
 *
 * @example
 * ```ts
 * const window = aiSdkWindow(session, { system: "Be brief.", tools: { bash } });
 * const { text } = await generateText({ model, prompt: "List the files", stopWhen: stepCountIs(10), ...window });
 * ```
 * @throws `OptionError` for anything but a session of `createPalimpsest`
 */
export function aiSdkWindow<Tools extends object = object>(
  session: AgentSession,
  options: AiSdkWindowOptions<Tools> = {},
): AiSdkWindow<Tools & Partial<Record<"history_search" | "history_read", AiSdkTool>>> {
  givenSession(session, { of: "aiSdkWindow", call: "$, options" });
  checkOptions("aiSdkWindow", options, RULES);
  const { system, list = "new", historyTools = true } = options;
  const tools = { ...(historyTools ? aiSdkTools({ session }) : {}), ...options.tools } as Tools;
  const steps = new StepRecorder(session);
  let definitions: ReturnType<typeof definitionsOf> | undefined;
  /** System messages at the start of the host's list. */
  let head: readonly AiSdkMessage[] = [];
  const take = async (messages: readonly AiSdkMessage[]): Promise<void> => {
    const received = fromModelMessages(messages);
    if (list === "full") await session.reconcile(received);
    else if (messages.some(({ role }) => role === "assistant") && hasAnswered(session)) throw fullList();
    else await session.append(received);
  };
  return {
    ...(system === undefined ? {} : { system }),
    tools,
    prepareStep: async <Sent>(step: AiSdkStepStart<Sent>) => {
      await session.begin();
      for (const one of step.steps) await steps.record(one);
      const isFirst = step.stepNumber === 0;
      const added = isFirst ? step.messages : (step.experimental_steeringMessages ?? []);
      const { head: own, rest } = splitSystem(added as readonly AiSdkMessage[]);
      if (isFirst) head = own;
      if (isFirst) await take(rest);
      else if (rest.length > 0) await session.append(fromModelMessages(rest));
      definitions ??= definitionsOf(tools);
      const { modelId, provider = "", specificationVersion = "v3" } = modelOf(step.model);
      const call = await session.prepare({
        ...(modelId === undefined ? {} : { model: modelId }),
        system: [system ?? instructionsText(step.instructions), ...head.map(textOf)]
          .filter((text) => text !== "")
          .join("\n\n"),
        tools: await definitions,
        historyTools,
      });
      steps.sent(call.callSeq, isFirst);
      const { cacheTtl } = internalsOf(session.session).cache.lifetimes;
      const form = {
        version: specificationVersion,
        takesMarks: takesMarks(provider),
        form: "request",
      } as const;
      const messages = new MessageWriter(form, { cacheMarks: call.cacheMarks, cacheTtl }).write(
        call.messages,
      );
      return { messages: [...head, ...messages] as unknown as Sent[] };
    },
    onStepFinish: (step) => steps.record(step),
  };
}

/** Records every step once, if `prepareStep` or `onStepFinish` is called first. */
class StepRecorder {
  readonly #session: AgentSession;
  readonly #seen = new WeakSet<AiSdkStep>();
  #callSeq: number | undefined;
  #newest: unknown;

  constructor(session: AgentSession) {
    this.#session = session;
  }

  /** A call of the model follows, the first of its kind where it `isFirst`. */
  sent(callSeq: number, isFirst: boolean): void {
    this.#callSeq = callSeq;
    if (isFirst) this.#newest = undefined;
  }

  async record(step: AiSdkStep): Promise<void> {
    if (this.#seen.has(step)) return;
    const { response, usage, finishReason, providerMetadata } = step;
    // Some versions list the messages of all steps so far.
    const listed = response.messages as readonly AiSdkMessage[];
    const start = listed.findLastIndex(({ role }) => role === "assistant");
    const isOld = start === -1 || isSameJson(listed[start], this.#newest);
    const [answer, ...results] = isOld ? [] : listed.slice(start);
    const messages = fromModelMessages(answer === undefined ? [] : [answer]);
    const stop = stopOf(finishReason);
    const reported = aiSdkUsage(usage, providerMetadata);
    const { modelId: model } = response;
    const own = messages.map((message) => (model === undefined ? message : { ...message, model }));
    await this.#session.record(
      { callSeq: this.#callSeq, messages: own, usage: reported, stopReason: finishReason },
      { messages: own, usage: reported, ...stop },
    );
    // If the store fails, the step is recorded before the next one.
    this.#seen.add(step);
    this.#newest = answer ?? this.#newest;
    if (results.length > 0) await this.#session.append(fromModelMessages(results));
  }
}

/** System messages at the start of a list belong to the system prompt. @internal */
export function splitSystem<M extends { readonly role: string }>(
  messages: readonly M[],
): { readonly head: readonly M[]; readonly rest: readonly M[] } {
  const found = messages.findIndex(({ role }) => role !== "system");
  const end = found === -1 ? messages.length : found;
  return { head: messages.slice(0, end), rest: messages.slice(end) };
}

/** Instructions are a text, a system message, or several. */
function instructionsText(instructions: unknown): string {
  const all = Array.isArray(instructions) ? instructions : [instructions];
  return all.map((one) => asString(one) ?? textOf(isObject(one) ? one : {})).join("\n\n");
}

const textOf = ({ content }: { readonly content?: unknown }): string => asString(content) ?? "";

function modelOf(model: unknown): { modelId?: string; provider?: string; specificationVersion?: string } {
  return isObject(model) ? model : {};
}

const hasAnswered = ({ visible }: AgentSession): boolean => visible.some(({ role }) => role === "assistant");

function fullList(): OptionError {
  return new OptionError({
    message: "The messages repeat an earlier answer, which the session has already.",
    hint: 'Pass only what is new, or tell the window that you pass all: aiSdkWindow(session, { list: "full" }).',
  });
}
