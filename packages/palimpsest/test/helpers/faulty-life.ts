/**
 * The life of a session whose model fails: steps of a host, and the laws that hold after each of them.
 */

import { FakeClock } from "palimpsest-testing";
import type { AgentSession } from "#agent/agent-session.ts";
import type { NotesOptions } from "#agent/options/agent-options.ts";
import type { AgentTool } from "#agent/options/turn/turn-options.ts";
import { PalimpsestError } from "#base/errors.ts";
import type { PolicyName } from "#compaction/planner/cost-policy.ts";
import { createPalimpsest, type Palimpsest } from "#host/create-palimpsest.ts";
import type { ModelAnswer, ModelClient, ModelRequest } from "#ports/model-client.ts";
import type { SessionEvent } from "#session/events/events.ts";
import type { PreparedCall } from "#session/options/prepared-call.ts";
import { internalsOf } from "#session/session.ts";
import { blockText, type Message } from "#transcript/blocks.ts";
import { CallLedger } from "./call-ledger.ts";
import { asksForSummary, HastyDeadline } from "./faulty-model.ts";
import { asksForNotes, NOTES_TIMEOUT_MS } from "./notes-manners.ts";
import { MortalStore } from "./sessions.ts";
import { SourceTexts, wordsOf } from "./source-texts.ts";
import { within } from "./within.ts";

export interface LifeOptions {
  readonly windowTokens: number;
  readonly policy: PolicyName;
  /** Share of the window that the system prompt takes. */
  readonly systemShare: number;
  readonly hasSummaryModel: boolean;
  readonly notes: NotesOptions | "off";
  readonly meanwhile: ReadonlyMap<number, "abort" | "input" | "compact">;
}

/** The part of the model. */
export interface Player {
  readonly client: ModelClient;
  /** Its window, which a fault may have made smaller. */
  readonly windowTokens: number;
  /** Broken rules of the requests. */
  readonly wrongs: readonly string[];
  close?(): Promise<void>;
}

/** The state of the session that a player needs. */
export interface Prompter {
  readonly deadline: HastyDeadline;
  /** True if the next answer calls a tool. */
  readonly goesOn: () => boolean;
}

export type LifeStep =
  | {
      readonly do: "turn";
      readonly by: "turn" | "streamed" | "host";
      readonly calls: number;
      readonly resultShare: number;
    }
  | { readonly do: "compact"; readonly side: "whole" | "from" | "upTo"; readonly pick: number }
  | { readonly do: "undo"; readonly pick: number }
  | { readonly do: "reopen"; readonly isClean: boolean }
  | { readonly do: "pass"; readonly ms: number };

export const describeStep = (step: LifeStep): string => JSON.stringify(step);
/** Errors that a host may meet, by code. */
const ALLOWED: ReadonlySet<string> = new Set([
  "MODEL_FAILED",
  "PROMPT_TOO_LONG",
  "ABORTED",
  "COMPACTION_THRASHING",
  "COMPACTION_REFUSED",
  "UNDO_REFUSED",
  "NO_MESSAGES",
]);

export class FaultyLife {
  readonly problems: string[] = [];
  readonly events: SessionEvent[] = [];
  readonly #options: LifeOptions;
  readonly #store = new MortalStore();
  readonly #clock = new FakeClock();
  readonly #deadline: HastyDeadline;
  readonly #player: Player;
  readonly #model: ModelClient;
  #palimpsest: Palimpsest;
  readonly #ledger = new CallLedger();
  readonly #sourceTexts = new SourceTexts();
  readonly #aside: Promise<void>[] = [];
  readonly #system: string;
  #agent!: AgentSession;
  #abort = new AbortController();
  #callsLeft = 0;
  #resultTokens = 0;
  #count = 0;
  #calls = 0;

  static async begin(
    options: LifeOptions,
    play: (prompter: Prompter) => Player | Promise<Player>,
  ): Promise<FaultyLife> {
    const deadline = new HastyDeadline();
    let goesOn = (): boolean => false;
    const player = await play({ deadline, goesOn: () => goesOn() });
    const life = new FaultyLife(options, player, deadline);
    goesOn = () => life.#callsLeft-- > 0;
    life.#agent = await life.#palimpsest.create({ sessionId: "s" });
    return life;
  }

  private constructor(options: LifeOptions, player: Player, deadline: HastyDeadline) {
    this.#options = options;
    this.#player = player;
    this.#deadline = deadline;
    const { windowTokens, systemShare } = options;
    this.#system = `You work on a parser.${wordsOf(windowTokens * systemShare)}`;
    this.#model = this.#watched(player.client);
    this.#palimpsest = this.#process();
  }

