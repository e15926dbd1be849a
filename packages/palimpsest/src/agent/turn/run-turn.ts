/**
 * A turn: the user's message, and every call of the model and of its tools until it hands back.
 *
 * DESIGN. Each iteration prepares a call, sends it, records the answer and runs the tools that it asks for.
 * What fails on the way is recovered from once an iteration, or ends the turn with a typed error. What a
 * cut answer had finished is kept as an interrupted message. A turn always ends: the model hands back, a
 * limit is reached, or an error is thrown.
 */
import { AGENT_DEFAULTS } from "../../base/defaults/agent.ts";
import { errorMessage, ModelError, PalimpsestError } from "../../base/errors.ts";
import { stopIfAborted } from "../../base/stop-if-aborted.ts";
import type { ModelAnswer, ModelClient, ModelEvent } from "../../ports/model-client.ts";
import type { Deadline } from "../../ports/runtime.ts";
import { HISTORY_TOOLS } from "../../session/history/history-tools.ts";
import { formatTools, modelRequest } from "../../session/model/model-call.ts";
import { validateUsage } from "../../session/model/validate-answer.ts";
import type { CallAnswer, CallRequest, PreparedCall } from "../../session/options/prepared-call.ts";
import { internalsOf, type Session } from "../../session/session.ts";
import {
  type ContentBlock,
  type MessageInput,
  sumUsage,
  type ToolUseBlock,
  type Usage,
} from "../../transcript/blocks.ts";
import {
  type AgentRequest,
  type PrepareOptions,
  type TurnOptions,
  type TurnResult,
  tell,
} from "../options/turn/turn-options.ts";
import { runTools, SESSION_TOOLS } from "../tools/run-tools.ts";
import { checkThrashing, LoopWatch, repeating } from "./stuck-turn.ts";

const STOPPED = {
  what: "The turn",
  hint: "The messages so far are in the log; take another turn when you like.",
};

/** A session with a model, as far as a turn uses it. */
interface TurnAgent {
  readonly session: Session;
  readonly model: ModelClient;
  readonly deadline: Deadline;
  /** The request that was prepared last, without its conversation. */
  readonly lastRequest: CallRequest | undefined;
  begin(): Promise<void>;
  append(messages: MessageInput | readonly MessageInput[]): Promise<readonly number[]>;
  prepare(request: AgentRequest, options: PrepareOptions): Promise<PreparedCall>;
  ask<Answer>(
    work: (signal: AbortSignal) => Promise<Answer>,
    signal: AbortSignal | undefined,
  ): Promise<Answer>;
  record(answer: CallAnswer, from?: ModelAnswer): Promise<readonly number[]>;
  recover(error: unknown, options: PrepareOptions): Promise<PreparedCall>;
}

/** The result of a turn, before what it cost is added up. */
type EndedTurn = Omit<TurnResult, "spent">;

/** Takes a turn of a session. @internal */
export async function runTurn(
  agent: TurnAgent,
  input: MessageInput | readonly MessageInput[],
  options: TurnOptions,
): Promise<EndedTurn> {
  stopIfAborted(options.signal, STOPPED);
  await agent.begin();
  const request = requestOf(agent, options);
  // The input may be shown as a preview, which names the tools only if the request has them.
  internalsOf(agent.session).budgets.means.receive(offersHistory(options), request.tools);
  await agent.append(input);
  const loop = new LoopWatch();
  const usages: Usage[] = [];
  const most = options.maxIterations ?? AGENT_DEFAULTS.iterationsCount;
  for (let iterations = 1; ; iterations++) {
    stopIfAborted(options.signal, STOPPED);
    // A turn that one call answers is answered, however full the window is; only a longer one is stopped.
    if (iterations > 1) checkThrashing(agent.session);
    const answer = await iterate(agent, request, options);
    if (answer.usage !== undefined) usages.push(answer.usage);
    const ended = (endedBy: TurnResult["endedBy"]): Promise<EndedTurn> =>
      finish(agent, { text: textOf(answer), endedBy, answer, iterations, usage: sumUsage(usages) });
    const calls = callsOf(answer);
    if (answer.stopReason === "refusal") return ended("refusal");
    if (answer.stopReason === "output-limit" && calls.length === 0) return ended("output-limit");
    if (calls.length > 0) {
      const results = await runTools(agent, calls, options);
      await agent.append({ role: "user", origin: "tool", content: results });
      const { count: compactions } = internalsOf(agent.session).watch;
      if (loop.isLoop(calls, results, compactions)) return ended("loop");
      if (loop.isRepeating) throw repeating(agent.session);
    } else if (answer.stopReason !== "paused") return ended("done");
    if (iterations >= most) return ended("iterations");
  }
}

/** One answer: prepared, asked for, recovered once where that helps, and recorded. */
async function iterate(agent: TurnAgent, request: AgentRequest, options: TurnOptions): Promise<ModelAnswer> {
  const { signal } = options;
  let call = await agent.prepare(request, { signal });
  for (;;) {
    tell(options, { type: "call", call });
    const finished: ContentBlock[] = [];
    try {
      const answer = withUsage(agent, await send(agent, call, { ...options, finished }));
      if (answer.stopReason === "window-full") throw windowFull();
      if (answer.messages.every(({ content }) => content.length === 0)) throw emptyAnswer(answer);
      await agent.record(answerOf(call, answer), answer);
      tell(options, { type: "answer", answer });
      return answer;
    } catch (error) {
      if (error instanceof PalimpsestError && !(error instanceof ModelError)) throw error;
      call = await recovered(agent, error, { signal, finished, call });
    }
  }
}

