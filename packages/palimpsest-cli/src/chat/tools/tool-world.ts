/** The surroundings of the tools of a chat, and the texts of results that several of them share. */
import { type AgentSession, type AgentTool, PalimpsestError } from "palimpsest";
import { messageOf } from "../base/values.ts";
import type { Permission } from "../permissions/permission-gate.ts";
import type { Workspace } from "../permissions/workspace.ts";
import type { FileLedger } from "./file-ledger.ts";

/** The second argument of a tool's `execute`. */
export type ToolContext = Parameters<AgentTool["run"]>[1];

/** A decision about a call: `allow`, or the reason why not. */
export type Decision = "allow" | { readonly deny: string };

/** The background tasks of the chat's session. */
export type Tasks = AgentSession["tasks"];

export interface ToolWorld {
  readonly workspace: Workspace;
  readonly ledger: FileLedger;
  /** Decides about a call, if needed by asking the person. */
  readonly decide: (permission: Permission, input: unknown, context: ToolContext) => Promise<Decision>;
  /** True if no rule forbids reading this file; for tools that read many. */
  readonly mayRead: (name: string) => boolean;
  /** The user agreed to a plan: plan mode is over. */
  readonly planAgreed: () => void;
  /** The tasks of the chat's own session, also for agents in the background. */
  readonly tasks: () => Tasks;
}

/** A failed result: the model reads what happened and what to do. */
export function failed(text: string): { readonly content: string; readonly isError: true } {
  return { content: text, isError: true };
}

/** Runs a tool's work; an error of a file or an option becomes a failed result with its hint. */
export async function orFailed<Result>(
  work: () => Promise<Result>,
): Promise<Result | ReturnType<typeof failed>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PalimpsestError) return failed(`${error.message} ${error.hint}`);
    if ((error as { readonly code?: unknown }).code !== undefined)
      return failed(`It failed: ${messageOf(error)}.`);
    throw error;
  }
}

/** Asks about a call that only names a path: the real path decides, so an unusable one is refused by the tool itself. */
export async function placeName(workspace: Workspace, path: string): Promise<string> {
  return workspace.resolve(path, "read").then(
    ({ name }) => name,
    () => path,
  );
}
