/**
 * Arguments of a call in a smaller form: an object of the same shape in which large strings are
 * replaced, in place, by their previews.
 *
 * The shape matters: hosts and providers expect an object, and a model that reads its own earlier
 * call should recognise it. Only where no single string is large (a list of ten thousand small
 * ones) are inner lists and objects replaced by a preview of their JSON.
 */
import type { JsonValue } from "../../base/json/json.ts";
import { isObject } from "../../base/json/json.ts";
import type { SecretSpan } from "../../base/redaction/secret-patterns.ts";
import { isOpaqueName } from "../../transcript/without-secrets.ts";
import { fairShare, type Measure, measureText } from "../shared/measure.ts";
import type { HistoryAccess } from "../shared/pointer.ts";
import { previewText } from "./preview.ts";

interface ShrinkInputOptions extends HistoryAccess {
  /** The secrets of a text where they are known. */
  readonly secretsOf?: (text: string) => readonly SecretSpan[] | undefined;
  readonly budgetTokens: number;
  readonly pointer: string;
}

/** Deeper than this nothing is looked at: hostile nesting must not overflow the stack. */
const MAX_DEPTH = 40;
/** A string shorter than this many characters is never worth a marker. */
const MIN_CHARACTERS = 200;

/** The smaller form, or `undefined` where nothing can be taken out. */
export function shrinkInput(
  input: JsonValue,
  options: ShrinkInputOptions,
  measure: Measure,
): JsonValue | undefined {
  const byStrings = shrinkStrings(input, options, measure) ?? input;
  if (jsonTokens(byStrings, measure) > options.budgetTokens) {
    const byMembers = shrinkMembers(byStrings, options, measure);
    if (byMembers !== undefined) return byMembers;
  }
  return byStrings === input ? undefined : byStrings;
}

/** Large strings previewed so that all strings together fit the budget; `undefined` where none is large. */
function shrinkStrings(
  input: JsonValue,
  { budgetTokens, ...place }: ShrinkInputOptions,
  measure: Measure,
): JsonValue | undefined {
  const sizes = new Map<string, number>();
  visitStrings(input, 0, (text) => {
    if (text.length >= MIN_CHARACTERS) sizes.set(text, measureText(text, measure));
  });
  const largeTokens = [...sizes.values()].reduce((sum, tokens) => sum + tokens, 0);
  const restTokens = Math.max(0, jsonTokens(input, measure) - largeTokens);
  const level = fairShare([...sizes.values()], Math.max(0, budgetTokens - restTokens));
  return mapStrings(input, 0, (text) =>
    (sizes.get(text) ?? 0) > level
      ? previewText(text, { ...place, budgetTokens: level }, measure)
      : undefined,
  );
}

/** The long strings that were searched for secrets with the block. */
export function searchedStrings(input: JsonValue): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (value: JsonValue, depth: number): void => {
    if (typeof value === "string") {
      if (value.length >= MIN_CHARACTERS) found.add(value);
    } else if (typeof value === "object" && value !== null && depth < MAX_DEPTH)
      for (const [name, member] of Object.entries(value as Readonly<Record<string, JsonValue>>))
        if (!isOpaqueName(name)) visit(member, depth + 1);
  };
  visit(input, 0);
  return found;
}

/** True if any string is above `limitTokens`, so that {@link previewLargeStrings} would change something. */
export function holdsLargeString(input: JsonValue, limitTokens: number, measure: Measure): boolean {
  let isFound = false;
  visitStrings(input, 0, (text) => {
    isFound ||= text.length >= MIN_CHARACTERS && measureText(text, measure) > limitTokens;
  });
  return isFound;
}

/** Every string above `limitTokens` previewed to `previewTokens`; `undefined` where there is none. */
export function previewLargeStrings(
  input: JsonValue,
  options: Omit<ShrinkInputOptions, "budgetTokens"> & {
    readonly limitTokens: number;
    readonly previewTokens: number;
  },
  measure: Measure,
): JsonValue | undefined {
  const { limitTokens, previewTokens, ...place } = options;
  return mapStrings(input, 0, (text) => {
    // One character is never more than a few tokens, so short strings need no measuring.
    if (text.length < MIN_CHARACTERS || measureText(text, measure) <= limitTokens) return undefined;
    return previewText(text, { ...place, budgetTokens: previewTokens }, measure);
  });
}

/** Inner lists and objects replaced by a preview of their JSON, largest first by level. */
function shrinkMembers(
  input: JsonValue,
  { budgetTokens, ...place }: ShrinkInputOptions,
  measure: Measure,
): JsonValue | undefined {
  const preview = (value: JsonValue, tokens: number): JsonValue => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return previewText(text, { ...place, budgetTokens: tokens }, measure) ?? value;
  };
  if (!isObject(input)) return preview(input, budgetTokens);
  const entries = Object.entries(input as Readonly<Record<string, JsonValue>>);
  const level = fairShare(
    entries.map(([key, value]) => jsonTokens({ [key]: value }, measure)),
    budgetTokens,
  );
  if (level === Number.POSITIVE_INFINITY) return undefined;
  const shown = entries.map(([key, value]): [string, JsonValue] =>
    jsonTokens({ [key]: value }, measure) > level ? [key, preview(value, level)] : [key, value],
  );
  const shrunk = Object.fromEntries(shown);
  // Thousands of tiny members: the object keeps the first ones and says so in one more.
  if (jsonTokens(shrunk, measure) <= budgetTokens * 2) return shrunk;
  const text = preview(JSON.stringify(input), budgetTokens);
  return { arguments: text };
}

function visitStrings(value: JsonValue, depth: number, visit: (text: string) => void): void {
  if (typeof value === "string") visit(value);
  else if (typeof value === "object" && value !== null && depth < MAX_DEPTH)
    for (const member of Object.values(value as Readonly<Record<string, JsonValue>>))
      visitStrings(member, depth + 1, visit);
}

/** The value with every string that `change` gives another form; `undefined` where it gave none. */
function mapStrings(
  value: JsonValue,
  depth: number,
  change: (text: string) => string | undefined,
): JsonValue | undefined {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null || depth >= MAX_DEPTH) return undefined;
  let isChanged = false;
  const members = Object.entries(value as Readonly<Record<string, JsonValue>>).map(
    ([key, member]): [string, JsonValue] => {
      const changed = mapStrings(member, depth + 1, change);
      if (changed !== undefined) isChanged = true;
      return [key, changed ?? member];
    },
  );
  if (!isChanged) return undefined;
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
}

function jsonTokens(value: JsonValue, measure: Measure): number {
  return measureText(JSON.stringify(value), measure);
}
