/**
 * The window of a session for the calls of the OpenAI Agents SDK.
 *
 * DESIGN. A run owns its list of items: history, input, and what was generated so far. It is reconciled before each call
 * of the model, which gets the window in its place. There are two places to do that. A wrapped model sees instructions and
 * tools, records what the model answers with its usage, and recovers from refusals. The run's `callModelInputFilter` comes
 * before the call only, so the answer of one call is recorded when the list of the next arrives. If a run has both, the
 * filter makes the window, and the model records.
 */
import type { AgentSession } from "../../agent/agent-session.ts";
import { asNumber, isObject, type JsonObject } from "../../base/json/json.ts";
import type { ModelAnswer, ModelClient } from "../../ports/model-client.ts";
import { formatTools } from "../../session/model/model-call.ts";
import type { Message, Usage } from "../../transcript/blocks.ts";
import { agentsItem, fromOpenAIAgents } from "../../wire/openai-agents/from-openai-agents.ts";
import { agentsUnits, fittingAgentsItems, ToolNames } from "../../wire/openai-agents/to-openai-agents.ts";
import { type LeavingCall, type ManagedWindow, managedWindow } from "../shared/managed-window.ts";
import { ownObjects } from "../shared/own-objects.ts";
import { lastingItems } from "./lasting-items.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A request to a model of the SDK, as far as it is used here. */
export interface AgentsModelRequest {
  readonly systemInstructions?: string | undefined;
  readonly input: string | readonly object[];
  readonly tools?: readonly object[];
  readonly handoffs?: readonly object[];
  readonly signal?: AbortSignal | undefined;
  readonly previousResponseId?: string | undefined;
  readonly conversationId?: string | undefined;
}

/** The calls of one session. @internal */
export class AgentsWindow {
  readonly #session: AgentSession;
  readonly #window: ManagedWindow;
  /** The call that a filter prepared, until its answer is recorded. */
  #filtered: SentCall | undefined;
  /** The usage of its answer, once a run's event told it. */
  #usage: unknown;

  constructor(session: AgentSession) {
    this.#session = session;
    this.#window = managedWindow(session);
  }

  /** The window instead of a run's items, before a call that the run makes. */
  async filter<Item extends object>(items: readonly Item[], request: AgentsModelRequest): Promise<Item[]> {
    await this.listed(items);
    this.#usage = undefined;
    this.#filtered = await this.#prepare(items, request);
    return [...this.#filtered.input] as Item[];
  }

  /** Takes the usage of a run so far; the first after a call has that call as its newest. */
  reported({ usage }: RunUsage): void {
    this.#usage ??= usage?.requestUsageEntries?.at(-1);
  }

  /** Records the answer to a filtered call once it is in the list: it follows the items that the call was made of. */
  async listed(items: readonly object[]): Promise<void> {
    const sent = this.#filtered;
    const [next] = sent === undefined ? [] : fromOpenAIAgents(lastingItems(items.slice(sent.items.length)));
    if (sent === undefined || next?.role !== "assistant") return;
    this.#filtered = undefined;
    await this.#window.record(sent.leaving, answerOf([next], this.#usage));
  }

  /** Asks a model with the window instead of the request's items, and records its answer. */
  async ask<Answer extends ModelOutput>(
    request: AgentsModelRequest,
    send: (input: readonly object[]) => Promise<Answer>,
  ): Promise<Answer> {
    let sent = await this.#sent(request);
    for (;;) {
      let answer: Answer;
      try {
        answer = await send(sent.input);
      } catch (error) {
        sent = await this.#instead(sent, error, request);
        continue;
      }
      await this.#record(sent, answer);
      return answer;
    }
  }

  /** The same for an answer that is streamed. */
  async *stream(
    request: AgentsModelRequest,
    send: (input: readonly object[]) => AsyncIterable<unknown>,
  ): AsyncGenerator<unknown> {
    let sent = await this.#sent(request);
    for (let hasBegun = false; ; ) {
      const head: unknown[] = [];
      try {
        for await (const event of send(sent.input)) {
          if (!hasBegun && isHead(event)) {
            head.push(event);
            continue;
          }
          hasBegun = true;
          yield* head.splice(0);
          // Before it is passed on: who has seen it may not read to the end.
          if (isObject(event) && event["type"] === "response_done")
            await this.#record(sent, event["response"] as ModelOutput);
          yield event;
        }
        yield* head;
        return;
      } catch (error) {
        if (hasBegun) throw error;
        sent = await this.#instead(sent, error, request);
      }
    }
  }

  /** The call for a request: the one that a filter prepared if it has its items, or a new one. */
  async #sent(request: AgentsModelRequest): Promise<SentCall> {
    const { input } = request;
    const items = typeof input === "string" ? [{ role: "user", content: input }] : input;
    const filtered = this.#filtered;
    // The SDK copies the items.
    const isFiltered = filtered !== undefined && JSON.stringify(filtered.input) === JSON.stringify(items);
    return isFiltered ? filtered : this.#prepare(items, request);
  }

