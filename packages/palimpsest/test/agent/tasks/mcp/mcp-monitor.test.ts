/** Watches over real MCP servers, by the official SDK; time passes by a fake clock. */
import { describe, expect, it } from "vitest";
import { type McpServer, mcpMonitorTasks } from "#agent/tasks/mcp-monitor/mcp-monitor-task.ts";
import { NodeTaskProcesses } from "#runtime/processes/node-task-processes.ts";
import { readProcess } from "#runtime/processes/process-table.ts";
import { until } from "../../../runtime/processes/until.ts";
import { FakeDeadline } from "../fake-deadline.ts";
import { type Era, httpServer, stdioServer } from "./mcp-servers.ts";

function watch(servers: Record<string, McpServer>) {
  const deadline = new FakeDeadline();
  const abort = new AbortController();
  const lines: string[] = [];
  const notices: string[] = [];
  const processes = new NodeTaskProcesses({ space: "this machine" });
  const kind = mcpMonitorTasks(servers, { deadline, processes, newToken: () => crypto.randomUUID() });
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
  const says = (line: string) => expect.poll(() => lines.at(-1), { timeout: 250_000 }).toContain(line);
  return { deadline, lines, notices, stop, says, state: () => task.detail?.() };
}

const isGone = (pid: number | undefined): boolean => readProcess(pid ?? 0) === undefined;
const ERAS: readonly Era[] = ["legacy", "modern"];

describe.skipIf(process.platform !== "linux")("a monitor of MCP servers", () => {
  it.each(ERAS)("starts a killed server again, says so at once, and ends it at last: %s", async (era) => {
    const files = stdioServer(era);
    const { deadline, lines, notices, stop, says, state } = watch({ files });
    expect(state()).toBe("files is not connected yet");
    await says("files is connected");
    await deadline.pass(30_000);
    await until(() => deadline.hasWait(30_000));
    expect(lines).toEqual(["files is connected"]);
    expect(state()).toBe("files is up");
    // No ping is due: the connection says that it has ended.
    process.kill(files.pids[0]!, "SIGKILL");
    await says("files does not answer (the connection was closed); trying again in 1000 ms");
    expect(state()).toBe("files is down");
    await deadline.pass(1_000);
    await says("files is back");
    expect(notices).toEqual([
      "The MCP server files does not answer: the connection was closed",
      "The MCP server files is back.",
    ]);
    await stop();
    expect(files.pids.map(isGone)).toEqual([true, true]);
  });

  it("takes a server for down that does not answer in time, kills it, and replaces it", async () => {
    const files = stdioServer("legacy", "stays");
    const { deadline, stop, says } = watch({ files });
    await says("files is connected");
    process.kill(files.pids[0]!, "SIGSTOP");
    await deadline.pass(30_000);
    await deadline.pass(10_000);
    await says("files does not answer (It took longer than 10000 ms.)");
    // It does not end with its connection either.
    await deadline.pass(10_000);
    await until(() => isGone(files.pids[0]));
    await deadline.pass(1_000);
    await says("files is back");
    await stop();
  });

  it("tries a server less and less often that answers and then ends", async () => {
    const files = stdioServer("legacy");
    const { deadline, stop, says } = watch({ files });
    for (const [index, ms] of [1_000, 2_000, 4_000].entries()) {
      await says(index === 0 ? "files is connected" : "files is back");
      process.kill(files.pids[index]!, "SIGKILL");
      await says(`trying again in ${ms} ms`);
      await deadline.pass(ms);
    }
    await stop();
  });

  it.each(
    ERAS,
  )("tries a server over HTTP again, waiting longer each time, up to a minute: %s", async (era) => {
    const { client, methods, up, down } = await httpServer(era);
    const { deadline, lines, notices, stop, says } = watch({ web: client });
    await says("web is connected");
    expect(methods.at(-1)).toBe(era === "modern" ? "server/discover" : "ping");
    await down();
    await deadline.pass(30_000);
    for (const ms of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000]) {
      await says(`trying again in ${ms} ms`);
      await deadline.pass(ms);
    }
    await until(() => lines.length === 9);
    await up();
    await deadline.pass(60_000);
    await says("web is back");
    expect(notices).toEqual([
      expect.stringContaining("The MCP server web does not answer: "),
      "The MCP server web is back.",
    ]);
    // After a while without a failure, the pauses begin at the first again.
    await deadline.pass(30_000);
    await until(() => deadline.hasWait(30_000));
    await down();
    await deadline.pass(30_000);
    await says("trying again in 1000 ms");
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
