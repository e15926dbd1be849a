/**
 * A session's window inside the agent of LangChain 1.x, as a middleware.
 *
 * DESIGN. The list of messages in the agent's state is the truth: it is reconciled before every call of the model, and is
 * never shortened. The model gets the window in its place: the agent's own objects where nothing changed, new ones of the
 * same classes elsewhere. LangChain gives new ids to messages that come without, and names an answer after the call, so
 * neither is what a message is recognised by.
 */

import type { AgentSession } from "../../agent/agent-session.ts";
import { SESSION_TOOLS } from "../../agent/tools/run-tools.ts";
import { checkOptions, flag, type OptionRules } from "../../base/options/check-options.ts";
import type { Message } from "../../transcript/blocks.ts";
import type { RequestMessage } from "../../transcript/window.ts";
import { LASTING_FIELDS, langchainMessage, langchainType } from "../../wire/langchain/from-langchain.ts";
import type { LangChainMessage } from "../../wire/langchain/langchain-fields.ts";
import { isEmptyMessage, langchainUnits, writeUnit } from "../../wire/langchain/to-langchain.ts";
import { sessionFinder } from "../shared/given-session.ts";
import { managedWindow } from "../shared/managed-window.ts";
import { ownObjects } from "../shared/own-objects.ts";
import { answerOf, definitionOf, modelOf, OFFERED_TOOLS, readTool, textOf } from "./model-call.ts";

/** The conversation that a call belongs to, as LangChain tells it to a middleware. */
export interface LangChainRuntime {
  readonly configurable?: { readonly thread_id?: string; readonly [key: string]: unknown } | undefined;
}

/** A session, or a function that finds the session of a thread. */
export type LangChainSession =
  | AgentSession
  | ((runtime: LangChainRuntime) => AgentSession | Promise<AgentSession>);

/** Options of {@link palimpsestMiddleware}. */
export interface LangChainMiddlewareOptions {
  /** Offers the tools that read what left the window, and answers them. @defaultValue true */
  readonly historyTools?: boolean;
}

const RULES: OptionRules<LangChainMiddlewareOptions> = { historyTools: flag };

/** What `createMiddleware` of LangChain takes. */
export interface LangChainMiddleware {
  readonly name: "palimpsest";
  wrapModelCall<Request extends ModelCallRequest, Answer>(
    request: Request,
    handler: (request: Request) => Answer | Promise<Answer>,
  ): Promise<Answer>;
  readonly wrapToolCall?: <Request extends ToolCallRequest, Answer>(
    request: Request,
    handler: (request: Request) => Answer | Promise<Answer>,
  ) => Promise<Answer>;
}

/** A call of the model, as far as it is used here. */
interface ModelCallRequest {
  readonly model: unknown;
  readonly messages: readonly LangChainMessage[];
  readonly systemMessage?: { readonly content: unknown } | undefined;
  readonly tools?: readonly unknown[];
  readonly runtime?: (LangChainRuntime & { readonly signal?: AbortSignal | undefined }) | undefined;
}

interface ToolCallRequest {
  readonly toolCall: { readonly name: string; readonly args: unknown };
  readonly tool: unknown;
  readonly runtime?: LangChainRuntime | undefined;
}

/**
 * Makes a middleware for `createAgent`: every call of the model gets the session's window in the place of the agent's
 * messages. Answers and their usage are recorded, a prompt that is refused for its size is made smaller once, and the
 * model gets the history tools.
 *
 * @example
 * ```ts
 * const middleware = [createMiddleware(palimpsestMiddleware(await palimpsest.session("my-agent")))];
 * const agent = createAgent({ model: new ChatAnthropic("claude-opus-5-5"), tools, systemPrompt, middleware });
 * ```
 * @throws `OptionError` for anything but a session of `createPalimpsest`, or a function
 * @param session - a session; or a function that finds it by `runtime.configurable.thread_id`, for an agent of many threads
 */
