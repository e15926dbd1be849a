/**
 * Tells the format of a recorded session from its first records, by what only that format has.
 */
import { FORMATS_DEFAULTS } from "../base/defaults/formats.ts";
import { InputError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { shorten } from "../base/text.ts";
import { isChatMessage, messageList } from "./conversations.ts";
import { FORMAT_NAMES, type FormatName } from "./imported-session.ts";
import type { SourceRecord } from "./read-records.ts";

/**
 * The format of the records.
 * @throws InputError `FORMAT_UNKNOWN` with what was seen and what is supported. @internal
 */
export function detectFormat(name: string, records: readonly SourceRecord[]): FormatName {
  const sample = records.slice(0, FORMATS_DEFAULTS.detectionRecords);
  for (const { value } of sample) {
    if (isPi(value)) return "pi";
    if (isClaudeCode(value)) return "claude-code";
  }
  const messages = sample.flatMap(({ value }) =>
    isChatMessage(value) ? [value] : (messageList(value) ?? []).slice(0, FORMATS_DEFAULTS.detectionRecords),
  );
  if (messages.length > 0 || sample.some(({ value }) => messageList(value) !== undefined)) {
    const isAnthropic =
      messages.some(hasAnthropicBlock) || sample.some(({ value }) => isAnthropicRequest(value));
    return isAnthropic && !messages.some(isOpenaiOnly) ? "anthropic-messages" : "openai-chat";
  }
  const tool = sample.map(({ value }) => recorderOf(value)).find((name) => name !== undefined);
  if (tool !== undefined) {
    throw new InputError("FORMAT_UNKNOWN", {
      message: `${name} is a session of ${tool}, whose recordings are not supported yet.`,
      hint: `Supported are ${FORMAT_NAMES.join(", ")}. A list of its messages in the shape of OpenAI Chat can be read.`,
    });
  }
  throw new InputError("FORMAT_UNKNOWN", {
    message: `${name} is not in a format that can be read: it begins with ${describeRecord(sample[0]?.value)}.`,
    hint: `Supported are ${FORMAT_NAMES.join(", ")}. Give the session file itself, not an export for reading.`,
  });
}

/** Record types that only Claude Code writes, with a field that goes with them. */
const CLAUDE_TYPES: Readonly<Record<string, readonly string[]>> = {
  user: ["uuid", "sessionId", "parentUuid"],
  assistant: ["uuid", "sessionId", "parentUuid", "requestId"],
  system: ["uuid", "sessionId", "parentUuid"],
  attachment: ["uuid", "attachment"],
  progress: ["uuid", "sessionId", "parentUuid"],
  summary: ["leafUuid"],
  "file-history-snapshot": ["snapshot", "messageId"],
  "queue-operation": ["operation"],
};

function isClaudeCode(value: Readonly<Record<string, unknown>>): boolean {
  const type = value["type"];
  if (typeof type !== "string" || !Object.hasOwn(CLAUDE_TYPES, type)) return false;
  return CLAUDE_TYPES[type]!.some((field) => Object.hasOwn(value, field));
}

function isPi(value: Readonly<Record<string, unknown>>): boolean {
  if (value["type"] === "session")
    return typeof value["id"] === "string" && Object.hasOwn(value, "timestamp");
  return value["type"] === "message" && isObject(value["message"]) && Object.hasOwn(value["message"], "role");
}

const ANTHROPIC_BLOCKS: ReadonlySet<unknown> = new Set([
  "tool_use",
  "tool_result",
  "thinking",
  "redacted_thinking",
  "server_tool_use",
  "image",
  "document",
]);

function hasAnthropicBlock(message: unknown): boolean {
  const content = isObject(message) ? message["content"] : undefined;
  return (
    Array.isArray(content) &&
    content.some((block: unknown) => isObject(block) && ANTHROPIC_BLOCKS.has(block["type"]))
  );
}

function isOpenaiOnly(message: unknown): boolean {
  if (!isObject(message)) return false;
  return (
    message["role"] === "tool" || Array.isArray(message["tool_calls"]) || isObject(message["function_call"])
  );
}

/** A request body has its system prompt beside the messages, or tools with a schema of their own. */
function isAnthropicRequest(value: Readonly<Record<string, unknown>>): boolean {
  const tools = Array.isArray(value["tools"]) ? value["tools"] : [];
  return (
    (value["system"] !== undefined && messageList(value) !== undefined) ||
    tools.some((tool: unknown) => isObject(tool) && isObject(tool["input_schema"]))
  );
}

/** The tool that a record is known by, of those that cannot be read yet. */
function recorderOf(value: Readonly<Record<string, unknown>>): string | undefined {
  const { type, trajectory, messages } = value;
  if (
    (type === "session_meta" || type === "response_item" || type === "turn_context") &&
    isObject(value["payload"])
  )
    return "Codex";
  if (typeof type === "string" && type.startsWith("session.") && isObject(value["data"])) return "Copilot";
  if (Object.hasOwn(value, "projectHash") && Array.isArray(messages)) return "gemini-cli";
  if (isObject(value["info"]) && Array.isArray(messages) && messages.some(hasParts)) return "opencode";
  if (
    Array.isArray(trajectory) &&
    trajectory.some((step) => isObject(step) && Object.hasOwn(step, "observation"))
  )
    return "SWE-agent";
  const history = Array.isArray(value["history"]) ? value["history"] : [value];
  return history.some(isOpenhandsEvent) ? "OpenHands" : undefined;
}

function hasParts(message: unknown): boolean {
  return isObject(message) && isObject(message["info"]) && Array.isArray(message["parts"]);
}

function isOpenhandsEvent(event: unknown): boolean {
  if (!isObject(event)) return false;
  const isEvent = Object.hasOwn(event, "action") || Object.hasOwn(event, "observation");
  return isEvent && ["source", "cause", "tool_call_metadata"].some((field) => Object.hasOwn(event, field));
}

function describeRecord(value: Readonly<Record<string, unknown>> | undefined): string {
  if (value === undefined) return "no readable record";
  const type =
    typeof value["type"] === "string" ? ` of type ${JSON.stringify(shorten(value["type"], 40))}` : "";
  const keys = Object.keys(value)
    .slice(0, 8)
    .map((key) => shorten(key, 40));
  return keys.length === 0 ? "an empty object" : `an object${type} with the fields ${keys.join(", ")}`;
}
