/**
 * Agent CLIs as their users run them, with a scripted provider in place of the model and `palimpsest mcp` among their
 * servers. Each gets an empty home, and no way to a real model.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { callTool, type RecordedRequest, type Script, scriptedProvider, think } from "palimpsest-testing";

const REPOSITORY = resolve(import.meta.dirname, "../..");
/** Folders with installed packages: `compat/`, or one that is named. */
const PACKAGES = [process.env["PALIMPSEST_AGENT_CLIS"] ?? "", join(REPOSITORY, "compat")].flatMap((folder) =>
  folder === "" ? [] : [join(folder, "node_modules")],
);
/** Time for a CLI to end, in milliseconds; only one that hangs takes as long. */
const RUN_MS = 240_000;

/** The folders of a run. */
export interface CliPlace {
  /** Home of the CLI: its configuration, its sessions. */
  readonly userFolder: string;
  /** The folder that is worked on. */
  readonly folder: string;
  readonly palimpsestHome: string;
}

/** One run: what the user says, and the tool that the model calls then. */
export interface CliTask {
  readonly prompt: string;
  readonly tool: string;
  readonly input: Parameters<typeof callTool>[1];
}

/** The outcome of a run. */
export interface CliRun {
  readonly code: number | null;
  readonly output: string;
  readonly requests: readonly RecordedRequest[];
}

/** A CLI that may be installed. */
export interface AgentCli {
  readonly name: string;
  /** Its program; `undefined` where it is not installed for this machine. */
  readonly program: string | undefined;
  readonly run: (task: CliTask, place: CliPlace) => Promise<CliRun>;
}

const machine = `${process.platform}-${process.arch}`;
const programOf = (path: string): string | undefined =>
  PACKAGES.map((folder) => join(folder, path)).find((file) => existsSync(file));

/** `palimpsest mcp` from the sources. */
const SERVER = {
  command: process.execPath,
  args: [
    `--import=${join(REPOSITORY, "test/helpers/typescript-loader.mjs")}`,
    "--conditions=palimpsest-source",
    join(REPOSITORY, "packages/palimpsest-cli/src/program/main.ts"),
    "mcp",
  ],
};

/** Claude Code, over Anthropic's API. */
export const claudeCode: AgentCli = {
  name: "Claude Code",
  program: programOf(`@anthropic-ai/claude-code-${machine}/claude`),
  run: async (task, place) => {
    const config = join(place.userFolder, "mcp.json");
    const env = { PALIMPSEST_HOME: place.palimpsestHome };
    writeFileSync(config, JSON.stringify({ mcpServers: { palimpsest: { ...SERVER, env } } }));
    const tool = `mcp__palimpsest__${task.tool}`;
    const provider = await scriptedProvider({
      // Its requests think, and then a call follows a thought.
      script: once(tool, [think("Memory knows."), callTool(tool, task.input)]),
    });
    return runWith(provider, claudeCode.program, {
      args: [
        ...["-p", task.prompt, "--mcp-config", config, "--strict-mcp-config", "--allowedTools", tool],
        ...["--output-format", "stream-json", "--verbose", "--model", "claude-opus-4-5"],
      ],
      place,
      env: {
        ANTHROPIC_BASE_URL: provider.url,
        ANTHROPIC_API_KEY: "none",
        // Otherwise the model has to search for the tools first.
        ENABLE_TOOL_SEARCH: "false",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
        DISABLE_ERROR_REPORTING: "1",
        DISABLE_TELEMETRY: "1",
      },
    });
  },
};

/** opencode, over OpenAI's chat API. */
export const opencode: AgentCli = {
  name: "opencode",
  program: programOf(`opencode-${machine}/bin/opencode`),
  run: async (task, place) => {
    const tool = `palimpsest_${task.tool}`;
    const provider = await scriptedProvider({ script: once(tool, [callTool(tool, task.input)]) });
    const folder = join(place.userFolder, ".config/opencode");
    mkdirSync(folder, { recursive: true });
    const environment = { PALIMPSEST_HOME: place.palimpsestHome };
    const palimpsest = {
      type: "local",
      command: [SERVER.command, ...SERVER.args],
      environment,
      enabled: true,
      timeout: 60_000,
    };
    const scripted = {
      npm: "@ai-sdk/openai-compatible",
      options: { baseURL: provider.openAiUrl, apiKey: "none" },
      models: { "gpt-4.1": { limit: { context: 200_000, output: 8_000 } } },
    };
    const config = {
      autoupdate: false,
      share: "disabled",
      provider: { scripted },
      model: "scripted/gpt-4.1",
      small_model: "scripted/gpt-4.1",
      mcp: { palimpsest },
    };
    writeFileSync(join(folder, "opencode.json"), JSON.stringify(config));
    return runWith(provider, opencode.program, {
      args: ["run", "--format", "json", "--model", "scripted/gpt-4.1", task.prompt],
      place,
      env: {},
    });
  },
};

/** Calls the tool the first time that it is offered, and says that it is done afterwards. */
function once(tool: string, steps: ReturnType<typeof callTool>[]): Script {
  let isCalled = false;
  return ({ toolNames }) => {
    if (isCalled || !toolNames.includes(tool)) return "Done.";
    isCalled = true;
    return steps;
  };
}

async function runWith(
  provider: Awaited<ReturnType<typeof scriptedProvider>>,
  program: string | undefined,
  {
    args,
    place,
    env,
  }: {
    readonly args: readonly string[];
    readonly place: CliPlace;
    readonly env: Readonly<Record<string, string>>;
  },
): Promise<CliRun> {
  if (program === undefined) throw new Error("It is not installed.");
  const child = spawn(program, args, {
    cwd: place.folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: place.userFolder, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: RUN_MS,
  });
  const [out, err, code] = await Promise.all([
    readAll(child.stdout),
    readAll(child.stderr),
    new Promise<number | null>((done) => child.once("close", done)),
  ]);
  const { requests } = provider;
  await provider.close();
  return { code, output: out + err, requests };
}
