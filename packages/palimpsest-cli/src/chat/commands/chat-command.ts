/**
 * The commands of a chat: `/compact`, `/context` and the like, as functions that return text and data. A front end finds them
 * by name, shows their text, and may draw their data in its own way.
 */
import type { ChatAgent } from "../agent/chat-agent.ts";

type Session = ChatAgent["session"];

/** A session of a list to choose from. */
export interface ListedChat {
  readonly sessionId: string;
  readonly title: string;
  readonly lastActivityAt: number;
  readonly bytes: number;
}

/** A place to go back to. */
export interface RewindPlace {
  /** The user's message after which everything goes; `rewind` goes to the entry before it. */
  readonly seq: number;
  /** All of the message. */
  readonly whole: string;
  /** In one line. */
  readonly text: string;
  readonly at: number;
}

/** The data that a command returns beside its text. */
type CommandData =
  | { readonly type: "context"; readonly use: ReturnType<Session["context"]> }
  | { readonly type: "sessions"; readonly sessions: readonly ListedChat[] }
  | { readonly type: "rewind"; readonly places: readonly RewindPlace[] }
  | { readonly type: "help"; readonly rows: readonly (readonly [words: string, description: string])[] }
  | { readonly type: "tasks"; readonly tasks: ReturnType<Session["tasks"]["list"]> };

/** The answer of a command. */
export interface CommandAnswer {
  /** For the person, in lines; without colours; empty where events say it all. May have text of models and tools: make it safe for the terminal. */
  readonly text: string;
  readonly data?: CommandData;
  /** `quit`: end the program. `switched`: another session is open now, draw it again. */
  readonly action?: "quit" | "switched";
}

/** A command. */
export interface ChatCommand {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Its arguments, for `/help`: `[instructions]`. */
  readonly args?: string;
  readonly description: string;
  /** True if it may run while a turn does. */
  readonly isImmediate?: boolean;
  /** @throws `PalimpsestError` where it cannot be done, with a hint */
  run(agent: ChatAgent, args: string, signal: AbortSignal): Promise<CommandAnswer>;
}

/** One line of at most `columns` characters. */
export function oneLineOf(text: string, columns = 80): string {
  const line = text
    .slice(0, columns * 8)
    .replace(/\s+/gu, " ")
    .trim();
  return line.length <= columns ? line : `${line.slice(0, columns - 1).replace(/[\uD800-\uDBFF]$/u, "")}…`;
}
