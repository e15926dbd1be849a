/**
 * Shell commands in process groups, for POSIX systems. On Windows there are no such groups: commands are refused there.
 *
 * DESIGN. A command runs in a session and a group by itself, without a terminal. It waits at a gate until the guardian
 * knows its group (`guardian.ts`); if this process dies before, the gate closes and nothing runs. When the command
 * ends, the rest of its group is killed, and so is what left the group with the task's mark in its environment. Only
 * then has the task ended: nothing writes its output any longer.
 *
 * The environment is the one of this process, apart from `TERM=dumb`: there is no terminal.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, type Stats, statSync } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { assert } from "../../base/assert.ts";
import { errorCode, errorMessage, TaskError } from "../../base/errors.ts";
import type { ProcessIdentity } from "../../ports/runtime.ts";
import type {
  AdoptedProcesses,
  ProcessCommand,
  ProcessEnd,
  ProcessMark,
  TaskProcess,
  TaskProcesses,
} from "../../ports/tasks.ts";
import { Guardian, UNGROUPED } from "./guardian.ts";
import { openPipe, openText } from "./pipe.ts";
import { findGroup, findMarked, MARK_VARIABLE, readProcess } from "./process-table.ts";

/** Waits for a line, then becomes the shell that runs the command, so that its end is the command's. */
const GATE = `read -r _ <&3 || exit 125; exec 3<&-; exec "$0" -c "$1"`;
const SHELLS = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"];
/** It cannot be guessed, and is safe in a script. */
const TOKEN = /^[\w-]{8,128}$/;
/** Time that killed processes get to vanish. A process that waits for a dead disk may take for ever. */
const VANISH_MS = 2_000;
const LOOK_MS = 10;

/** Runs the commands of tasks. One for a process is enough. */
export class NodeTaskProcesses implements TaskProcesses {
  readonly #identity: Pick<ProcessIdentity, "space">;
  readonly #guardian = new Guardian();

  constructor(identity: Pick<ProcessIdentity, "space">) {
    this.#identity = identity;
  }

