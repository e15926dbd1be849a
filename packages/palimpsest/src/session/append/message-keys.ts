/**
 * Makes keys of a host's messages: equal keys mean equal contents.
 *
 * The order of an object's members does not count, nor do cache marks, which hosts move from message to message, nor what
 * a converter keeps beside a block for its own framework. A key contains the length of each string, so that different
 * contents cannot give one key; a long key is hashed.
 */
import { isObject, writeDeepJson } from "../../base/json/json.ts";
import { isWellFormed } from "../../base/text/text.ts";
import type { Hasher } from "../../ports/runtime.ts";
import { type ContentBlock, isThinking, type Message } from "../../transcript/blocks.ts";
import { MAX_NESTING_LEVELS, MAX_VALUES_COUNT } from "../input/copy-input.ts";

/** A message up to this length is compared by its text, in UTF-16 units; a longer one by its hash. Our choice: hashing a short text costs more than building it. */
const MAX_PLAIN_KEY_CHARS = 256;
/** Most members of an object whose names are sorted by insertion. Our choice: beyond it the platform's sort is faster. */
const MAX_INSERTION_SORT_COUNT = 12;

/** Members of a block that say nothing: cache marks, and the carrier of the AI SDK (`wire/ai-sdk/carrier.ts`). */
const BESIDE: ReadonlySet<string> = new Set(["cache_control", "aiSdk"]);

export interface MessageKeys {
  readonly key: string;
  /** The key without the model's reasoning; the same as `key` where there is none. */
  readonly spokenKey: string;
  /** True if it holds reasoning that its provider signed or sealed. */
  readonly hasSignedReasoning: boolean;
  /** True if it holds only reasoning. */
  readonly isReasoningOnly: boolean;
}

export function keysOf(message: Pick<Message, "role" | "content">, hasher: Hasher): MessageKeys {
  const { role, content } = message;
  const key = toKey(contentText(role, content), hasher);
  if (role !== "assistant" || !content.some(isThinking))
    return { key, spokenKey: key, hasSignedReasoning: false, isReasoningOnly: false };
  const reasoning = content.filter(isThinking);
  const spoken = content.filter((block) => !isThinking(block));
  return {
    key,
    spokenKey: toKey(contentText(role, spoken), hasher),
    hasSignedReasoning: reasoning.some(
      (block) => block.type === "redacted_thinking" || (block.signature ?? "") !== "",
    ),
    isReasoningOnly: spoken.length === 0,
  };
}

function toKey(text: string, hasher: Hasher): string {
  if (text.length <= MAX_PLAIN_KEY_CHARS) return text;
  // The hasher encodes as UTF-8, which makes all lone surrogates equal. JSON keeps them apart.
  return `#${hasher.sha256(isWellFormed(text) ? text : JSON.stringify(text))}`;
}

function contentText(role: string, content: readonly ContentBlock[]): string {
  let text = role;
  for (const block of content) text += objectText(block as never, 0, true);
  return text;
}

/** `isBlock`: a content block or a part of one, which may carry a cache mark; in a tool's input the same name is data. */
function objectText(value: Readonly<Record<string, unknown>>, depth: number, isBlock: boolean): string {
  let text = "{";
  for (const key of sortedKeys(value)) {
    const member = value[key];
    if (member === undefined || (isBlock && BESIDE.has(key))) continue;
    text += `${key.length}"${key}`;
    text +=
      typeof member === "string"
        ? `${member.length}"${member}`
        : valueText(member, depth + 1, isBlock && key === "content");
  }
  return `${text}}`;
}

/** Sorts by insertion: most objects have a few members, and the platform's sort would take most of the time. */
function sortedKeys(value: object): readonly string[] {
  const keys = Object.keys(value);
  if (keys.length > MAX_INSERTION_SORT_COUNT) return keys.sort();
  for (let end = 1; end < keys.length; end++) {
    const key = keys[end]!;
    let index = end;
    for (; index > 0 && keys[index - 1]! > key; index--) keys[index] = keys[index - 1]!;
    keys[index] = key;
  }
  return keys;
}

function valueText(value: unknown, depth: number, isBlock: boolean): string {
  if (typeof value === "string") return `${value.length}"${value}`;
  if (typeof value !== "object" || value === null) return `${String(value)};`;
  // A stored message may be nested deeper than the limit for new ones.
  if (depth > MAX_NESTING_LEVELS) return deepText(value);
  if (isObject(value)) return objectText(value, depth, isBlock);
  let text = "[";
  for (const item of value as readonly unknown[]) text += valueText(item ?? null, depth + 1, isBlock);
  return `${text}]`;
}

function deepText(value: object): string {
  const written = writeDeepJson(value, { maxValues: MAX_VALUES_COUNT });
  return written.ok ? written.text : written.reason;
}
