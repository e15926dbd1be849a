/**
 * The demo live: a user, the scripted agent and its tools around one session, call by call.
 */

import type { Message, Session } from "palimpsest";
import type { CallRequest, PreparedCall } from "palimpsest/internal";
import { EventLoopYielder, isObject, type JsonValue } from "palimpsest/internal";
import { estimateFixed, estimateMessage, tokenizerRatio } from "palimpsest/tokens";
import type { ToolUseBlock, Usage } from "palimpsest/transcript";
import { DEMO_DEFAULTS } from "../defaults/cli.ts";
import type { SessionTrack } from "../replay/measure/session-track.ts";
import { formatQuantity } from "../terminal/figures.ts";
import { DemoAgent, type DemoTask } from "./demo-agent.ts";
import type { DemoFact, DemoStory } from "./demo-facts.ts";
import type { DemoFactResult } from "./demo-json.ts";
import { DEMO_TOOLS, runDemoTool } from "./demo-tools.ts";
import { planWork } from "./demo-work.ts";
import type { Workspace } from "./demo-workspace.ts";

export interface StageSetting {
  readonly workspace: Workspace;
  readonly story: DemoStory;
  readonly targetTokens: number;
  readonly signal: AbortSignal;
  readonly onProgress: (share: number, windowTokens: number, words: string) => void;
}

/** How much was said in all. */
export interface ConversationFigures {
  readonly tokens: number;
  readonly fixedTokens: number;
  readonly messages: number;
  readonly toolCalls: number;
}

const SYSTEM = [
  "You review a code base. Read it with your tools, file by file, and change nothing.",
  "The conversation is longer than your window. Older parts are shown shortened, with pointers such as m12.0:",
  "history_search finds anything that was said or seen, history_read shows it whole. Never guess what you can look up.",
].join("\n");

/** When the user speaks between the beginning and the questions, by the share of the work that is done. */
const INTERLUDES: readonly { readonly share: number; readonly words: (story: DemoStory) => string }[] = [
  { share: 0.05, words: (story) => story.rulesPaste },
  { share: 0.12, words: (story) => story.logPaste },
  { share: 0.3, words: (story) => story.aside },
  { share: 0.7, words: () => "Fine so far. Look at the tests as well, if there are any." },
];
const CALLS_SHARE = 0.9;

/** Where user, agent and tools meet. */
export class DemoStage {
  readonly facts: DemoFactResult[] = [];
  billedPeakTokens = 0;
  readonly #setting: StageSetting;
  readonly #session: Session;
  readonly #track: SessionTrack;
  readonly #agent: DemoAgent;
  readonly #request: CallRequest;
  readonly #yielder: EventLoopYielder;
  #conversationTokens = 0;
  #messages = 0;
  #toolCalls = 0;
  /** What the story's first command printed, which a later question is about. */
  #firstCommandOutput: string | undefined;

  constructor(setting: StageSetting, session: Session, track: SessionTrack) {
    const { workspace, story, signal } = setting;
    this.#setting = setting;
    this.#session = session;
    this.#track = track;
    this.#yielder = new EventLoopYielder(signal);
    const { model } = DEMO_DEFAULTS;
    this.#agent = new DemoAgent({ model, work: planWork(workspace, story) });
    this.#request = { model, system: SYSTEM, tools: [...DEMO_TOOLS, ...historyTools(session)] };
  }

  get figures(): ConversationFigures {
    const { model, system, tools } = this.#request;
    const fixed = estimateFixed({ system: system ?? "", tools: JSON.stringify(tools) });
    return {
      tokens: Math.round(this.#conversationTokens),
      fixedTokens: Math.round(fixed * tokenizerRatio(model)),
      messages: this.#messages,
      toolCalls: this.#toolCalls,
    };
  }

  async play(): Promise<void> {
    const { story } = this.#setting;
    await this.#userSays(story.opening);
    for (const { share, words } of INTERLUDES) {
      await this.#work(share);
      await this.#userSays(words(story));
    }
    await this.#work(1);
    for (const fact of story.facts) await this.#ask(fact);
  }

  /** Lets the agent work until `share` of what is to be said was said. */
  async #work(share: number): Promise<void> {
    const { targetTokens } = this.#setting;
    while (
      this.#conversationTokens < targetTokens * share &&
      this.#track.calls.length < DEMO_DEFAULTS.maxCallsCount
    )
      await this.#iterate({ type: "work" });
    const words = `That is where I am: ${formatQuantity(this.#toolCalls, "call of tools", "calls of tools")} so far, nothing changed.`;
    await this.#iterate({ type: "pause", words });
  }

