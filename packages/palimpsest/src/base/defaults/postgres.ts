/**
 * Numbers of the store in PostgreSQL: how long it tries, how long a writer is believed alive, how much
 * goes into one statement.
 */
import { assert } from "../assert.ts";
import { STORE_DEFAULTS } from "./store.ts";

export const POSTGRES_DEFAULTS = {
  /** A statement that failed for a passing reason is tried again for so long, in milliseconds. Source: our choice: a restart of a small server takes about a second. */
  retryForMs: 5_000,
  /** Pause before the second try, in milliseconds; each pause is twice the one before. Source: our choice. */
  firstPauseMs: 20,
  /** Longest pause between two tries, in milliseconds. Source: our choice: a server that is back is found within it. */
  longestPauseMs: 500,
  /** So long a try waits for a connection, in milliseconds: a pool without a free one waits for ever by itself. Source: our choice, the time of all tries. */
  connectLimitMs: 5_000,
  /** So long a statement may take before its connection is given up, in milliseconds. Source: our choice: the largest append of a slow link. */
  statementLimitMs: 30_000,
  /** Time between two renewals of the leases of a store, in milliseconds. Source: our choice: of a lease's `leaseTtlMs`, two may be missed. */
  leaseBeatMs: 5_000,
  /** Most bytes of one append, which is one statement. Source: a value of the server ends at 1 GB, and quoting at the most doubles it. */
  appendLimitBytes: 268_435_456,
  /** Longest scope that is its own key, in bytes; a longer one is its hash. Source: a row of an index ends at 2,704 bytes. */
  scopeKeyLimitBytes: 1_024,
  /** Entries of a broken chain that are held until it is clear which of them count. Source: our choice: some rows of a backup, not a whole log. */
  clusterRowsHeld: 1_024,
  /** Links between entries after which a run of rows counts, whatever stands before it. Source: our choice: more than any append by hand. */
  runLinksTrusted: 64,
  /** Misplaced rows that are read at once when their numbers are asked for. Source: our choice: a page of entries of usual size. */
  misplacedRowsRead: 16,
  /** Sessions that the doctor lists at once. Source: our choice: a page of short rows. */
  doctorPageSessions: 500,
  /** Longest name of a schema, in characters. Source: the server cuts names at 63 bytes. */
  schemaNameLimitChars: 63,
} as const;

assert(
  2 * POSTGRES_DEFAULTS.leaseBeatMs < STORE_DEFAULTS.leaseTtlMs,
  "a lease outlives a renewal that was missed",
);
assert(
  POSTGRES_DEFAULTS.firstPauseMs <= POSTGRES_DEFAULTS.longestPauseMs,
  "the first pause is not longer than the longest",
);
