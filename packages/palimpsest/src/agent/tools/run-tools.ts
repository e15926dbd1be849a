/**
 * Runs the tools that an answer calls, one after another. Every call gets a result.
 *
 * A tool that throws, is unknown or was aborted answers with a failed result, in words for the model. The
 * tools of the session's own history are answered by the session.
 */
import { errorMessage } from "../../base/errors.ts";
import type { ToolDefinition } from "../../ports/model-client.ts";
import { HISTORY_TOOLS } from "../../session/history/history-tools.ts";
import { PIN_TOOL } from "../../session/history/pin-tool.ts";
import type { Session } from "../../session/session.ts";
import type { ToolResultBlock, ToolUseBlock } from "../../transcript/blocks.ts";
import { type AgentTool, type ToolOutput, type TurnOptions, tell } from "../options/turn/turn-options.ts";

/** The session whose calls are run; it answers calls of the session's tools itself. */
interface ToolCaller {
  readonly session: Pick<Session, "runTool">;
}

/** The tools that a session answers by itself. */
export const SESSION_TOOLS: readonly ToolDefinition[] = [...HISTORY_TOOLS, PIN_TOOL];

/** Runs `calls` and returns their results in the same order. Never throws. */
export async function runTools(
  agent: ToolCaller,
  calls: readonly ToolUseBlock[],
  options: TurnOptions,
): Promise<readonly ToolResultBlock[]> {
  const results: ToolResultBlock[] = [];
  for (const call of calls) {
    const result = await runOne(agent, call, options);
    tell(options, { type: "tool-result", call, isError: result.is_error === true });
    results.push(result);
  }
  return results;
}

async function runOne(
  agent: ToolCaller,
  call: ToolUseBlock,
  { tools = [], historyTools = true, signal }: TurnOptions,
): Promise<ToolResultBlock> {
  const tool = tools.find(({ name }) => name === call.name);
  if (signal?.aborted === true) return failed(call, "The user stopped the turn before this call was run.");
  try {
    if (tool !== undefined) return resultOf(call, await outputOf(tool, call, signal));
    const answered = historyTools ? await agent.session.runTool(call.name, call.input) : undefined;
    if (answered !== undefined) return resultOf(call, answered);
  } catch (error) {
    return failed(call, errorMessage(error));
  }
  const names = tools.map(({ name }) => name).join(", ");
  return failed(call, `There is no tool "${call.name}". Tools: ${names === "" ? "none" : names}.`);
}

/** Runs one tool; an abort does not wait for a tool that ignores its signal. */
function outputOf(tool: AgentTool, call: ToolUseBlock, signal: AbortSignal | undefined): Promise<ToolOutput> {
  return new Promise((resolve, reject) => {
    const toolSignal = signal ?? new AbortController().signal;
    const stop = (): void =>
      resolve({ content: "The user stopped the turn while this call was running.", isError: true });
    toolSignal.addEventListener("abort", stop, { once: true });
    Promise.resolve()
      .then(() => tool.run(call.input, { callId: call.id, signal: toolSignal }))
      .then(resolve, reject)
      .finally(() => toolSignal.removeEventListener("abort", stop));
  });
}

function resultOf(call: ToolUseBlock, answered: ToolOutput): ToolResultBlock {
  const { content, isError } =
    typeof answered === "object" && answered !== null && "content" in answered
      ? answered
      : { content: answered, isError: false };
  const isUsable = typeof content === "string" || Array.isArray(content);
  return {
    type: "tool_result",
    tool_use_id: call.id,
    content: isUsable ? content : (JSON.stringify(content) ?? "The tool answered nothing."),
    ...(isError === true ? { is_error: true } : {}),
  };
}

function failed(call: ToolUseBlock, text: string): ToolResultBlock {
  return { type: "tool_result", tool_use_id: call.id, content: text, is_error: true };
}
