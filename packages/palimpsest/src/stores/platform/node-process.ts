/**
 * This process, and whether others live.
 *
 * On Linux `/proc` tells when a process began, so that a number which was given again is recognised. On
 * macOS and elsewhere only its existence is asked (signal 0): there a number that was given again looks
 * alive, and whoever waits for it waits until the lease runs out.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { ProcessIdentity } from "../../ports/runtime.ts";

/** Of `/proc/<pid>/stat`, counted behind the name of the program, which may hold anything: state is 0, start is 19. */
const START_FIELD = 19;

/** The process that asks. */
export const nodeProcess: ProcessIdentity = {
  pid: process.pid,
  host: hostname(),
  space: findSpace(),
  startedAt: findStart(process.pid),
  isAlive: (pid, startedAt) => {
    if (!exists(pid)) return false;
    const start = findStart(pid);
    return start === undefined || startedAt === undefined || start === startedAt;
  },
};

/** Since when this machine runs, and inside which container: process numbers begin anew with either. */
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
    // EPERM: it is there, and somebody else's.
    return (error as { readonly code?: unknown }).code !== "ESRCH";
  }
}
