/**
 * Our messages → OpenAI Responses input items.
 *
 * Every block becomes an item or a part of a message item, in order. Thinking of other providers is
 * left out, OpenAI's own encrypted reasoning goes back as the opaque item it came as, before the
 * call it led to.
 */
import { isObject, type JsonObject, type JsonValue, wellFormedJson } from "../../base/json/json.ts";
import { toWellFormed } from "../../base/text/text.ts";
import {
  type ContentBlock,
  partText,
  type Role,
  type ToolResultBlock,
  type ToolResultPart,
  type ToolUseBlock,
} from "../../transcript/blocks.ts";
import type { RequestMessage } from "../../transcript/window.ts";
import { chatFunctionName, responsesCallId } from "../openai-chat/chat-fields.ts";
import { hasReadableSource, readablePart, searchResultText, urlOfSource } from "../shared/media-source.ts";
import { argumentsText, customInput, openaiFields } from "../shared/openai-fields.ts";
import { partInWords } from "../shared/part-in-words.ts";
import { renderOnce } from "../shared/render-once.ts";
import { fittingItems, isResponsesItem, withoutLoneReasoning } from "./responses-items.ts";

/**
 * Renders the `input` of a Responses request; the system prompt goes into `instructions`.
 *
 * @typeParam Wire - the item type of the client that sends it, such as `ResponseInputItem`.
 */
export function toOpenAIResponses<Wire = JsonObject>(messages: readonly RequestMessage[]): Wire[] {
  return withFittingOutputs(fittingItems(messages, messages.flatMap(renderTurn))) as Wire[];
}

/** An output is of the kind of its call, also where it was put in by a repair that knows of one kind only. */
function withFittingOutputs(items: readonly JsonObject[]): readonly JsonObject[] {
  const callTypes = new Map<JsonValue | undefined, JsonValue | undefined>();
  return items.map((item) => {
    const { type, call_id: callId } = item;
    if (type === "function_call" || type === "custom_tool_call") callTypes.set(callId, type);
    if (type !== "function_call_output" && type !== "custom_tool_call_output") return item;
    const callType = callTypes.get(callId);
    const fitting = callType === undefined ? type : `${String(callType)}_output`;
    return type === fitting ? item : { ...item, type: fitting };
  });
}

const renderTurn = renderOnce(renderMessage);

interface OpenMessage {
  readonly extra: JsonObject;
  readonly parts: JsonObject[];
}

function renderMessage({ role, content }: RequestMessage): readonly JsonObject[] {
  const items: JsonObject[] = [];
  let open: OpenMessage | undefined;
  const close = (): void => {
    if (open !== undefined && open.parts.length > 0) items.push(messageItem(role, open));
    open = undefined;
  };
  for (const block of content) {
    const [item] = renderItems(block);
    if (item !== undefined) {
      close();
      items.push(item);
      continue;
    }
    const [part] = role === "assistant" ? renderAnswered(block) : renderGiven(block);
    if (part === undefined) continue;
    const extra = block.type === "text" ? (openaiFields(block).extra ?? {}) : {};
    // A text that came with an item's own fields (its id) began a separate item.
    if (open === undefined || Object.keys(extra).length > 0) {
      close();
      open = { extra, parts: [] };
    }
    open.parts.push(part);
  }
  close();
  // An answer may have been cut off while the model was reasoning.
  return role === "assistant" ? withoutLoneReasoning(items) : items;
}

const renderItems = renderOnce((block: ContentBlock) => listOf(renderItem(block)));
const renderAnswered = renderOnce((block: ContentBlock) => listOf(renderPart(block, "assistant")));
const renderGiven = renderOnce((block: ContentBlock) => listOf(renderPart(block, "user")));

function listOf(object: JsonObject | undefined): readonly JsonObject[] {
  return object === undefined ? [] : [object];
}

function messageItem(role: Role, { extra, parts }: OpenMessage): JsonObject {
  return { type: "message", role, content: parts, ...wellFormedJson(extra) };
}

/** Blocks that are separate items. */
function renderItem(block: ContentBlock): JsonObject | undefined {
  if (block.type === "tool_use") return renderCall(block);
  if (block.type === "tool_result") return renderResult(block);
  if (block.type !== "opaque" || block.provider !== "openai-responses" || !isObject(block.value))
    return undefined;
  const value = block.value as JsonObject;
  return !isResponsesPart(value) && isResponsesItem(value) ? wellFormedJson(value) : undefined;
}

