/** Real processes. Nothing here sleeps: tests wait for a condition. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ProcessCommand, ProcessEnd, TaskProcess } from "#ports/tasks.ts";
import { NodeTaskProcesses } from "#runtime/processes/node-task-processes.ts";
import { findGroup, findMarked, readProcess } from "#runtime/processes/process-table.ts";
import { bySize, usualFew } from "../../../../../test/helpers/size-of-run.ts";
import { inNode } from "../../../../../vitest.shared.ts";
import { until } from "./until.ts";

const SPACE = { space: "this machine" };
const processes = new NodeTaskProcesses(SPACE);
const isLinux = process.platform === "linux";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-processes-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Started {
  readonly task: TaskProcess;
  readonly text: () => string;
}

function start(command: string, options: Partial<ProcessCommand> = {}): Started {
  const parts: Uint8Array[] = [];
  const onOutput = (bytes: Uint8Array) => void parts.push(Buffer.from(bytes));
  const task = processes.start({ command, token: randomUUID(), onOutput, ...options });
  return { task, text: () => Buffer.concat(parts).toString("utf8") };
}

async function run(
  command: string,
  options?: Partial<ProcessCommand>,
): Promise<ProcessEnd & { readonly text: string }> {
  const { task, text } = start(command, options);
  const end = await task.ended;
  return { ...end, text: text() };
}

/** Children of a task that starts many. */
const CHILDREN = bySize({ usual: 20, long: 150, soak: 500 });

async function survivors({ mark }: TaskProcess): Promise<number> {
  return (await findMarked(mark.token)).length + (findGroup(mark.pid)?.length ?? 0);
}

describe.skipIf(process.platform === "win32")("a command", () => {
  it.each([
    { command: "echo out; echo err >&2; exit 3", end: { exitCode: 3, text: "out\nerr\n" } },
    { command: "kill -9 $$", end: { signal: "SIGKILL", text: "" } },
    { command: "kill -TERM $$", end: { signal: "SIGTERM", text: "" } },
    {
      command: [
        "echo named > /dev/stderr; tee /dev/stdout < /dev/null",
        "cat; echo read; wait; echo waited",
        "ls /proc/self/fd/3 2>/dev/null",
        "test -t 0 || test -t 1 || echo no terminal",
        "echo $TERM $COLOR; pwd",
      ].join("; "),
      options: { env: { COLOR: "red" }, folder: "/" },
      end: { exitCode: 0, text: "named\nread\nwaited\nno terminal\ndumb red\n/\n" },
    },
    { command: "cat /dev/stdin", options: { given: "given" }, end: { exitCode: 0, text: "given" } },
    { command: "wc -c", options: { given: "x".repeat(300_000) }, end: { exitCode: 0, text: "300000\n" } },
    { command: "exit 4", options: { given: "x".repeat(300_000) }, end: { exitCode: 4, text: "" } },
  ])("$command ends with $end", async ({ command, options, end }) => {
    expect(await run(command, options)).toEqual(end);
  });

  it.each([
    { command: "echo", folder: "/dev/null/sub", says: /^(?:spawn .*, in the|The) folder \/dev\/null\/sub\b/ },
    { command: "echo", folder: "/no/such/folder", says: /^The folder \/no\/such\/folder does not exist\.$/ },
    { command: "echo", folder: "/dev/null", says: /^\/dev\/null is not a folder\.$/ },
    { command: "a\0b", says: /null bytes/ },
    { command: `echo ${"x".repeat(300_000)}`, folder: "/", says: /E2BIG/ },
  ])("that cannot start says why", async ({ command, folder, says }) => {
    expect(await run(command, folder === undefined ? {} : { folder })).toEqual({
      error: expect.stringMatching(says),
      text: "",
    });
  });

  it("gives its whole output, however long", async () => {
    const { text } = await run("seq 1 100000");
    expect(text.length).toBe(588_895);
    expect(text.endsWith("\n99999\n100000\n")).toBe(true);
  });

  it("takes input", async () => {
    const { task, text } = start("read name; echo hello $name; cat", { stdin: "open" });
    await task.write("Ada\n");
    await until(() => text() === "hello Ada\n");
    await task.write("more\n");
    await until(() => text() === "hello Ada\nmore\n");
    await task.stop(1_000);
  });

  it("refuses input where it is closed", async () => {
    const { task } = start("sleep 600");
    await expect(task.write("x")).rejects.toMatchObject({ code: "TASK_REFUSED" });
    await task.stop(0);
  });

  it("is killed if what takes its output fails", async () => {
    const onOutput = () => {
      throw new RangeError("no space");
    };
    expect(await run("echo x; sleep 600", { onOutput })).toMatchObject({
      signal: "SIGKILL",
      error: "no space",
    });
  });
});

