/** The options of the command line that `run` and `chat` have in common, and the options of a chat that they make. */
import { Option } from "commander";
import { OptionError } from "palimpsest";
import { type CommandCall, parseChoice, parseCount, refuseTogether } from "../../command-line/command.ts";
import { parseWindowSize } from "../../command-line/window-option.ts";
import { PERMISSION_MODES, type PermissionMode } from "../base/chat-events.ts";
import type { ChatOptions, ChosenSession } from "./chat-options.ts";

/** Options that `run` and `chat` have in common. */
export interface ChatFlags {
  readonly home?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly window?: number;
  readonly resume?: string;
  readonly continue?: boolean;
  readonly fork?: boolean;
  readonly permissionMode?: PermissionMode;
  readonly allowedTools?: readonly string[];
  readonly deniedTools?: readonly string[];
  readonly addDir?: readonly string[];
  readonly appendSystemPrompt?: string;
  readonly maxTurns?: number;
  readonly bare?: boolean;
  /** False with `--no-session-persistence`. */
  readonly sessionPersistence: boolean;
}

/** The rows of the options of {@link ChatFlags}. */
export const CHAT_OPTIONS = [
  [
    "--model <name>",
    "claude-…, gpt-…, or PROVIDER:MODEL such as ollama:qwen3 (default: the settings', by the keys that are set, or a local server's)",
  ],
  ["--base-url <url>", "server that speaks OpenAI's Chat Completions and has the model"],
  [
    "--window <tokens>",
    "window of the model, such as 64k (default: what is known of the model)",
    parseWindowSize,
  ],
  ["-r, --resume <session>", "continue this session: id, the beginning of one, or a title"],
  ["-c, --continue", "continue the latest session of this folder"],
  ["--fork", "with --resume or --continue: in a new session, which begins like that one"],
  [
    "--permission-mode <mode>",
    `what is decided without a rule: ${PERMISSION_MODES.join(", ")}`,
    parseChoice("--permission-mode", PERMISSION_MODES),
  ],
  new Option(
    "--allowed-tools <rules...>",
    'allowed without a question: read, "edit(src/**)", "shell(npm test *)"',
  ),
  new Option("--denied-tools <rules...>", "never allowed"),
  new Option("--add-dir <folders...>", "further folders that tools may use"),
  ["--append-system-prompt <text>", "added to the system prompt"],
  [
    "--max-turns <count>",
    "calls of the model, at the most",
    parseCount("--max-turns", { min: 1, max: 1_000_000 }),
  ],
  ["--bare", "no instruction files, version control, skills and servers"],
  ["--no-session-persistence", "write nothing; the session ends with the command"],
  ["--home <folder>", "home of sessions and settings (default: $PALIMPSEST_HOME, or ~/.palimpsest)"],
] as const;

/** The options of a chat, without those that a front end adds. @throws `OptionError` */
export function chatOptions({
  flags,
  context,
  version,
}: CommandCall<ChatFlags>): Omit<ChatOptions, "onEvent" | "askPerson"> {
  return {
    env: context.env,
    folder: context.folder,
    home: flags.home,
    session: chosenSession(flags),
    model: flags.model,
    baseUrl: flags.baseUrl,
    windowTokens: flags.window,
    permissionMode: flags.permissionMode,
    allowedTools: flags.allowedTools,
    deniedTools: flags.deniedTools,
    folders: flags.addDir,
    appendedPrompt: flags.appendSystemPrompt,
    maxTurns: flags.maxTurns,
    isPersisted: flags.sessionPersistence ? undefined : false,
    isBare: flags.bare === true ? true : undefined,
    version,
  };
}

function chosenSession(flags: ChatFlags): ChosenSession {
  const { resume, continue: isContinued, fork: isFork = false, sessionPersistence } = flags;
  const stored = resume !== undefined ? "--resume" : isContinued === true ? "--continue" : undefined;
  if (!sessionPersistence)
    refuseTogether("--no-session-persistence", stored, "A session that goes on is a stored one.");
  if (resume !== undefined) {
    refuseTogether(
      "--resume",
      isContinued === true ? "--continue" : undefined,
      "Name a session, or continue the latest.",
    );
    return { from: "named", which: resume, isFork };
  }
  if (isContinued === true) return { from: "latest", isFork };
  if (!isFork) return { from: "new" };
  throw new OptionError({
    message: "--fork needs a session.",
    hint: "Give it with --resume, or add --continue.",
  });
}