/** True for opaque parts of a message, such as a refusal or a file, as opposed to opaque items. @internal */
export function isResponsesPart(value: JsonObject): boolean {
  const type = value["type"];
  return (
    typeof type === "string" && (type.startsWith("input_") || type === "refusal" || type === "output_text")
  );
}

function renderPart(block: ContentBlock, role: Role): JsonObject | undefined {
  const textType = role === "assistant" ? "output_text" : "input_text";
  switch (block.type) {
    case "text":
      return block.text === "" ? undefined : { type: textType, text: toWellFormed(block.text) };
    case "compaction":
      return block.content === null || block.content === ""
        ? undefined
        : { type: textType, text: toWellFormed(block.content) };
    case "image":
    case "document":
      return role === "assistant" ? { type: textType, text: mediaText(block) } : renderMedia(block);
    case "opaque": {
      const found = searchResultText(block);
      if (found !== undefined) return { type: textType, text: found };
      return block.provider === "openai-responses" && isObject(block.value)
        ? renderOpaquePart(block.value as JsonObject, role)
        : undefined;
    }
    default:
      return undefined;
  }
}

/** A part that came as it is, where this role may say it and it says something. */
function renderOpaquePart(value: JsonObject, role: Role): JsonObject | undefined {
  const types =
    role === "assistant" ? ["output_text", "refusal"] : ["input_text", "input_image", "input_file"];
  const { type } = value;
  if (typeof type !== "string" || !types.includes(type)) return undefined;
  const text = type === "refusal" ? value["refusal"] : value["text"];
  const needsText = type === "refusal" || type.endsWith("_text");
  return needsText && typeof text !== "string" ? undefined : wellFormedJson(value);
}

function renderMedia(block: ContentBlock & { readonly type: "image" | "document" }): JsonObject {
  const { extra } = openaiFields(block);
  const url = urlOfSource(block.source);
  if (partText(block) !== undefined) return { type: "input_text", text: mediaText(block) };
  const isReadable = block.type === "document" || hasReadableSource(block.source, "image");
  if (url === undefined || !isReadable) return { type: "input_text", text: mediaText(block) };
  if (block.type === "image") return { type: "input_image", image_url: url, ...extra };
  return url.startsWith("data:")
    ? { type: "input_file", filename: "document", file_data: url }
    : { type: "input_file", file_url: url };
}

function mediaText(block: ContentBlock): string {
  return toWellFormed(partText(block) ?? `[${block.type}]`);
}

function renderCall(block: ToolUseBlock): JsonObject {
  const { arguments: recorded, extra = {} } = openaiFields(block);
  const call = { call_id: responsesCallId(block.id), name: chatFunctionName(block.name) };
  if (extra["type"] === "custom_tool_call") {
    return {
      type: "custom_tool_call",
      ...call,
      input: toWellFormed(customInput(block.input)),
      ...wellFormedJson(extra),
    };
  }
  return {
    type: "function_call",
    ...call,
    arguments: toWellFormed(argumentsText(block.input, recorded)),
    ...wellFormedJson(extra),
  };
}

function renderResult(block: ToolResultBlock): JsonObject {
  return {
    type: "function_call_output",
    call_id: responsesCallId(block.tool_use_id),
    output: resultOutput(block.content),
    ...wellFormedJson(openaiFields(block).extra ?? {}),
  };
}

function resultOutput(content: ToolResultBlock["content"]): JsonValue {
  if (content === undefined) return "";
  if (typeof content === "string") return toWellFormed(content);
  return content.map(renderResultPart);
}

function renderResultPart(given: ToolResultPart): JsonObject {
  const part = readablePart(given);
  if (part.type === "text") {
    return { type: "input_text", text: toWellFormed((part as { readonly text: string }).text) };
  }
  if ((part.type === "image" || part.type === "document") && isObject(part["source"])) {
    return renderMedia(part as ContentBlock & { readonly type: "image" | "document" });
  }
  // A file, or a picture by its id, came in OpenAI's own form.
  const { type, provider, value } = part as JsonObject;
  const own =
    type === "opaque" && provider === "openai-responses" && isObject(value)
      ? renderOpaquePart(value as JsonObject, "user")
      : undefined;
  return own ?? { type: "input_text", text: partInWords(part) };
}
