/**
 * A chat: the one object that front ends drive. It takes turns, answers what they show (status, cost, window), and ends the
 * session. Events say what happens.
 */
import {
  type AgentSession,
  type AgentTool,
  OptionError,
  type openHome,
  type Palimpsest,
  PalimpsestError,
} from "palimpsest";
import type { PersistentMemory } from "palimpsest/memory";
import { resolveModelLimits, type TokenWarningState, tokenWarningState } from "palimpsest/tokens";
import type { PermissionMode, TurnResult } from "../base/chat-events.ts";
import type { OpenedModel } from "../models/open-model.ts";
import type { PermissionGate } from "../permissions/permission-gate.ts";
import type { ChatSettings } from "../settings/chat-settings.ts";
import type { ChatOptions } from "./chat-options.ts";

/** What a chat is made of. */
interface ChatParts {
  readonly options: ChatOptions;
  readonly palimpsest: Palimpsest;
  readonly session: AgentSession;
  readonly home: ReturnType<typeof openHome>;
  readonly memory: PersistentMemory;
  readonly model: OpenedModel;
  readonly settings: ChatSettings;
  readonly gate: PermissionGate;
  readonly tools: readonly AgentTool[];
  readonly system: string;
  readonly openModel: (name: string) => Promise<OpenedModel>;
}

/** A status line in figures. */
interface ChatStatus {
  readonly model: string;
  readonly mode: PermissionMode;
  readonly usedTokens: number;
  readonly windowTokens: number;
  /** Room left and warnings, as `tokenWarningState` has them. */
  readonly warning: TokenWarningState;
  /** Of the session, in $ at list prices; `undefined` if a price is not known, or before the first turn. */
  readonly costUsd: number | undefined;
  /** Share of the prompts of the last turn that came from the provider's cache, from 0 to 1. */
  readonly cacheShare: number | undefined;
  readonly runningTasks: number;
}

export class ChatAgent {
  readonly #parts: ChatParts;
  #stop: AbortController | undefined;
  #costUsd: number | undefined;
  #last: TurnResult | undefined;
  #running: Promise<unknown> = Promise.resolve();

  constructor(parts: ChatParts) {
    this.#parts = parts;
  }

  /** The session: its window, history, pins, tasks, notes. */
  get session(): AgentSession {
    return this.#parts.session;
  }

  get home(): ChatParts["home"] {
    return this.#parts.home;
  }

  get memory(): PersistentMemory {
    return this.#parts.memory;
  }

  get settings(): ChatSettings {
    return this.#parts.settings;
  }

  /** As `--model` takes it. */
  get modelName(): string {
    return this.#parts.model.name;
  }

  get toolNames(): readonly string[] {
    return this.#parts.tools.map(({ name }) => name);
  }

  get permissions(): PermissionGate {
    return this.#parts.gate;
  }

  /** True while a turn runs. */
  get isBusy(): boolean {
    return this.#stop !== undefined;
  }

  /**
   * Takes a turn. Resolves with its result, or with `undefined` if it failed or was stopped; the events say which.
   * A second turn at the same time is refused.
   * @throws `OptionError` while another turn runs
   */
  async send(input: string): Promise<TurnResult | undefined> {
    if (this.#stop !== undefined)
      throw new OptionError({ message: "A turn is running.", hint: "Wait for its end, or stop it." });
    const { options } = this.#parts;
    const stop = new AbortController();
    this.#stop = stop;
    const turn = this.#take(input, stop.signal).finally(() => {
      this.#stop = undefined;
    });
    this.#running = turn.catch(() => undefined);
    options.onEvent({ type: "turn-started", input });
    return turn;
  }

  async #take(input: string, signal: AbortSignal): Promise<TurnResult | undefined> {
    const { options, session, tools, system } = this.#parts;
    const startedAt = performance.now();
    try {
      const result = await session.turn(input, {
        system,
        tools,
        signal,
        ...(options.maxTurns === undefined ? {} : { maxIterations: options.maxTurns }),
        onEvent: (event) => {
          // `withActivity` reports results with their output.
          if (event.type !== "tool-result") options.onEvent({ type: "model", event });
        },
      });
      this.#last = result;
      this.#costUsd = (await session.spending()).costUsd;
      options.onEvent({ type: "turn-ended", result, tookMs: performance.now() - startedAt });
      return result;
    } catch (error) {
      const isAborted = signal.aborted || (error instanceof PalimpsestError && error.code === "ABORTED");
      options.onEvent({ type: "turn-failed", error, isAborted });
      return undefined;
    }
  }

  /** Stops the turn that runs: what was finished stays in the log. Resolves when it has ended. */
  async interrupt(): Promise<void> {
    this.#stop?.abort();
    await this.#running;
  }

  /** Switches between asking and not asking; see `PermissionMode`. */
  setMode(mode: PermissionMode): void {
    this.#parts.gate.mode = mode;
    this.#parts.options.onEvent({ type: "mode", mode });
  }

  /** The figures of a status line. Costs nothing. */
  status(): ChatStatus {
    const { session, model, gate, options } = this.#parts;
    const { usedTokens, windowTokens } = session.context();
    const limits = resolveModelLimits({
      model: model.client.model ?? model.name,
      option: {
        windowTokens,
        ...(options.windowTokens === undefined ? {} : { windowTokens: options.windowTokens }),
      },
    });
    const { inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = this.#last?.usage ?? {};
    const promptTokens = inputTokens + cacheReadTokens + cacheWriteTokens;
    return {
      model: model.name,
      mode: gate.mode,
      usedTokens,
      windowTokens,
      warning: tokenWarningState(usedTokens, limits),
      costUsd: this.#costUsd,
      cacheShare: promptTokens === 0 ? undefined : cacheReadTokens / promptTokens,
      runningTasks: session.tasks.list().filter(({ status }) => status === "running").length,
    };
  }

  /** Ends the chat: stops the turn, waits for notes and memories within their bounds, closes the session. */
  async close(): Promise<void> {
    await this.interrupt();
    const { palimpsest, memory, home } = this.#parts;
    await palimpsest.close();
    await memory.close();
    await home.close();
  }
}
