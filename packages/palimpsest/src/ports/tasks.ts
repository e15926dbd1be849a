/**
 * Ports of background tasks to the machine: files that only grow, and process groups.
 *
 * A task is work that goes on while the agent does something else. Its state is a journal, its output a file; both
 * survive the process that runs it, so that the next process knows how far it came.
 */

/** The files of one session's tasks. The process that runs the tasks is the only writer of journal and outputs. */
export interface TaskFiles {
  /** True if there is a journal, so that a session without tasks costs one look. */
  hasJournal(): boolean;
  /** The records of the journal, oldest first, each a JSON text. Damaged lines are left out and counted. */
  readJournal(): { readonly lines: readonly string[]; readonly damagedLines: number };
  /** Appends one record. It survives a killed process once this returns. */
  appendJournal(line: string): void;
  /** Resolves once the journal survives a power loss. */
  syncJournal(): Promise<void>;
  /** Opens the output of a task to append to it; what it holds stays. */
  openOutput(taskId: string): TaskOutput;
  /** Bytes of the output from `offset` on, at most `length`; none at its end, or where there is no output. */
  readOutput(taskId: string, offset: number, length: number): Uint8Array;
  /** Size of the output in bytes; 0 where there is none. */
  outputBytes(taskId: string): number;
  /** Path of the output, for people and for tools that read files; absent in memory. */
  outputPath(taskId: string): string | undefined;
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

/** Identifies a process after its parent died: its number alone may belong to another one by then. */
export interface ProcessMark {
  readonly pid: number;
  /** When it began, in whatever the platform counts; absent where it does not tell. */
  readonly startedAt?: string;
  /** Equal for processes whose numbers can be compared; see `ProcessIdentity`. */
  readonly space: string;
  /** In the environment of the process and of all that it started, under `PALIMPSEST_TASK`. */
  readonly token: string;
}

/** A shell command to run. */
export interface ProcessCommand {
  readonly command: string;
  /** @defaultValue the folder of this process */
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** `closed`: reading ends at once. `open`: `write` reaches it. @defaultValue `closed` */
  readonly stdin?: "closed" | "open";
  /** Written to standard input, which is closed after it. */
  readonly given?: string;
  /** Unique to the task; see {@link ProcessMark.token}. */
  readonly token: string;
  /** Told the output as it comes, standard output and errors in one stream. */
  readonly onOutput: (bytes: Uint8Array) => void;
}

/** How a process ended. */
export interface ProcessEnd {
  readonly exitCode?: number;
  readonly signal?: string;
  /** It could not be started, and why. */
  readonly error?: string;
}

/** A process with its group. */
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

/** Starts shell commands, and finds what is left of those that an earlier process started. */
export interface TaskProcesses {
  /** Starts the command. If this process dies, the group is killed. */
  start(command: ProcessCommand): TaskProcess;
  /** Kills whatever is left of a process that was started earlier; resolves with how many processes it killed. */
  sweep(mark: ProcessMark): Promise<number>;
}
