/**
 * `monitor_mcp`: keeps watch over MCP servers: pings each, and connects again to one that does not answer, waiting
 * longer each time.
 *
 * The agent is notified when a server goes down and when it is back, not at every ping.
 */
import { errorMessage, TaskError } from "../../../base/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/json.ts";
import type { Deadline } from "../../../ports/runtime.ts";
import type { TaskProcesses } from "../../../ports/tasks.ts";
import type { TaskEnd } from "../../../tasks/task-record.ts";
import type { TaskKind, TaskRun } from "../kind/task-kind.ts";
import { pause, within } from "../kind/waits.ts";

interface McpRequestOptions {
  readonly signal?: AbortSignal;
  readonly timeout?: number;
}

/** A connection to an MCP server, as the official SDK's `Client` has it. */
interface McpConnection {
  ping(options?: McpRequestOptions): Promise<unknown>;
  /** The era `modern`, of revisions from 2026-07-28 on, has this and no ping. */
  discover?(options?: McpRequestOptions): Promise<unknown>;
  getProtocolEra?(): string | undefined;
  /** Called when the connection ends. A monitor replaces it by a function that calls it. */
  onclose?: (() => void) | undefined;
  close(): Promise<void>;
}

/** An MCP server. */
export interface McpServer {
  /**
   * Starts the server where it is a program, and connects to it. A program that is given the variables of `env` is
   * killed for certain when its connection is closed, and when this process dies.
   */
  connect(
    signal: AbortSignal,
    program: { readonly env: Readonly<Record<string, string>> },
  ): Promise<McpConnection>;
}

/** What monitors are made with. */
interface MonitorPorts {
  readonly deadline: Deadline;
  /** Absent where this process starts no others. */
  readonly processes?: Pick<TaskProcesses, "adopt" | "sweep"> | undefined;
  /** Makes a text that was never used before. */
  readonly newToken: () => string;
}

interface MonitorInput extends JsonObject {
  readonly servers: readonly string[];
}

/** Source: our choice: two pings a minute cost nothing. */
const PING_EVERY_MS = 30_000;
/** A server that does not answer within this time is down. */
const PING_TIMEOUT_MS = 10_000;
/** Pause before the first new connection; doubled each time, up to the longest. */
const RECONNECT_MS = 1_000;
const RECONNECT_MOST_MS = 60_000;

/** Watches these servers. */
export function mcpMonitorTasks(
  servers: Readonly<Record<string, McpServer>>,
  ports: MonitorPorts,
): TaskKind<MonitorInput> {
  return {
    kind: "monitor_mcp",
    description: "keeps watch over MCP servers and connects again to those that fail",
    inputSchema: {
      type: "object",
      properties: { servers: { type: "array", items: { enum: Object.keys(servers) } } },
    },
    check: (input) => ({ servers: checkServers(input, Object.keys(servers)) }),
    title: (input) => `MCP servers ${input.servers.join(", ")}`,
    start: (input, run) => {
      const watches = input.servers.map((name) => new ServerWatch(name, servers[name]!, { run, ports }));
      const ended = Promise.all(watches.map((watch) => watch.run())).then(
        (): TaskEnd => ({ outcome: "done" }),
      );
      return {
        ended,
        stop: async () => void (await ended),
        detail: () => watches.map(({ state }) => state).join(", "),
      };
    },
  };
}

/** One server under watch. STATES. *connecting* → *up* → it does not answer → *down* → waits → *connecting* … */
class ServerWatch {
  readonly #name: string;
  readonly #server: McpServer;
  readonly #run: TaskRun;
  readonly #ports: MonitorPorts;
  #state: "new" | "up" | "down" = "new";
  #failures = 0;

  constructor(
    name: string,
    server: McpServer,
    { run, ports }: { readonly run: TaskRun; readonly ports: MonitorPorts },
  ) {
    this.#name = name;
    this.#server = server;
    this.#run = run;
    this.#ports = ports;
  }

