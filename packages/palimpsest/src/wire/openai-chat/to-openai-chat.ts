/**
 * Our messages → OpenAI Chat Completions messages.
 *
 * A tool's answer is a separate `tool` message and holds text only; its images follow in the next
 * user message. Thinking and the provider-side tools of others cannot be said in Chat and are left
 * out; a provider's summary is readable and goes as text. Sent is only what the API knows in this
 * role (`chat-fields.ts`): what a host noted on a message stays in the log. Nothing is rendered across
 * messages, so a longer list begins with the output of a shorter one.
 */

import { isObject, type JsonObject, type JsonValue } from "../../base/json/json.ts";
import { anyString, checkOptions, type OptionRules, oneOf } from "../../base/options/check-options.ts";
import { toWellFormed } from "../../base/text/text.ts";
import {
  type ContentBlock,
  type DocumentBlock,
  type ImageBlock,
  partText,
  type ToolResultBlock,
  type ToolUseBlock,
} from "../../transcript/blocks.ts";
import type { RequestMessage } from "../../transcript/window.ts";
import { hasReadableSource, searchResultText, urlOfSource } from "../shared/media-source.ts";
import { argumentsText, customInput, openaiFields } from "../shared/openai-fields.ts";
import { partInWords } from "../shared/part-in-words.ts";
import { renderOnce } from "../shared/render-once.ts";
import { chatCallId, chatFunctionName, chatMessageFields, chatPart } from "./chat-fields.ts";

/** Options that {@link toOpenAIChat} cannot derive from the messages. */
export interface ToOpenAIChatOptions {
  /** The system prompt; it becomes the first message. */
  readonly system?: string;
  /** Name of the role of instructions. @defaultValue `"system"` */
  readonly systemRole?: "system" | "developer";
}

const RULES: OptionRules<ToOpenAIChatOptions> = {
  system: anyString,
  systemRole: oneOf("system", "developer"),
};

/**
 * Renders the messages of a Chat Completions request.
 *
 * @typeParam Wire - the message type of the client that sends it, such as `ChatCompletionMessageParam`.
 */
export function toOpenAIChat<Wire = JsonObject>(
  messages: readonly RequestMessage[],
  options: ToOpenAIChatOptions = {},
): Wire[] {
  checkOptions("toOpenAIChat", options, RULES);
  const systemRole = options.systemRole ?? "system";
  const leading =
    options.system === undefined ? [] : [{ role: systemRole, content: toWellFormed(options.system) }];
  const turns = messages.flatMap((message) =>
    message.role === "system" ? renderMessage(message, systemRole) : renderTurn(message),
  );
  return [...leading, ...turns] as Wire[];
}

/** Messages of people and models do not depend on the name of the instructions' role. */
const renderTurn = renderOnce((message: RequestMessage) => renderMessage(message, "system"));

function renderMessage(message: RequestMessage, systemRole: string): readonly JsonObject[] {
  if (message.role === "assistant") return renderAssistant(message.content);
  const results = message.content.filter((block) => block.type === "tool_result");
  const images = results.flatMap(resultImages);
  const isSystem = message.role === "system";
  const role = isSystem ? systemRole : message.role;
  const parts = [...images, ...message.content].flatMap(isSystem ? renderInstructions : renderGiven);
  const spoken =
    parts.length === 0 ? [] : [{ role, content: soleText(parts), ...messageExtra(message.content, role) }];
  return [...results.flatMap(renderResults), ...spoken];
}

const renderGiven = renderOnce((block: ContentBlock) => renderPart(block, "user"));
const renderAnswered = renderOnce((block: ContentBlock) => renderPart(block, "assistant"));
const renderInstructions = renderOnce((block: ContentBlock) => renderPart(block, "system"));
const renderCalls = renderOnce((block: ToolUseBlock) => [renderCall(block)]);
const renderResults = renderOnce((block: ToolResultBlock) => [renderResult(block)]);

