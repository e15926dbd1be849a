/**
 * Converts entries to messages of the log, and back.
 *
 * Messages become text, a call and its result become the blocks `tool_use` and `tool_result`, and all other entries
 * become text under a label. The fields of an entry that its message cannot hold (a source, figures of another
 * counter) are a *note*: metadata of the log, appended in the same write. Messages of other writers are read without
 * a note.
 */
import { isObject, type JsonObject } from "../../base/json/json.ts";
import {
  blockText,
  type ContentBlock,
  type Message,
  type Origin,
  type ToolUseBlock,
} from "../../transcript/blocks.ts";
import {
  type ConversationEntry,
  type ConversationEntryType,
  countMemoryTokens,
  MEMORY_ROLES,
  toolOf,
} from "./conversation-entry.ts";
import { labelOf } from "./entry-text.ts";

/** Key of the note of the entry with this id. */
export const noteKey = (id: string): string => `memory.entry.${id}`;

/** Key of the note of the summary with this id. */
export const summaryNoteKey = (id: string): string => `memory.summary.${id}`;

/** An entry as the log keeps it. */
interface LoggedEntry {
  readonly message: Message;
  /** Fields that the message does not hold. */
  readonly note?: JsonObject;
}

/** A message of the log, as it is read to make an entry of it. */
export interface MessageOfEntry {
  readonly id: string;
  readonly message: Pick<Message, "role" | "content" | "origin">;
  readonly atMs: number;
}

/** Names and ids that every provider accepts. Calls with others are shown as text. */
const WIRE_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** `read_file({"path":"a.ts"})`: how a call reads as an entry. */
export function callText(tool: string, args: unknown): string {
  return `${tool}(${JSON.stringify(args)})`;
}

/**
 * The message of an entry. `openCallIds`: visible calls without an answer. A result of any other call becomes text,
 * because no provider accepts it without its call.
 */
export function messageOf(entry: ConversationEntry, openCallIds: ReadonlySet<string>): LoggedEntry {
  const { role, origin, content } = formOf(entry, openCallIds);
  const at = entry.timestamp.getTime();
  const message: Message = { role, origin, content, hostId: entry.id, at };
  const rendered = entryOf({ id: entry.id, message, atMs: at }, undefined, () => toolOf(entry));
  const note = noteOf(entry, rendered);
  return note === undefined ? { message } : { message, note };
}

function formOf(
  entry: ConversationEntry,
  openCallIds: ReadonlySet<string>,
): Required<Pick<Message, "role" | "origin" | "content">> {
  const { type, role, content, metadata } = entry;
  const callId = metadata?.["callId"];
  if (type === "message" && role === "user") return { role, origin: "user", content: [textOf(content)] };
  if (type === "message") return { role: "assistant", origin: "assistant", content: [textOf(content)] };
  if (type === "tool_call") {
    const use = toolUseOf(entry);
    return { role: "assistant", origin: "assistant", content: use === undefined ? labelled(entry) : [use] };
  }
  if (type === "tool_result" && typeof callId === "string" && openCallIds.has(callId)) {
    const isError = metadata?.["isError"] === true ? { is_error: true } : {};
    return {
      role: "user",
      origin: "tool",
      content: [{ type: "tool_result", tool_use_id: callId, content, ...isError }],
    };
  }
  const origins: Partial<Record<ConversationEntryType, Origin>> = { tool_result: "tool", summary: "summary" };
  return { role: "user", origin: origins[type] ?? "host", content: labelled(entry) };
}

/** Returns the call as a block; `undefined` if a provider would refuse it, or if it would not read like the entry. */
export function toolUseOf(entry: ConversationEntry): ToolUseBlock | undefined {
  const { metadata, content } = entry;
  const tool = toolOf(entry);
  const callId = metadata?.["callId"];
  const args = metadata?.["args"];
  if (entry.type !== "tool_call" || tool === undefined || typeof callId !== "string" || !isObject(args))
    return undefined;
  if (!WIRE_NAME.test(tool) || !WIRE_NAME.test(callId) || content !== callText(tool, args)) return undefined;
  return { type: "tool_use", id: callId, name: tool, input: args };
}

