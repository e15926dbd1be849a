/**
 * A chat: the one object that front ends drive. It takes turns, has the figures that they show, switches models and sessions,
 * and ends the session. Events say what happens.
 */
import { type AgentSession, OptionError, PalimpsestError } from "palimpsest";
import type { PersistentMemory } from "palimpsest/memory";
import { resolveModelLimits, type TokenWarningState, tokenWarningState } from "palimpsest/tokens";
import type { PermissionMode, TurnResult } from "../base/chat-events.ts";
import type { OpenedModel } from "../models/open-model.ts";
import type { PermissionGate } from "../permissions/permission-gate.ts";
import type { ChatSettings } from "../settings/chat-settings.ts";
import { type ChatLink, openLink, reopenLink, type SharedOptions } from "./chat-link.ts";
import type { ChatOptions, ChosenSession } from "./chat-options.ts";
import type { ChatTools } from "./chat-tools.ts";

/** The parts of a chat. */
interface ChatParts {
  readonly options: ChatOptions;
  readonly shared: SharedOptions;
  readonly link: ChatLink;
  readonly settings: ChatSettings;
  readonly made: ChatTools;
  readonly system: string;
  /** The note for the model when plan mode begins. */
  readonly planMode: string;
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
  /** The cost of the session, in $ at list prices; `undefined` if a price is not known, or as long as it is being read. */
  readonly costUsd: number | undefined;
  readonly isCostAtLeast: boolean; // Calls without a reported usage are left out.
  /** Share of the prompts of the last turn that came from the provider's cache, from 0 to 1. */
  readonly cacheShare: number | undefined;
  readonly runningTasks: number;
}

export class ChatAgent {
  readonly #parts: ChatParts;
  #link: ChatLink;
  #stop: AbortController | undefined;
  #cost: Awaited<ReturnType<AgentSession["spending"]>> | undefined;
  #last: TurnResult | undefined;
  #running: Promise<unknown> = Promise.resolve();
  /** The mode that the model knows of. */
  #knownMode: PermissionMode = "ask";

  constructor(parts: ChatParts) {
    this.#parts = parts;
    this.#link = parts.link;
    parts.made.bind(parts.link.session);
    this.#learnCost();
  }

  /** The session that is open: its window, history, pins, tasks, notes. */
  get session(): AgentSession {
    return this.#link.session;
  }

  get home(): SharedOptions["home"] {
    return this.#parts.shared.home;
  }

  get memory(): PersistentMemory {
    return this.#parts.shared.memory;
  }

  get settings(): ChatSettings {
    return this.#parts.settings;
  }

  /** As `--model` takes it. */
  get modelName(): string {
    return this.#link.model.name;
  }

  get toolNames(): readonly string[] {
    return this.#parts.made.tools.map(({ name }) => name);
  }

  get permissions(): PermissionGate {
    return this.#parts.made.gate;
  }

  /** True while a turn runs. */
  get isBusy(): boolean {
    return this.#stop !== undefined;
  }

  /**
   * Takes a turn. Resolves with its result, or with `undefined` if it failed or was stopped; the events say which.
   * @throws `OptionError` while another turn runs
   */
  async send(input: string): Promise<TurnResult | undefined> {
    this.#refuseDuringTurn();
    const stop = new AbortController();
    this.#stop = stop;
    const turn = this.#take(input, stop.signal);
    this.#running = turn;
    return turn;
  }