  /** The client, with every call told before it is made. */
  #watched(client: ModelClient): ModelClient {
    const stream = client.stream?.bind(client);
    const tell = (request: ModelRequest): void => this.#called(request);
    return {
      ...client,
      generate: async (request, options) => {
        tell(request);
        return client.generate(request, options);
      },
      ...(stream === undefined
        ? {}
        : {
            stream: async (request, options) => {
              tell(request);
              return stream(request, options);
            },
          }),
    };
  }

  /** Creates the host, as a process does when it starts. */
  #process(): Palimpsest {
    const options = this.#options;
    const { windowTokens } = options;
    return createPalimpsest({
      model: this.#model,
      ...(options.hasSummaryModel ? { summaryModel: this.#model } : {}),
      store: this.#store,
      clock: this.#clock,
      deadline: this.#deadline,
      window: { windowTokens, policy: options.policy },
      notes: options.notes === "off" ? "off" : { updateTimeoutMs: NOTES_TIMEOUT_MS, ...options.notes },
      hooks: { postSampling: () => this.#ledger.answered() },
      observer: {
        onEvent: (event) => {
          this.events.push(event);
          this.#ledger.observe(event);
        },
      },
    });
  }

  /** Does a step; resolves with what it threw. */
  async live(step: LifeStep): Promise<unknown> {
    const count = ++this.#count;
    this.#ledger.began();
    const work = this.#do(step, count).then(
      () => undefined,
      (error: unknown) => error ?? new RangeError("It threw nothing."),
    );
    const error = await within(work, describeStep(step));
    await within(Promise.all(this.#aside.splice(0)), "what was done meanwhile");
    await this.#check(describeStep(step));
    if (error instanceof PalimpsestError && !this.#isAllowed(error))
      this.problems.push(`${describeStep(step)}: ${error.code}: ${error.message}`);
    return error;
  }

  async end(): Promise<void> {
    await within(this.#palimpsest.close(), "closing");
    this.problems.push(...this.#player.wrongs, ...this.#ledger.problems);
    if (this.#deadline.waiting > 0)
      this.problems.push(`${this.#deadline.waiting} deadlines are still waiting`);
    if (this.#sourceTexts.size === 0) return;
    const agent = await this.#palimpsest.open("s");
    const kept = new Set<string>();
    for (let seq = 1; seq < internalsOf(agent.session).writer.nextSeq; seq++)
      for (let index = 0; ; index++) {
        const block = await agent.session.history.block(`m${seq}.${index}`);
        if (block === undefined) break;
        kept.add(blockText(block));
      }
    const notes = await agent.readNotes();
    if (notes !== undefined && notes.text.match(/^# /gm)?.length !== 10) this.problems.push(notes.text);
    for (const text of this.#sourceTexts.missingFrom(kept)) this.problems.push(`lost: ${text.slice(0, 60)}`);
    await agent.close();
  }

  /** Closes the provider. */
  async leave(): Promise<void> {
    await this.#player.close?.();
  }

  #isAllowed({ code }: PalimpsestError): boolean {
    if (ALLOWED.has(code)) return true;
    // Without a policy nothing makes a request fit, and a provider may take less than its window.
    const { policy, windowTokens, systemShare } = this.#options;
    const isTight = this.#player.windowTokens < windowTokens * Math.max(0.5, systemShare * 2);
    return code === "WINDOW_TOO_SMALL" && (policy === "off" || isTight);
  }

  async #do(step: LifeStep, count: number): Promise<void> {
    switch (step.do) {
      case "turn":
        return this.#turn(step, count);
      case "compact":
        return this.#compact(step);
      case "undo":
        return this.#undo(step.pick);
      case "reopen":
        return this.#reopen(step.isClean);
      case "pass":
        return this.#clock.advance(step.ms);
    }
  }

  async #turn(step: LifeStep & { readonly do: "turn" }, count: number): Promise<void> {
    this.#abort = new AbortController();
    this.#sourceTexts.dropResults();
    this.#callsLeft = step.calls;
    this.#resultTokens = Math.round(this.#options.windowTokens * step.resultShare);
    const prompt = `The user asks for part ${count} of the work.`;
    if (step.by === "host") return this.#hostTurn(prompt);
    const { signal } = this.#abort;
    const { answer } = await this.#agent.turn(prompt, {
      system: this.#system,
      // The same tools as a host's: models that bind their thinking bind it to them, too.
      tools: this.#tools(),
      historyTools: false,
      signal,
      ...(step.by === "streamed" ? { onEvent: () => {} } : {}),
    });
    this.#sourceTexts.add(prompt);
    this.#sourceTexts.acknowledgeResults();
    this.#reportTexts(answer);
  }

  /** A host that calls its model itself. */
  async #hostTurn(prompt: string): Promise<void> {
    const { signal } = this.#abort;
    const tools = this.#tools();
    await this.#agent.append(userMessage(prompt));
    this.#sourceTexts.add(prompt);
    for (let iteration = 0; iteration < 40; iteration++) {
      const request = { system: this.#system, tools: tools.map((tool) => this.#format(tool)) };
      let call = await this.#agent.prepare(request, { signal });
      let answer: ModelAnswer | undefined;
      while (answer === undefined)
        try {
          const reply = await this.#agent.ask(
            (inner) => this.#model.generate(call, { signal: inner }),
            signal,
          );
          if (reply.messages.every(({ content }) => content.length === 0)) return;
          answer = reply;
        } catch (error) {
          call = await this.#agent.recover(error, { signal });
        }
      await this.#record(call, answer);
      this.#reportTexts(answer);
      const results = await this.#results(answer, tools);
      if (results === undefined) return;
      await this.#agent.append(results);
      this.#sourceTexts.acknowledgeResults();
    }
  }

  async #record(call: PreparedCall, answer: ModelAnswer): Promise<void> {
    const { messages, usage, stopReason } = answer;
    const reported = { callSeq: call.callSeq, messages, stopReason };
    try {
      await this.#agent.record({ ...reported, usage }, answer);
    } catch (error) {
      // Invalid usage is refused before anything is written.
      if (!(error instanceof PalimpsestError) || error.code !== "OPTION_INVALID") throw error;
      await this.#agent.record(reported, answer);
    }
  }

  async #results({ messages }: ModelAnswer, tools: readonly AgentTool[]): Promise<Message | undefined> {
    const calls = messages.flatMap(({ content }) => content.filter((block) => block.type === "tool_use"));
    if (calls.length === 0) return undefined;
    const context = { callId: "", signal: this.#abort.signal };
    const content = await Promise.all(
      calls.map(async ({ id, name, input }) => ({
        type: "tool_result" as const,
        tool_use_id: id,
        content: String(
          (await tools.find((tool) => tool.name === name)?.run(input, context)) ?? "No such tool.",
        ),
      })),
    );
    return { role: "user", content };
  }

  #tools(): readonly AgentTool[] {
    return ["Read", "mcp__docs__get"].map((name) => ({
      name,
      description: "Reads.",
      inputSchema: { type: "object" },
      run: (input) => {
        const text = `Result ${++this.#count} of ${JSON.stringify(input)}:${wordsOf(this.#resultTokens)}`;
        this.#sourceTexts.addResult(text);
        return text;
      },
    }));
  }

  #format({ name, description, inputSchema }: AgentTool): unknown {
    const asAnthropic = { name, description, input_schema: inputSchema };
    return this.#model.formatTool?.({ name, description, inputSchema }) ?? asAnthropic;
  }

  #reportTexts({ messages }: ModelAnswer): void {
    for (const { content } of messages)
      for (const block of content) if (block.type === "text") this.#sourceTexts.add(block.text);
  }

  async #compact({ side, pick }: LifeStep & { readonly do: "compact" }): Promise<void> {
    const { visible } = this.#agent.session;
    const pivot = visible[pick % Math.max(1, visible.length)]?.seq;
    const span = side === "whole" || pivot === undefined ? {} : { [side]: pivot };
    await this.#byHand(span);
  }

  async #byHand(span: object): Promise<void> {
    this.#ledger.byHand();
    await this.#agent.compact({ ...span, instructions: "BY HAND", signal: this.#abort.signal });
  }

  async #undo(pick: number): Promise<void> {
    const edits = this.events.flatMap((event) => (event.type === "layer" ? [event.seq] : []));
    const editSeq = edits[pick % Math.max(1, edits.length)];
    if (editSeq !== undefined) await this.#agent.session.undo(editSeq);
  }

  async #reopen(isClean: boolean): Promise<void> {
    if (this.#sourceTexts.size === 0) return;
    const { visible } = this.#agent.session;
    if (isClean) await this.#agent.close();
    else {
      await this.#store.kill();
      this.#deadline.forget();
    }
    this.#palimpsest = this.#process();
    this.#agent = await this.#palimpsest.open("s");
    this.#ledger.reopened(isClean);
    const now = this.#agent.session.visible;
    if (JSON.stringify(now) !== JSON.stringify(visible)) this.problems.push("it reopens to another window");
  }

  /** A call of the model has come in: what else happens now. */
  #called(request: ModelRequest): void {
    const index = this.#calls++;
    const isByHand = JSON.stringify(request.messages.at(-1)).includes("BY HAND");
    if (asksForNotes(request)) this.#ledger.noted();
    else {
      this.#ledger.called(asksForSummary(request), isByHand);
      if (!asksForSummary(request)) this.#sourceTexts.acknowledgeResults();
    }
    const happening = this.#options.meanwhile.get(index);
    if (happening === "abort") this.#abort.abort();
    const aside = (work: Promise<unknown>): void => {
      this.#aside.push(
        work.then(
          () => undefined,
          (error: unknown) => {
            if (!(error instanceof PalimpsestError)) this.problems.push(`meanwhile: ${String(error)}`);
            else if (!this.#isAllowed(error)) this.problems.push(`meanwhile: ${error.code} ${error.message}`);
          },
        ),
      );
    };
    if (happening === "compact") aside(this.#byHand({}));
    if (happening !== "input") return;
    const text = `The user adds ${index} in the middle.`;
    aside(this.#agent.append(userMessage(text)).then(() => this.#sourceTexts.add(text)));
  }

  /** The window is what the log says, at any moment. */
  async #check(what: string): Promise<void> {
    const { writer } = internalsOf(this.#agent.session);
    if (writer.isEmpty) return;
    const folded = await writer.readProjection(writer.nextSeq - 1);
    if (JSON.stringify(folded.visible) !== JSON.stringify(this.#agent.session.visible))
      this.problems.push(`after ${what} the log folds to another window`);
  }
}

const userMessage = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
