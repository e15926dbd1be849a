/** `palimpsest run`: one prompt, without a person: for scripts, other programs and CI. */
import { OptionError } from "palimpsest";
import {
  type CommandCall,
  type CommandResult,
  commandOf,
  type JsonFlag,
  parseChoice,
} from "../../command-line/command.ts";
import { CHAT_OPTIONS, type ChatFlags, chatOptions } from "../agent/chat-flags.ts";
import { openChat } from "../agent/open-chat.ts";
import { readPiped } from "./piped-input.ts";
import { OUTPUT_FORMATS, type OutputFormat, RunReport } from "./run-report.ts";

interface RunFlags extends ChatFlags, JsonFlag {
  readonly prompt?: string;
  readonly outputFormat: OutputFormat;
  readonly includePartialMessages?: boolean;
}

/** Exit codes beside those of every command. */
const EXIT = { failed: 1, unfinished: 3, interrupted: 130 } as const;

export const runCommand = commandOf(
  {
    name: "run",
    description: "give an agent one prompt, and print its answer",
    args: { "[prompt...]": "the prompt, unless -p has it; piped text is added to it" },
    options: [
      ["-p, --prompt <text>", "the prompt"],
      [
        "--output-format <format>",
        `${OUTPUT_FORMATS.join(", ")}`,
        parseChoice("--output-format", OUTPUT_FORMATS),
        "text",
      ],
      ["--include-partial-messages", "with stream-json: pieces of the answer as they arrive"],
      ...CHAT_OPTIONS,
    ],
    examples: [
      'run -p "What does this project do?"',
      'git diff | palimpsest run -p "Review this." --output-format json',
      'run -p "Fix the failing test." --permission-mode accept-edits --allowed-tools "shell(npm test *)"',
      'run --continue -p "And now the documentation."',
    ],
    exitCodes: {
      3: "the model did not finish: --max-turns, its output limit, a refusal, a loop",
      130: "it was stopped by Ctrl-C (143: by SIGTERM); --continue goes on",
    },
    notes: [
      "There is no person to ask: what needs permission is denied, unless a rule or a mode allows it.",
      "Rules: read, edit(src/**), shell(npm test *), mcp(server.tool), skill(name). Deny goes before ask, ask before allow.",
      'Settings: settings.json of the home, and .palimpsest/settings.json of the project, such as { "chat": { "model": "…",',
      '"permissions": { "allow": ["shell(npm test *)"] } } }; a project allows nothing until the home trusts its folder.',
      "json prints one object: result, session_id, usage and more; stream-json a line for each event, result at last.",
    ],
  },
  async (call: CommandCall<RunFlags>, words: readonly string[]): Promise<CommandResult> => {
    const { flags, context } = call;
    const prompt = await promptOf(
      flags.prompt ?? (words.length === 0 ? undefined : words.join(" ")),
      context,
    );
    const report = new RunReport({
      format: flags.outputFormat,
      isPartial: flags.includePartialMessages === true,
      out: context.out,
      err: context.err,
    });
    const agent = await openChat({ ...chatOptions(call), onEvent: (event) => report.onEvent(event) });
    const onStop = (): void => void agent.interrupt();
    context.signal.addEventListener("abort", onStop, { once: true });
    try {
      report.began(agent);
      if (context.signal.aborted) return { exitCode: EXIT.interrupted };
      const result = await agent.send(prompt);
      report.ended(agent, result);
      if (result === undefined) return { exitCode: report.isAborted ? EXIT.interrupted : EXIT.failed };
      return { exitCode: result.endedBy === "done" ? 0 : EXIT.unfinished };
    } finally {
      context.signal.removeEventListener("abort", onStop);
      await agent.close();
    }
  },
);

async function promptOf(
  given: string | undefined,
  context: CommandCall<RunFlags>["context"],
): Promise<string> {
  const piped = await readPiped(context, given === undefined ? "needed" : "optional");
  const prompt = [given, piped].filter((part) => part !== undefined && part.trim() !== "").join("\n\n");
  if (prompt !== "") return prompt;
  throw new OptionError({
    message: "There is no prompt.",
    hint: 'Give one with -p "…", or pipe it in. Words right after --allowed-tools, --denied-tools and --add-dir belong to these.',
  });
}
