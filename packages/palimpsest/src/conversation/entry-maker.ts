/**
 * Makes entries of `MemoryManager` from the arguments of its methods: checked, copied, counted and dated.
 */
import { OptionError } from "../base/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../base/json/json.ts";
import type { Clock, IdSource } from "../ports/runtime.ts";
import { validateJson } from "../session/input/copy-input.ts";
import { sayWhat } from "../session/input/validate-messages.ts";
import { type ConversationEntry, callIdOf, countMemoryTokens, toolOf } from "./entries/conversation-entry.ts";
import type { MemoryMirror } from "./entries/conversation-mirror.ts";
import { callText } from "./entries/entry-messages.ts";

/** Makes an entry that depends on the entries before it. Called when its turn in the queue has come. */
export type EntryInTurn = (mirror: MemoryMirror) => ConversationEntry;

const CALL_KEYS: ReadonlySet<string> = new Set(["tool", "args", "callId"]);
const RESULT_KEYS: ReadonlySet<string> = new Set(["tool", "callId", "isError"]);
const CONTEXT_KEYS: ReadonlySet<string> = new Set(["source"]);

/** Makes entries. Its methods throw `OptionError` for arguments that cannot be kept. */
export class ConversationEntryFactory {
  readonly #clock: Clock;
  readonly #ids: IdSource;

  constructor({ clock, ids }: { readonly clock: Clock; readonly ids: IdSource }) {
    this.#clock = clock;
    this.#ids = ids;
  }

  message(role: "user" | "assistant", text: unknown, metadata: unknown): ConversationEntry {
    return this.#entry("message", role, validateText(text, "text"), validateMetadata(metadata));
  }

  toolCall(tool: unknown, args: unknown, metadata: unknown): ConversationEntry {
    const name = validateName(tool, "tool");
    const input = (validateJson(args, "args") ?? {}) as JsonValue;
    const given = validateMetadata(metadata);
    const entry = this.#entry("tool_call", "assistant", callText(name, input));
    const callId = typeof given?.["callId"] === "string" ? given["callId"] : entry.id;
    return { ...entry, metadata: { tool: name, args: input, callId, ...without(given, CALL_KEYS) } };
  }

  toolResult(tool: unknown, output: unknown, metadata: unknown): EntryInTurn {
    const name = validateName(tool, "tool");
    const { text, isError } = receiveOutput(output);
    const given = validateMetadata(metadata);
    const entry = this.#entry("tool_result", "system", text);
    const hasFailed = given?.["isError"] ?? (isError ? true : undefined);
    return ({ active }) => {
      const callId = given?.["callId"] ?? findOpenCall(active, name);
      const resultMetadata: JsonObject = {
        tool: name,
        ...(callId === undefined ? {} : { callId }),
        ...(hasFailed === undefined ? {} : { isError: hasFailed }),
      };
      return { ...entry, metadata: { ...resultMetadata, ...without(given, RESULT_KEYS) } };
    };
  }

  context(content: unknown, source: unknown, metadata: unknown): ConversationEntry {
    const given = validateMetadata(metadata);
    const from = { source: validateText(source, "source"), ...without(given, CONTEXT_KEYS) };
    return this.#entry("context", "system", validateText(content, "content"), from);
  }

  #entry(
    type: ConversationEntry["type"],
    role: ConversationEntry["role"],
    content: string,
    metadata?: JsonObject,
  ): ConversationEntry {
    return {
      id: this.#ids.entryId(),
      type,
      role,
      content,
      timestamp: new Date(this.#clock.nowMs()),
      tokenCount: countMemoryTokens(content),
      compressed: false,
      metadata,
    };
  }
}

/** The host's metadata without the keys that the library sets. */
function without(given: JsonObject | undefined, keys: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(given ?? {}).filter(([key]) => !keys.has(key)));
}

/** The oldest call of `tool` among `entries` that no result answers; `undefined` where there is none. */
function findOpenCall(entries: readonly ConversationEntry[], tool: string): string | undefined {
  const answered = new Set(entries.filter(({ type }) => type === "tool_result").map(callIdOf));
  const call = entries.find(
    (entry) => entry.type === "tool_call" && toolOf(entry) === tool && !answered.has(callIdOf(entry)),
  );
  return call === undefined ? undefined : callIdOf(call);
}

/** @throws `OptionError` */
function validateText(value: unknown, name: string): string {
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
function validateMetadata(value: unknown): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  const copy = validateJson(value, "metadata");
  if (isObject(copy)) return copy as JsonObject;
  throw new OptionError({
    message: `\`metadata\` is ${sayWhat(copy)}.`,
    hint: "Pass an object, or leave it out.",
  });
}

/** The output of a tool as text; `isError` is true for a thrown error. @throws `OptionError` */
function receiveOutput(value: unknown): { readonly text: string; readonly isError: boolean } {
  const isError = Object.prototype.toString.call(value) === "[object Error]";
  const copy = isError ? String(value) : (validateJson(value, "output") ?? "");
  return { text: typeof copy === "string" ? copy : JSON.stringify(copy), isError };
}
