/**
 * Numbers of background tasks: how much they may write, and when one seems to wait for input.
 */
export const TASK_DEFAULTS = {
  /** Output of one task, in bytes; the task is stopped there. Source: the product's requirement; other tools had output files of up to 2.5 TB. */
  outputBytes: 64 * 1_024 * 1_024,
  /** Output of all tasks of a session, in bytes. Source: the product's requirement. */
  sessionOutputBytes: 1_024 * 1_024 * 1_024,
  /** Free space on the disk below which nothing is written, in bytes. Source: our choice: room for the session's own log. */
  freeDiskBytes: 512 * 1_024 * 1_024,
  /** Running tasks are looked at this often, in milliseconds. Source: the product's requirement. */
  lookEveryMs: 5_000,
  /** Silence after which the last bytes are looked at, in milliseconds. Source: the product's requirement. */
  silentMs: 45_000,
  /** The last bytes that are looked at for a prompt. Source: the product's requirement. */
  promptBytes: 500,
  /** Tasks of one session that run at the same time. Source: our choice: an agent that forks without end is held here. */
  runningCount: 64,
  /** Output that is read at a time, in bytes. Source: our choice: what a model reads at a time, some 8,000 tokens. */
  readBytes: 32_768,
} as const;
