/** Options of a chat, as front ends pass them on from the command line. */
import type { Clock } from "palimpsest";
import type { Environment } from "../../terminal/terminal.ts";
import type { ChatListener, PermissionMode } from "../base/chat-events.ts";
import type { Wait } from "../models/retries.ts";
import type { AskPerson } from "../permissions/permission-gate.ts";

/** The session of a chat. */
export type ChosenSession =
  | { readonly from: "new" }
  /** The latest session of this folder. */
  | { readonly from: "latest"; readonly isFork?: boolean }
  /** An id, the beginning of one, or a title. */
  | { readonly from: "named"; readonly which: string; readonly isFork?: boolean };

/** Everything that a chat is opened with. */
export interface ChatOptions {
  readonly env: Environment;
  /** The folder that is worked in. */
  readonly folder: string;
  readonly home?: string | undefined;
  readonly session: ChosenSession;
  readonly model?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** Tokens of the window. @defaultValue the model's */
  readonly windowTokens?: number | undefined;
  readonly permissionMode?: PermissionMode | undefined;
  /** Rules beside those of the settings. */
  readonly allowedTools?: readonly string[] | undefined;
  readonly deniedTools?: readonly string[] | undefined;
  /** Further folders that tools may use. */
  readonly folders?: readonly string[] | undefined;
  readonly appendedPrompt?: string | undefined;
  /** Calls of the model in one turn. */
  readonly maxTurns?: number | undefined;
  /** False: nothing is written. @defaultValue as the home says */
  readonly isPersisted?: boolean | undefined;
  /** True: no instruction files, no version control, no skills and no servers. */
  readonly isBare?: boolean | undefined;
  readonly onEvent: ChatListener;
  /** Asks the person about a call of a tool; absent where there is none. */
  readonly askPerson?: AskPerson | undefined;
  /** @defaultValue the machine's */
  readonly clock?: Clock;
  /** Waits between attempts to ask a model. @defaultValue the machine's timers */
  readonly wait?: Wait;
  /** Version of this program, for servers. */
  readonly version: string;
}
