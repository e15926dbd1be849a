/**
 * Times as memory files and other programs' exports write them: ISO 8601, with or without a time of day, a zone
 * and fractions. What names no zone is UTC, so that a file means the same on every machine.
 */

const TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?: ?(Z|z|UTC|[+-]\d{2}(?::?\d{2})?))?)?$/;
const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;

/** Milliseconds since the epoch; `undefined` for what is no such time, as the 31st of February. */
export function parseTime(text: string): number | undefined {
  const found = TIME.exec(text.trim());
  if (found === null) return undefined;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map((part) => Number(part ?? 0));
  const fraction = Number((found[7] ?? "").slice(0, 3).padEnd(3, "0"));
  const utcMs = Date.UTC(year!, month! - 1, day, hour, minute, second, fraction);
  const isDay = new Date(utcMs).getUTCDate() === day && month! >= 1 && month! <= 12;
  // Date.UTC takes the years 0 to 99 for those of the last century.
  if (!isDay || hour! > 23 || minute! > 59 || second! > 59 || year! < 100) return undefined;
  return utcMs - offsetMinutes(found[8]) * MINUTE_MS;
}

/** The time as a file shows it; `undefined` where no calendar has it. */
export function formatTime(timeMs: number): string | undefined {
  const time = new Date(timeMs);
  const isPrecise =
    Number.isFinite(time.getTime()) && time.getUTCFullYear() >= 100 && time.getUTCFullYear() <= 9999;
  return isPrecise ? time.toISOString() : undefined;
}

function offsetMinutes(zone: string | undefined): number {
  if (zone === undefined || !/^[+-]/.test(zone)) return 0;
  const digits = zone.slice(1).replace(":", "").padEnd(4, "0");
  const minutes = Number(digits.slice(0, 2)) * HOUR_MINUTES + Number(digits.slice(2));
  return zone.startsWith("-") ? -minutes : minutes;
}
