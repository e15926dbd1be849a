/** Tells a front end about calls of tools: when one begins, and its output. */
import type { AgentTool } from "palimpsest";
import type { ChatListener, ToolCaller, ToolOutput } from "../base/chat-events.ts";
import { messageOf } from "../base/values.ts";

interface Activity {
  readonly tell: ChatListener;
  readonly callerOf: (sessionId: string | undefined) => ToolCaller;
}

/** The tool, with events. They come once the call was allowed. */
export function withActivity(tool: AgentTool, { tell, callerOf }: Activity): AgentTool {
  return {
    ...tool,
    run: async (input, context) => {
      const caller = callerOf(context.session?.id);
      const call = { id: context.callId, name: tool.name, input };
      const startedAt = performance.now();
      const ended = (output: ToolOutput, isError: boolean): void =>
        tell({ type: "tool-ended", call, output, isError, tookMs: performance.now() - startedAt, ...caller });
      tell({ type: "tool-started", call, ...caller });
      try {
        const output = await tool.run(input, context);
        const isError = typeof output === "object" && "isError" in output && output.isError === true;
        ended(output, isError);
        return output;
      } catch (error) {
        ended(messageOf(error), true);
        throw error;
      }
    },
  };
}
