/**
 * One running task: its output within limits, its time, and the look at its silence.
 *
 * STATES. *running* → it ends by itself, or *stopping* → ended. Whatever happens, the journal gets one end, after the
 * last byte of output; what comes later is dropped.
 */
import { TASK_DEFAULTS } from "../../base/defaults/tasks.ts";
import { errorMessage } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json/json.ts";
import type { Deadline } from "../../ports/runtime.ts";
import type { TaskFiles, TaskOutput } from "../../ports/tasks.ts";
import { judgeSilence, type Silence } from "../../tasks/silence.ts";
import type { NoticeRecord, TaskEnd } from "../../tasks/task-record.ts";
import type { RunningTask, TaskKind } from "./kind/task-kind.ts";

/** Free space is asked for again after this much output. */
const DISK_CHECK_BYTES = 1_024 * 1_024;

/** A kind that has not ended this long after it was stopped is given up. Source: our choice: longer than a pause of a remote agent. */
const STOP_LIMIT_MS = 40_000;

/** Limits of a session's tasks; see `TASK_DEFAULTS`. */
export interface TaskLimits {
  readonly outputBytes: number;
  readonly sessionOutputBytes: number;
  readonly freeDiskBytes: number;
  readonly runningCount: number;
}

/** What one running task needs of the tasks of its session. */
interface TaskPlace {
  readonly files: TaskFiles;
  readonly limits: TaskLimits;
  /** Size of all outputs of the session together; the tasks that run count it up. */
  readonly written: { bytes: number };
  readonly deadline: Deadline;
  readonly now: () => number;
  record(facts: JsonObject): void;
  notify(what: NoticeRecord["what"], text: string): void;
  /** The task seems to wait at a prompt. */
  waits(silence: Silence & { readonly state: "waiting" }): void;
  /** Never throws. */
  ended(end: TaskEnd): void;
}

export class TaskInProgress {
  /** Resolves once the end is in the journal. Never rejects. */
  readonly ended: Promise<void>;
  readonly #id: string;
  readonly #place: TaskPlace;
  readonly #output: TaskOutput;
  readonly #abort = new AbortController();
  #task: RunningTask | undefined;
  #stopping: Promise<void> | undefined;
  #stopReason: string | undefined;
  #isFailure = false;
  #bytes: number;
  /** Size of the output when free space was asked for last. */
  #bytesAtCheck: number | undefined;
  #lastOutputMs: number;
  #bytesAtLook = -1;
  /** Processor time at the first look after the last output. */
  #cpuAtOutput: number | undefined;
  #silence: Silence = { state: "active" };
  #hasEnded = false;