async function send(
  agent: TurnAgent,
  call: PreparedCall,
  { onEvent, signal, finished }: TurnOptions & { readonly finished: ContentBlock[] },
): Promise<ModelAnswer> {
  const { model, session } = agent;
  const request = modelRequest(
    agent.lastRequest ?? call,
    { messages: call.messages, cacheMarks: call.cacheMarks, providerEdits: call.providerEdits },
    internalsOf(session).cache.lifetimes,
  );
  const stream = model.stream?.bind(model);
  if (onEvent === undefined || stream === undefined)
    return agent.ask((inner) => model.generate(request, { signal: inner }), signal);
  const onPiece = (event: ModelEvent): void => {
    if (event.type === "block") finished.push(event.block);
    tell({ onEvent }, event);
  };
  return agent.ask((inner) => stream(request, { signal: inner, onEvent: onPiece }), signal);
}

/** Leaves out usage that is not valid, or more than the window can hold, and reports it: the answer matters more. */
function withUsage(agent: TurnAgent, answer: ModelAnswer): ModelAnswer {
  const { usage, ...rest } = answer;
  try {
    const read = validateUsage(usage, internalsOf(agent.session).budgets.budget.windowTokens);
    return read === undefined ? rest : { ...rest, usage: read };
  } catch (error) {
    const reason = errorMessage(error);
    internalsOf(agent.session).emit({
      type: "counter-failed",
      counter: agent.model.provider,
      reason,
    });
    return rest;
  }
}

function requestOf(agent: TurnAgent, options: TurnOptions): AgentRequest {
  const { model, system, parameters, betas, providerTools = [], tools = [], historyTools = true } = options;
  const taken = new Set(tools.map(({ name }) => name));
  const own = historyTools ? SESSION_TOOLS.filter(({ name }) => !taken.has(name)) : [];
  const defined = formatTools(agent.model, [...tools, ...own]);
  const all = [...defined, ...providerTools];
  return { model, system, ...(all.length === 0 ? {} : { tools: all }), parameters, betas };
}

/** True if the model can search and read, by the session's own tools or by the host's of these names. */
function offersHistory({ tools = [], historyTools = true }: TurnOptions): boolean {
  return historyTools || HISTORY_TOOLS.every(({ name }) => tools.some((tool) => tool.name === name));
}

function answerOf(
  { callSeq }: PreparedCall,
  { messages, usage, rawStopReason, stopReason, providerEdits }: ModelAnswer,
): CallAnswer {
  return { callSeq, messages, usage, stopReason: rawStopReason ?? stopReason, providerEdits };
}

interface CutCall {
  readonly signal: AbortSignal | undefined;
  /** Blocks of the answer that came whole. */
  readonly finished: readonly ContentBlock[];
  readonly call: PreparedCall;
}

/** The request to send instead; if there is none, the finished blocks of the answer are kept. */
async function recovered(
  agent: TurnAgent,
  error: unknown,
  { signal, finished, call }: CutCall,
): Promise<PreparedCall> {
  try {
    // The caller aborted it: there is nothing to recover.
    stopIfAborted(signal, { ...STOPPED, cause: error });
    return await agent.recover(error, { signal });
  } catch (final) {
    await keepInterrupted(agent, finished, call);
    throw final;
  }
}

/** Keeps the finished text of an answer that broke off, marked as interrupted. */
async function keepInterrupted(
  agent: TurnAgent,
  finished: readonly ContentBlock[],
  call: PreparedCall,
): Promise<void> {
  const kept = finished.filter(({ type }) => type === "text");
  if (kept.length === 0) return;
  await agent.record({
    callSeq: call.callSeq,
    messages: [{ role: "assistant", content: kept, interrupted: true }],
    stopReason: "interrupted",
  });
}

async function finish(agent: TurnAgent, result: EndedTurn): Promise<EndedTurn> {
  const { inTurn, makeDurable } = internalsOf(agent.session);
  await inTurn(makeDurable);
  return result;
}

/** The window was full before the answer was: as if the provider had refused the prompt. */
function windowFull(): ModelError {
  return new ModelError(
    { kind: "prompt-too-long" },
    {
      message: "The window was full while the model was answering.",
      hint: "Use a model with a larger window.",
    },
  );
}

function emptyAnswer({ rawStopReason = "no reason" }: ModelAnswer): ModelError {
  return new ModelError(
    { kind: "unreadable-answer" },
    {
      message: `The model's answer was empty (${rawStopReason}).`,
      hint: "Go on with an empty turn: the messages so far are in the log.",
    },
  );
}

function callsOf({ messages }: ModelAnswer): readonly ToolUseBlock[] {
  return messages.flatMap(({ content }) => content.filter((block) => block.type === "tool_use"));
}

function textOf({ messages }: ModelAnswer): string {
  return messages
    .flatMap(({ content }) => content.flatMap((block) => (block.type === "text" ? [block.text] : [])))
    .join("");
}
