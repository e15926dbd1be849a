/** Hostile callers of `palimpsest mcp --http`: refused with clear answers, and nothing is written elsewhere or told. */
import { chmodSync, readdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testFolder } from "../../../../test/helpers/compiled-once.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";
import { storedHome } from "../../../../test/helpers/stored.ts";
import { callText, type ServerDouble, startServer, TOKEN } from "./mcp-server-double.ts";

let server: ServerDouble;
let client: Client;
beforeAll(async () => {
  server = await startServer();
  client = await server.client();
});
afterAll(() => server.stop());

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request with any header; resolves with the status and the text. */
function send({ method = "POST", path = "/mcp", headers = {}, body = "" }: Sent): Promise<string> {
  const { hostname, port } = new URL(server.url);
  const usual = {
    authorization: `Bearer ${TOKEN}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers: { ...usual, ...headers } }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece) => {
        text += piece;
      });
      response.on("end", () => resolve(`${response.statusCode} ${text}`));
    });
    sent.on("error", reject).end(body);
  });
}

const LIST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });

describe("requests over HTTP", () => {
  it.each([
    { sent: {}, answer: /^200 .*memory_recall/s, why: "all is well" },
    { sent: { headers: { host: "localhost:1" } }, answer: /^200 /, why: "the port does not matter" },
    { sent: { headers: { authorization: "" } }, answer: /^401 .*token is missing or wrong/, why: "no token" },
    { sent: { headers: { authorization: `Bearer ${TOKEN}x` } }, answer: /^401 /, why: "a longer token" },
    { sent: { headers: { authorization: TOKEN } }, answer: /^401 /, why: "a token without its scheme" },
    {
      sent: { headers: { host: "evil.example" } },
      answer: /^403 .*host name is not served/,
      why: "DNS rebinding",
    },
    {
      sent: { headers: { host: "127.0.0.1.evil.example" } },
      answer: /^403 /,
      why: "a name that begins as the address",
    },
    {
      sent: { headers: { origin: "https://evil.example" } },
      answer: /^403 .*web pages are not served/,
      why: "a page",
    },
    { sent: { headers: { origin: "null" } }, answer: /^403 /, why: "a page without an origin" },
    { sent: { path: "/" }, answer: /^404 .*only path is \/mcp/, why: "another path" },
    { sent: { path: "/mcp/../../etc/passwd" }, answer: /^404 /, why: "a path that climbs" },
    { sent: { method: "PUT" }, answer: /^405 /, why: "another method" },
    { sent: { headers: { "content-type": "text/plain" } }, answer: /^415 /, why: "a form's content type" },
    { sent: { body: "{" }, answer: /^400 /, why: "broken JSON" },
    { sent: { body: "[".repeat(100_000) }, answer: /^400 /, why: "deep JSON" },
    { sent: { body: "null" }, answer: /^400 /, why: "JSON that is not a message" },
    {
      sent: { body: " ".repeat(1024 * 1024 + 1) },
      answer: /^413 .*1048576 bytes at most/,
      why: "a body above the limit",
    },
  ])("are answered with $answer: $why", async ({ sent, answer }) => {
    const text = await send({ body: LIST, ...(sent as Sent) });
    expect(text).toMatch(answer);
    expect(text).not.toContain(server.place.home);
    expect(text).not.toContain(TOKEN);
  });
});

describe("arguments of calls", () => {
  it.each([
    { name: "memory_recall", input: {}, answer: /Give `query`, or `path`/ },
    { name: "memory_recall", input: { query: "" }, answer: /must NOT have fewer than 1 characters/ },
    { name: "memory_recall", input: { query: ["a"] }, answer: /query must be string/ },
    { name: "memory_recall", input: { query: "a", limit: 1e9 }, answer: /limit must be <= 20/ },
    { name: "memory_recall", input: { query: "a".repeat(500_000) }, answer: /more than 2000 characters/ },
    { name: "memory_recall", input: { path: "../../../../etc/passwd" }, answer: /There is no memory/ },
    { name: "memory_recall", input: { path: "/etc/passwd" }, answer: /There is no memory/ },
    { name: "memory_recall", input: { path: "user:../../projects" }, answer: /There is no memory/ },
    { name: "memory_recall", input: { path: ".palimpsest/x.md" }, answer: /There is no memory/ },
    { name: "memory_recall", input: { path: "a\u0000.md" }, answer: /There is no memory/ },
    { name: "memory_recall", input: { path: "__proto__" }, answer: /There is no memory/ },
    { name: "memory_correct", input: { path: "../x.md", text: "x" }, answer: /There is no memory/ },
    { name: "memory_forget", input: { path: "MEMORY.md" }, answer: /is the index/ },
    { name: "memory_remember", input: { text: "x".repeat(16_001) }, answer: /more than 16000 characters/ },
    {
      name: "memory_remember",
      input: { text: "x", folder: "../.." },
      answer: /There is no argument folder\. The arguments are text, name, /,
    },
    {
      name: "memory_remember",
      input: { text: "x", isConfirmed: true },
      answer: /There is no argument isConfirmed\./,
    },
    {
      name: "memory_remember",
      input: { text: "x", scope: "team" },
      answer: /must be equal to one of the allowed values/,
    },
    { name: "memory_list", input: { offset: -1 }, answer: /offset must be >= 0/ },
    { name: "history_search", input: { query: " " }, answer: /There is nothing to search for/ },
    { name: "history_read", input: { session: "../../../etc/passwd" }, answer: /There is no such session/ },
    { name: "history_read", input: { session: "x", pointer: "m1; rm -rf /" }, answer: /must match pattern/ },
    { name: "history_read", input: { pointer: "m1" }, answer: /A pointer needs its session/ },
  ])("of $name are refused: $answer", async ({ name, input, answer }) => {
    const text = await callText(client, name, input);
    expect(text).toMatch(/^error: /);
    expect(text).toMatch(answer);
    expect(text).not.toContain(server.place.home);
    expect(text.length).toBeLessThan(1_000);
  });

  it("that are many or deep are refused before they are looked at", async () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`a${index}`, 1]));
    expect(await callText(client, "memory_list", many)).toMatch(/more than the maximum of 100 elements/);
    const deep = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_list","arguments":${deep}}}`;
    expect(await send({ body })).toMatch(/^(?:200|4\d\d|500) .*error/is);
    expect(await callText(client, "memory_list")).toMatch(/emories/);
    await expect(callText(client, "memory_destroy")).rejects.toThrow(/Tool memory_destroy not found/);
  });

  it.each([
    "file:///etc/passwd",
    "memory://project/../../../etc/passwd",
    "memory://project/%2e%2e%2f%2e%2e%2fsettings.md",
    "memory://project/%00.md",
    "memory://project/%E0%A4%A.md",
    "memory://project/user%3Ax.md",
    "memory://team/x.md",
    "memory://evil@user/x.md",
    `memory://project/${"a".repeat(5_000)}.md`,
  ])("of resources are refused: %s", async (uri) => {
    const failure = await client.readResource({ uri }).catch((error: Error) => error);
    expect(failure).toBeInstanceOf(Error);
    expect((failure as Error).message).not.toContain(server.place.home);
  });

  it("never name a file: what a name says stays inside of the memories", async () => {
    for (const name of [
      "../../../escaped",
      "/tmp/escaped",
      "C:\\escaped",
      "a/b/c",
      "\u202egnp.exe",
      ".hidden",
      "con",
    ])
      expect(await callText(client, "memory_remember", { text: `A fact about ${name}.`, name })).toMatch(
        /^written [\p{L}\p{N}-]+\.md\n/u,
      );
    const all = readdirSync(server.place.home, { recursive: true, encoding: "utf8" });
    expect(all.length).toBeGreaterThan(7);
    expect(all.filter((path) => !/^(?:projects|user-memory)(?:\/|$)/.test(path))).toEqual([]);
    expect(readdirSync(join(server.place.home, "..")).filter((name) => name !== "home")).toEqual([]);
    expect(readdirSync(server.place.folder)).toEqual([]);
  });
});

