/**
 * A finding of the wire oracle: the rule a request breaks, where, and the provider's own complaint.
 *
 * The oracle shares no code with the rooms that build requests, so that a mistake in one of them
 * cannot excuse itself. That is why it has its own small helpers for looking at plain JSON.
 *
 * Some members are required whatever the conversation. Tests and replays also judge conversations before they
 * are part of a request: a body of nothing but conversation fields is judged as that, and any other field makes
 * it a request, which has to be complete.
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

/** Kinds of bodies: a whole request, one that has its tokens counted, or only the conversation of one. */
export type BodyKind = "request" | "count" | "conversation";

/** The kind of a body whose caller names none. @internal */
export function kindOf(body: UnknownRecord, conversation: ReadonlySet<string>): BodyKind {
  return Object.keys(body).every((field) => conversation.has(field)) ? "conversation" : "request";
}

type MemberRule = "field-missing" | "field-type";

/** One required member. @internal */
export interface RequiredMember {
  readonly name: string;
  readonly isFit: (value: unknown) => boolean;
  readonly missing: string;
  readonly wrong: string;
}

/** Reports members that are missing or of the wrong kind. @internal */
export function judgeRequiredMembers(
  body: UnknownRecord,
  members: readonly RequiredMember[],
  report: Report<MemberRule>,
): void {
  for (const { name, isFit, missing, wrong } of members) {
    const value = fieldOf(body, name);
    if (value === undefined || value === null) report("field-missing", name, missing);
    else if (!isFit(value)) report("field-type", name, wrong);
  }
}

/** @internal */
export const isFilled = (value: unknown): boolean => typeof value === "string" && value !== "";
/** @internal */
export const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
