/**
 * Decides if a call of a tool may run.
 *
 * DESIGN. The tool's own hook and the turn's are asked. One that denies is enough; if one asks for approval, a person
 * decides. Everything else denies: an error, a wrong value, an abort, and a missing `onApproval`.
 */
import { errorMessage } from "../../base/errors.ts";
import { isObject } from "../../base/json/json.ts";
import type { ToolUseBlock } from "../../transcript/blocks.ts";
import type { AgentTool, ToolContext, TurnOptions } from "../options/turn/turn-options.ts";

interface Approvers extends Pick<TurnOptions, "approve" | "onApproval"> {
  readonly tool: AgentTool;
  readonly context: ToolContext;
}

/** The result of a call that the turn did not come to. */
export const STOPPED_BEFORE = "The user stopped the turn before this call was run.";

/** Returns for the model why a call must not run, an input that does not fit included; `undefined` if it may. */
export function whyDenied(call: ToolUseBlock, approvers: Approvers): Promise<string | undefined> {
  const { signal } = approvers.context;
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(STOPPED_BEFORE);
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    decide(call, approvers)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", stop));
  });
}

async function decide(
  call: ToolUseBlock,
  { tool, approve, onApproval, context }: Approvers,
): Promise<string | undefined> {
  const problem = await tool.checkInput?.(call.input);
  if (problem !== undefined) return problem;
  const decisionOf = async (hook: NonNullable<TurnOptions["approve"]>): Promise<unknown> => {
    try {
      return await hook(call, context);
    } catch (error) {
      return { deny: errorMessage(error) };
    }
  };
  let isAsked = false;
  for (const hook of [tool.approve?.bind(tool), approve]) {
    if (context.signal.aborted) return STOPPED_BEFORE;
    const decision = hook === undefined ? "allow" : await decisionOf(hook);
    if (decision === "ask") isAsked = true;
    else if (decision !== "allow") return sayDenied(decision);
  }
  // The turn may have been stopped meanwhile: no person is asked about its calls then.
  if (context.signal.aborted) return STOPPED_BEFORE;
  if (!isAsked) return undefined;
  if (onApproval === undefined)
    return "This call was not run: it needs approval, and this program cannot ask for it.";
  const verdict = await decisionOf(onApproval);
  return verdict === "allow" ? undefined : sayDenied(verdict);
}

function sayDenied(decision: unknown): string {
  const reason = isObject(decision) && typeof decision["deny"] === "string" ? decision["deny"] : "";
  return `This call was not run: it was not approved${reason === "" ? "." : `: ${reason}`}`;
}
