/** Watches over real MCP servers; time passes by a fake clock. */
import { describe, expect, it } from "vitest";
import { type McpServer, mcpMonitorTasks } from "#agent/tasks/mcp-monitor/mcp-monitor-task.ts";
import { until } from "../../../runtime/processes/until.ts";
import { FakeDeadline } from "../fake-deadline.ts";
import { httpServer, stdioServer } from "./mcp-clients.ts";

function watch(servers: Record<string, McpServer>) {
  const deadline = new FakeDeadline();
  const abort = new AbortController();
  const lines: string[] = [];
  const notices: string[] = [];
  const kind = mcpMonitorTasks(servers, deadline);
  const task = kind.start(kind.check({}), {
    taskId: "t1",
    signal: abort.signal,
    write: (output) => void lines.push(String(output).trimEnd()),
    record: () => undefined,
    earlier: [],
    earlierBytes: 0,
    outputBytes: () => 0,
    notify: (_, text) => void notices.push(text),
  });
  const stop = async (): Promise<void> => {
    abort.abort();
    await task.stop();
  };
  const says = (line: string) =>
    expect.poll(() => lines.at(-1), { interval: 10, timeout: 20_000 }).toContain(line);
  return { deadline, lines, notices, stop, says };
}

describe("a monitor of MCP servers", () => {
  it("starts a killed server again, says once that it is down and once that it is back, and ends it at last", async () => {
    const files = stdioServer();
    const { deadline, lines, notices, stop, says } = watch({ files });
    await says("files is connected");
    await deadline.pass(30_000);
    await until(() => deadline.hasWait(30_000));
    expect(lines).toEqual(["files is connected"]);
    files.children[0]?.kill("SIGKILL");
    await until(() => files.children[0]?.signalCode === "SIGKILL");
    await deadline.pass(30_000);
    await says("files does not answer (the server's process ended); trying again in 1000 ms");
    await deadline.pass(1_000);
    await says("files is back");
    expect(files.children).toHaveLength(2);
    expect(notices).toEqual([
      "The MCP server files does not answer: the server's process ended",
      "The MCP server files is back.",
    ]);
    await stop();
    expect(files.children.map(({ signalCode }) => signalCode)).toEqual(["SIGKILL", "SIGKILL"]);
  });

  it("takes a server for down that does not answer in time, and replaces it", async () => {
    const files = stdioServer();
    const { deadline, stop, says } = watch({ files });
    await says("files is connected");
    files.children[0]?.kill("SIGSTOP");
    await deadline.pass(30_000);
    await deadline.pass(10_000);
    await says("files does not answer (It took longer than 10000 ms.)");
    await until(() => files.children[0]?.signalCode === "SIGKILL");
    await deadline.pass(1_000);
    await says("files is back");
    await stop();
  });

  it("tries a server over HTTP again, waiting longer each time, up to a minute", async () => {
    const { client, methods, up, down } = await httpServer();
    const { deadline, lines, notices, stop, says } = watch({ web: client });
    await says("web is connected");
    expect(methods).toEqual(["initialize", "notifications/initialized", "ping"]);
    await down();
    await deadline.pass(30_000);
    for (const ms of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000]) {
      await says(`web does not answer (fetch failed); trying again in ${ms} ms`);
      await deadline.pass(ms);
    }
    await until(() => lines.length === 9);
    await up();
    await deadline.pass(60_000);
    await says("web is back");
    expect(notices).toEqual([
      "The MCP server web does not answer: fetch failed",
      "The MCP server web is back.",
    ]);
    // The pauses begin at the first again.
    await down();
    await deadline.pass(30_000);
    await says("web does not answer (fetch failed); trying again in 1000 ms");
    expect(notices).toHaveLength(3);
    await stop();
  });

  it("closes a connection that comes after its time, and one that was never good is no state", async () => {
    let connected: (connection: Awaited<ReturnType<McpServer["connect"]>>) => void = () => undefined;
    let closedCount = 0;
    const slow: McpServer = {
      connect: () =>
        new Promise((resolve) => {
          connected = resolve;
        }),
    };
    const { deadline, notices, stop, says } = watch({ slow });
    await deadline.pass(10_000);
    await says("slow does not answer");
    connected({ ping: async () => undefined, close: async () => void closedCount++ });
    await until(() => closedCount === 1);
    // It connects, but never answers.
    await deadline.pass(1_000);
    connected({ ping: () => Promise.reject(new Error("no")), close: async () => void closedCount++ });
    await says("slow does not answer (no); trying again in 2000 ms");
    await until(() => closedCount === 2);
    expect(notices).toHaveLength(1);
    await stop();
  });
});
