/** Lengths of time in milliseconds, as calendars and clocks have them. */
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Whole days since then. A clock that was set back makes nothing younger than new. */
export function daysSince(atMs: number, nowMs: number): number {
  return Math.floor(Math.max(0, nowMs - atMs) / DAY_MS);
}
