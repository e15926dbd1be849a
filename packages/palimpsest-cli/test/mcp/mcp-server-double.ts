/** `palimpsest mcp` in this process, over HTTP, and the official client for it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { runCli } from "#program/program.ts";
import { cliDouble } from "../../../../test/helpers/cli-double.ts";
import { testFolder } from "../../../../test/helpers/compiled-once.ts";
import { type StoredHome, storedHome } from "../../../../test/helpers/stored.ts";

export const TOKEN = "0123456789abcdef-token";

/** A server that runs until it is stopped. */
export interface ServerDouble {
  readonly url: string;
  readonly place: StoredHome;
  /** Everything it wrote to standard error. */
  log(): string;
  client(token?: string): Promise<Client>;
  /** Closes the clients and the server; resolves with the exit code. */
  stop(): Promise<number>;
}

export async function startServer(
  args: readonly string[] = [],
  place: StoredHome = storedHome(),
  env: Readonly<Record<string, string>> = {},
): Promise<ServerDouble> {
  const token = join(testFolder(), "token");
  writeFileSync(token, TOKEN, { mode: 0o600 });
  const context = cliDouble({ folder: place.folder, env: { PALIMPSEST_HOME: place.home, ...env } });
  const listening = new Promise<string>((resolve) => {
    context.err.write = (text) => {
      context.written.err += text;
      const found = /^Listening on (\S+)$/m.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    };
  });
  const ended = runCli(["mcp", "--http", "0", "--token-file", token, ...args], context, "1.2.3");
  const failed = ended.then((code) =>
    Promise.reject(new Error(`ended with ${code}: ${context.written.err}`)),
  );
  const url = await Promise.race([listening, failed]);
  failed.catch(() => undefined);
  const clients: Client[] = [];
  return {
    url,
    place,
    log: () => context.written.err,
    client: async (bearer = TOKEN) => {
      const client = new Client({ name: "test", version: "1" });
      const requestInit = { headers: { authorization: `Bearer ${bearer}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
      clients.push(client);
      return client;
    },
    stop: async () => {
      await Promise.all(clients.map((client) => client.close()));
      context.stop.abort();
      return ended;
    },
  };
}

/** A tool's answer as text; an error begins with `error: `. */
export async function callText(client: Client, name: string, input: object = {}): Promise<string> {
  const result = await client.callTool({ name, arguments: input as Record<string, unknown> });
  const text = result.content.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");
  return result.isError === true ? `error: ${text}` : text;
}
