/** `monitor_mcp` with clients and servers of version 1 of the MCP SDK, as a user connects them. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { createPalimpsest, functionModel, InMemorySessionStore, type PalimpsestOptions } from "palimpsest";
import { describe, expect, it } from "vitest";

type Servers = NonNullable<NonNullable<PalimpsestOptions["tasks"]>["mcpServers"]>;

const newClient = (): Client => new Client({ name: "my-agent", version: "1.0.0" });

async function monitor(mcpServers: Servers) {
  const model = functionModel(async () => "Done.", { model: "claude-opus-4-5" });
  const palimpsest = createPalimpsest({ model, store: new InMemorySessionStore(), tasks: { mcpServers } });
  const { tasks } = await palimpsest.session();
  const { id } = await tasks.start("monitor_mcp", {});
  const says = async (line: string): Promise<void> => {
    for await (const { text } of tasks.follow(id)) if (text.includes(line)) return;
  };
  return { palimpsest, says, detail: () => tasks.get(id).detail };
}

describe("a monitor of servers of the MCP SDK, version 1", () => {
  it("starts a program again that was killed, and ends it at last", async () => {
    const program = fileURLToPath(new URL("sdk-1-server.mjs", import.meta.url));
    const pids: number[] = [];
    const { palimpsest, says, detail } = await monitor({
      files: {
        connect: async (signal, { env }) => {
          const client = newClient();
          const transport = new StdioClientTransport({
            command: process.execPath,
            args: [program],
            env: { ...getDefaultEnvironment(), ...env },
          });
          await client.connect(transport, { signal });
          pids.push(transport.pid ?? 0);
          return client;
        },
      },
    });
    await says("files is connected\n");
    expect(detail()).toBe("files is up");
    process.kill(pids[0] ?? 0, "SIGKILL");
    await says("files does not answer (the connection was closed); trying again in 1000 ms\n");
    await says("files is back\n");
    await palimpsest.close();
    expect(pids).toHaveLength(2);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });

  it("watches one over streamable HTTP", async () => {
    const methods: string[] = [];
    const server = createServer(async (request, response) => {
      let body = "";
      for await (const piece of request) body += piece;
      const message = body === "" ? undefined : JSON.parse(body);
      if (message !== undefined) methods.push(message.method);
      const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
      await new McpServer({ name: "web", version: "1.0.0" }).connect(transport as never);
      await transport.handleRequest(request, response, message);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
    const { palimpsest, says, detail } = await monitor({
      web: {
        connect: async (signal) => {
          const client = newClient();
          await client.connect(new StreamableHTTPClientTransport(url) as never, { signal });
          return client;
        },
      },
    });
    await says("web is connected\n");
    expect(detail()).toBe("web is up");
    expect(methods.at(-1)).toBe("ping");
    await palimpsest.close();
    server.closeAllConnections();
    server.close();
  });
});