function renderAssistant(content: readonly ContentBlock[]): readonly JsonObject[] {
  const refusals = content.flatMap((block) =>
    block.type === "opaque" && isOwn(block) && isObject(block.value)
      ? chatPart(block.value as JsonObject, "assistant").flatMap((part) => part["refusal"] ?? [])
      : [],
  );
  const parts = content.flatMap(renderAnswered).filter((part) => part["type"] !== "refusal");
  const calls = content.filter((block) => block.type === "tool_use").flatMap(renderCalls);
  if (parts.length === 0 && calls.length === 0 && refusals.length === 0) return [];
  return [
    {
      role: "assistant",
      content: parts.length === 0 ? null : soleText(parts),
      ...(refusals.length === 0 ? {} : { refusal: refusals[0]! }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...messageExtra(content, "assistant"),
    },
  ];
}

function isOwn(block: ContentBlock & { readonly type: "opaque" }): boolean {
  return block.provider === "openai-chat";
}

/** One text alone is written as a string, which every server that speaks this format understands. */
function soleText(parts: readonly JsonObject[]): JsonValue {
  const [only, ...others] = parts;
  return others.length === 0 && only?.["type"] === "text" ? only["text"]! : parts;
}

/** The recorded role of a message wins over the name of the instructions' role. */
function messageExtra(content: readonly ContentBlock[], role: string): JsonObject {
  const first = content.find((block) => block.type !== "tool_result");
  const extra = first?.type === "text" ? openaiFields(first).extra : undefined;
  const own = role === "system" && extra?.["role"] === "developer" ? { role: "developer" } : {};
  return { ...own, ...chatMessageFields(extra, role) };
}

function renderPart(block: ContentBlock, role: "user" | "assistant" | "system"): readonly JsonObject[] {
  switch (block.type) {
    case "text":
      return block.text === "" ? [] : [{ type: "text", text: toWellFormed(block.text) }];
    case "image":
      return role === "user" ? [renderImage(block)] : [{ type: "text", text: "[image]" }];
    case "document":
      return chatPart(renderDocument(block), role);
    case "compaction":
      return block.content === null || block.content === ""
        ? []
        : [{ type: "text", text: toWellFormed(block.content) }];
    case "opaque": {
      const found = searchResultText(block);
      if (found !== undefined) return [{ type: "text", text: found }];
      return isOwn(block) && isObject(block.value) ? chatPart(block.value as JsonObject, role) : [];
    }
    default:
      return [];
  }
}

function renderImage(block: ImageBlock): JsonObject {
  const url = urlOfSource(block.source);
  if (url === undefined || !hasReadableSource(block.source, "image"))
    return { type: "text", text: "[image]" };
  const detail = openaiFields(block).extra?.["detail"];
  return { type: "image_url", image_url: { url, ...(typeof detail === "string" ? { detail } : {}) } };
}

function renderDocument(block: DocumentBlock): JsonObject {
  const { source } = block;
  const text = partText(block) ?? "";
  if (text !== "") return { type: "text", text: toWellFormed(text) };
  const url = urlOfSource(source);
  return url?.startsWith("data:") === true
    ? { type: "file", file: { filename: "document", file_data: url } }
    : { type: "text", text: `[document${url === undefined ? "" : ` ${url}`}]` };
}

function renderCall(block: ToolUseBlock): JsonObject {
  const { arguments: recorded, extra = {} } = openaiFields(block);
  const id = chatCallId(block.id);
  const name = chatFunctionName(block.name);
  if (extra["type"] === "custom") {
    return { id, type: "custom", custom: { name, input: toWellFormed(customInput(block.input)) } };
  }
  return {
    id,
    type: "function",
    function: { name, arguments: toWellFormed(argumentsText(block.input, recorded)) },
  };
}

function renderResult(block: ToolResultBlock): JsonObject {
  return {
    role: "tool",
    tool_call_id: chatCallId(block.tool_use_id),
    content: resultContent(block),
    ...chatMessageFields(openaiFields(block).extra, "tool"),
  };
}

function resultContent(block: ToolResultBlock): JsonValue {
  if (block.content === undefined) return "";
  if (typeof block.content === "string") return toWellFormed(block.content);
  const parts = block.content.flatMap((part): readonly JsonObject[] => {
    if (part.type === "image" && isObject(part["source"])) return [];
    if (part.type !== "text") return [{ type: "text", text: partInWords(part) }];
    return [{ type: "text", text: toWellFormed((part as { readonly text: string }).text) }];
  });
  return parts.length === 0 ? (resultImages(block).length > 0 ? "[image]" : "") : parts;
}

function resultImages(block: ToolResultBlock): readonly ImageBlock[] {
  if (!Array.isArray(block.content)) return [];
  return block.content.filter(
    (part): part is ImageBlock => part.type === "image" && isObject(part["source"]),
  );
}