const textOf = (text: string): ContentBlock => ({ type: "text", text });

/** Labelled, so that the model does not take it for words of the user or the assistant. */
function labelled(entry: ConversationEntry): readonly ContentBlock[] {
  return [textOf(`[${labelOf(entry)}]`), textOf(entry.content)];
}

/** Fields of the entry that reading its message alone would miss or get wrong. */
function noteOf(entry: ConversationEntry, rendered: ConversationEntry): JsonObject | undefined {
  const isSame =
    entry.type === rendered.type && entry.role === rendered.role && entry.content === rendered.content;
  const note: JsonObject = {
    ...(isSame ? {} : { type: entry.type, role: entry.role }),
    ...(entry.tokenCount === rendered.tokenCount ? {} : { tokenCount: entry.tokenCount }),
    ...(isSame && sameMetadata(entry.metadata, rendered.metadata)
      ? {}
      : { metadata: entry.metadata ?? null }),
  };
  return Object.keys(note).length === 0 ? undefined : note;
}

function sameMetadata(one: JsonObject | undefined, other: JsonObject | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Makes an entry of a message of the log and its note. `findTool` returns the tool of a call by its id, if the log has
 * the call.
 */
export function entryOf(
  { id, message, atMs }: MessageOfEntry,
  note: unknown,
  findTool: (callId: string) => string | undefined,
): ConversationEntry {
  const fields = isObject(note) ? note : {};
  const plain = plainEntry(message, findTool);
  const type = isType(fields["type"]) ? fields["type"] : plain.type;
  const isLabelled = type !== plain.type;
  const content = isLabelled ? blockText(message.content.at(-1) ?? textOf("")) : plain.content;
  const role =
    MEMORY_ROLES[type].find((one) => one === fields["role"]) ??
    (isLabelled ? MEMORY_ROLES[type][0]! : plain.role);
  const tokenCount = fields["tokenCount"];
  const metadata = isObject(fields["metadata"]) ? (fields["metadata"] as JsonObject) : plain.metadata;
  const lacksMetadata = fields["metadata"] === null || metadata === undefined;
  return {
    id,
    type,
    role,
    content,
    timestamp: new Date(atMs),
    tokenCount: isCount(tokenCount) ? tokenCount : countMemoryTokens(content),
    compressed: false,
    ...(lacksMetadata ? {} : { metadata }),
  };
}

/** Makes an entry of the blocks alone, as if it had no note. */
function plainEntry(
  { role, content }: Pick<Message, "role" | "content">,
  findTool: (callId: string) => string | undefined,
): Pick<ConversationEntry, "type" | "role" | "content" | "metadata"> {
  const [only] = content;
  if (content.length === 1 && only?.type === "tool_use") {
    const metadata: JsonObject = { tool: only.name, args: only.input, callId: only.id };
    return { type: "tool_call", role: "assistant", content: callText(only.name, only.input), metadata };
  }
  const text = content
    .map(shownText)
    .filter((words) => words !== "")
    .join("\n");
  const result = content.find((block) => block.type === "tool_result");
  if (result !== undefined) {
    const tool = findTool(result.tool_use_id);
    const metadata: JsonObject = {
      ...(tool === undefined ? {} : { tool }),
      callId: result.tool_use_id,
      ...(result.is_error === true ? { isError: true } : {}),
    };
    return { type: "tool_result", role: "system", content: text, metadata };
  }
  if (role === "system") return { type: "context", role, content: text };
  return { type: "message", role, content: text };
}

/** The text of a block; thinking has none. */
function shownText(block: ContentBlock): string {
  if (block.type === "thinking" || block.type === "opaque") return "";
  return block.type === "tool_use" ? callText(block.name, block.input) : blockText(block);
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const isType = (value: unknown): value is ConversationEntryType =>
  typeof value === "string" && Object.hasOwn(MEMORY_ROLES, value);
