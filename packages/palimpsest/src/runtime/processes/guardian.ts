/**
 * Kills the groups of the tasks when this process dies, however it dies.
 *
 * DESIGN. A small shell reads from a pipe that only this process can write. It learns each group when it starts and when
 * it is gone. The pipe ends when this process does: then the shell asks every group that is left to end, kills it a
 * second later, and on Linux also kills what left its group but carries a task's mark. A command starts only after the
 * shell knows its group, so no moment is uncovered. The shell is in a session by itself and ignores signals, so that
 * what ends this process does not end it, too. It lives while there are tasks.
 */
import { type ChildProcess, spawn } from "node:child_process";
import type { Writable } from "node:stream";
import { MARK_VARIABLE } from "./process-table.ts";

/** In place of a group: processes that only have the mark of a task. */
export const UNGROUPED = 0;

const SCRIPT = `
exec 2>/dev/null
trap '' TERM INT HUP QUIT PIPE
tasks=''
while read -r change group token; do
  left=''
  for task in $tasks; do [ "$task" = "$group:$token" ] || left="$left $task"; done
  [ "$change" = + ] && left="$left $group:$token"
  tasks=$left
done
[ -n "$tasks" ] || exit 0
signal() { for task in $tasks; do [ "\${task%%:*}" = ${UNGROUPED} ] || kill -s "$1" -- "-\${task%%:*}"; done; }
signal TERM
sleep 1
signal KILL
[ -r /proc/self/environ ] || exit 0
for task in $tasks; do
  for found in $(grep -lzxF "${MARK_VARIABLE}=\${task#*:}" /proc/[0-9]*/environ); do
    found=\${found#/proc/}
    kill -s KILL "\${found%%/*}"
  done
done
`;

type Shell = ChildProcess & { readonly stdin: Writable };

/** The shell that outlives this process by a second. */
export class Guardian {
  /** A group and a token each, as the shell reads them. */
  readonly #tasks = new Set<string>();
  #shell: Shell | undefined;

  /** Resolves once the group will not survive this process. Rejects where no shell can be started. */
  async add(group: number, token: string): Promise<void> {
    return this.#add(`${group} ${token}`);
  }

  async #add(task: string): Promise<void> {
    this.#tasks.add(task);
    this.#shell ??= this.#start();
    const { stdin } = this.#shell;
    await new Promise<void>((resolve, reject) => {
      stdin.write(`+ ${task}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** The group is gone. */
  remove(group: number, token: string): void {
    if (!this.#tasks.delete(`${group} ${token}`)) return;
    this.#shell?.stdin.write(`- ${group} ${token}\n`);
    if (this.#tasks.size > 0) return;
    this.#shell?.stdin.end();
    this.#shell = undefined;
  }

  #start(): Shell {
    const { [MARK_VARIABLE]: _, ...env } = process.env;
    const shell = spawn("/bin/sh", ["-c", SCRIPT], {
      cwd: "/",
      env,
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    shell.once("exit", () => this.#restart(shell));
    // A shell that is gone is replaced when its end is reported.
    shell.stdin.on("error", () => undefined);
    shell.on("error", () => this.#restart(shell));
    // It ends with this process; this process must not wait for it.
    shell.unref();
    (shell.stdin as Writable & { unref?(): void }).unref?.();
    return shell;
  }

  /** It was killed: another one takes the groups that are left over. */
  #restart(shell: ChildProcess): void {
    if (shell !== this.#shell) return;
    this.#shell = undefined;
    for (const task of this.#tasks) this.#add(task).catch(() => undefined);
  }
}
