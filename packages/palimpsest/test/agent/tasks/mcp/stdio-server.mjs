/** An MCP server over stdio that answers `initialize` and `ping`. */
import { createInterface } from "node:readline";

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const server = { name: "test", version: "1" };
  const known = {
    initialize: { protocolVersion: params?.protocolVersion, capabilities: {}, serverInfo: server },
    ping: {},
  };
  const answer = known[method] ? { result: known[method] } : { error: { code: -32601, message: "unknown" } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
});
