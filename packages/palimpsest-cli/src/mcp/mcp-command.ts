/** `palimpsest mcp`: serves memories and past sessions to other agents, over standard input and output or HTTP. */
import { resolve } from "node:path";
import { Option } from "commander";
import { OptionError, openHome } from "palimpsest";
import { cleanMemoryText, createMemory } from "palimpsest/memory";
import {
  type CommandCall,
  commandOf,
  type JsonFlag,
  parseChoice,
  parseCount,
  refuseTogether,
  whenAborted,
} from "../command-line/command.ts";
import { readToken } from "../command-line/token-file.ts";
import { userMemoryFolder } from "../command-line/user-memory.ts";
import type { CliContext } from "../terminal/terminal.ts";
import { type HistoryReach, historyTools } from "./history-tools.ts";
import { MemoryScopes, SCOPE_NAMES, type ScopeName } from "./memory-scopes.ts";
import { memoryTools } from "./memory-tools.ts";

interface McpFlags extends JsonFlag {
  readonly home?: string;
  readonly project?: string;
  readonly folder?: string;
  readonly team?: string;
  readonly scope?: readonly ScopeName[];
  readonly history: HistoryReach | "off";
  readonly readOnly?: boolean;
  readonly http?: number;
  readonly tokenFile?: string;
}

const HISTORY_CHOICES = ["all", "project", "off"] as const;

export const mcpCommand = commandOf(
  {
    name: "mcp",
    description: "share memories and past sessions with other agents (Model Context Protocol)",
    options: [
      ["--home <folder>", "home of memories and sessions (default: $PALIMPSEST_HOME, or ~/.palimpsest)"],
      ["--project <folder>", "folder that is worked on (default: this one)"],
      ["--folder <folder>", "a plain folder of memories, instead of a project's"],
      ["--team <name>", "with the memories of this team, below team/"],
      new Option(
        "--scope <names...>",
        "memories to serve: project, user, team; the first is where facts go (default: all)",
      ).choices([...SCOPE_NAMES]),
      [
        "--history <which>",
        "sessions that can be searched and read: all, project, off",
        parseChoice("--history", HISTORY_CHOICES),
        "all",
      ],
      ["--read-only", "no tools that remember, correct or forget"],
      [
        "--http <port>",
        "serve HTTP on this port of 127.0.0.1 instead; 0 takes a free one",
        parseCount("--http", { min: 0, max: 65_535 }),
      ],
      [
        "--token-file <file>",
        "for --http: file with the token that clients must send; only its owner may read it",
      ],
    ],
    examples: ["mcp", "mcp --scope user project --history project", "mcp --http 7331 --token-file token"],
    exitCodes: { 143: "it was stopped by SIGTERM (130: by Ctrl-C)" },
    notes: [
      "Without --http it speaks on standard input and output, and ends when its client does.",
      "What clients remember counts as an agent's conclusion. palimpsest memory confirm makes it the user's own.",
      "Claude Code: claude mcp add --scope user palimpsest -- palimpsest mcp",
      'Codex, in ~/.codex/config.toml: [mcp_servers.palimpsest] with command = "palimpsest" and args = ["mcp"]',
      'Cursor, in ~/.cursor/mcp.json: { "mcpServers": { "palimpsest": { "command": "palimpsest", "args": ["mcp"] } } }',
      "Other clients start the command palimpsest mcp in the same way.",
    ],
  },
  async ({ flags, context, version }: CommandCall<McpFlags>) => {
    const http = httpOptions(flags, context);
    const { home, scopes, readOnlyReason } = openPlace(flags, context);
    // What a client sent may be part of a line, and this may be a terminal.
    const log = (line: string): void => context.err.write(`${cleanMemoryText(line, "description").text}\n`);
    if (readOnlyReason !== undefined) log(`Read only: ${readOnlyReason}.`);
    const canWrite = readOnlyReason === undefined;
    const tools = [
      ...memoryTools(scopes, { canWrite }),
      ...(flags.history === "off" ? [] : historyTools(home, flags.history)),
    ];
    try {
      // The SDK is most of the code, and only a server needs it.
      const parts = { version, scopes, tools, readOnlyReason, log };
      if (http === undefined) {
        if (process.stdin.isTTY)
          log("Waiting for a client of the protocol on standard input. Ctrl-C ends it.");
        const { serveStdio } = await import("./stdio-server.ts");
        await serveStdio(parts, context.signal);
      } else {
        const { listenOnHttp } = await import("./http-server.ts");
        const server = await listenOnHttp(parts, http);
        log(`Listening on ${server.url}`);
        await whenAborted(context.signal);
        await server.close();
      }
    } finally {
      await scopes.close();
      await home.close();
    }
    return {};
  },
);

/** `undefined` for standard input and output. @throws `OptionError` */
function httpOptions({ http: port, tokenFile }: McpFlags, { folder }: CliContext) {
  if (port === undefined && tokenFile === undefined) return undefined;
  if (port === undefined || tokenFile === undefined)
    throw new OptionError({
      message: "--http and --token-file belong together.",
      hint: "Give both, or neither to serve on standard input and output.",
    });
  return { port, token: readToken(resolve(folder, tokenFile)) };
}

interface McpPlace {
  readonly home: ReturnType<typeof openHome>;
  readonly scopes: MemoryScopes;
  /** Why nothing may be written; absent where it may. */
  readonly readOnlyReason: string | undefined;
}

function openPlace(
  { home, project, folder, team, scope, readOnly }: McpFlags,
  context: CliContext,
): McpPlace {
  if (folder !== undefined)
    refuseTogether(
      "--folder",
      project !== undefined ? "--project" : team !== undefined ? "--team" : undefined,
      "Give --folder for a plain folder of memories, or the other for a project.",
    );
  const names = scope ?? SCOPE_NAMES.filter((name) => name !== "team" || team !== undefined);
  if (names.includes("team") && team === undefined)
    throw new OptionError({
      message: "--scope team needs --team.",
      hint: "Name the team: --team core --scope team.",
    });
  const options = {
    home: home === undefined ? undefined : resolve(context.folder, home),
    workingCopy: resolve(context.folder, project ?? "."),
    env: context.env,
  };
  // Memories are read whatever the switches say. They decide if anything is written.
  const opened = openHome({ ...options, persistence: true });
  const { isOn, reason } = openHome(options).persistence;
  const scopes = new MemoryScopes({
    project: createMemory(
      folder === undefined ? { home: opened, team } : { folder: resolve(context.folder, folder) },
    ),
    user: createMemory({ folder: userMemoryFolder(opened.folder) }),
    scopes: [...new Set(names)],
  });
  const readOnlyReason =
    readOnly === true ? "the server was started with --read-only" : isOn ? undefined : reason;
  return { home: opened, scopes, readOnlyReason };
}
