/**
 * JSON as it may reach a terminal: what could steer one, or would not be seen, is escaped. Programs
 * read the same values.
 */
import type { Terminal } from "./terminal.ts";

const HIDDEN = /[\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u007F-\u009F]/gu;

export function printJson(out: Terminal, value: unknown): void {
  const text = JSON.stringify(value, undefined, 2);
  out.write(`${text.replace(HIDDEN, escapeUnits)}\n`);
}

function escapeUnits(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** The object without fields that are `undefined`: in JSON what is not known is absent. */
export function withoutAbsent<Result>(
  value: { readonly [Key in keyof Result]: Result[Key] | undefined },
): Result {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Result;
}
