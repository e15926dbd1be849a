/**
 * Judges the fields of one JSON object against a small table: what must be there, what may be,
 * and of which kind. Providers refuse anything else, which is how a library's private notes on a
 * block return as an error in the middle of a session.
 */
import { fieldOf, isRecord, type Report, type UnknownRecord } from "./violation.ts";

/** Type of a field. `any` is judged elsewhere or not at all. @internal */
export type FieldKind = "string" | "filled-string" | "boolean" | "number" | "object" | "array" | "any";

/** Fields of an object by name. @internal */
export interface FieldTable {
  readonly required: Readonly<Record<string, FieldKind>>;
  /** These may also be `null`, which counts as absent. */
  readonly optional: Readonly<Record<string, FieldKind>>;
}

/** @internal */
type FieldRule = "field-missing" | "field-type" | "extra-field";

/** A provider's texts for its three complaints about fields. @internal */
export interface FieldComplaints {
  readonly missing: (path: string) => string;
  readonly type: (path: string, kind: string) => string;
  readonly extra: (path: string) => string;
}

/** Reports fields that are missing, of the wrong kind, or unknown. @internal */
export function judgeFields(
  record: UnknownRecord,
  table: FieldTable,
  { path, words, report }: { path: string; words: FieldComplaints; report: Report<FieldRule> },
): void {
  for (const [field, kind] of Object.entries(table.required)) {
    const at = `${path}.${field}`;
    const value = fieldOf(record, field);
    if (value === undefined) report("field-missing", at, words.missing(at));
    else if (!isOfKind(value, kind)) report("field-type", at, words.type(at, KIND_NAMES[kind]));
  }
  for (const field of Object.keys(record)) {
    if (Object.hasOwn(table.required, field)) continue;
    const at = `${path}.${field}`;
    const value = fieldOf(record, field);
    const kind = Object.hasOwn(table.optional, field) ? table.optional[field] : undefined;
    if (kind === undefined) report("extra-field", at, words.extra(at));
    else if (value !== null && value !== undefined && !isOfKind(value, kind))
      report("field-type", at, words.type(at, KIND_NAMES[kind]));
  }
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

function isOfKind(value: unknown, kind: FieldKind): boolean {
  switch (kind) {
    case "string":
      return typeof value === "string";
    case "filled-string":
      return typeof value === "string" && value !== "";
    case "boolean":
      return typeof value === "boolean";
    case "number":
      return typeof value === "number";
    case "object":
      return isRecord(value);
    case "array":
      return Array.isArray(value);
    case "any":
      return true;
  }
}
