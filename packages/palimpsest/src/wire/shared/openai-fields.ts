/**
 * OpenAI's fields of a block that our vocabulary lacks: kept on the block itself
 * under one foreign field, so that it goes back as it came, and dropped for other providers.
 */
import { isObject, type JsonObject, type JsonValue } from "../../base/json/json.ts";
import { parseBounded } from "../../base/json/parse-bounded.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";

/** @internal */
interface OpenAIFields {
  /** A call's arguments as the text they were sent as, where serialising `input` gives another. */
  readonly arguments?: string;
  /** Further fields of the message, item or part that this block begins. */
  readonly extra?: JsonObject;
}

/** The OpenAI fields of a block; empty where it has none. @internal */
export function openaiFields(block: ContentBlock): OpenAIFields {
  const fields = (block as { readonly openai?: unknown }).openai;
  return isObject(fields) ? (fields as OpenAIFields) : {};
}

/** `block` with fields that are worth keeping, or itself. @internal */
export function withOpenAIFields<T extends ContentBlock>(block: T, fields: OpenAIFields): T {
  const { arguments: text, extra } = fields;
  const hasExtra = extra !== undefined && Object.keys(extra).length > 0;
  if (text === undefined && !hasExtra) return block;
  return {
    ...block,
    openai: { ...(text === undefined ? {} : { arguments: text }), ...(hasExtra ? { extra } : {}) },
  };
}

/** All fields of `value` but the named ones. @internal */
export function extraFields(value: Readonly<Record<string, unknown>>, known: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(value).filter(([key, item]) => !known.includes(key) && item !== undefined),
  ) as JsonObject;
}

/**
 * A call's arguments as a value. Text that is not JSON is the value itself; text that serialising
 * would not give back to the letter is kept beside it. Many servers write no arguments as no text. @internal
 */
export function parseArguments(text: string): { readonly input: JsonValue; readonly text?: string } {
  if (text.trim() === "") return { input: {}, text };
  const parsed = parseBounded(text);
  if (!parsed.ok) return { input: text, text };
  const input = parsed.value as JsonValue;
  return JSON.stringify(input) === text ? { input } : { input, text };
}

/** The arguments as text: the recorded text as long as it still says what `input` says. @internal */
export function argumentsText(input: JsonValue, recorded: string | undefined): string {
  const current = JSON.stringify(input);
  if (recorded === undefined) return current;
  const isUnchanged = JSON.stringify(parseArguments(recorded).input) === current;
  return isUnchanged ? recorded : current;
}

/** True for the kept type of a call of a tool that takes any text, in either API. @internal */
export function takesAnyText(type: JsonValue | undefined): boolean {
  return type === "custom" || type === "custom_tool_call";
}

/** The text that such a tool is given. @internal */
export function customInput(input: JsonValue): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}
