/** A process that runs a task and is killed: `task-parent.ts <state> <token> <file>`. Says `ready` in that state. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { NodeTaskProcesses } from "#runtime/processes/node-task-processes.ts";

const [state, token = "", file = ""] = process.argv.slice(2);
/** Ignores the request to end, has children in its group and one that left it. */
const COMMAND = `trap '' TERM; (setsid sleep 600 &); sleep 600 & touch ${file}; while :; do sleep 0.05; done`;

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** The shell that watches over the tasks: a child of this process, and not the task. */
function guardians(task: number): readonly number[] {
  const children = execFileSync("ps", ["-o", "pid=,args=", "--ppid", String(process.pid)], {
    encoding: "utf8",
  });
  return children
    .split("\n")
    .filter((line) => line.includes("/bin/sh"))
    .map((line) => Number.parseInt(line, 10))
    .filter((pid) => pid !== task);
}

const task = new NodeTaskProcesses({ space: "test" }).start({
  command: COMMAND,
  token,
  onOutput: () => undefined,
});
if (state === "at once") process.kill(process.pid, "SIGKILL");
if (state === "starting") process.stdout.write("ready\n");
else {
  await until(() => existsSync(file));
  if (state === "stopping") void task.stop(60_000);
  if (state === "guardian killed") {
    const [first = 0] = guardians(task.mark.pid);
    process.kill(first, "SIGKILL");
    await until(() => guardians(task.mark.pid).some((pid) => pid !== first));
  }
  process.stdout.write("ready\n");
}
