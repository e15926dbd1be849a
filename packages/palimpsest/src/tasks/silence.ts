/**
 * Judges a task that has been silent: it waits for input, or it is quiet.
 *
 * Silence alone says nothing: a compiler may be silent for long. Only a prompt at the end of the output makes a task wait.
 * A process that uses the processor computes, so that a weak sign of a prompt does not count.
 */
import { TASK_DEFAULTS } from "../base/defaults/tasks.ts";
import { cutTail } from "../base/text/text.ts";
import { plainText } from "./output-text.ts";
import { findPrompt } from "./prompt-patterns.ts";

/** Facts about a running task. */
interface TaskLook {
  /** Time since its last output, or since its start, in milliseconds. */
  readonly silentMs: number;
  /** The end of its output. */
  readonly lastBytes: Uint8Array;
  /** Processor time that it used meanwhile; absent where that is not known. */
  readonly cpuMs?: number | undefined;
}

interface SilentFor {
  readonly silentMs: number;
  readonly cpuMs?: number;
}

/** A running task as it shows itself. */
export type Silence =
  | { readonly state: "active" }
  | ({ readonly state: "quiet" } & SilentFor)
  | ({
      readonly state: "waiting";
      /** The end of its output, as plain text. */
      readonly lastText: string;
      /** The kind of prompt. */
      readonly pattern: string;
    } & SilentFor);

/** A process that used a greater share of the time computes. Source: our choice; one at a prompt uses none. */
const BUSY_SHARE = 0.1;

/** A status line in reverse video, such as the name of the file that `less` shows first. */
const STATUS_LINE = /\x1b\[7m[^\x1b\n]{1,200}\x1b\[(?:27|0)?m(?:\x1b\[\d*K)?\s*$/;

/** Judges a look. */
export function judgeSilence({ silentMs, lastBytes, cpuMs }: TaskLook): Silence {
  if (silentMs < TASK_DEFAULTS.silentMs) return { state: "active" };
  const silent = { silentMs, ...(cpuMs !== undefined && { cpuMs }) };
  const end = lastBytes.subarray(-TASK_DEFAULTS.promptBytes);
  const lastText = plainText(end);
  const hasStatusLine = STATUS_LINE.test(new TextDecoder().decode(end));
  const prompt = hasStatusLine ? { name: "pager", isWeak: true } : findPrompt(lastText);
  const isBusy = cpuMs !== undefined && cpuMs > BUSY_SHARE * silentMs;
  if (prompt === undefined || (prompt.isWeak && isBusy)) return { state: "quiet", ...silent };
  return {
    state: "waiting",
    ...silent,
    lastText: cutTail(lastText, TASK_DEFAULTS.promptBytes),
    pattern: prompt.name,
  };
}