  async #ask(fact: DemoFact): Promise<void> {
    await this.#userSays(fact.question);
    while (await this.#iterate({ type: "question", fact }));
    const answer = this.#agent.answer;
    const expected = fact.expected ?? fact.pattern.exec(`\n${this.#firstCommandOutput ?? ""}`)?.[1];
    this.facts.push({
      name: fact.name,
      question: fact.question,
      expected: expected ?? "",
      ...(answer === undefined ? {} : { answer: answer.text, foundBy: answer.foundBy }),
      isRight: expected !== undefined && answer?.text === expected,
    });
  }

  /** One call of the model and the tools it asks for. Resolves with whether there were any. */
  async #iterate(task: DemoTask): Promise<boolean> {
    await this.#yielder.take();
    const startMs = performance.now();
    const call = await this.#session.prepare(this.#request);
    this.#track.take(call, performance.now() - startMs);
    const message = this.#agent.respond(task, call.messages);
    const usage = this.#bill(call, message);
    this.#heard(await this.#session.record({ messages: [message], usage, stopReason: "end_turn" }), message);
    const uses = message.content.filter((block) => block.type === "tool_use");
    this.#progress(call, task);
    if (uses.length === 0) return false;
    const results: Message = { role: "user", content: await Promise.all(uses.map((use) => this.#run(use))) };
    this.#heard(await this.#session.append(results), results);
    return true;
  }

  async #userSays(words: string): Promise<void> {
    const message: Message = { role: "user", origin: "user", content: [{ type: "text", text: words }] };
    this.#heard(await this.#session.append(message), message);
  }

  #heard(seqs: readonly number[], message: Message): void {
    this.#track.keep(seqs, [message]);
    this.#conversationTokens += estimateMessage(message) * tokenizerRatio(this.#request.model);
    this.#toolCalls += message.content.filter((block) => block.type === "tool_use").length;
    if (message.role === "assistant" || message.origin === "user") this.#messages++;
  }

  async #run({ id, name, input }: ToolUseBlock): Promise<Message["content"][number]> {
    const { workspace, signal, story } = this.#setting;
    const content =
      (await this.#session.history.runTool(name, input)) ??
      (await runDemoTool({ name, input }, workspace, signal));
    if (isCommand(input, story.firstCommand)) this.#firstCommandOutput ??= content;
    return { type: "tool_result", tool_use_id: id, content };
  }

  /** The scripted model bills by bytes, which has nothing to do with our estimator. */
  #bill(call: PreparedCall, answer: Message): Usage {
    const inputTokens = billed({ system: call.system, tools: call.tools, messages: call.messages });
    this.billedPeakTokens = Math.max(this.billedPeakTokens, inputTokens);
    return { inputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: billed(answer.content) };
  }

  #progress(call: PreparedCall, task: DemoTask): void {
    const share = Math.min(1, this.#conversationTokens / this.#setting.targetTokens);
    this.#setting.onProgress(
      share * CALLS_SHARE,
      call.tokens.total,
      task.type === "question" ? "questions" : "work",
    );
  }
}

/** True for the input of the shell call that runs this command. Several run in parallel and end in any order. */
function isCommand(input: JsonValue, command: string | undefined): boolean {
  return command !== undefined && isObject(input) && input["command"] === command;
}

function billed(value: unknown): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify(value), "utf8") / DEMO_DEFAULTS.billedBytesPerToken);
}

function historyTools(session: Session): readonly JsonValue[] {
  return session.history.tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: inputSchema,
  }));
}
