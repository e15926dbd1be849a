/**
 * The command line: finds the command, prints help, and reports errors. Each command is a file, loaded when
 * its name is given.
 */
import { Command, CommanderError } from "commander";
import { showOnOneLine } from "palimpsest/internal";
import { addNamed, type CommandLoaders } from "../command-line/command.ts";
import { formatError, isPalimpsestError } from "../terminal/error-report.ts";
import type { CliContext } from "../terminal/terminal.ts";

/** Exit codes of errors. Commands have others for their results. */
const EXIT_CODES = {
  /** The command failed. */
  failed: 1,
  /** The command line itself was wrong. */
  usage: 2,
} as const;

const EXAMPLES = `
Examples:
  palimpsest chat                                     talk with an agent that works in this folder
  palimpsest run -p "What does this project do?"      ask an agent that works in this folder
  palimpsest chat --bare                              without instruction files, version control and servers
  palimpsest run -p "Why?" --no-session-persistence   ask, and write nothing
  palimpsest replay                                   the newest session of Claude Code, Codex …
  palimpsest replay session.jsonl                     a recorded session in its model's window
  palimpsest replay *.jsonl.gz --window 200k,64k,32k  several sessions, three windows each
  palimpsest replay session.jsonl --policy economy    what another policy costs and keeps
  palimpsest replay session.jsonl --json              the figures for a program
  palimpsest replay session.jsonl --html page.html    a page to look at: the window, call by call
  palimpsest sessions list                            the stored sessions of this folder
  palimpsest context                                  what fills the window of the latest session
  palimpsest compact                                  make room in it, with a summary from its log
  palimpsest notes show                               the notes of the latest session of this folder
  palimpsest tasks list                               background tasks of the sessions of this folder
  palimpsest memory recall "When can I deploy?"       the memories that answer a question
  palimpsest mcp                                      share memories with Claude Code, Codex and others
  palimpsest doctor                                   problems with stored sessions, if any

Reads recordings of Claude Code, Codex, Copilot CLI, pi, opencode, gemini-cli, OpenHands, SWE-agent and
mini-swe-agent, message lists in the shape of OpenAI Chat and Anthropic, and what sessions export writes.
Only chat, run, worker and compact --model call models, and only they and doctor --postgres open connections. Everything else
works on this machine alone.`;

const COMMANDS: CommandLoaders = {
  chat: async () => (await import("../chat/terminal/chat-command.ts")).chatCommand,
  run: async () => (await import("../chat/headless/run-command.ts")).runCommand,
  replay: async () => (await import("../replay/replay-grammar.ts")).replayCommand,
  sessions: async () => (await import("../sessions/sessions-command.ts")).SESSIONS_COMMAND,
  context: async () => (await import("../context/context-command.ts")).contextCommand,
  compact: async () => (await import("../chat/headless/compact-command.ts")).compactCommand,
  notes: async () => (await import("../notes/notes-command.ts")).NOTES_COMMAND,
  tasks: async () => (await import("../tasks/tasks-command.ts")).TASKS_COMMAND,
  memory: async () => (await import("../memory/memory-command.ts")).MEMORY_COMMAND,
  mcp: async () => (await import("../mcp/mcp-command.ts")).mcpCommand,
  worker: async () => (await import("../worker/worker-command.ts")).workerCommand,
  doctor: async () => (await import("../doctor/doctor-command.ts")).doctorCommand,
};

/** Runs a command line (without `node` and the script) and resolves with the exit code. */
export async function runCli(args: readonly string[], context: CliContext, version: string): Promise<number> {
  let exitCode = 0;
  const program = createProgram(context, version);
  const exitWith = (code: number): void => {
    exitCode = code;
  };
  try {
    await addNamed(program, COMMANDS, { context, version, exitWith, words: args });
    sayWhereHelpIs(program, "palimpsest");
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_CODES.usage;
    context.err.write(`${formatError(error, { styles: context.err.styles, env: context.env })}\n`);
    const isUsage = isPalimpsestError(error) && error.code === "OPTION_INVALID";
    return isUsage ? EXIT_CODES.usage : EXIT_CODES.failed;
  }
}

function createProgram(context: CliContext, version: string): Command {
  return new Command("palimpsest")
    .description("A finite context window, an endless conversation, and nothing ever lost.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    .addHelpText("after", EXAMPLES)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.out.write(text),
      writeErr: (text) => context.err.write(text),
      // Errors echo the arguments, which may contain control characters for the terminal.
      outputError: (text, write) => write(text.split("\n").map(showOnOneLine).join("\n")),
      getOutHelpWidth: () => context.out.columns,
      getErrHelpWidth: () => context.err.columns,
    });
}

/** Points to the help of the command with the error, instead of printing the help of all of them. */
function sayWhereHelpIs(command: Command, path: string): void {
  command.showHelpAfterError(`Run ${path} --help for usage.`);
  for (const inner of command.commands) sayWhereHelpIs(inner, `${path} ${inner.name()}`);
}
