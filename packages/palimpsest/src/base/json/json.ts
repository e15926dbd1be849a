/**
 * JSON from outside: parsed without trust, written at any depth.
 */
import { errorMessage } from "../errors.ts";
import { isWellFormed, toWellFormed } from "../text/text.ts";

type JsonPrimitive = string | number | boolean | null;
export type JsonValue = JsonPrimitive | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** Result of {@link parseJson}: a value, or why there is none. */
type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string };

/** Parses JSON that may be damaged. Never throws; nesting that would overflow the stack is a reason, too. */
export function parseJson(text: string): ParsedJson {
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch (error) {
    return { ok: false, reason: errorMessage(error) };
  }
}

/** True if `value` is a JSON object: not `null`, not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value as a string, if it is one. */
export function asString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The value as a finite number, if it is one. */
export function asNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Result of {@link writeDeepJson}: the text, or why the value has no JSON text. */
type WrittenJson =
  | { readonly ok: true; readonly text: string; readonly valuesCount: number }
  | { readonly ok: false; readonly reason: string };

interface OpenValue {
  readonly value: object;
  /** Names of an object's members; absent of an array. */
  readonly keys?: readonly string[];
  next: number;
  isEmpty: boolean;
}

/**
 * The JSON text of a value of any depth, as `JSON.stringify` would write it without overflowing the
 * stack. `maxValues` bounds the work on a value that holds the same parts over and over.
 */
export function writeDeepJson(root: unknown, { maxValues }: { readonly maxValues: number }): WrittenJson {
  const texts: string[] = [];
  const stack: OpenValue[] = [];
  const open = new Set<object>();
  let valuesLeft = maxValues;

  const write = (value: unknown): string | undefined => {
    if (valuesLeft-- <= 0) return `holds more than ${maxValues} values`;
    if (typeof value === "object" && value !== null) {
      if (open.has(value)) return "contains itself";
      open.add(value);
      const isList = Array.isArray(value);
      texts.push(isList ? "[" : "{");
      stack.push({ value, ...(isList ? {} : { keys: Object.keys(value) }), next: 0, isEmpty: true });
      return undefined;
    }
    if (typeof value === "bigint" || typeof value === "function" || typeof value === "symbol")
      return `holds a ${typeof value}`;
    if (typeof value === "number" && !Number.isFinite(value)) return `holds ${value}`;
    texts.push(JSON.stringify(value) ?? "null");
    return undefined;
  };

  let reason = write(root);
  for (let top = stack.at(-1); reason === undefined && top !== undefined; top = stack.at(-1)) {
    const index = top.next++;
    if (index >= (top.keys ?? (top.value as readonly unknown[])).length) {
      texts.push(top.keys === undefined ? "]" : "}");
      open.delete(top.value);
      stack.pop();
      continue;
    }
    const key = top.keys?.[index];
    const item = (top.value as Readonly<Record<string, unknown>>)[key ?? index];
    if (key !== undefined && item === undefined) continue;
    if (!top.isEmpty) texts.push(",");
    top.isEmpty = false;
    if (key !== undefined) texts.push(`${JSON.stringify(key)}:`);
    reason = write(item);
  }
  return reason === undefined
    ? { ok: true, text: texts.join(""), valuesCount: maxValues - valuesLeft }
    : { ok: false, reason };
}

/** The value with lone surrogates replaced; the same value where there is none. @internal */
export function wellFormedJson<T extends JsonValue>(value: T): T {
  // Requests are checked at every call, and nearly all are well-formed: checking allocates nothing per value.
  return isWellFormedJson(value) ? value : (repairedJson(value) as T);
}

function isWellFormedJson(value: JsonValue): boolean {
  if (typeof value === "string") return isWellFormed(value);
  if (Array.isArray(value)) return value.every(isWellFormedJson);
  if (!isObject(value)) return true;
  const members = value as Readonly<Record<string, JsonValue>>;
  return Object.keys(members).every((key) => isWellFormed(key) && isWellFormedJson(members[key]!));
}

function repairedJson(value: JsonValue): JsonValue {
  if (typeof value === "string") return toWellFormed(value);
  if (Array.isArray(value)) return value.map(repairedJson);
  if (!isObject(value)) return value;
  const members = Object.entries(value as Readonly<Record<string, JsonValue>>);
  return Object.fromEntries(members.map(([key, item]) => [toWellFormed(key), repairedJson(item)]));
}
