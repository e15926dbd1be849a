/** The time. Nothing else in the library reads it. */
export interface Clock {
  /** Milliseconds since the epoch. May jump either way: order never depends on it. */
  nowMs(): number;
}
