/**
 * OpenAI Responses input items → our messages.
 *
 * The wire is a flat list of items; consecutive items that the model produced (reasoning, calls,
 * text) are one assistant message, consecutive results and user items stay one message each. Items
 * that only OpenAI understands (encrypted reasoning, its own tools, compaction) become opaque and
 * keep their place.
 */

import { asString, isObject, type JsonObject, type JsonValue } from "../../base/json/json.ts";
import { addAll } from "../../base/lists.ts";
import {
  type ContentBlock,
  defaultOrigin,
  type Message,
  type ToolResultPart,
} from "../../transcript/blocks.ts";
import { sourceOfUrl } from "../shared/media-source.ts";
import { extraFields, parseArguments, withOpenAIFields } from "../shared/openai-fields.ts";
import type { ReadMessages } from "../shared/well-formed-block.ts";

/** Reads the `input` of a Responses request (or the `output` of a response). Never throws. */
export function fromOpenAIResponses(items: readonly unknown[]): ReadMessages {
  const parsed: { readonly role: Message["role"]; readonly content: ContentBlock[] }[] = [];
  const unreadable: number[] = [];
  items.forEach((value, index) => {
    const read = isObject(value) ? readItem(value) : undefined;
    if (read === undefined) {
      unreadable.push(index);
      return;
    }
    const last = parsed.at(-1);
    if (read.role === "assistant" && last?.role === "assistant") addAll(last.content, read.content);
    else parsed.push({ role: read.role, content: [...read.content] });
  });
  const messages = parsed.map(
    ({ role, content }): Message => ({ role, content, origin: defaultOrigin({ role, content }) }),
  );
  return { messages, unreadable };
}

interface ReadItem {
  readonly role: Message["role"];
  readonly content: readonly ContentBlock[];
}

/** Types of items that come from the host; all others are the model's. */
const HOST_ITEM = /_output$|^item_reference$|^compaction_trigger$|^mcp_approval_response$/;

function readItem(item: Record<string, unknown>): ReadItem | undefined {
  const type = item["type"];
  if (type === undefined || type === "message") return readMessage(item);
  if (typeof type !== "string") return undefined;
  if (type === "function_call" || type === "custom_tool_call") return readCall(item, type);
  if (type === "function_call_output" || type === "custom_tool_call_output") return readOutput(item, type);
  return { role: HOST_ITEM.test(type) ? "user" : "assistant", content: [opaque(item)] };
}

function opaque(value: Record<string, unknown>): ContentBlock {
  return { type: "opaque", provider: "openai-responses", value: value as JsonObject };
}

function readMessage(item: Record<string, unknown>): ReadItem | undefined {
  const wireRole = item["role"];
  const isSystem = wireRole === "system" || wireRole === "developer";
  const role = isSystem ? "system" : wireRole === "user" || wireRole === "assistant" ? wireRole : undefined;
  if (role === undefined) return undefined;
  const sent = item["content"];
  const parts = typeof sent === "string" ? [{ type: "text", text: sent }] : Array.isArray(sent) ? sent : [];
  const content = parts.flatMap((part: unknown) => readPart(part));
  const extra: JsonObject = {
    ...extraFields(item, ["type", "role", "content"]),
    ...(wireRole === "developer" ? { role: "developer" } : {}),
  };
  const [first, ...others] = content;
  if (first === undefined || first.type === "opaque") return { role, content };
  return { role, content: [withOpenAIFields(first, { extra }), ...others] };
}

function readPart(part: unknown): readonly ContentBlock[] {
  if (!isObject(part)) return [];
  const text = asString(part["text"]);
  const isText = part["type"] === "input_text" || part["type"] === "output_text" || part["type"] === "text";
  if (isText && text !== undefined) return text === "" ? [] : [{ type: "text", text }];
  const url = asString(part["image_url"]);
  if (part["type"] === "input_image" && url !== undefined) {
    const block: ContentBlock = { type: "image", source: sourceOfUrl(url) };
    return [withOpenAIFields(block, { extra: extraFields(part, ["type", "image_url"]) })];
  }
  return [opaque(part)];
}

function readCall(item: Record<string, unknown>, type: string): ReadItem {
  const id = asString(item["call_id"]);
  const name = asString(item["name"]);
  const sent = asString(type === "function_call" ? item["arguments"] : item["input"]);
  if (id === undefined || name === undefined || sent === undefined) {
    return { role: "assistant", content: [opaque(item)] };
  }
  const isCustom = type === "custom_tool_call";
  const { input, text } = isCustom ? { input: sent, text: undefined } : parseArguments(sent);
  const extra = {
    ...extraFields(item, ["type", "call_id", "name", "arguments", "input"]),
    ...(isCustom ? { type } : {}),
  };
  const block: ContentBlock = { type: "tool_use", id, name, input };
  return {
    role: "assistant",
    content: [withOpenAIFields(block, { extra, ...(text === undefined ? {} : { arguments: text }) })],
  };
}

function readOutput(item: Record<string, unknown>, type: string): ReadItem {
  const id = asString(item["call_id"]);
  if (id === undefined) return { role: "user", content: [opaque(item)] };
  const extra = {
    ...extraFields(item, ["type", "call_id", "output"]),
    ...(type === "function_call_output" ? {} : { type }),
  };
  const content = outputContent(item["output"]);
  const block: ContentBlock = {
    type: "tool_result",
    tool_use_id: id,
    ...(content === undefined ? {} : { content }),
  };
  return { role: "user", content: [withOpenAIFields(block, { extra })] };
}

function outputContent(output: unknown): string | readonly ToolResultPart[] | undefined {
  if (output === undefined || output === null) return undefined;
  if (typeof output === "string") return output;
  if (!Array.isArray(output)) return JSON.stringify(output as JsonValue);
  return output.flatMap((part: unknown) => readPart(part) as unknown as readonly ToolResultPart[]);
}
