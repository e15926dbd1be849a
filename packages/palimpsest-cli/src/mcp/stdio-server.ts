/**
 * Serves MCP on standard input and output, for one client.
 *
 * It ends when the client closes its end of the pipe, also because it was killed, and when the process is asked to
 * stop: nothing keeps the process then.
 */
import { StdioServerTransport, serveStdio as serveConnection } from "@modelcontextprotocol/server/stdio";
import { type McpServerParts, protocolProblem, serverFactory } from "./mcp-server.ts";

/** Largest message of a client, in bytes; a longer one ends the connection, since its end cannot be known. Our choice: far above the longest fact. */
const MESSAGE_BYTES = 4 * 1024 * 1024;

/** A transport that says when it was closed: the SDK closes it by itself after a message that is too long. */
class ClosingTransport extends StdioServerTransport {
  readonly closed: Promise<void>;
  #resolve: () => void = () => undefined;

  constructor() {
    super(process.stdin, process.stdout, { maxBufferSize: MESSAGE_BYTES });
    this.closed = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  override async close(): Promise<void> {
    await super.close();
    this.#resolve();
  }
}

/** Resolves when the client is gone, or `signal` ended it. */
export async function serveStdio(parts: McpServerParts, signal: AbortSignal): Promise<void> {
  const transport = new ClosingTransport();
  const stopped = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  const handle = serveConnection(serverFactory(parts), {
    transport,
    onerror: (error) => parts.log(protocolProblem(error)),
  });
  await Promise.race([stopped, transport.closed]);
  await handle.close();
  // A pipe that is still open, after a signal, must not keep the process.
  process.stdin.destroy();
}