  async #prepare(items: readonly object[], request: AgentsModelRequest): Promise<SentCall> {
    const { systemInstructions: system, tools = [], handoffs = [], signal } = request;
    const { model } = this.#session;
    const leaving = await this.#window.prepare(
      {
        messages: fromOpenAIAgents(lastingItems(items)),
        request: {
          ...(system === undefined || system === "" ? {} : { system }),
          tools: [...tools, ...handoffs].flatMap((tool) => definitionsOf(tool as Fields, model)),
        },
      },
      signal,
    );
    return sentCall(leaving, items);
  }

  async #instead(sent: SentCall, error: unknown, { signal }: AgentsModelRequest): Promise<SentCall> {
    const leaving = await this.#window.recover(sent.leaving, error, signal);
    if (leaving === undefined) throw error;
    return sentCall(leaving, sent.items);
  }

  async #record(sent: SentCall, { output, usage }: ModelOutput): Promise<void> {
    this.#filtered = undefined;
    await this.#window.record(sent.leaving, answerOf(fromOpenAIAgents(lastingItems(output)), usage));
  }
}

const HEAD_EVENTS: ReadonlySet<unknown> = new Set([
  ...["response_started", "response.created", "response.queued", "response.in_progress"],
]);

/** True for an event that comes before an answer: after it, OpenAI may still refuse a prompt as too long. */
function isHead(event: unknown): boolean {
  const { type, event: own } = isObject(event) ? event : {};
  return HEAD_EVENTS.has(type === "model" && isObject(own) ? own["type"] : type);
}

/** The context of a run, as far as it is used here. */
export interface RunUsage {
  readonly usage?: { readonly requestUsageEntries?: readonly object[] | undefined };
}

/** What a model of the SDK answers, whole or at the end of a stream. */
interface ModelOutput {
  readonly output: readonly object[];
  readonly usage?: unknown;
}

/** A call that left: the items that it was made of, and those that are sent instead. */
interface SentCall {
  readonly leaving: LeavingCall;
  readonly items: readonly object[];
  readonly input: readonly object[];
}

/** Items that the window shows as they were are the run's own objects: the SDK recognises its input by them. */
function sentCall(leaving: LeavingCall, items: readonly object[]): SentCall {
  const lasting = lastingItems(items);
  const find = ownObjects(
    items.map((native, index) => ({ native, blocks: agentsItem(lasting[index]!).content })),
  );
  const names = new ToolNames();
  const written = leaving.call.messages.flatMap(agentsUnits).flatMap((unit): readonly object[] => {
    const made = names.write(unit);
    const own = find(unit.blocks);
    return own === undefined ? made : [own];
  });
  return { leaving, items, input: fittingAgentsItems(written) };
}

/** A function tool or a handoff; of others only their name, because they may hold anything. */
function definitionsOf(tool: Fields, client: ModelClient): readonly unknown[] {
  const { type, name, description, parameters, toolName, toolDescription, inputJsonSchema } = tool;
  const schema = parameters ?? inputJsonSchema;
  if (!isObject(schema)) return [{ type: String(type), name: String(name) }];
  const definition = {
    name: String(name ?? toolName),
    description: String(description ?? toolDescription ?? ""),
    inputSchema: schema as JsonObject,
  };
  return formatTools(client, [definition]);
}

function answerOf(messages: readonly Message[], usage: unknown): ModelAnswer {
  const isCall = messages.some(({ content }) => content.some(({ type }) => type === "tool_use"));
  return {
    messages,
    stopReason: isCall ? "tool-use" : "end",
    ...(isObject(usage) ? { usage: usageOf(usage) } : {}),
  };
}

/** The SDK counts cached tokens as input, and writes the details of one call as a list, or alone. */
function usageOf({ inputTokens, outputTokens, inputTokensDetails: details }: Fields): Usage {
  const known: unknown = Array.isArray(details) ? details.at(-1) : details;
  const { cached_tokens: cached, cache_write_tokens: written } = (isObject(known) ? known : {}) as Fields;
  const [cacheReadTokens, cacheWriteTokens] = [asNumber(cached) ?? 0, asNumber(written) ?? 0];
  return {
    inputTokens: Math.max(0, (asNumber(inputTokens) ?? 0) - cacheReadTokens - cacheWriteTokens),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: asNumber(outputTokens) ?? 0,
  };
}
