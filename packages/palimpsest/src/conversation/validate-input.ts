/**
 * The door of `MemoryManager`: what its methods are handed, checked and copied, so that nothing a host
 * does with it afterwards reaches what is remembered.
 */
import { STORE_DEFAULTS } from "../base/defaults/store.ts";
import { OptionError } from "../base/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../base/json/json.ts";
import { whyNoNewId } from "../base/session-id.ts";
import type { Hasher } from "../ports/runtime.ts";
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

/** What a tool answered, as text, and whether it is an error that was thrown. @throws `OptionError` */
export function receiveOutput(value: unknown): { readonly text: string; readonly isError: boolean } {
  if (typeof value === "string") return { text: value, isError: false };
  if (Object.prototype.toString.call(value) === "[object Error]")
    return { text: String(value), isError: true };
  const copy = validateJson(value, "output");
  return { text: copy === undefined || copy === null ? "" : asText(copy), isError: false };
}

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

const STORED_ID = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
const MADE_ID = /-[0-9a-f]{64}$/;
const READABLE_CHARS = 40;

/**
 * The id under which a session is stored: the same where a store can take it, else its readable part and
 * its hash. Two sessions never share one.
 */
export function storedSessionId(sessionId: string, hasher: Hasher): string {
  const isPlain =
    sessionId.length <= STORE_DEFAULTS.sessionIdLimitChars &&
    STORED_ID.test(sessionId) &&
    sessionId.toLowerCase() !== "memory" &&
    !sessionId.toLowerCase().endsWith(".jsonl") &&
    !MADE_ID.test(sessionId);
  return isPlain ? sessionId : `${readablePart(sessionId)}${hashPart(sessionId, hasher)}`;
}

/** The same for a session that is new, whose id no store may refuse. */
export function newStoredSessionId(sessionId: string, hasher: Hasher): string {
  const storedId = storedSessionId(sessionId, hasher);
  if (whyNoNewId(storedId) === undefined) return storedId;
  return `${readablePart(sessionId) || "session"}${hashPart(sessionId, hasher)}`;
}

const readablePart = (sessionId: string): string =>
  sessionId
    .slice(0, READABLE_CHARS)
    .replace(/[^A-Za-z0-9_]+/g, "-")
    .replace(/^-/, "");

// As JSON, which tells half surrogate pairs apart.
const hashPart = (sessionId: string, hasher: Hasher): string =>
  `-${hasher.sha256(JSON.stringify(sessionId))}`;