describe.skipIf(!isLinux)("what a command leaves behind", () => {
  it.each([
    ["in its group", "sleep 600 & sleep 600 & echo $!"],
    [
      "in sessions of their own",
      "(setsid sleep 600 &); setsid nohup setsid sleep 600 > /dev/null 2>&1 & sleep 0.05",
    ],
    ["with their own groups", "set -m; sleep 600 & sleep 600 & true"],
  ])("%s dies with it", async (_, command) => {
    const { task } = start(command);
    expect(await task.ended).toEqual({ exitCode: 0 });
    expect(await survivors(task)).toBe(0);
  });

  it(`dies when it is stopped: ${CHILDREN} children`, async () => {
    const { task } = start(`for i in $(seq ${CHILDREN}); do sleep 600 & done; wait`);
    await until(() => (findGroup(task.mark.pid)?.length ?? 0) > CHILDREN);
    await task.stop(1_000);
    expect(await survivors(task)).toBe(0);
  });

  it("dies when it is stopped: children that ignore the request", async () => {
    const { task, text } = start("trap '' TERM; sleep 600 & echo ready; while :; do sleep 0.05; done");
    await until(() => text() === "ready\n");
    await task.stop(50);
    expect(await task.ended).toEqual({ signal: "SIGKILL" });
    expect(await survivors(task)).toBe(0);
  });

  it("dies when it is stopped at once", async () => {
    const { task } = start(`touch ${folder}/ran; sleep 600`);
    await Promise.all([task.stop(0), task.stop(0)]);
    await task.stop(0);
    expect(await survivors(task)).toBe(0);
  });
});

describe.skipIf(!isLinux)("a command that writes without end", () => {
  const LIMIT_MB = bySize({ usual: 8, long: 16, soak: 64 });

  it(`is dead at its limit of ${LIMIT_MB} MB by the first signal, without the second`, async () => {
    const limit = LIMIT_MB * 1_024 * 1_024;
    let bytes = 0;
    let isStopped = false;
    const { task } = start("yes", {
      onOutput: (part) => {
        bytes += part.length;
        if (bytes < limit || isStopped) return;
        isStopped = true;
        void task.stop(60_000);
      },
    });
    expect(await task.ended).toEqual({ signal: "SIGTERM" });
    expect(bytes).toBeGreaterThanOrEqual(limit);
    expect(await survivors(task)).toBe(0);
  });
});

describe.skipIf(!isLinux)("the processes of a parent that was killed", () => {
  const parent = fileURLToPath(new URL("task-parent.ts", import.meta.url));

  it.each(
    usualFew(["at once", "starting", "running", "stopping", "guardian killed"], 3, 2),
  )("are gone: %s", async (state) => {
    for (let attempt = 0; attempt < (state === "starting" ? bySize({ usual: 1, long: 5 }) : 1); attempt++) {
      const token = randomUUID();
      const file = join(folder, token);
      const child = spawn(process.execPath, [...inNode.execArgv, parent, state, token, file], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const closed = new Promise((resolve) => child.once("exit", (_, signal) => resolve(signal)));
      child.stdout.once("data", () => child.kill("SIGKILL"));
      expect(await closed).toBe("SIGKILL");
      await until(async () => (await findMarked(token)).length === 0);
      if (state === "at once") expect(existsSync(file)).toBe(false);
    }
  });
});

describe.skipIf(!isLinux)("a sweep", () => {
  /** A group that no guardian knows, as if all had been killed. */
  async function orphan(token: string) {
    const child = spawn("bash", ["-c", "sleep 600 & (setsid sleep 600 &); echo ready; wait"], {
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, PALIMPSEST_TASK: token },
    });
    await new Promise((resolve) => child.stdout.once("data", resolve));
    const pid = child.pid!;
    await until(() => findGroup(pid)?.length === 2);
    const dead = new Promise((resolve) => child.once("exit", (_, signal) => resolve(signal)));
    return { child, dead, mark: { pid, startedAt: readProcess(pid)?.startedAt, ...SPACE, token } };
  }

  it("kills the group and what left it", async () => {
    const { mark, dead } = await orphan(randomUUID());
    expect(await processes.sweep(mark)).toBe(3);
    expect(await dead).toBe("SIGKILL");
    expect(await processes.sweep(mark)).toBe(0);
  });

  it("finds what carries the token where the numbers say nothing", async () => {
    const { mark } = await orphan(randomUUID());
    expect(await processes.sweep({ ...mark, pid: 1, startedAt: undefined, space: "elsewhere" })).toBe(3);
  });

  it("never kills a process that only has the number", async () => {
    const { mark, child } = await orphan(randomUUID());
    const token = randomUUID();
    expect(await processes.sweep({ ...mark, token, startedAt: "1" })).toBe(0);
    expect(await processes.sweep({ ...mark, token, startedAt: undefined })).toBe(0);
    expect(await processes.sweep({ ...mark, token, space: "elsewhere" })).toBe(0);
    for (const pid of [0, 1, -1, -mark.pid, process.pid, 1.5, Number.NaN])
      expect(await processes.sweep({ ...mark, token: "", pid }), String(pid)).toBe(0);
    expect([child.exitCode, child.signalCode, findGroup(mark.pid)?.length]).toEqual([null, null, 2]);
    await processes.sweep(mark);
  });
});