  constructor(id: string, place: TaskPlace) {
    this.#id = id;
    this.#place = place;
    this.#output = place.files.openOutput(id);
    this.#bytes = place.files.outputBytes(id);
    this.#lastOutputMs = place.now();
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }
  #resolve: () => void = () => undefined;
  #begin: () => void = () => undefined;
  /** Resolves once it has begun, or failed to: only then can it be stopped. */
  readonly #begun = new Promise<void>((resolve) => {
    this.#begin = resolve;
  });

  /** Starts it. What goes wrong is its end. */
  start<Input extends JsonObject>(
    kind: TaskKind<Input>,
    input: Input,
    {
      earlier,
      timeoutMs,
    }: { readonly earlier: readonly JsonObject[]; readonly timeoutMs: number | undefined },
  ): void {
    // An observer stopped it: then it never begins.
    if (this.#abort.signal.aborted) {
      this.#begin();
      return;
    }
    const cancelTimeout =
      timeoutMs === undefined
        ? undefined
        : this.#place.deadline.after(
            timeoutMs,
            () => void this.stop(`its time of ${timeoutMs} ms was up`, true),
          );
    const end = (result: TaskEnd): void => {
      cancelTimeout?.();
      this.#end(result);
    };
    const failed = (error: unknown): void => end({ outcome: "failed", reason: errorMessage(error) });
    try {
      this.#task = kind.start(input, {
        taskId: this.#id,
        signal: this.#abort.signal,
        write: (output) => this.#write(output),
        record: (facts) => this.#place.record(facts),
        earlier,
        earlierBytes: this.#bytes,
        outputBytes: () => this.#bytes,
        notify: (what, text) => this.#place.notify(what, text),
      });
      this.#task.ended.then(end, failed);
    } catch (error) {
      failed(error);
    } finally {
      this.#begin();
    }
  }

  get outputBytes(): number {
    return this.#bytes;
  }

  /** Whether it writes, is quiet, or waits at a prompt. */
  get silence(): Silence {
    return this.#silence;
  }

  get detail(): string | undefined {
    return this.#task?.detail?.();
  }

  get takesInput(): boolean {
    return this.#task?.input !== undefined;
  }

  async input(text: string, key: string | undefined): Promise<void> {
    await this.#task?.input?.(text, key);
    // It has its time again before it counts as silent.
    this.#heard();
  }

  /** Ends it; resolves when nothing of it is left. The reason of the first call counts. */
  stop(reason: string, isFailure = false): Promise<void> {
    this.#stopReason ??= reason;
    this.#isFailure ||= isFailure;
    this.#stopping ??= new Promise((resolve) => {
      const cancel = this.#place.deadline.after(STOP_LIMIT_MS, () => {
        this.#stopReason = `${this.#stopReason}; it had not ended ${STOP_LIMIT_MS} ms later`;
        over();
      });
      const over = (): void => {
        cancel();
        // A kind that does not say when it ends is over when it has been stopped.
        this.#end({ outcome: "stopped" });
        resolve();
      };
      this.#abort.abort();
      void this.#begun.then(() => this.#stopTask()).then(over);
    });
    return this.#stopping;
  }

  async #stopTask(): Promise<void> {
    try {
      await this.#task?.stop();
    } catch (error) {
      this.#stopReason = `${this.#stopReason}; stopping it failed: ${errorMessage(error)}`;
    }
  }

  /** Looks at it, every few seconds. */
  look(): void {
    const task = this.#task;
    if (task?.mayPrompt !== true || this.#hasEnded) return;
    const silentMs = this.#place.now() - this.#lastOutputMs;
    if (this.#bytesAtLook !== this.#bytes) {
      this.#bytesAtLook = this.#bytes;
      this.#cpuAtOutput = task.cpuMs?.();
    }
    if (silentMs < TASK_DEFAULTS.silentMs) return;
    const cpuMs = task.cpuMs?.();
    const silence = judgeSilence({
      silentMs,
      lastBytes: this.#lastBytes(),
      cpuMs: cpuMs === undefined ? undefined : cpuMs - (this.#cpuAtOutput ?? 0),
    });
    const wasWaiting = this.#silence.state === "waiting";
    this.#silence = silence;
    if (silence.state === "waiting" && !wasWaiting) this.#place.waits(silence);
  }

  #lastBytes(): Uint8Array {
    const from = Math.max(0, this.#bytes - TASK_DEFAULTS.promptBytes);
    try {
      return this.#place.files.readOutput(this.#id, from, TASK_DEFAULTS.promptBytes);
    } catch {
      // It cannot be read, for instance because a task replaced the file by a link.
      return new Uint8Array(0);
    }
  }

  #write(output: string | Uint8Array): void {
    if (this.#hasEnded || this.#stopReason !== undefined) return;
    const bytes = typeof output === "string" ? new TextEncoder().encode(output) : output;
    if (bytes.length === 0) return;
    const { limits, written } = this.#place;
    const left = Math.min(limits.outputBytes - this.#bytes, limits.sessionOutputBytes - written.bytes);
    const fitting = bytes.length <= left ? bytes : bytes.subarray(0, Math.max(0, left));
    try {
      if (this.#isDiskFull()) {
        void this.stop(`less than ${limits.freeDiskBytes} bytes are free on the disk`, true);
        return;
      }
      this.#output.write(fitting);
    } catch (error) {
      void this.stop(`its output could not be written: ${errorMessage(error)}`, true);
      return;
    }
    this.#bytes += fitting.length;
    written.bytes += fitting.length;
    this.#heard();
    if (fitting.length < bytes.length) void this.stop(this.#limitReason(), true);
  }

  #heard(): void {
    this.#lastOutputMs = this.#place.now();
    this.#silence = { state: "active" };
  }

  /** Asked for each megabyte. */
  #isDiskFull(): boolean {
    const { files, limits } = this.#place;
    if (this.#bytesAtCheck !== undefined && this.#bytes - this.#bytesAtCheck < DISK_CHECK_BYTES) return false;
    this.#bytesAtCheck = this.#bytes;
    const free = files.freeBytes();
    return free !== undefined && free < limits.freeDiskBytes;
  }

  #limitReason(): string {
    const { outputBytes, sessionOutputBytes } = this.#place.limits;
    return this.#bytes >= outputBytes
      ? `its output reached the limit of ${outputBytes} bytes`
      : `the outputs of this session's tasks reached the limit of ${sessionOutputBytes} bytes`;
  }

  #end(end: TaskEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#abort.abort();
    try {
      this.#output.close();
    } catch {
      // The file has what was written.
    }
    const reason = this.#stopReason;
    const outcome = this.#isFailure ? "failed" : "stopped";
    this.#place.ended(reason === undefined ? end : { ...end, outcome, reason });
    this.#resolve();
  }
}
