/** An MCP server over stdio, by the official SDK. `stays`: it does not end with its input, as a program with a timer. */
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

serveStdio(() => new McpServer({ name: "files", version: "1.0.0" }, { capabilities: { tools: {} } }));
if (process.argv.includes("stays")) setInterval(() => undefined, 1_000);