export function palimpsestMiddleware(
  session: LangChainSession,
  options: LangChainMiddlewareOptions = {},
): LangChainMiddleware {
  const finder = sessionFinder<LangChainRuntime>(session, { of: "palimpsestMiddleware", call: "$" });
  checkOptions("palimpsestMiddleware", options, RULES);
  const { historyTools = true } = options;
  const find = (runtime: LangChainRuntime = {}): Promise<AgentSession> => finder(runtime);
  const reader = new MessageReader();
  return {
    name: "palimpsest",
    wrapModelCall: async (request, handler) =>
      callModel(await find(request.runtime), { request, handler, reader, historyTools }),
    ...(historyTools
      ? {
          wrapToolCall: async (request, handler) => {
            const { name, args } = request.toolCall;
            if (request.tool !== undefined || !SESSION_TOOLS.some((tool) => tool.name === name))
              return handler(request);
            const found = await find(request.runtime);
            return handler({ ...request, tool: { name, invoke: () => found.runTool(name, args) } });
          },
        }
      : {}),
  };
}

interface WrappedCall<Request, Answer> {
  readonly request: Request;
  readonly handler: (request: Request) => Answer | Promise<Answer>;
  readonly reader: MessageReader;
  readonly historyTools: boolean;
}

async function callModel<Request extends ModelCallRequest, Answer>(
  session: AgentSession,
  { request, handler, reader, historyTools }: WrappedCall<Request, Answer>,
): Promise<Answer> {
  const { messages, systemMessage, runtime } = request;
  const own = request.tools ?? [];
  const taken = new Set(own.map((tool) => readTool(tool)?.name));
  const tools = [
    ...own,
    ...(historyTools ? OFFERED_TOOLS.filter((tool) => !taken.has(tool.function.name)) : []),
  ];
  // A system prompt among the messages stays where it is: it may not be summarised.
  const first = messages.findIndex((message) => langchainType(message) !== "system");
  const head = first === -1 ? [] : messages.slice(0, first);
  const list = messages.slice(head.length);
  const system = [systemMessage, ...head].map(textOf).join("\n\n").trim();
  const model = modelOf(request.model);
  const asked = {
    ...(model === undefined ? {} : { model }),
    ...(system === "" ? {} : { system }),
    tools: tools.map((tool) => definitionOf(tool, session)),
  };
  const window = managedWindow(session);
  const { signal } = runtime ?? {};
  let leaving = await window.prepare(
    { messages: list.map((one) => reader.read(one)), request: asked },
    signal,
  );
  for (;;) {
    const shown = [...head, ...reader.write(leaving.call.messages, list)];
    let answer: Answer;
    try {
      answer = await handler({ ...request, messages: shown, tools });
    } catch (error) {
      const instead = await window.recover(leaving, error, signal);
      if (instead === undefined) throw error;
      leaving = instead;
      continue;
    }
    await window.record(
      leaving,
      answerOf(answer, (message) => reader.read(message)),
    );
    return answer;
  }
}

/** Reads an agent's messages, each object once, and writes windows with them. */
class MessageReader {
  readonly #known = new WeakMap<object, ReadMessage>();

  read(native: LangChainMessage): Message {
    const calls = (native as { readonly tool_calls?: unknown }).tool_calls;
    const known = this.#known.get(native);
    if (known !== undefined && known.content === native.content && known.calls === calls)
      return known.message;
    const kept = langchainType(native) === "ai" ? LASTING_FIELDS : [...LASTING_FIELDS, "name"];
    const read = langchainMessage(native, kept);
    const message = read.content.every(isEmptyMessage) ? { ...read, content: [] } : read;
    this.#known.set(native, { content: native.content, calls, message });
    return message;
  }

  write(window: readonly RequestMessage[], list: readonly LangChainMessage[]): readonly LangChainMessage[] {
    const find = ownObjects(list.map((native) => ({ native, blocks: this.read(native).content })));
    const classes = new Map<string, unknown>(list.map((one) => [langchainType(one), one.constructor]));
    return window.flatMap(langchainUnits).map((unit): LangChainMessage => {
      const own = find(unit.blocks);
      if (own !== undefined) return own;
      const { type, data } = writeUnit(unit);
      const Class = classes.get(type);
      // Models take plain messages as well.
      return isMessageClass(Class) ? new Class(data) : { role: type, ...data };
    });
  }
}

interface ReadMessage {
  readonly content: unknown;
  readonly calls: unknown;
  readonly message: Message;
}

function isMessageClass(value: unknown): value is new (fields: object) => LangChainMessage {
  return typeof value === "function" && value !== Object;
}
