/**
 * The processes of this machine, as far as a task needs them: members of its group, their processor time, and those
 * that left the group but still carry the task's mark in their environment.
 *
 * Linux has all of it in `/proc`. Elsewhere there is no table, and `ps` shows environments: on macOS not those of the
 * system's own programs, such as `/bin/sh`, so there a daemon that left its group may stay.
 */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** The variable that marks the processes of a task. */
export const MARK_VARIABLE = "PALIMPSEST_TASK";

interface ProcessRow {
  readonly pid: number;
  readonly group: number;
  /** In the same unit as that of `ProcessMark`. */
  readonly startedAt: string;
  /** Of the process and of its children that have ended. */
  readonly cpuMs: number;
}

/** Fields of `/proc/<pid>/stat`, counted after the program's name, which may hold anything. */
const FIELDS = { state: 0, group: 2, firstTime: 11, lastTime: 14, start: 19 } as const;
/** Linux counts processor time in hundredths of a second towards programs, whatever the kernel's clock. */
const TICK_MS = 10;

/** Reads one process; `undefined` where it is gone, dead but not collected, or where there is no `/proc`. */
export function readProcess(pid: number): ProcessRow | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[FIELDS.state] === "Z" || fields[FIELDS.state] === "X") return undefined;
    const ticks = fields.slice(FIELDS.firstTime, FIELDS.lastTime + 1);
    return {
      pid,
      group: Number(fields[FIELDS.group]),
      startedAt: fields[FIELDS.start] ?? "",
      cpuMs: ticks.reduce((sum, tick) => sum + Number(tick), 0) * TICK_MS,
    };
  } catch {
    // It ended meanwhile.
    return undefined;
  }
}

/** Members of a group that live; `undefined` where there is no table. */
export function findGroup(group: number): readonly ProcessRow[] | undefined {
  return listIds()?.flatMap((pid) => {
    const row = readProcess(pid);
    return row?.group === group ? [row] : [];
  });
}

/** Ids of the processes that carry the token in their environment, without this process. */
export async function findMarked(token: string): Promise<readonly number[]> {
  const mark = `${MARK_VARIABLE}=${token}`;
  const ids = listIds();
  const found = ids === undefined ? await findInPs(mark) : ids.filter((pid) => isMarked(pid, mark));
  return found.filter((pid) => pid > 1 && pid !== process.pid);
}

function isMarked(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(mark);
  } catch {
    // It ended meanwhile, or belongs to another user.
    return false;
  }
}

function listIds(): readonly number[] | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    // A container without `/proc`.
    return undefined;
  }
}

function findInPs(mark: string): Promise<readonly number[]> {
  const limits = { encoding: "latin1", maxBuffer: 64 * 1_024 * 1_024 } as const;
  return new Promise((resolve) => {
    execFile("ps", ["-axeww", "-o", "pid=,command="], limits, (error, output) => {
      const lines = error === null ? output.split("\n") : [];
      resolve(
        lines.filter((line) => line.split(" ").includes(mark)).map((line) => Number.parseInt(line, 10)),
      );
    });
  });
}
