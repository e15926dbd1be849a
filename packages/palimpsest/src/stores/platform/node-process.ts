/**
 * Identifies this process, and tells if others are alive.
 *
 * On Linux `/proc` gives the start time of a process, so that a reused process number is recognised. On macOS and
 * elsewhere only its existence is checked (signal 0): there a reused number looks alive, and a waiting process waits
 * until the lease expires.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { ProcessIdentity } from "../../ports/runtime.ts";

/** Field of `/proc/<pid>/stat`, counted after the program's name, which may hold anything: state is 0, start is 19. */
const START_FIELD = 19;

/** The process that asks. */
export const nodeProcess: ProcessIdentity = {
  pid: process.pid,
  host: hostname(),
  space: findSpace(),
  startedAt: findStart(process.pid),
  isAlive: (pid, startedAt) => {
    if (pid !== process.pid && !exists(pid)) return false;
    const start = pid === process.pid ? nodeProcess.startedAt : findStart(pid);
    return start === undefined || startedAt === undefined || start === startedAt;
  },
};

/** Boot time of the machine and the container: both start new process numbers. */
function findSpace(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    return `${hostname()} ${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    // Not Linux, or a `/proc` that is closed: the name of the machine has to do.
    return hostname();
  }
}

function findStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[START_FIELD];
  } catch {
    // No `/proc` here, or the process is gone: the caller asks the platform whether it exists.
    return undefined;
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    return (error as { readonly code?: unknown }).code !== "ESRCH";
  }
}