  /** Its state in words. */
  get state(): string {
    return `${this.#name} ${this.#state === "new" ? "is not connected yet" : `is ${this.#state}`}`;
  }

  /** Ends when the task is stopped. */
  async run(): Promise<void> {
    const { signal } = this.#run;
    const { deadline, processes, newToken } = this.#ports;
    const adopted = await processes?.adopt(newToken());
    try {
      if (adopted !== undefined) this.#run.record({ process: { ...adopted.mark } });
      while (!signal.aborted) {
        await this.#connected(adopted?.env ?? {});
        // A program that did not end with its connection, or never connected.
        if (adopted !== undefined) await processes?.sweep(adopted.mark);
        if (!signal.aborted) await pause(this.#pauseMs(), { deadline, signal });
      }
    } finally {
      await adopted?.release();
    }
  }

  /** Connects, and resolves when the connection has failed or ended. */
  async #connected(env: Readonly<Record<string, string>>): Promise<void> {
    const { signal } = this.#run;
    const over = new AbortController();
    let connection: McpConnection | undefined;
    try {
      const open = await this.#within((inner) => this.#server.connect(inner, { env }), closeQuietly);
      connection = open;
      const { onclose } = open;
      open.onclose = () => {
        onclose?.call(open);
        over.abort();
      };
      const limits = { deadline: this.#ports.deadline, signal: AbortSignal.any([signal, over.signal]) };
      while (!limits.signal.aborted) {
        await this.#within((inner) => check(open, { signal: inner, timeout: PING_TIMEOUT_MS }));
        this.#up();
        await pause(PING_EVERY_MS, limits);
        // One that ends sooner each time is tried less and less often.
        if (!limits.signal.aborted) this.#failures = 0;
      }
      if (!signal.aborted) this.#down("the connection was closed");
    } catch (error) {
      if (!signal.aborted) this.#down(errorMessage(error));
    }
    if (connection !== undefined) await this.#close(connection);
  }

  /** A connection counts once the server has answered on it. */
  #up(): void {
    if (this.#state === "up") return;
    this.#log(this.#state === "down" ? "is back" : "is connected");
    if (this.#state === "down") this.#run.notify("state", `The MCP server ${this.#name} is back.`);
    this.#state = "up";
  }

  #down(reason: string): void {
    this.#failures++;
    this.#log(`does not answer (${reason}); trying again in ${this.#pauseMs()} ms`);
    if (this.#state !== "down")
      this.#run.notify("state", `The MCP server ${this.#name} does not answer: ${reason}`);
    this.#state = "down";
  }

  /** Also when the task is stopped: a server that is a program ends with its connection. */
  async #close(connection: McpConnection): Promise<void> {
    const close = async (): Promise<void> => connection.close();
    const limits = { deadline: this.#ports.deadline, timeoutMs: PING_TIMEOUT_MS };
    // The connection of a dead server often cannot be closed.
    await within(close, limits).catch(() => undefined);
  }

  #log(what: string): void {
    this.#run.write(`${this.#name} ${what}\n`);
  }

  #pauseMs(): number {
    return Math.min(RECONNECT_MOST_MS, RECONNECT_MS * 2 ** Math.max(0, this.#failures - 1));
  }

  /** @throws where it takes too long */
  #within<Result>(
    work: (signal: AbortSignal) => Promise<Result>,
    late?: (result: Result) => void,
  ): Promise<Result> {
    const { signal } = this.#run;
    return within(work, {
      deadline: this.#ports.deadline,
      timeoutMs: PING_TIMEOUT_MS,
      signal,
      ...(late && { late }),
    });
  }
}

/** Asks for a sign of life. */
function check(connection: McpConnection, options: McpRequestOptions): Promise<unknown> {
  return connection.getProtocolEra?.() === "modern" && connection.discover !== undefined
    ? connection.discover(options)
    : connection.ping(options);
}

/** A connection that came after its time. */
function closeQuietly(connection: McpConnection): void {
  connection.close().catch(() => undefined);
}

/** All servers where none are named. @throws `TaskError` `TASK_INVALID` */
function checkServers(input: JsonValue, known: readonly string[]): readonly string[] {
  const { servers = known } = isObject(input) ? input : {};
  if (Array.isArray(servers) && servers.length > 0 && servers.every((name) => known.includes(String(name))))
    return [...new Set(servers.map(String))];
  throw new TaskError("TASK_INVALID", {
    message: "The input of a monitor does not fit.",
    hint: `Pass { servers: [...] }; the servers are ${known.join(", ")}.`,
  });
}
