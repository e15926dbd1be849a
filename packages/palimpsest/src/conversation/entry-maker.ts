/**
 * Entries of `MemoryManager` from what its methods are handed: checked, copied, counted and dated.
 */
import type { JsonObject } from "../base/json/json.ts";
import type { Clock } from "../ports/clock.ts";
import type { IdSource } from "../ports/id-source.ts";
import { countMemoryTokens, type MemoryEntry } from "./entries/conversation-entry.ts";
import type { MemoryMirror } from "./entries/conversation-mirror.ts";
import { callText } from "./entries/entry-messages.ts";
import { findOpenCall } from "./log/conversation-log.ts";
import { receiveArgs, receiveMetadata, receiveName, receiveOutput, receiveText } from "./receive-input.ts";

/** An entry that knows what was said before it, once its turn has come. */
export type EntryInTurn = (mirror: MemoryMirror) => MemoryEntry;

const CALL_KEYS: ReadonlySet<string> = new Set(["tool", "args", "callId"]);
const RESULT_KEYS: ReadonlySet<string> = new Set(["tool", "callId", "isError"]);
const CONTEXT_KEYS: ReadonlySet<string> = new Set(["source"]);

/** Its methods throw `OptionError` for what cannot be kept. */
export class MemoryEntryMaker {
  readonly #clock: Clock;
  readonly #ids: IdSource;

  constructor({ clock, ids }: { readonly clock: Clock; readonly ids: IdSource }) {
    this.#clock = clock;
    this.#ids = ids;
  }

  message(role: "user" | "assistant", text: unknown, metadata: unknown): MemoryEntry {
    return this.#entry("message", role, receiveText(text, "text"), receiveMetadata(metadata));
  }

  toolCall(tool: unknown, args: unknown, metadata: unknown): MemoryEntry {
    const name = receiveName(tool, "tool");
    const input = receiveArgs(args);
    const told = receiveMetadata(metadata);
    const entry = this.#entry("tool_call", "assistant", callText(name, input));
    const callId = typeof told?.["callId"] === "string" ? told["callId"] : entry.id;
    return { ...entry, metadata: { tool: name, args: input, callId, ...without(told, CALL_KEYS) } };
  }

  toolResult(tool: unknown, output: unknown, metadata: unknown): EntryInTurn {
    const name = receiveName(tool, "tool");
    const { text, isError } = receiveOutput(output);
    const told = receiveMetadata(metadata);
    const entry = this.#entry("tool_result", "system", text);
    const hasFailed = told?.["isError"] ?? (isError ? true : undefined);
    return ({ active }) => {
      const callId = told?.["callId"] ?? findOpenCall(active, name);
      const ours: JsonObject = {
        tool: name,
        ...(callId === undefined ? {} : { callId }),
        ...(hasFailed === undefined ? {} : { isError: hasFailed }),
      };
      return { ...entry, metadata: { ...ours, ...without(told, RESULT_KEYS) } };
    };
  }

  context(content: unknown, source: unknown, metadata: unknown): MemoryEntry {
    const told = receiveMetadata(metadata);
    const from = { source: receiveText(source, "source"), ...without(told, CONTEXT_KEYS) };
    return this.#entry("context", "system", receiveText(content, "content"), from);
  }

  #entry(
    type: MemoryEntry["type"],
    role: MemoryEntry["role"],
    content: string,
    metadata?: JsonObject,
  ): MemoryEntry {
    return {
      id: this.#ids.entryId(),
      type,
      role,
      content,
      timestamp: new Date(this.#clock.nowMs()),
      tokenCount: countMemoryTokens(content),
      compressed: false,
      ...(metadata === undefined ? {} : { metadata }),
    };
  }
}

/** What the host has told beside what we tell ourselves. */
function without(told: JsonObject | undefined, ours: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(told ?? {}).filter(([key]) => !ours.has(key)));
}
