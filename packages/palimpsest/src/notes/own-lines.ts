/**
 * Lines that the updater without a model wrote, recognized by a mark at their end.
 *
 * The mark is a comment, which a rendered page does not show, with a fingerprint of the line. If a person or
 * a model changes such a line, the fingerprint no longer fits, and the line is never removed again. So no
 * state is needed beside the file, and a repeated update changes nothing.
 */
import { fingerprint } from "../base/fingerprint.ts";

const OWN = /^([^\n]*) <!--log:([0-9a-f]{6})-->$/;

/** A line with its mark. */
export function markOwn(line: string): string {
  return `${line} <!--log:${markOf(line)}-->`;
}

/** True if the line is as the updater wrote it. */
export function isOwn(line: string): boolean {
  const found = OWN.exec(line);
  return found !== null && markOf(found[1]!) === found[2];
}

/** The line as it reads, without a mark. */
export function withoutMark(line: string): string {
  return OWN.exec(line)?.[1] ?? line;
}

function markOf(line: string): string {
  return (fingerprint(line) % 2 ** 24).toString(16).padStart(6, "0");
}
