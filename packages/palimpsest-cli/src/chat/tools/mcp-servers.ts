/**
 * Connections to servers of the Model Context Protocol. A server is connected when its tools are first asked for, and again
 * if its connection ended. One that does not answer takes nothing from the others.
 */
import { OptionError } from "palimpsest";
import type { ToolOutput } from "../base/chat-events.ts";
import { fieldsOf, messageOf, textOr } from "../base/values.ts";
import type { ChatSettings } from "../settings/chat-settings.ts";

/** A tool of a server. */
export interface ServedTool {
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly inputSchema: unknown;
}

/** The part of the official client that is used. */
interface McpClient {
  connect(
    transport: object,
    options?: { readonly signal?: AbortSignal; readonly timeout?: number },
  ): Promise<void>;
  listTools(
    params?: { readonly cursor?: string },
    options?: object,
  ): Promise<{ readonly tools: readonly unknown[]; readonly nextCursor?: string }>;
  callTool(params: { readonly name: string; readonly arguments: object }, options?: object): Promise<unknown>;
  getInstructions?(): string | undefined;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
}

type Settings = ChatSettings["mcpServers"];
type Setting = Settings[string];

interface ServersOptions {
  readonly settings: Settings;
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Loads a package; a server needs the official client. */
  readonly load: (name: string) => Promise<Readonly<Record<string, unknown>>>;
}

/** Time that a server has to begin and to list its tools, in milliseconds. Our choice: `npx` may download it first. */
const START_MS = 30_000;
const CALL_MS = 600_000;
/** Tools of one server, at the most. */
const TOOLS_COUNT = 500;
/** Variables that a server's program needs to run at all. Everything else, keys above all, it gets by its settings. */
const PASSED_ON = [
  "PATH",
  "HOME",
  "USER",
  "LANG",
  "TERM",
  "TMPDIR",
  "SHELL",
  "SystemRoot",
  "APPDATA",
  "LOCALAPPDATA",
];

interface Connection {
  readonly client: McpClient;
  readonly tools: readonly ServedTool[];
  readonly instructions: string | undefined;
}

export class McpServers {
  readonly #options: ServersOptions;
  readonly #connections = new Map<string, Promise<Connection>>();
  readonly #known = new Map<string, Connection>();

  constructor(options: ServersOptions) {
    this.#options = options;
  }

