/** `palimpsest mcp` as a process: over standard input and output, killed clients, two servers over one memory. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { beforeAll, describe, expect, it } from "vitest";
import { compiledLibrary } from "../../../../test/helpers/compiled-once.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";
import { type StoredHome, storedHome } from "../../../../test/helpers/stored.ts";
import { callText } from "./mcp-server-double.ts";

let main: string;
beforeAll(() => {
  main = join(compiledLibrary(), "palimpsest-cli/dist/program/main.js");
});

const environment = ({ home }: StoredHome) => ({
  PATH: process.env["PATH"] ?? "",
  PALIMPSEST_HOME: home,
  NODE_ENV: "production",
});

async function connect(place: StoredHome) {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [main, "mcp"],
    cwd: place.folder,
    env: environment(place),
    stderr: "pipe",
  });
  await client.connect(transport);
  return { client, pid: transport.pid! };
}

/** Resolves when the process is gone. */
async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Starts the server by itself, for input that no client sends. */
function start(place: StoredHome) {
  const child = spawn(process.execPath, [main, "mcp"], { cwd: place.folder, env: environment(place) });
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (piece) => {
    err += piece;
  });
  child.stdin.on("error", () => undefined);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, lines, ended: once(child, "close"), err: () => err };
}

describe("palimpsest mcp on standard input and output", () => {
  it("lets two agents share one memory, without losing a fact of either", async () => {
    const place = storedHome();
    const [one, other] = await Promise.all([connect(place), connect(place)]);
    const facts = Array.from({ length: 5 }, (_, index) => index);
    await Promise.all(
      facts.flatMap((index) => [
        callText(one.client, "memory_remember", { text: `Berth ${index} belongs to the ferry.` }),
        callText(other.client, "memory_remember", { text: `Crane ${index} is out of order.` }),
      ]),
    );
    expect(
      await callText(one.client, "memory_recall", { query: "Which crane 4 is out of order?" }),
    ).toContain("Crane 4 is");
    expect(await callText(other.client, "memory_recall", { query: "Who has berth 3?" })).toContain(
      "Berth 3 belongs",
    );
    const callsCount = bySize({ usual: 50, long: 300, soak: 1_000 });
    const lists = Array.from({ length: callsCount }, () =>
      callText(other.client, "memory_list", { limit: 1 }),
    );
    const firstOfTen = /^Memories 1 to 1 of 10\./;
    expect((await Promise.all(lists)).filter((text) => !firstOfTen.test(text))).toEqual([]);
    expect(await callText(one.client, "memory_list")).toMatch(/^Memories 1 to 10 of 10\./);
    await Promise.all([one.client.close(), other.client.close()]);
    await Promise.all([gone(one.pid), gone(other.pid)]);
  });

  it("ends with its client, also if that is killed", async () => {
    const place = storedHome();
    const script = `
      const { spawn } = require("node:child_process");
      const child = spawn(process.execPath, [${JSON.stringify(main)}, "mcp"], { stdio: ["pipe", "pipe", "inherit"] });
      const hello = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "c", version: "1" } } };
      child.stdin.write(JSON.stringify(hello) + "\\n");
      child.stdout.once("data", () => console.log(child.pid));
    `;
    const killed = spawn(process.execPath, ["-e", script], { cwd: place.folder, env: environment(place) });
    const [line] = (await once(createInterface({ input: killed.stdout }), "line")) as [string];
    killed.kill("SIGKILL");
    await gone(Number(line));
  });

  it("answers what is not a message, ends at one without an end, and at SIGTERM", async () => {
    const place = storedHome();
    const hostile = start(place);
    hostile.child.stdin.write(
      'not json\n{"jsonrpc":"2.0"}\n[]\n{"jsonrpc":"2.0","id":1,"method":"tools/destroy"}\n',
    );
    const { value } = await hostile.lines.next();
    expect(JSON.parse(value as string)).toMatchObject({ id: 1, error: { code: expect.any(Number) } });
    hostile.child.stdin.write("x".repeat(5 * 1024 * 1024));
    const [code] = await hostile.ended;
    expect([code, hostile.err()]).toEqual([
      0,
      expect.stringContaining("exceeded maximum size of 4194304 bytes"),
    ]);

    const stopped = start(place);
    stopped.child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await stopped.lines.next();
    stopped.child.kill("SIGTERM");
    expect(await stopped.ended).toEqual([143, null]);
  });
});