it("answers many calls at once, and remembers each fact of them once", async () => {
  const callsCount = bySize({ usual: 100, long: 300, soak: 1_000 });
  const calls = Array.from({ length: callsCount }, (_, index) =>
    index % 10 === 0
      ? callText(client, "memory_remember", { text: `Ledger ${index % 50} is in the harbour office.` })
      : callText(
          client,
          index % 2 === 0 ? "memory_recall" : "memory_list",
          index % 2 === 0 ? { query: "ledger" } : { limit: 1 },
        ),
  );
  const texts = await Promise.all(calls);
  expect(texts.filter((text) => text.startsWith("error: "))).toEqual([]);
  const { memories } = JSON.parse((await server.place.run(["memory", "list", "--json"])).out) as {
    readonly memories: readonly { readonly name: string }[];
  };
  const ledgers = memories.map(({ name }) => name).filter((name) => name.startsWith("Ledger "));
  expect(ledgers.toSorted()).toEqual(
    ["0", "10", "20", "30", "40"].map((n) => `Ledger ${n} is in the harbour office`),
  );
});

describe("palimpsest mcp --http", () => {
  const run = async (...args: readonly string[]) => {
    const { code, err } = await storedHome().run(["mcp", ...args]);
    return `${code}: ${err}`;
  };
  const tokenFile = (text: string, mode: number): string => {
    const path = join(testFolder(), "token");
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };

  it("says what is wrong with its options, and listens to no one", async () => {
    expect(await run("--http", "0")).toMatch(/^2: .*--http and --token-file belong together/s);
    expect(await run("--token-file", "x")).toMatch(/^2: .*--http and --token-file belong together/s);
    expect(await run("--http", "0", "--token-file", "missing")).toMatch(/^2: .*missing cannot be read/s);
    expect(await run("--http", "0", "--token-file", tokenFile(TOKEN, 0o644))).toMatch(
      /^2: .*can be read by other users \(chmod 600\)/s,
    );
    const short = await run("--http", "0", "--token-file", tokenFile("short", 0o600));
    expect(short).toMatch(/^2: .*needs a token of 16 characters or more/s);
    expect(await run("--http", "70000")).toMatch(/^2: .*--http must be a whole number from 0 to 65535/s);
    expect(await run("--scope", "galaxy")).toMatch(/^2: /);
    expect(await run("--scope", "team")).toMatch(/^2: .*--scope team needs --team/s);
    expect(await run("--team", "../evil")).toMatch(/^2: .*is not a valid name of a team/s);
    expect(await run("--folder", "x", "--project", "y")).toMatch(/^2: .*--folder/s);
  });

  it("says that a port is in use", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as { port: number };
    expect(await run("--http", String(port), "--token-file", tokenFile(TOKEN, 0o600))).toMatch(
      /^2: .*cannot listen on port \d+ of 127\.0\.0\.1: the port is in use/s,
    );
    await new Promise((resolve) => other.close(resolve));
  });
});
