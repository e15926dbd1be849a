/**
 * A finding of the wire oracle: the rule a request breaks, where, and the provider's own complaint.
 *
 * The oracle shares no code with the rooms that build requests, so that a mistake in one of them
 * cannot excuse itself. That is why it has its own small helpers for looking at plain JSON.
 */

/** One rule that a request breaks. */
export interface Violation<Rule extends string = string> {
  /** The rule, by a short stable name. */
  readonly rule: Rule;
  /** Place in the request, in its provider's form; `body` for the whole. */
  readonly path: string;
  /** The provider's answer, in its words where they are known. */
  readonly message: string;
}

/** Notes one violation. @internal */
export type Report<Rule extends string> = (rule: Rule, path: string, message: string) => void;

/** A list that grows through the function beside it. @internal */
export function collectViolations<Rule extends string>(): {
  readonly violations: Violation<Rule>[];
  readonly report: Report<Rule>;
} {
  const violations: Violation<Rule>[] = [];
  return { violations, report: (rule, path, message) => violations.push({ rule, path, message }) };
}

/** A JSON object of which nothing else is known. @internal */
export type UnknownRecord = Readonly<Record<string, unknown>>;

/** True if `value` is a JSON object: not `null`, not an array. @internal */
export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object's own field; never one that it inherits. @internal */
export function fieldOf(record: UnknownRecord, field: string): unknown {
  return Object.hasOwn(record, field) ? record[field] : undefined;
}

/** The value of `field` if it is a string. @internal */
export function stringOf(record: UnknownRecord, field: string): string | undefined {
  const value = fieldOf(record, field);
  return typeof value === "string" ? value : undefined;
}

/** A value in a complaint: strings as they are, of anything else only what it is. @internal */
export function shown(value: unknown): string {
  if (typeof value === "string") return `'${value}'`;
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : String(value);
}
