/**
 * Reads the fields of recorded values, which may be anything, and writes those that are there.
 */
import { asNumber, isObject, type JsonValue } from "../../base/json/json.ts";
import type { ToolResultPart } from "../../transcript/blocks.ts";

/** The fields of an object that may hold anything. */
export type Fields = Readonly<Record<string, unknown>>;

/** The value's fields; none where it is not an object. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

/** A time stamp as text or as milliseconds. */
export function parseTimestamp(value: unknown): number | undefined {
  return asNumber(typeof value === "string" ? Date.parse(value) : value);
}

type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that have a value; the others are omitted, not `undefined`. */
export function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}

/** The content of a tool result: the text alone, all parts, or no content at all. */
export function resultContent(parts: readonly ToolResultPart[]): { readonly content?: JsonValue } {
  const [only, ...others] = parts;
  if (only === undefined) return {};
  const isPlain = others.length === 0 && only.type === "text" && typeof only["text" as never] === "string";
  return { content: (isPlain ? (only as { readonly text: string }).text : parts) as JsonValue };
}
