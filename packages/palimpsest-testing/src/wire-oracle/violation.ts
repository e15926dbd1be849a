/**
 * A finding of the wire oracle: the rule a request breaks, where, and the provider's own complaint.
 *
 * Fields are judged against small tables: those that must be there, those that may be, and their kinds. Providers
 * refuse anything else, which is how a library's private notes on a block return as an error in the middle of a session.
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

/** Type of a field. `any` is judged elsewhere or not at all. */
export type FieldKind = "string" | "filled-string" | "boolean" | "number" | "object" | "array" | "any";

/** Fields of an object by name. @internal */
export interface FieldTable {
  readonly required: Readonly<Record<string, FieldKind>>;
  /** These may also be `null`, which counts as absent. */
  readonly optional: Readonly<Record<string, FieldKind>>;
}

/** A provider's texts for its three complaints about fields. @internal */
export interface FieldComplaints {
  readonly missing: (path: string) => string;
  readonly type: (path: string, kind: string) => string;
  readonly extra: (path: string) => string;
}

const KIND_NAMES: Readonly<Record<FieldKind, string>> = {
  string: "string",
  "filled-string": "non-empty string",
  boolean: "boolean",
  number: "number",
  object: "dictionary",
  array: "list",
  any: "value",
};

type CommonRule = "field-missing" | "field-type" | "extra-field";

/** Collects the violations of one request, in the words of its provider. @internal */
export class Judge<Rule extends string> {
  readonly violations: Violation<Rule | CommonRule>[] = [];
  readonly #words: FieldComplaints;

  constructor(words: FieldComplaints) {
    this.#words = words;
  }

  report(rule: Rule | CommonRule, path: string, message: string): void {
    this.violations.push({ rule, path, message });
  }

  /** The same for a complaint that begins with the path. */
  complain(rule: Rule | CommonRule, path: string, words: string): void {
    this.report(rule, path, `${path}: ${words}`);
  }

  missing(path: string, rule: Rule | CommonRule = "field-missing"): void {
    this.report(rule, path, this.#words.missing(path));
  }

  wrongType(path: string, kind: string): void {
    this.report("field-type", path, this.#words.type(path, kind));
  }

  extra(path: string): void {
    this.report("extra-field", path, this.#words.extra(path));
  }

  /** Reports fields that are not among the known ones. */
  onlyFields(record: UnknownRecord, known: readonly string[], path: string): void {
    for (const field of Object.keys(record)) if (!known.includes(field)) this.extra(`${path}.${field}`);
  }

  /** Reports fields that are missing, of the wrong kind, or unknown. */
  fields(record: UnknownRecord, table: FieldTable, path: string): void {
    for (const [field, kind] of Object.entries(table.required)) {
      const value = fieldOf(record, field);
      if (value === undefined) this.missing(`${path}.${field}`);
      else if (!isOfKind(value, kind)) this.wrongType(`${path}.${field}`, KIND_NAMES[kind]);
    }
    for (const field of Object.keys(record)) {
      if (Object.hasOwn(table.required, field)) continue;
      const value = fieldOf(record, field);
      const kind = Object.hasOwn(table.optional, field) ? table.optional[field] : undefined;
      if (kind === undefined) this.extra(`${path}.${field}`);
      else if (value !== null && value !== undefined && !isOfKind(value, kind))
        this.wrongType(`${path}.${field}`, KIND_NAMES[kind]);
    }
  }

  /** Reports a member of the body that is missing or of the wrong kind. */
  member(body: UnknownRecord, name: string, kind: "string" | "integer", missing?: string): void {
    const value = fieldOf(body, name);
    const isFit =
      kind === "string"
        ? isOfKind(value, "filled-string")
        : Number.isInteger(value) && (value as number) >= 0;
    if (value === undefined || value === null)
      this.report("field-missing", name, missing ?? this.#words.missing(name));
    else if (!isFit) this.wrongType(name, kind);
  }
}

function isOfKind(value: unknown, kind: FieldKind): boolean {
  if (kind === "any") return true;
  if (kind === "object") return isRecord(value);
  if (kind === "array") return Array.isArray(value);
  return kind === "filled-string" ? typeof value === "string" && value !== "" : typeof value === kind;
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
