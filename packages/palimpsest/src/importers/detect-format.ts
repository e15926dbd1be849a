/**
 * Tells the format of a recorded session from its first records, by what only that format has.
 */
import { FORMATS_DEFAULTS } from "../base/defaults/formats.ts";
import { InputError } from "../base/errors.ts";
import { isObject } from "../base/json/json.ts";
import { shorten } from "../base/text/text.ts";
import { RECORD_FORMATS } from "./record-marks.ts";
import { isChatMessage, messageList } from "./shared/conversations.ts";
import { FORMAT_NAMES, type FormatName } from "./shared/imported-session.ts";
import type { SourceRecord } from "./shared/read-records.ts";

/**
 * The format of the records.
 * @throws InputError `FORMAT_UNKNOWN` with what was seen and what is supported. @internal
 */
export function detectFormat(name: string, records: readonly SourceRecord[]): FormatName {
  const sample = records.slice(0, FORMATS_DEFAULTS.detectionRecords);
  for (const { value } of sample) {
    const known = RECORD_FORMATS.find(({ isRecord }) => isRecord(value));
    if (known !== undefined) return known.format;
  }
  const messages = sample.flatMap(({ value }) =>
    isChatMessage(value) ? [value] : (messageList(value) ?? []).slice(0, FORMATS_DEFAULTS.detectionRecords),
  );
  if (messages.length > 0 || sample.some(({ value }) => messageList(value) !== undefined)) {
    const isAnthropic =
      messages.some(hasAnthropicBlock) || sample.some(({ value }) => isAnthropicRequest(value));
    return isAnthropic && !messages.some(isOpenAIOnly) ? "anthropic-messages" : "openai-chat";
  }
  throw new InputError("FORMAT_UNKNOWN", {
    message: `${name} is not in a format that can be read: it begins with ${describeRecord(sample[0]?.value)}.`,
    hint: `Supported are ${FORMAT_NAMES.join(", ")}. Give the session file itself, not an export for reading.`,
  });
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

function isOpenAIOnly(message: unknown): boolean {
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

function describeRecord(value: Readonly<Record<string, unknown>> | undefined): string {
  if (value === undefined) return "no readable record";
  const type =
    typeof value["type"] === "string" ? ` of type ${JSON.stringify(shorten(value["type"], 40))}` : "";
  const keys = Object.keys(value)
    .slice(0, 8)
    .map((key) => shorten(key, 40));
  return keys.length === 0 ? "an empty object" : `an object${type} with the fields ${keys.join(", ")}`;
}
