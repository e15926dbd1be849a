/**
 * A session of Palimpsest as the session of the OpenAI Agents SDK.
 *
 * DESIGN. What the SDK stored is a list of items; the log is reconciled with it after each change, so that items that were
 * taken out stay in the log and are hidden from the model. During a run the log is ahead of the list, because each call
 * of the model is prepared from it; what the SDK then decides not to store is hidden by the next list. In a new process
 * the list is what the log shows.
 */
import type { AgentSession } from "../../agent/agent-session.ts";
import { SESSION_TOOLS } from "../../agent/tools/run-tools.ts";
import { fromOpenAIAgents } from "../../wire/openai-agents/from-openai-agents.ts";
import { toOpenAIAgents } from "../../wire/openai-agents/to-openai-agents.ts";
import { givenSession } from "../shared/given-session.ts";
import { readLine } from "../shared/read-line.ts";
import { type AgentsModelRequest, AgentsWindow } from "./agents-window.ts";
import { lastingItems } from "./lasting-items.ts";
import { watchRun } from "./run-usage.ts";

/** The input of a call of the model, as a filter of the SDK gets and returns it. */
export interface AgentsModelData<Item> {
  input: Item[];
  instructions?: string;
}

/** A `callModelInputFilter`. */
interface AgentsInputFilter<Item> {
  (call: {
    modelData: AgentsModelData<Item>;
    agent: object;
    context?: unknown;
  }): Promise<AgentsModelData<Item>>;
  /** The filter changes no items, so it need not get copies. */
  readonly preserveInputIdentity: true;
}

/** A `Session` of the SDK; {@link OpenAIAgentsSession.model} or the filter gives its runs the session's window. */
export class OpenAIAgentsSession<Item extends object> {
  readonly acceptsRunContext = true;
  /**
   * The session's window before each call of the model, for `run` and `Runner`, where the model cannot be wrapped: a
   * refused prompt is not recovered from. See {@link model}.
   */
  readonly callModelInputFilter: AgentsInputFilter<Item>;
  readonly #session: AgentSession;
  readonly #window: AgentsWindow;
  /** What the SDK stored. */
  #items: Item[] | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** @internal Made by `agentsSession`. */
  constructor(session: AgentSession) {
    this.#session = session;
    this.#window = new AgentsWindow(session);
    const filter = async ({ modelData, agent, context }: Parameters<AgentsInputFilter<Item>>[0]) => {
      const { tools } = agent as { readonly tools?: readonly object[] };
      watchRun(this.#window, { agent, context });
      const request = {
        systemInstructions: modelData.instructions,
        input: modelData.input,
        tools: tools ?? [],
      };
      return { ...modelData, input: await this.#window.filter(modelData.input, request) };
    };
    this.callModelInputFilter = Object.assign(filter, { preserveInputIdentity: true } as const);
  }

  /**
   * The same model with the session's window: each call gets it in the place of its items, whichever run it is for.
   * Answers are recorded with their usage, and a prompt that is refused for its size is made smaller once.
   */
  model<Model extends object>(model: Model): Model {
    const window = this.#window;
    return new Proxy(model, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        const call = (...args: unknown[]): unknown => Reflect.apply(member, target, args);
        if (name !== "getResponse" && name !== "getStreamedResponse") return call;
        return (request: AgentsModelRequest) => {
          // The provider keeps the list: there is nothing to manage.
          if (request.previousResponseId !== undefined || request.conversationId !== undefined)
            return call(request);
          const send = (input: readonly object[]): unknown => call({ ...request, input });
          return name === "getResponse"
            ? window.ask(request, send as Parameters<AgentsWindow["ask"]>[1])
            : window.stream(request, send as Parameters<AgentsWindow["stream"]>[1]);
        };
      },
    });
  }

  /** The tools that read what left the window, made with the SDK's own `tool`. */
  historyTools<Tool>(tool: (options: never) => Tool): Tool[] {
    return SESSION_TOOLS.map(({ name, description, inputSchema }) => {
      const parameters = { ...inputSchema, additionalProperties: true };
      const execute = (input: unknown): Promise<string | undefined> => this.#session.runTool(name, input);
      return tool({ name, description, parameters, strict: false, execute } as never);
    });
  }

  async getSessionId(): Promise<string> {
    return this.#session.id;
  }

  /** All items that were stored, oldest first, or the newest `limit` of them; not the window. */
  getItems(limit?: number): Promise<Item[]> {
    return this.#inOrder(async () => {
      const items = await this.#stored();
      return limit === undefined ? [...items] : limit > 0 ? items.slice(-limit) : [];
    });
  }

  addItems(items: Item[], runContext?: object): Promise<void> {
    return this.#change((stored) => [...stored, ...items], runContext);
  }

  /** Takes the newest item out, and resolves with it; the log keeps it. */
  async popItem(): Promise<Item | undefined> {
    let popped: Item | undefined;
    await this.#change((stored) => {
      popped = stored.at(-1);
      return stored.slice(0, -1);
    });
    return popped;
  }

  /** Takes everything out; the log keeps it. */
  clearSession(): Promise<void> {
    return this.#change(() => []);
  }

  /** Stores these items instead of the others; the log keeps those. */
  replaceHistoryWithCompaction(items: Item[]): Promise<void> {
    return this.#change(() => [...items]);
  }

  /** Replaces calls of functions. */
  applyHistoryMutations({
    mutations,
  }: {
    mutations: readonly { readonly callId: string; readonly replacement: object }[];
  }): Promise<void> {
    const fresh = new Map(mutations.map(({ callId, replacement }) => [callId, replacement as Item]));
    const replaced = (item: Item): Item => {
      const { type, callId } = item as { readonly type?: unknown; readonly callId?: unknown };
      return (type === "function_call" ? fresh.get(String(callId)) : undefined) ?? item;
    };
    return this.#change((stored) => stored.map(replaced));
  }

  #change(change: (stored: readonly Item[]) => Item[], runContext?: object): Promise<void> {
    return this.#inOrder(async () => {
      const items = change(await this.#stored());
      if (runContext !== undefined) this.#window.reported(runContext);
      await this.#window.listed(items);
      await this.#session.reconcile(fromOpenAIAgents(lastingItems(items)));
      this.#items = items;
    });
  }

  async #stored(): Promise<Item[]> {
    this.#items ??= toOpenAIAgents<Item>(await readLine(this.#session));
    return this.#items;
  }

  #inOrder<Result>(step: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(step);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

/**
 * Makes a `Session` for the runs of the OpenAI Agents SDK, with what gives them the session's window.
 *
 * @typeParam Item - `AgentInputItem` of the SDK
 * @example
 * ```ts
 * const session = agentsSession<AgentInputItem>(await palimpsest.session("my-agent"));
 * const model = session.model(await new OpenAIProvider().getModel("gpt-5.2"));
 * const agent = new Agent({ name: "assistant", model, tools: [...session.historyTools(tool), ...tools] });
 * const { finalOutput } = await run(agent, "Fix the failing tests.", { session });
 * ```
 * @throws `OptionError` for anything but a session of `createPalimpsest`
 */
export function agentsSession<Item extends object>(session: AgentSession): OpenAIAgentsSession<Item> {
  return new OpenAIAgentsSession<Item>(givenSession(session, { of: "agentsSession", call: "$" }));
}
