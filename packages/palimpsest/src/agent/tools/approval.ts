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

/** Returns for the model why a call must not run, an input that does not fit included; `undefined` if it may. */
export async function whyDenied(
  call: ToolUseBlock,
  { tool, approve, onApproval, context }: Approvers,
): Promise<string | undefined> {
  const decide = async (hook: NonNullable<TurnOptions["approve"]> | undefined): Promise<unknown> => {
    if (hook === undefined) return "allow";
    try {
      return await untilAborted(Promise.resolve(hook(call, context)), context.signal);
    } catch (error) {
      return { deny: errorMessage(error) };
    }
  };
  const problem = await tool.checkInput?.(call.input);
  if (problem !== undefined) return problem;
  let isAsked = false;
  for (const hook of [tool.approve?.bind(tool), approve]) {
    const decision = await decide(hook);
    if (decision === "ask") isAsked = true;
    else if (decision !== "allow") return sayDenied(decision);
  }
  if (!isAsked) return undefined;
  if (onApproval === undefined)
    return "This call was not run: it needs approval, and this program cannot ask for it.";
  const verdict = await decide(onApproval);
  return verdict === "allow" ? undefined : sayDenied(verdict);
}

function sayDenied(decision: unknown): string {
  const reason = isObject(decision) && typeof decision["deny"] === "string" ? decision["deny"] : "";
  return `This call was not run: it was not approved${reason === "" ? "." : `: ${reason}`}`;
}

function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
