/**
 * Items of the OpenAI Agents SDK → our messages.
 *
 * They are the items of the Responses API in other words: flat, with the model's neighbouring items in one answer. Calls
 * and results of functions become blocks; reasoning, and whatever only OpenAI executes, becomes opaque and keeps its place.
 */

import { asString, isObject, type JsonObject, type JsonValue } from "../../base/json/json.ts";
import { addAll } from "../../base/lists.ts";
import {
  type ContentBlock,
  defaultOrigin,
  type Message,
  type Role,
  type ToolResultPart,
} from "../../transcript/blocks.ts";
import { hasReadableSource, sourceOfUrl } from "../shared/media-source.ts";
import { extraFields, parseArguments } from "../shared/openai-fields.ts";
import { OPENAI_AGENTS, withAgentsFields } from "./agents-fields.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Reads items, such as the input of a run, its `history`, or those of a session. */
export function fromOpenAIAgents(items: readonly object[]): Message[] {
  const messages: { readonly role: Role; readonly content: ContentBlock[] }[] = [];
  for (const item of items) {
    const { role, content } = agentsItem(item);
    const last = messages.at(-1);
    if (role === "assistant" && last?.role === "assistant") addAll(last.content, content);
    else messages.push({ role, content: [...content] });
  }
  return messages.map((message) => ({ ...message, origin: defaultOrigin(message) }));
}

interface ReadItem {
  readonly role: Role;
  readonly content: readonly ContentBlock[];
}

/** Types of items that the program around the model makes. */
const HOST_ITEM = /_output$|_result$/;

/** One item as the blocks of a message. @internal */
export function agentsItem(item: object): ReadItem {
  const fields = item as Fields;
  const { type } = fields;
  if (type === undefined || type === "message") return readMessage(fields);
  if (type === "function_call") return { role: "assistant", content: [readCall(fields)] };
  if (type === "function_call_result") return { role: "user", content: [readResult(fields)] };
  return { role: HOST_ITEM.test(String(type)) ? "user" : "assistant", content: [opaque(fields)] };
}

function opaque(value: Fields): ContentBlock {
  return { type: "opaque", provider: OPENAI_AGENTS, value: plain(value) };
}

/** The SDK's items are JSON, but may hold bytes and members that are `undefined`. */
function plain<Value>(value: Value): JsonValue {
  const text = JSON.stringify(value, function (this: Fields, key, item: unknown) {
    const own = this[key];
    return own instanceof Uint8Array ? Buffer.from(own).toString("base64") : item;
  });
  return (text === undefined ? null : JSON.parse(text)) as JsonValue;
}

function readMessage(item: Fields): ReadItem {
  const { role: named, content } = item;
  const role = named === "assistant" || named === "system" ? named : "user";
  const isText = typeof content === "string";
  const parts = isText ? [{ type: "text", text: content }] : Array.isArray(content) ? content : [];
  const [first, ...others] = parts.flatMap((part: unknown) => (isObject(part) ? [readPart(part, role)] : []));
  if (first === undefined || (isText && content === "")) return { role, content: [opaque(item)] };
  const message = {
    ...(plain(extraFields(item, ["role", "content"])) as JsonObject),
    ...(isText && role !== "system" ? { isText } : {}),
  };
  return { role, content: [withAgentsFields(first, { message }), ...others] };
}

function readPart(part: Fields, role: Role): ContentBlock {
  const text = asString(part["text"]);
  const type = role === "assistant" ? "output_text" : "input_text";
  if (text !== undefined && text !== "" && (part["type"] === type || part["type"] === "text"))
    return withPart({ type: "text", text }, extraFields(part, ["type", "text"]));
  const media = role === "user" ? readMedia(part) : undefined;
  return media ?? withAgentsFields(opaque(part), { part: {} });
}

function readMedia(part: Fields): (ContentBlock & { readonly type: "image" | "document" }) | undefined {
  const { type } = part;
  const field = type === "input_image" ? "image" : type === "input_file" ? "file" : undefined;
  const url = field === undefined ? undefined : asString(part[field]);
  if (field === undefined || url === undefined) return undefined;
  const block = { type: field === "image" ? "image" : "document", source: sourceOfUrl(url) } as const;
  return hasReadableSource(block.source, block.type)
    ? withPart(block, extraFields(part, ["type", field]))
    : undefined;
}

function withPart<Block extends ContentBlock>(block: Block, part: JsonObject): Block {
  return Object.keys(part).length === 0
    ? block
    : withAgentsFields(block, { part: plain(part) as JsonObject });
}

function readCall(item: Fields): ContentBlock {
  const [id, name, sent] = ["callId", "name", "arguments"].map((field) => asString(item[field]));
  if (id === undefined || name === undefined || sent === undefined) return opaque(item);
  const { input, text } = parseArguments(sent);
  const message = plain(extraFields(item, ["type", "callId", "name", "arguments"])) as JsonObject;
  const block: ContentBlock = { type: "tool_use", id, name, input };
  return withAgentsFields(block, { message, ...(text === undefined ? {} : { arguments: text }) });
}

function readResult(item: Fields): ContentBlock {
  const id = asString(item["callId"]);
  const { output } = item;
  if (id === undefined) return opaque(item);
  const message = plain(extraFields(item, ["type", "callId", "output"])) as JsonObject;
  const only = isObject(output) ? asString(output["text"]) : undefined;
  const isOneText = only !== undefined && Object.keys(output as Fields).length === 2;
  const content =
    typeof output === "string"
      ? output
      : isOneText
        ? only
        : (Array.isArray(output) ? output : [output]).map((part: unknown) => readResultPart(part));
  const form = isOneText ? { form: "text" } : isObject(output) ? { form: "part" } : {};
  return withAgentsFields({ type: "tool_result", tool_use_id: id, content } as ContentBlock, {
    message: { ...message, ...form },
  });
}

/** Texts and pictures of a result as blocks, anything else as it came. */
function readResultPart(part: unknown): ToolResultPart {
  if (!isObject(part)) return { type: "text", text: JSON.stringify(part) ?? "" };
  const text = asString(part["text"]);
  const isText = part["type"] === "input_text" && text !== undefined && Object.keys(part).length === 2;
  if (isText) return { type: "text", text };
  return (readMedia(part) as ToolResultPart | undefined) ?? { type: OPENAI_AGENTS, value: plain(part) };
}
