/**
 * Numbers of the store in PostgreSQL: how long it tries, how long a writer is believed alive, how much
 * goes into one statement.
 */
import { assert } from "../assert.ts";
import { STORE_DEFAULTS } from "./store.ts";

export const POSTGRES_DEFAULTS = {
  /** A statement that failed for a passing reason is tried again for so long, in milliseconds. Source: our choice: a restart of a small server takes about a second. */
  retryForMs: 5_000,
  /** Time between two renewals of the leases of a store, in milliseconds. Source: our choice: of a lease's `leaseTtlMs`, two may be missed. */
  leaseBeatMs: 5_000,
} as const;

assert(
  2 * POSTGRES_DEFAULTS.leaseBeatMs < STORE_DEFAULTS.leaseTtlMs,
  "a lease outlives a renewal that was missed",
);
