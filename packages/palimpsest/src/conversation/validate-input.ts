/**
 * Checks and copies the arguments of `MemoryManager`, so that later changes of the host's objects have no effect.
 */
import { OptionError } from "../base/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../base/json/json.ts";
import { validateJson } from "../session/input/copy-input.ts";
import { sayWhat } from "../session/input/validate-messages.ts";

/** @throws `OptionError` */
export function validateText(value: unknown, name: string): string {
  if (typeof value === "string") return value;
  throw new OptionError({ message: `\`${name}\` is ${sayWhat(value)}.`, hint: "Pass a string." });
}

/** A name of something, which cannot be empty. @throws `OptionError` */
export function validateName(value: unknown, name: string): string {
  const text = validateText(value, name);
  if (text !== "") return text;
  throw new OptionError({ message: `\`${name}\` is empty.`, hint: "Pass a string with something in it." });
}

/** @throws `OptionError` */
export function validateMetadata(value: unknown): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  const copy = validateJson(value, "metadata");
  if (isObject(copy)) return copy as JsonObject;
  throw new OptionError({
    message: `\`metadata\` is ${sayWhat(copy)}.`,
    hint: "Pass an object, or leave it out.",
  });
}

/** The arguments of a call; none are an empty object. @throws `OptionError` */
export function receiveArgs(value: unknown): JsonValue {
  return (validateJson(value, "args") ?? {}) as JsonValue;
}

/** The output of a tool as text; `isError` is true for a thrown error. @throws `OptionError` */
export function receiveOutput(value: unknown): { readonly text: string; readonly isError: boolean } {
  if (typeof value === "string") return { text: value, isError: false };
  if (Object.prototype.toString.call(value) === "[object Error]")
    return { text: String(value), isError: true };
  const copy = validateJson(value, "output");
  return { text: copy === undefined || copy === null ? "" : asText(copy), isError: false };
}

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
