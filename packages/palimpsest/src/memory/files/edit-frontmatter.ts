/**
 * Edits of frontmatter that change only their own lines: replace a value, remove a field's lines, or insert a line
 * after the last one of its map. Every other byte of the file stays.
 */
import {
  type Frontmatter,
  type FrontmatterField,
  findField,
  lineEndOf,
  NESTED_KEY,
  parseFrontmatter,
} from "./frontmatter.ts";
import { type FrontmatterValue, formatClosedValue, formatValue } from "./frontmatter-value.ts";

export interface FrontmatterEdit {
  readonly key: string;
  /** The map that holds it, or will hold it. */
  readonly parent?: typeof NESTED_KEY;
  /** Absent: the field is taken out. */
  readonly value?: FrontmatterValue;
}

interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly isNested: boolean;
}

const USUAL_INDENT = "  ";

/** The text with the edits made, in their order where they add lines; frontmatter is made where there is none. */
export function editFrontmatter(text: string, edits: readonly FrontmatterEdit[]): string {
  // First what goes: how far a map is indented may depend on it.
  const left = withoutFields(
    text,
    edits.filter(({ value }) => value === undefined),
  );
  const kept = edits.filter(({ value }) => value !== undefined);
  const frontmatter = parseFrontmatter(left);
  if (frontmatter.closesAt === undefined) return withNewFrontmatter(left, frontmatter.bodyFrom, kept);
  return applySplices(
    left,
    kept.map((edit) => spliceOf(left, frontmatter, edit)),
  );
}

function withoutFields(text: string, edits: readonly FrontmatterEdit[]): string {
  const frontmatter = parseFrontmatter(text);
  const gone = edits.map(({ key, parent }) =>
    // Also the earlier ones with this key: the last of them would count now.
    frontmatter.fields.filter((field) => field.key === key && field.parent === parent),
  );
  const removals = gone.flat().map(({ from, to }) => ({ from, to, text: "", isNested: false }));
  const left = applySplices(text, removals);
  if (removals.length === 0 || parseFrontmatter(left).closesAt !== undefined) return left;
  // Only remarks are left, which would be text from now on: the last key stays, and says nothing.
  const last = gone.flat().at(-1)!;
  const emptied = spliceOf(text, frontmatter, { ...placeOf(last), value: "" });
  return applySplices(text, [...removals.filter(({ from }) => from !== last.from), emptied]);
}

/** The place of a field, as an edit names it. */
export function placeOf({ key, parent }: FrontmatterField): Pick<FrontmatterEdit, "key" | "parent"> {
  return parent === undefined ? { key } : { key, parent: NESTED_KEY };
}

/** New frontmatter above a text that has none, and the text as it was. */
function withNewFrontmatter(text: string, bodyFrom: number, edits: readonly FrontmatterEdit[]): string {
  const lineEnd = lineEndOf(text);
  if (edits.length === 0) return text;
  const lines = edits.map(({ key, value = "" }) => `${key}: ${formatValue(value)}`);
  const head = ["---", ...lines, "---", ""].map((line) => `${line}${lineEnd}`).join("");
  return `${text.slice(0, bodyFrom)}${head}${text.slice(bodyFrom)}`;
}

function spliceOf(text: string, frontmatter: Frontmatter, edit: FrontmatterEdit): Splice {
  const { key, parent, value = "" } = edit;
  const field = findField(frontmatter, key, parent);
  if (field === undefined) return additionOf(frontmatter, edit, value);
  const isBehindColon = text[field.valueFrom - 1] === ":";
  const formatted = field.isClosed ? formatClosedValue(value) : formatValue(value);
  const written = `${isBehindColon ? " " : ""}${formatted}`;
  return { from: field.valueFrom, to: field.valueTo, text: written, isNested: false };
}

function additionOf(
  { fields, opensTo = 0, isLong, lineEnd }: Frontmatter,
  { key, parent }: FrontmatterEdit,
  value: FrontmatterValue,
): Splice {
  if (isLong)
    return { from: opensTo, to: opensTo, text: `${key}: ${formatValue(value)}${lineEnd}`, isNested: false };
  const sibling = fields.findLast((field) => field.parent === parent);
  const map = fields.findLast((field) => field.key === parent && field.parent === undefined);
  const indent = parent === undefined ? "" : (sibling?.indent ?? USUAL_INDENT);
  const at = (parent === undefined ? sibling : (sibling ?? map))?.to ?? opensTo;
  return {
    from: at,
    to: at,
    text: `${indent}${key}: ${formatValue(value)}${lineEnd}`,
    isNested: parent !== undefined,
  };
}

function applySplices(text: string, splices: readonly Splice[]): string {
  const parts: string[] = [];
  let from = 0;
  // Sorting is stable: insertions at one place keep their order. A map may end with its last key; lines of the map go
  // first.
  const isNested = (splice: Splice): number => (splice.isNested ? 0 : 1);
  const order = (one: Splice, other: Splice): number =>
    one.from - other.from || isNested(one) - isNested(other);
  for (const splice of [...splices].sort(order)) {
    parts.push(text.slice(from, splice.from), splice.text);
    from = splice.to;
  }
  parts.push(text.slice(from));
  return parts.join("");
}