  get names(): readonly string[] {
    return Object.keys(this.#options.settings);
  }

  /** Tools of the servers that were connected. */
  get known(): readonly ServedTool[] {
    return [...this.#known.values()].flatMap(({ tools }) => tools);
  }

  /** The descriptions that these servers give of themselves. */
  get instructions(): readonly { readonly server: string; readonly text: string }[] {
    return [...this.#known].flatMap(([server, { instructions: text }]) =>
      text === undefined ? [] : [{ server, text }],
    );
  }

  /** The tools of all servers, and for servers that do not answer, why. */
  async tools(
    signal: AbortSignal,
  ): Promise<{ readonly tools: readonly ServedTool[]; readonly problems: readonly string[] }> {
    const found = await Promise.all(
      this.names.map((name) =>
        this.#connected(name, signal).then(
          ({ tools }) => ({ tools, problem: undefined }),
          (error: unknown) => ({
            tools: [],
            problem: `The server ${name} does not answer: ${messageOf(error)}`,
          }),
        ),
      ),
    );
    signal.throwIfAborted();
    return {
      tools: found.flatMap(({ tools }) => tools),
      problems: found.flatMap(({ problem }) => problem ?? []),
    };
  }

  /** Calls a tool. @throws what the client throws; `OptionError` for a server that is not in the settings */
  async call(
    server: string,
    name: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<ToolOutput> {
    const { client } = await this.#connected(server, signal);
    const { content, isError, structuredContent } = fieldsOf(
      await client.callTool({ name, arguments: input }, { signal, timeout: CALL_MS }),
    );
    const parts = (Array.isArray(content) ? content : []).map(toPart);
    const all =
      parts.length === 0 && structuredContent !== undefined
        ? [{ type: "text" as const, text: JSON.stringify(structuredContent) }]
        : parts;
    return { content: all.length === 0 ? "(no output)" : all, isError: isError === true };
  }

  async close(): Promise<void> {
    const open = await Promise.allSettled(this.#connections.values());
    await Promise.allSettled(
      open.flatMap((one) => (one.status === "fulfilled" ? [one.value.client.close()] : [])),
    );
  }

  #connected(name: string, signal: AbortSignal): Promise<Connection> {
    const known = this.#connections.get(name);
    if (known !== undefined) return known;
    const setting = Object.hasOwn(this.#options.settings, name) ? this.#options.settings[name] : undefined;
    if (setting === undefined)
      return Promise.reject(
        new OptionError({
          message: `There is no server ${name}.`,
          hint: `There are ${this.names.join(", ")}.`,
        }),
      );
    const made = this.#connect(name, setting, signal);
    this.#connections.set(name, made);
    // The next call tries again.
    made.catch(() => this.#connections.delete(name));
    return made;
  }

  async #connect(server: string, setting: Setting, signal: AbortSignal): Promise<Connection> {
    const { load, version } = this.#options;
    const { Client } = (await load("@modelcontextprotocol/client")) as {
      readonly Client: new (about: object) => McpClient;
    };
    const client = new Client({ name: "palimpsest", version });
    const limits = { signal: AbortSignal.any([signal, AbortSignal.timeout(START_MS)]), timeout: START_MS };
    await client.connect(await this.#transport(setting), limits);
    try {
      const tools: ServedTool[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await client.listTools(cursor === undefined ? {} : { cursor }, limits);
        for (const one of page.tools) {
          const { name, description, inputSchema } = fieldsOf(one);
          if (typeof name === "string")
            tools.push({ server, name, description: textOr(description) ?? "", inputSchema });
        }
        cursor = page.nextCursor;
        if (cursor === undefined || tools.length >= TOOLS_COUNT) break;
      }
      client.onclose = () => this.#connections.delete(server);
      const connection = {
        client,
        tools: tools.slice(0, TOOLS_COUNT),
        instructions: textOr(client.getInstructions?.()),
      };
      this.#known.set(server, connection);
      return connection;
    } catch (error) {
      await client.close().catch(() => undefined);
      throw error;
    }
  }

  async #transport({ command, args, env, url, headers }: Setting): Promise<object> {
    const { load, folder, env: own } = this.#options;
    if (url !== undefined) {
      const { StreamableHTTPClientTransport: Transport } = (await load("@modelcontextprotocol/client")) as {
        readonly StreamableHTTPClientTransport: new (url: URL, options: object) => object;
      };
      return new Transport(new URL(url), { requestInit: { headers } });
    }
    const { StdioClientTransport: Transport } = (await load("@modelcontextprotocol/client/stdio")) as {
      readonly StdioClientTransport: new (options: object) => object;
    };
    const passed = Object.fromEntries(
      PASSED_ON.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]])),
    );
    return new Transport({ command, args, env: { ...passed, ...env }, cwd: folder, stderr: "ignore" });
  }
}

type Part = Exclude<Extract<ToolOutput, { readonly content: unknown }>["content"], string>[number];

/** A block of a server's answer as a part of a result. */
function toPart(block: unknown): Part {
  const { type, text, data, mimeType, resource } = fieldsOf(block);
  if (type === "text" && typeof text === "string") return { type: "text", text };
  if (type === "image" && typeof data === "string" && typeof mimeType === "string")
    return { type: "image", source: { type: "base64", media_type: mimeType, data } };
  const { text: inner, uri } = fieldsOf(resource);
  if (typeof inner === "string") return { type: "text", text: `${textOr(uri) ?? ""}\n${inner}` };
  return { type: "text", text: JSON.stringify(block) };
}
