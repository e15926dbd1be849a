/**
 * MCP clients over stdio and streamable HTTP, with the methods of the official SDK's `Client` that a monitor uses, and
 * an HTTP server for them.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { McpServer } from "#agent/tasks/mcp-monitor/mcp-monitor-task.ts";

const INITIALIZE = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "palimpsest-test", version: "1" },
};

interface Answer {
  readonly id: number;
  readonly result?: unknown;
}

/** A server that is a program; `children` has those that were started. */
export function stdioServer(): McpServer & { readonly children: ChildProcess[] } {
  const program = fileURLToPath(new URL("stdio-server.mjs", import.meta.url));
  const children: ChildProcess[] = [];
  return {
    children,
    connect: async () => {
      const child = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "inherit"] });
      children.push(child);
      const exited = once(child, "exit");
      const waiting = new Map<number, (answer: Answer) => void>();
      createInterface({ input: child.stdout }).on("line", (line) => {
        const answer = JSON.parse(line) as Answer;
        waiting.get(answer.id)?.(answer);
      });
      child.stdin.on("error", () => undefined);
      let id = 0;
      const ask = (method: string, params?: object): Promise<unknown> => {
        const asked = ++id;
        const answered = new Promise((resolve) => waiting.set(asked, resolve));
        child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: asked, method, params })}\n`);
        const gone = exited.then(() => Promise.reject(new Error("the server's process ended")));
        return Promise.race([answered, gone]);
      };
      await ask("initialize", INITIALIZE);
      child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
      return {
        ping: () => ask("ping"),
        close: async () => {
          child.kill("SIGKILL");
          await exited;
        },
      };
    },
  };
}

/** A server over HTTP, which can be taken down and brought back at its address. */
export async function httpServer() {
  const methods: string[] = [];
  let port = 0;
  let server: Server | undefined;
  const up = async (): Promise<void> => {
    server = createServer(async (request, response) => {
      let body = "";
      for await (const piece of request) body += piece;
      if (request.method === "DELETE") return void response.writeHead(200).end();
      const { id, method } = JSON.parse(body);
      methods.push(method);
      if (id === undefined) return void response.writeHead(202).end();
      const headers = { "content-type": "application/json", "mcp-session-id": "s1" };
      response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: "2.0", id, result: {} }));
    });
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    port = (server.address() as AddressInfo).port;
  };
  const down = async (): Promise<void> => {
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));
  };
  await up();
  const client: McpServer = {
    connect: async (signal) => {
      let id = 0;
      let session: string | undefined;
      const send = async (message: object, method = "POST", inner?: AbortSignal): Promise<void> => {
        const headers = {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          connection: "close",
          ...(session === undefined ? {} : { "mcp-session-id": session }),
        };
        const body = method === "POST" ? JSON.stringify({ jsonrpc: "2.0", ...message }) : undefined;
        const init = { method, headers, ...(body && { body }), ...(inner && { signal: inner }) };
        const answer = await fetch(`http://127.0.0.1:${port}/mcp`, init);
        session = answer.headers.get("mcp-session-id") ?? session;
        await answer.text();
      };
      await send({ id: ++id, method: "initialize", params: INITIALIZE }, "POST", signal);
      await send({ method: "notifications/initialized" }, "POST", signal);
      return {
        ping: (options) => send({ id: ++id, method: "ping" }, "POST", options?.signal),
        close: () => send({}, "DELETE"),
      };
    },
  };
  return { client, methods, up, down };
}