  /** @throws `TaskError` `TASK_REFUSED` on Windows */
  start(command: ProcessCommand): TaskProcess {
    if (process.platform === "win32")
      throw new TaskError("TASK_REFUSED", {
        message: "Shell commands cannot run in the background on Windows.",
        hint: "Run the program in WSL, or use another kind of task.",
      });
    assertToken(command.token);
    return new NodeTaskProcess(command, { space: this.#identity.space, guardian: this.#guardian });
  }

  /** Where no guardian can be started, as on Windows, only a sweep kills what is left. */
  async adopt(token: string): Promise<AdoptedProcesses> {
    assertToken(token);
    const unguard = (): void => this.#guardian.remove(UNGROUPED, token);
    if (process.platform !== "win32") await this.#guardian.add(UNGROUPED, token).catch(unguard);
    return {
      mark: { pid: UNGROUPED, space: this.#identity.space, token },
      env: { [MARK_VARIABLE]: token },
      release: async () => {
        await killMarked(token);
        unguard();
      },
    };
  }

  /**
   * Kills the group if its leader is still the process that was started, and every process with the token. The number
   * of a process that is another one by now is left alone.
   */
  async sweep({ pid, startedAt, space, token }: ProcessMark): Promise<number> {
    const killed = new Set<number>();
    const isComparable = space === this.#identity.space && startedAt !== undefined;
    if (isComparable && Number.isSafeInteger(pid) && pid > 1 && readProcess(pid)?.startedAt === startedAt) {
      for (const member of findGroup(pid) ?? []) killed.add(member.pid);
      if (killed.has(pid)) signalGroup(pid, "SIGKILL");
    }
    if (TOKEN.test(token)) for (const stray of await killMarked(token)) killed.add(stray);
    return killed.size;
  }
}

class NodeTaskProcess implements TaskProcess {
  readonly mark: ProcessMark;
  readonly ended: Promise<ProcessEnd>;
  readonly #guardian: Guardian;
  #child: ChildProcess | undefined;
  #output: Socket | undefined;
  #input: Socket | undefined;
  #failure: string | undefined;
  readonly #folder: string | undefined;
  #hasEnded = false;

  constructor(
    command: ProcessCommand,
    { space, guardian }: { readonly space: string; readonly guardian: Guardian },
  ) {
    this.#guardian = guardian;
    try {
      this.#child = this.#spawn(command);
    } catch (error) {
      this.#failure = whyNotStarted(error, command.folder);
    }
    this.#folder = command.folder;
    const pid = this.#child?.pid ?? 0;
    this.mark = { pid, startedAt: readProcess(pid)?.startedAt, space, token: command.token };
    this.ended = this.#run().finally(() => {
      this.#hasEnded = true;
    });
  }

  async write(text: string): Promise<void> {
    const input = this.#input;
    if (input === undefined)
      throw new TaskError("TASK_REFUSED", {
        message: "Standard input of the command is closed.",
        hint: "Stop the task, and start it again with an open standard input.",
      });
    await new Promise<void>((resolve, reject) => {
      input.write(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  async stop(graceMs: number): Promise<void> {
    if (this.#hasEnded) return;
    this.#signal("SIGTERM");
    const waiting = new AbortController();
    const grace = delay(graceMs, undefined, { signal: waiting.signal }).catch(() => undefined);
    await Promise.race([this.ended, grace]);
    waiting.abort();
    if (!this.#hasEnded) this.#signal("SIGKILL");
    await this.ended;
  }

  cpuMs(): number | undefined {
    if (this.#hasEnded) return undefined;
    return findGroup(this.mark.pid)?.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  }

  #spawn({ command, folder, env, stdin, given, token, onOutput }: ProcessCommand): ChildProcess {
    const theirs: number[] = [];
    try {
      const { readEnd: outputEnd, writeEnd } = openPipe("read");
      theirs.push(writeEnd);
      this.#output = new Socket({ fd: outputEnd, readable: true, writable: false });
      this.#output.on("data", (bytes: Buffer) => this.#take(bytes, onOutput));
      this.#output.on("error", () => undefined);
      if (given !== undefined) theirs.push(openText(given));
      else if (stdin === "open") {
        const { readEnd, writeEnd } = openPipe("write");
        theirs.push(readEnd);
        this.#input = new Socket({ fd: writeEnd, readable: false, writable: true });
        // The write that fails reports it.
        this.#input.on("error", () => undefined);
      }
      const [output, input] = theirs;
      const shell = SHELLS.find((path) => existsSync(path)) ?? "/bin/sh";
      return spawn(shell, ["-c", GATE, shell, command], {
        cwd: folder,
        env: { ...process.env, TERM: "dumb", ...env, [MARK_VARIABLE]: token },
        detached: true,
        stdio: [input ?? "ignore", output, output, "pipe"],
      });
    } finally {
      for (const handle of theirs) closeSync(handle);
    }
  }

  #take(bytes: Uint8Array, onOutput: ProcessCommand["onOutput"]): void {
    if (this.#failure !== undefined) return;
    try {
      onOutput(bytes);
    } catch (error) {
      this.#failure = errorMessage(error);
      this.#signal("SIGKILL");
    }
  }

  async #run(): Promise<ProcessEnd> {
    const end = await this.#waitForCommand();
    this.#input?.destroy();
    const { pid, token } = this.mark;
    if (pid > 1) {
      await killGroup(pid);
      await killMarked(token);
      this.#guardian.remove(pid, token);
    }
    await this.#drain();
    return this.#failure === undefined ? end : { ...end, error: this.#failure };
  }

  async #waitForCommand(): Promise<ProcessEnd> {
    const child = this.#child;
    if (child === undefined) return {};
    const ended = new Promise<ProcessEnd>((resolve) => {
      child.once("error", (error) => {
        if (child.pid !== undefined) return;
        this.#failure ??= whyNotStarted(error, this.#folder);
        resolve({});
      });
      child.once("exit", (code, signal) =>
        resolve({ ...(code !== null && { exitCode: code }), ...(signal !== null && { signal }) }),
      );
    });
    if (child.pid !== undefined) await this.#openGate(child.pid, child.stdio[3] as Writable);
    return ended;
  }

  async #openGate(pid: number, gate: Writable): Promise<void> {
    // The command may be stopped at the gate.
    gate.on("error", () => undefined);
    try {
      await this.#guardian.add(pid, this.mark.token);
      gate.end("\n");
    } catch (error) {
      this.#failure = `It could not be guarded: ${errorMessage(error)}`;
      this.#signal("SIGKILL");
    }
  }

  /** Reads what is left in the pipe. A process that hides from us may hold it open: that is not waited for. */
  async #drain(): Promise<void> {
    const output = this.#output;
    if (output === undefined || output.closed) return;
    const waiting = new AbortController();
    const closed = new Promise<void>((resolve) => output.once("close", () => resolve()));
    await Promise.race([
      closed,
      delay(VANISH_MS, undefined, { signal: waiting.signal }).catch(() => undefined),
    ]);
    waiting.abort();
    // Where this process was busy all the time, nothing was read yet: it is after this.
    await new Promise((resolve) => setImmediate(resolve));
    output.destroy();
  }

  #signal(signal: "SIGTERM" | "SIGKILL"): void {
    const { exitCode, signalCode } = this.#child ?? {};
    // The number of a process that has ended may be another one's.
    if (this.mark.pid > 1 && exitCode === null && signalCode === null) signalGroup(this.mark.pid, signal);
  }
}

/** Node names the shell, not the folder, if there is no such folder. */
function whyNotStarted(error: unknown, folder: string | undefined): string {
  const message = errorMessage(error);
  if (folder === undefined || !/ENOENT|ENOTDIR|EACCES/.test(String(errorCode(error)))) return message;
  let found: Stats | undefined;
  try {
    found = statSync(folder, { throwIfNoEntry: false });
  } catch {
    // A part of its path is a file, or may not be looked into: the error of the start says no more.
    return `${message}, in the folder ${folder}`;
  }
  if (found === undefined) return `The folder ${folder} does not exist.`;
  return found.isDirectory() ? `${message}, in the folder ${folder}` : `${folder} is not a folder.`;
}

function assertToken(token: string): void {
  assert(TOKEN.test(token), "a token is 8 to 128 letters, digits, - and _");
}

/** Returns false if there is no such group. */
function signalGroup(group: number, signal: "SIGTERM" | "SIGKILL" | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch (error) {
    // macOS refuses a group of which only dead processes are left.
    return errorCode(error) !== "ESRCH" && errorCode(error) !== "EPERM";
  }
}

/** Kills a group, and waits until it is gone. */
async function killGroup(group: number): Promise<void> {
  signalGroup(group, "SIGKILL");
  for (let waited = 0; waited < VANISH_MS && signalGroup(group, 0); waited += LOOK_MS) {
    // Dead processes that no parent collects are of no harm.
    if (findGroup(group)?.length === 0) return;
    await delay(LOOK_MS);
  }
}

/** Kills the processes with the token, and those that they start meanwhile; returns their ids. */
async function killMarked(token: string): Promise<ReadonlySet<number>> {
  const killed = new Set<number>();
  for (let waited = 0; waited < VANISH_MS; waited += LOOK_MS) {
    const found = await findMarked(token);
    if (found.length === 0) break;
    for (const pid of found) {
      killed.add(pid);
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended meanwhile.
      }
    }
    await delay(LOOK_MS);
  }
  return killed;
}
