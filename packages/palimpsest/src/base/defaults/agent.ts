/**
 * Numbers of turns: how long what is asked may take, and when a turn that goes nowhere ends.
 */
export const AGENT_DEFAULTS = {
  /** A hook is passed over after this long, in milliseconds. Source: our choice: it stands between a user and an answer. */
  hookTimeoutMs: 10_000,
  /** One call of a model is given up after this long, in milliseconds. Source: the official SDKs' own time limit, ten minutes. */
  callTimeoutMs: 600_000,
  /** A streamed answer without an event counts as a lost connection after this long, in milliseconds. Source: Codex documentation, `stream_idle_timeout_ms`: five minutes. */
  idleTimeoutMs: 300_000,
  /** Iterations of one turn, at the most. Source: our choice: far above the longest recorded turn of the corpus. */
  iterationsCount: 1_000,
} as const;
