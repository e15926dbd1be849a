/**
 * `palimpsest worker`: serves one agent to `remote_agent` tasks of other machines.
 */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type AgentTool,
  createPalimpsest,
  InMemorySessionStore,
  OptionError,
  openHome,
  type PalimpsestOptions,
} from "palimpsest";
import { errorMessage, isObject } from "palimpsest/internal";
import { commandOf, type JsonFlag, parseCount, whenAborted } from "../command-line/command.ts";
import { readToken } from "../command-line/token-file.ts";
import { serveWorker } from "./worker-server.ts";
import { WORKER_AGENT, WorkerTasks } from "./worker-tasks.ts";

interface WorkerFlags extends JsonFlag {
  readonly port?: number;
  readonly tokenFile?: string;
  readonly host: string;
  readonly agent?: string;
  /** False with `--no-session-persistence`. */
  readonly sessionPersistence: boolean;
}

/** The default export of an agent's module. */
type WorkerAgent = PalimpsestOptions & {
  readonly system?: string;
  readonly tools?: readonly AgentTool[];
  readonly maxIterations?: number;
};

/** Id of the session that has the tasks. */
const WORKER_SESSION = "worker";

export const workerCommand = commandOf(
  {
    name: "worker",
    description: "serve one agent to tasks of other machines",
    options: [
      [
        "--port <number>",
        "port to listen on; 0 takes a free one",
        parseCount("--port", { min: 0, max: 65_535 }),
      ],
      ["--token-file <file>", "file with the token that clients must send; only its owner may read it"],
      ["--host <address>", "address to listen on", undefined, "127.0.0.1"],
      [
        "--no-session-persistence",
        "write nothing: sessions and tasks are kept in memory, wherever the agent keeps them",
      ],
      ["--agent <file>", "module whose default export has the options of createPalimpsest, system and tools"],
    ],
    examples: [
      "worker --port 8080 --token-file token --agent agent.mjs",
      "worker --port 8080 --token-file token --agent agent.mjs --host 0.0.0.0",
    ],
    exitCodes: { 143: "it was stopped by SIGTERM (130: by Ctrl-C); its task can be resumed" },
    notes: [
      "It runs one task at a time and refuses a second one. The token is sent in the clear: beyond this machine,",
      "put a proxy with TLS in front of it.",
    ],
  },
  async ({ flags, context }: { readonly flags: WorkerFlags; readonly context: WorkerContext }) => {
    const { port, host, tokenFile, agent, sessionPersistence } = flags;
    if (port === undefined || tokenFile === undefined || agent === undefined)
      throw new OptionError({
        message: "A worker needs --port, --token-file and --agent.",
        hint: "Run palimpsest worker --help for an example.",
      });
    const token = readToken(resolve(context.folder, tokenFile));
    const { system, tools, maxIterations, ...wished } = await loadAgent(resolve(context.folder, agent));
    const options = sessionPersistence ? wished : inMemory(wished);
    const definition = { description: "the agent of this worker", system, tools, maxIterations };
    const { background = {}, tasks } = options;
    const palimpsest = createPalimpsest({
      ...options,
      // The command ends it.
      background: background === "off" ? "off" : { ...background, closeOnExit: false },
      tasks: { ...tasks, agents: { [WORKER_AGENT]: definition } },
    });
    try {
      const session = await palimpsest.session(WORKER_SESSION);
      await session.begin();
      const server = await serveWorker(new WorkerTasks(session.tasks), { host, port, token });
      context.err.write(`Listening on ${server.url}\n`);
      await whenAborted(context.signal);
      await server.close();
    } finally {
      await palimpsest.close();
    }
    return {};
  },
);

/** The options with a place that nothing is written to. */
function inMemory({ folder, store, home, ...others }: PalimpsestOptions): PalimpsestOptions {
  if (folder !== undefined || store !== undefined) return { ...others, store: new InMemorySessionStore() };
  const place = typeof home === "string" ? { home } : {};
  return { ...others, home: openHome({ ...place, persistence: false }) };
}

interface WorkerContext {
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly err: { write(text: string): void };
}

/** @throws `OptionError` */
async function loadAgent(path: string): Promise<WorkerAgent> {
  const hint =
    "Its default export is an object: { model, system, tools } and other options of createPalimpsest.";
  let exported: unknown;
  try {
    exported = ((await import(pathToFileURL(path).href)) as { readonly default?: unknown }).default;
  } catch (error) {
    throw new OptionError({
      message: `${path} cannot be loaded: ${errorMessage(error)}.`,
      hint,
      cause: error,
    });
  }
  if (isObject(exported)) return exported as unknown as WorkerAgent;
  throw new OptionError({ message: `${path} has no agent.`, hint });
}
