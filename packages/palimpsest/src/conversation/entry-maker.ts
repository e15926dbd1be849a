/**
 * Makes entries of `MemoryManager` from the arguments of its methods: checked, copied, counted and dated.
 */
import type { JsonObject } from "../base/json/json.ts";
import type { Clock, IdSource } from "../ports/runtime.ts";
import { type ConversationEntry, countMemoryTokens } from "./entries/conversation-entry.ts";
import type { MemoryMirror } from "./entries/conversation-mirror.ts";
import { callText } from "./entries/entry-messages.ts";
import { findOpenCall } from "./log/conversation-log.ts";
import {
  receiveArgs,
  receiveOutput,
  validateMetadata,
  validateName,
  validateText,
} from "./validate-input.ts";

/** An entry that knows what was said before it, once its turn has come. */
export type EntryInTurn = (mirror: MemoryMirror) => ConversationEntry;

const CALL_KEYS: ReadonlySet<string> = new Set(["tool", "args", "callId"]);
const RESULT_KEYS: ReadonlySet<string> = new Set(["tool", "callId", "isError"]);
const CONTEXT_KEYS: ReadonlySet<string> = new Set(["source"]);

/** Its methods throw `OptionError` for what cannot be kept. */
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
    const input = receiveArgs(args);
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
      const ours: JsonObject = {
        tool: name,
        ...(callId === undefined ? {} : { callId }),
        ...(hasFailed === undefined ? {} : { isError: hasFailed }),
      };
      return { ...entry, metadata: { ...ours, ...without(given, RESULT_KEYS) } };
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

/** The host's metadata without the keys that are ours. */
function without(given: JsonObject | undefined, ours: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(given ?? {}).filter(([key]) => !ours.has(key)));
}
