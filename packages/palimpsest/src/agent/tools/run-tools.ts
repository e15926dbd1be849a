/**
 * Runs the tools that an answer calls. Every call gets a result, in the order of the calls.
 *
 * DESIGN. The calls of one answer run at the same time. A call of a tool that says `parallel: false` waits for those
 * before it, and those after it wait for its end. Approvals are asked for one after another, in the order of the
 * calls, because a person answers them. A tool that throws, is unknown, was not approved, takes too long or was aborted
 * answers with a failed result, in words for the model. The tools of the session's own history are answered by the
 * session.
 */
import { errorMessage } from "../../base/errors.ts";
import type { ToolDefinition } from "../../ports/model-client.ts";
import type { Deadline } from "../../ports/runtime.ts";
import { HISTORY_TOOLS } from "../../session/history/history-tools.ts";
import { PIN_TOOL } from "../../session/history/pin-tool.ts";
import { askWithin } from "../../session/model/ask-within.ts";
import type { Session } from "../../session/session.ts";
import type { ToolResultBlock, ToolUseBlock } from "../../transcript/blocks.ts";
import { type AgentTool, type ToolContext, type TurnOptions, tell } from "../options/turn/turn-options.ts";
import { STOPPED_BEFORE, whyDenied } from "./approval.ts";
import { failed, resultOf } from "./tool-results.ts";

/** The session whose calls are run; it answers calls of the session's tools itself. */
interface ToolCaller {
  readonly session: Session;
  readonly deadline: Deadline;
}

/** The tools that a session answers by itself. */
export const SESSION_TOOLS: readonly ToolDefinition[] = [...HISTORY_TOOLS, PIN_TOOL];

/** Time limit of a call whose tool has none. Our choice: as long as a call of a model. */
const TOOL_TIMEOUT_MS = 600_000;
const SECOND_MS = 1_000;
const STOPPED_WHILE = "The user stopped the turn while this call was running.";

/** Runs `calls` and returns their results in the same order. Never throws. */
export async function runTools(
  agent: ToolCaller,
  calls: readonly ToolUseBlock[],
  options: TurnOptions,
): Promise<readonly ToolResultBlock[]> {
  const running: Promise<ToolResultBlock>[] = [];
  let approvals: Promise<unknown> = Promise.resolve();
  const inOrder = <Result>(ask: () => Promise<Result>): Promise<Result> => {
    const asked = approvals.then(ask);
    approvals = asked.catch(() => undefined);
    return asked;
  };
  for (const call of calls) {
    const isAlone = options.tools?.find(({ name }) => name === call.name)?.parallel === false;
    if (isAlone) await Promise.all(running);
    const one = runOne(agent, call, { ...options, inOrder }).then((result) => {
      tell(options, { type: "tool-result", call, isError: result.is_error === true, result });
      return result;
    });
    running.push(one);
    if (isAlone) await one;
  }
  return Promise.all(running);
}

interface RunOptions extends TurnOptions {
  /** Runs an approval when those before it are decided. */
  readonly inOrder: <Result>(ask: () => Promise<Result>) => Promise<Result>;
}

async function runOne(agent: ToolCaller, call: ToolUseBlock, options: RunOptions): Promise<ToolResultBlock> {
  const { tools = [], historyTools = true, signal } = options;
  const tool = tools.find(({ name }) => name === call.name);
  const isStopped = (): boolean => signal?.aborted === true;
  if (isStopped()) return failed(call, STOPPED_BEFORE);
  try {
    if (tool !== undefined) return await runTool(agent, tool, { ...options, call });
    const answered = historyTools ? await agent.session.runTool(call.name, call.input) : undefined;
    if (answered !== undefined) return resultOf(call, answered);
  } catch (error) {
    return failed(call, isStopped() ? STOPPED_WHILE : errorMessage(error));
  }
  const names = tools.map(({ name }) => name).join(", ");
  return failed(call, `There is no tool "${call.name}". Tools: ${names === "" ? "none" : names}.`);
}

async function runTool(
  { session, deadline }: ToolCaller,
  tool: AgentTool,
  { call, signal, inOrder, approve, onApproval }: RunOptions & { readonly call: ToolUseBlock },
): Promise<ToolResultBlock> {
  const { timeoutMs = TOOL_TIMEOUT_MS } = tool;
  const contextOf = (callSignal: AbortSignal): ToolContext => ({
    callId: call.id,
    signal: callSignal,
    session,
  });
  if (tool.approve !== undefined || approve !== undefined) {
    const context = contextOf(signal ?? new AbortController().signal);
    const denied = await inOrder(() => whyDenied(call, { tool, approve, onApproval, context }));
    if (denied !== undefined) return failed(call, denied);
  }
  const seconds = timeoutMs / SECOND_MS;
  const timeoutError = new DOMException(
    `${tool.name} was stopped: it had no result after ${seconds} seconds.`,
    "TimeoutError",
  );
  const returned = await askWithin(async (inner) => tool.run(call.input, contextOf(inner)), {
    deadline,
    timeoutMs,
    timeoutError,
    signal,
  });
  return resultOf(call, returned);
}
