/** MCP servers and clients of the official SDK, over stdio and streamable HTTP. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createMcpHandler, McpServer as SdkServer } from "@modelcontextprotocol/server";
import type { McpServer } from "#agent/tasks/mcp-monitor/mcp-monitor-task.ts";

/** `legacy`: revisions up to 2025-11-25, with a ping. `modern`: those from 2026-07-28 on, without. */
export type Era = "legacy" | "modern";

function clientOf(era: Era): Client {
  const mode = era === "modern" ? "auto" : "legacy";
  return new Client({ name: "palimpsest-test", version: "1" }, { versionNegotiation: { mode } });
}

/** A server that is a program; `pids` has those that were started. */
export function stdioServer(
  era: Era,
  ...args: readonly string[]
): McpServer & { readonly pids: readonly number[] } {
  const program = fileURLToPath(new URL("stdio-server.mjs", import.meta.url));
  const pids: number[] = [];
  return {
    pids,
    connect: async (signal, { env }) => {
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [program, ...args],
        env: { ...getDefaultEnvironment(), ...env },
      });
      const client = clientOf(era);
      await client.connect(transport, { signal });
      pids.push(transport.pid!);
      return client;
    },
  };
}

/** The client of a server over HTTP. */
export function httpClient(era: Era, url: string): McpServer {
  return {
    connect: async (signal) => {
      const client = clientOf(era);
      await client.connect(new StreamableHTTPClientTransport(new URL(url)), { signal });
      return client;
    },
  };
}

/** A server over HTTP, which can be taken down and brought back at its address. */
export async function httpServer(era: Era) {
  const methods: string[] = [];
  let port = 0;
  let server: Server | undefined;
  const up = async (): Promise<void> => {
    const { fetch: answer } = createMcpHandler(
      () => new SdkServer({ name: "web", version: "1.0.0" }, { capabilities: { tools: {} } }),
    );
    server = createServer(async (request, response) => {
      let body = "";
      for await (const piece of request) body += piece;
      if (body !== "") methods.push(JSON.parse(body).method);
      const url = `http://127.0.0.1:${port}${request.url}`;
      const init = { method: request.method!, headers: request.headers as Record<string, string> };
      const answered = await answer(new Request(url, body === "" ? init : { ...init, body }));
      response.writeHead(answered.status, Object.fromEntries(answered.headers));
      for await (const piece of answered.body ?? []) response.write(piece);
      response.end();
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
  const url = `http://127.0.0.1:${port}/mcp`;
  return { url, client: httpClient(era, url), methods, up, down };
}
