/** All commands, and the way from a line of input to one of them. */
import { OptionError } from "palimpsest";
import type { ChatAgent } from "../agent/chat-agent.ts";
import type { ChatCommand, CommandAnswer } from "./chat-command.ts";
import { SESSION_COMMANDS } from "./session-commands.ts";
import { WINDOW_COMMANDS } from "./window-commands.ts";

const help: ChatCommand = {
  name: "help",
  description: "this list",
  isImmediate: true,
  run: async () => {
    const rows = CHAT_COMMANDS.map(
      ({ name, args = "", description }) => [`/${name} ${args}`.trim(), description] as const,
    );
    const width = Math.min(28, Math.max(...rows.map(([words]) => words.length)));
    return {
      text: rows.map(([words, description]) => `${words.padEnd(width)}  ${description}`).join("\n"),
      data: { type: "help", rows },
    };
  },
};

/** Every command, in the order of `/help`. */
export const CHAT_COMMANDS: readonly ChatCommand[] = [...WINDOW_COMMANDS, ...SESSION_COMMANDS, help];

/** A line that calls a command: `/name`, and what follows. A path such as `/etc/hosts` is not one. */
export function parseCommandLine(line: string): { readonly name: string; readonly args: string } | undefined {
  const [, name, args = ""] = /^\/([a-z][a-z-]*)(?:\s+(.*))?$/s.exec(line.trim()) ?? [];
  return name === undefined ? undefined : { name, args: args.trim() };
}

/** The command of this name. @throws `OptionError` if there is none */
function findCommand(name: string): ChatCommand {
  const found = CHAT_COMMANDS.find(
    (command) => command.name === name || command.aliases?.includes(name) === true,
  );
  if (found !== undefined) return found;
  const near = CHAT_COMMANDS.find(
    (command) => command.name.startsWith(name) || name.startsWith(command.name),
  );
  throw new OptionError({
    message: `There is no command /${name}.`,
    hint: near === undefined ? "/help lists them." : `/${near.name} ${near.description}.`,
  });
}

/**
 * Runs a command line.
 * @throws `OptionError` for an unknown command, and one that has to wait for the end of the turn; what the command throws
 */
export async function runChatCommand(
  agent: ChatAgent,
  line: string,
  signal: AbortSignal,
): Promise<CommandAnswer> {
  const { name, args } = parseCommandLine(line) ?? { name: "", args: "" };
  const command = findCommand(name);
  if (agent.isBusy && command.isImmediate !== true)
    throw new OptionError({
      message: `/${command.name} cannot run during a turn.`,
      hint: "Wait for its end, or stop it with Ctrl-C.",
    });
  return command.run(agent, args, signal);
}
