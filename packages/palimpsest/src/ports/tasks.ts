/**
 * Ports of background tasks to the machine: append-only files, and process groups.
 *
 * A task is work that continues while the agent does something else. Its state is in a journal and its output in a file.
 * Both survive the process that runs the task, so that the next process knows how far the task got.
 */

/** The files of one session's tasks. The process that runs the tasks is the only writer of journal and outputs. */
export interface TaskFiles {
  /** True if there is a journal. A session without tasks needs no other call. */
  hasJournal(): boolean;
  /** The records of the journal, oldest first, each a JSON text. Damaged lines are left out and counted. */
  readJournal(): { readonly lines: readonly string[]; readonly damagedLines: number };
  /** Appends one record. It survives a killed process once this returns. */
  appendJournal(line: string): void;
  /** Resolves once the journal survives a power loss. */
  syncJournal(): Promise<void>;
  /** Opens the output of a task for appending; existing output is kept. */
  openOutput(taskId: string): TaskOutput;
  /** Bytes of the output from `offset` on, at most `length`; none at its end, or where there is no output. */
  readOutput(taskId: string, offset: number, length: number): Uint8Array;
  /** Size of the output in bytes; 0 where there is none. */
  outputBytes(taskId: string): number;
  /** Path of the output, for people and for tools that read files; absent in memory. */
  outputPath(taskId: string): string | undefined;
  /** Most bytes that all outputs together may have here, whatever the limits of the tasks are. @defaultValue as many as those */
  readonly mostBytes?: number;
  /** Size of all outputs of the session together, in bytes. */
  totalBytes(): number;
  /** Free space on the disk in bytes; absent where that is not known. */
  freeBytes(): number | undefined;
  /** Requests that other processes left for the one that runs the tasks, as JSON texts, from a position on. */
  readInbox(from: number): { readonly lines: readonly string[]; readonly next: number };
  /** Leaves a request for the process that runs the tasks. */
  appendInbox(line: string): void;
}

/** An output that is being written. */
export interface TaskOutput {
  /** Appends all bytes. Throws the platform's error where the disk is full. */
  write(bytes: Uint8Array): void;
  close(): void;
}

/** Identifies a process even after its parent died: its id alone may have been reused by then. */
export interface ProcessMark {
  readonly pid: number;
  /** Start time, in the platform's own unit; absent if the platform does not report it. */
  readonly startedAt?: string;
  /** Equal for processes whose ids can be compared; see `ProcessIdentity`. */
  readonly space: string;
  /** Value of the environment variable `PALIMPSEST_TASK`, which all processes of the task inherit. */
  readonly token: string;
}

/** A shell command to run. */
export interface ProcessCommand {
  readonly command: string;
  /** @defaultValue the folder of this process */
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** `closed`: the command reads end of file at once. `open`: it reads what `write` sends. @defaultValue `closed` */
  readonly stdin?: "closed" | "open";
  /** Text that is written to standard input, which is then closed. */
  readonly given?: string;
  /** Unique to the task; see {@link ProcessMark.token}. */
  readonly token: string;
  /** Called with each piece of output; standard output and standard error are one stream. */
  readonly onOutput: (bytes: Uint8Array) => void;
}

/** How a process ended. */
export interface ProcessEnd {
  readonly exitCode?: number;
  readonly signal?: string;
  /** Reason why it could not be started. */
  readonly error?: string;
}

/** A running shell command and all processes that it started (its process group). */
export interface TaskProcess {
  readonly mark: ProcessMark;
  /** Resolves once the command has ended and nothing that it started in its group is left. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Writes to standard input. @throws where it is closed */
  write(text: string): Promise<void>;
  /** Asks the group to end, and kills it if it has not after `graceMs`. */
  stop(graceMs: number): Promise<void>;
  /** Processor time that the group has used, in milliseconds; absent where that is not known. */
  cpuMs(): number | undefined;
}

/** Processes that other code of this process starts, such as an MCP client. */
export interface AdoptedProcesses {
  readonly mark: ProcessMark;
  /** Variables for the environment of each: without them it is not found. */
  readonly env: Readonly<Record<string, string>>;
  /** Kills those that are left, and guards them no longer. */
  release(): Promise<void>;
}

/** Starts shell commands, and kills those that an earlier process left running. */
export interface TaskProcesses {
  /** Starts the command. If this process dies, the group is killed. */
  start(command: ProcessCommand): TaskProcess;
  /** If this process dies, processes with this environment are killed. */
  adopt(token: string): Promise<AdoptedProcesses>;
  /** Kills the remaining processes of a command that was started earlier; resolves to their number. */
  sweep(mark: ProcessMark): Promise<number>;
}

/** An answer to a request over HTTP, as the platform's `fetch` gives it. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: {
    getReader(): {
      read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
      cancel(): Promise<void>;
    };
  } | null;
}

/** Sends a request to a worker; the platform's `fetch` is one. */
export type HttpFetch = (
  url: string,
  request: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly redirect: "manual";
    readonly signal: AbortSignal;
  },
) => Promise<HttpAnswer>;
