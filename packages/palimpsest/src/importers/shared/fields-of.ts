/**
 * Fields of values that may be anything: what a recording holds in the place of an object.
 */
import { asNumber, isObject } from "../../base/json/json.ts";

/** @internal */
export type Fields = Readonly<Record<string, unknown>>;

/** The value's fields; none where it is no object. @internal */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

/** A time stamp as text or as milliseconds. @internal */
export function parseTime(value: unknown): number | undefined {
  return asNumber(typeof value === "string" ? Date.parse(value) : value);
}
