/** An MCP server over stdio, by version 1 of the SDK. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

await new McpServer({ name: "files", version: "1.0.0" }).connect(new StdioServerTransport());
