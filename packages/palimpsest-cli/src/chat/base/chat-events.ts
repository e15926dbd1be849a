/**
 * The events of a chat: everything that a front end shows, in the order in which it happens. Those of the background come
 * between turns as well.
 */
import type { AgentSession, AgentTool, SessionEvent, TurnEvent } from "palimpsest";
import type { ModelFailure } from "palimpsest/tokens";
import { cutToColumns } from "../../terminal/columns.ts";
import { formatMs } from "../../terminal/figures.ts";
import { safeLine } from "./safe-text.ts";

/** Modes decide about calls of tools where no rule does. */
export const PERMISSION_MODES = ["ask", "accept-edits", "plan", "allow-all"] as const;

/**
 * `ask`: changes and commands are asked about. `accept-edits`: files of the workspace may be changed. `plan`: nothing is
 * changed. `allow-all`: nothing is asked; rules that deny still hold.
 */
export type PermissionMode = (typeof PERMISSION_MODES)[number];

/** The result of a turn, as the library has it. */
export type TurnResult = Awaited<ReturnType<AgentSession["turn"]>>;

/** The output of a tool, as the library has it. */
export type ToolOutput = Awaited<ReturnType<AgentTool["run"]>>;

/** A call of a tool. */
export type ToolUse = Extract<TurnEvent, { readonly type: "tool-result" }>["call"];

/** The agent that called a tool. */
export interface ToolCaller {
  /** Its session: the chat's, or that of an agent in the background. */
  readonly sessionId: string;
  readonly isSubAgent: boolean;
}

/** A question to the person at the terminal. */
export interface PermissionQuestion extends ToolCaller {
  readonly call: Pick<ToolUse, "id" | "name" | "input">;
  /** The request in one line: `run npm test`, `change src/a.ts`. */
  readonly what: string;
  /** Why it is asked about, if a rule says so. */
  readonly why?: string;
  /** The rule that "always" would add, such as `shell(npm test *)`. Absent where always is not offered. */
  readonly rule?: string;
}

/** `session`, `project`: from now on everything that the rule of the question covers. */
export type PermissionAnswer = { readonly allow: "once" | "session" | "project" } | { readonly deny: string };

/** An event of a chat; `type` says which. */
export type ChatEvent =
  /** Something of the model's answer, a request that leaves, or the result of a call as the model gets it. */
  | { readonly type: "model"; readonly event: TurnEvent }
  | { readonly type: "turn-started"; readonly input: string }
  | { readonly type: "turn-ended"; readonly result: TurnResult; readonly tookMs: number }
  /** `isAborted`: the person stopped it. The messages so far are in the log. */
  | { readonly type: "turn-failed"; readonly error: unknown; readonly isAborted: boolean }
  | ({ readonly type: "tool-started"; readonly call: Pick<ToolUse, "id" | "name" | "input"> } & ToolCaller)
  | ({
      readonly type: "tool-ended";
      readonly call: Pick<ToolUse, "id" | "name" | "input">;
      readonly output: ToolOutput;
      readonly isError: boolean;
      readonly tookMs: number;
    } & ToolCaller)
  /** A call was not allowed; the model reads the reason. */
  | ({
      readonly type: "tool-denied";
      readonly call: Pick<ToolUse, "id" | "name" | "input">;
      readonly reason: string;
    } & ToolCaller)
  /** A call of a model failed and is made again. */
  | {
      readonly type: "retry";
      readonly attempt: number;
      readonly waitMs: number;
      readonly failure: ModelFailure;
    }
  /** A mode or a model was switched. */
  | { readonly type: "mode"; readonly mode: PermissionMode }
  /** The cost of the session so far is known. */
  | { readonly type: "cost" }
  /** Something to know, such as a setting without effect or a server that does not answer. */
  | { readonly type: "notice"; readonly text: string }
  /** Everything that the library reports: compactions, notes, memories, tasks, hooks; `sessionId` says of which session. */
  | { readonly type: "session"; readonly event: SessionEvent; readonly sessionId: string | undefined };

/** Receives the events of a chat. */
export type ChatListener = (event: ChatEvent) => void;

/** More of what a provider says is not looked at, in characters: it may be a whole page. */
const REASON_CHARACTERS = 1_000;
/** More of it is not shown. */
const REASON_COLUMNS = 160;

/** A retry in words: what failed, how long it waits, and which attempt comes then. */
export function retryWords({
  failure: { kind, message },
  waitMs,
  attempt,
}: Extract<ChatEvent, { readonly type: "retry" }>): string {
  const reason = cutToColumns(safeLine(message.slice(0, REASON_CHARACTERS)), REASON_COLUMNS);
  const why = reason === "" ? kind : `${kind}: ${reason}`;
  return `The provider does not answer (${why}): trying again in ${formatMs(waitMs)}, attempt ${attempt}.`;
}

/** The argument that says most about a call, by the names that tools use. */
const TELLING = [
  "command",
  "path",
  "pattern",
  "prompt",
  "query",
  "description",
  "name",
  "text",
  "id",
] as const;

/** The arguments of a call; none where the model sent something else. */
export function inputOf({ input }: { readonly input: unknown }): Readonly<Record<string, unknown>> {
  return typeof input === "object" && input !== null ? (input as Readonly<Record<string, unknown>>) : {};
}

/** A call in a few words: `shell npm test`. */
export function toolLabel({
  call,
  isSubAgent,
}: Pick<Extract<ChatEvent, { readonly type: "tool-denied" }>, "call" | "isSubAgent">): string {
  const input = inputOf(call);
  const found = TELLING.map((name) => input[name]).find((value) => typeof value === "string" && value !== "");
  const words = `${call.name}${typeof found === "string" ? ` ${found.slice(0, 500)}` : ""}`;
  return safeLine(isSubAgent ? `(agent) ${words}` : words);
}