  async #take(input: string, signal: AbortSignal): Promise<TurnResult | undefined> {
    const { options, made, system } = this.#parts;
    const { session } = this.#link;
    const startedAt = performance.now();
    options.onEvent({ type: "turn-started", input });
    try {
      const result = await session.turn(this.#withMode(input), {
        system,
        tools: made.tools,
        signal,
        ...(options.maxTurns === undefined ? {} : { maxIterations: options.maxTurns }),
        onEvent: (event) => options.onEvent({ type: "model", event }),
      });
      this.#last = result;
      this.#cost = await session.spending();
      // No longer busy: a front end that hears of the end may begin the next turn.
      this.#stop = undefined;
      options.onEvent({ type: "turn-ended", result, tookMs: performance.now() - startedAt });
      return result;
    } catch (error) {
      this.#stop = undefined;
      const isAborted = signal.aborted || (error instanceof PalimpsestError && error.code === "ABORTED");
      options.onEvent({ type: "turn-failed", error, isAborted });
      return undefined;
    }
  }

  /** The input, with a note if plan mode began or ended since the model was asked last. */
  #withMode(input: string): Parameters<AgentSession["turn"]>[0] {
    const { mode } = this.permissions;
    const wasPlan = this.#knownMode === "plan";
    this.#knownMode = mode;
    if ((mode === "plan") === wasPlan) return input;
    const note = mode === "plan" ? this.#parts.planMode : "Plan mode is over.";
    return [
      { role: "user", content: [{ type: "text", text: input }] },
      { role: "user", origin: "host", content: [{ type: "text", text: note }] },
    ];
  }

  /** Stops the turn that runs: what was finished stays in the log. Resolves when it has ended. */
  async interrupt(): Promise<void> {
    this.#stop?.abort();
    await this.#running;
  }

  /** Switches between asking and not asking; see `PermissionMode`. */
  setMode(mode: PermissionMode): void {
    this.permissions.mode = mode;
    this.#parts.options.onEvent({ type: "mode", mode });
  }

  /** Goes on with another model, in the same session. @throws `OptionError` as `openChat`; nothing is changed then */
  async setModel(name: string): Promise<void> {
    this.#refuseDuringTurn();
    const model = await this.#parts.openModel(name);
    await this.#switch(() => reopenLink(this.#parts.shared, this.#link, model));
  }

  /** Goes on in another session. @throws `StoreError` if there is none, or it is in use; then a new one is open */
  async switchSession(chosen: ChosenSession): Promise<void> {
    this.#refuseDuringTurn();
    const { shared } = this.#parts;
    const { palimpsest, session, model } = this.#link;
    // Looked up before this one is closed: a name that is wrong changes nothing.
    if (chosen.from === "named") await shared.home.find(chosen.which);
    const back: ChosenSession =
      session.visible.length > 0 && shared.home.persistence.isOn
        ? { from: "named", which: session.id }
        : { from: "new" };
    await palimpsest.close();
    await this.#switch(async () => {
      try {
        return await openLink(shared, model, chosen);
      } catch (error) {
        this.#set(await openLink(shared, model, back));
        throw error;
      }
    });
  }

  async #switch(open: () => Promise<ChatLink>): Promise<void> {
    this.#set(await open());
    this.#cost = undefined;
    this.#last = undefined;
    this.#learnCost();
  }

  /** The cost of a session that goes on is in its log, which is read in the background. */
  #learnCost(): void {
    const { session } = this.#link;
    if (session.visible.length === 0) return;
    const learn = async (): Promise<void> => {
      const cost = await session.spending();
      if (this.session !== session || this.#cost !== undefined) return;
      this.#cost = cost;
      this.#parts.options.onEvent({ type: "cost" });
    };
    // The end of the next turn asks again.
    learn().catch(() => undefined);
  }

  #set(link: ChatLink): void {
    this.#link = link;
    this.#parts.made.bind(link.session);
  }

  #refuseDuringTurn(): void {
    if (this.#stop !== undefined)
      throw new OptionError({ message: "A turn is running.", hint: "Wait for its end, or stop it." });
  }

  /** The figures of a status line. Costs little. */
  status(): ChatStatus {
    const { session, model } = this.#link;
    const { usedTokens, windowTokens } = session.context();
    const limits = resolveModelLimits({ model: model.client.model ?? model.name, option: { windowTokens } });
    const { inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = this.#last?.usage ?? {};
    const promptTokens = inputTokens + cacheReadTokens + cacheWriteTokens;
    return {
      model: model.name,
      mode: this.permissions.mode,
      usedTokens,
      windowTokens,
      warning: tokenWarningState(usedTokens, limits),
      costUsd: this.#cost?.costUsd,
      isCostAtLeast: (this.#cost?.unmeteredCalls ?? 0) > 0,
      cacheShare: promptTokens === 0 ? undefined : cacheReadTokens / promptTokens,
      runningTasks: session.tasks.list().filter(({ status }) => status === "running").length,
    };
  }

  /** Ends the chat: stops the turn, waits for notes and memories within their bounds, closes the session. */
  async close(): Promise<void> {
    await this.interrupt();
    await this.#link.palimpsest.close();
    await this.#parts.made.close();
    await this.memory.close();
    await this.home.close();
  }
}
