/**
 * OpenAI Chat Completions messages → our messages.
 *
 * A `tool` message becomes a tool result in a user message of its own; `tool_calls` and the older
 * `function_call` become calls. What Chat has and our vocabulary has not (a refusal, audio) becomes
 * opaque; smaller things (`name`, the letters of the arguments) stay on the block.
 */
import { asString, isObject, type JsonObject } from "../base/json.ts";
import type { ContentBlock, ToolResultPart, ToolUseBlock } from "../transcript/blocks.ts";
import { defaultOrigin, type Message } from "../transcript/messages.ts";
import type { ReadMessages } from "./from-anthropic.ts";
import { sourceOfUrl } from "./media-url.ts";
import { extraFields, parseArguments, withOpenaiFields } from "./openai-fields.ts";

/** What {@link fromOpenaiChat} read. */
export interface ReadOpenaiChat extends ReadMessages {
  /** The leading system or developer message, if its content is text. */
  readonly system?: string;
}

/** Reads the `messages` of a Chat Completions request. Never throws, whatever the list holds. */
export function fromOpenaiChat(wire: readonly unknown[]): ReadOpenaiChat {
  const system = leadingSystem(wire[0]);
  const messages: Message[] = [];
  const unreadable: number[] = [];
  const legacyIds = new LegacyCallIds();
  wire.forEach((value, index) => {
    if (index === 0 && system !== undefined) return;
    const message = chatMessage(value, legacyIds);
    if (message === undefined) unreadable.push(index);
    else messages.push(message);
  });
  return { messages, unreadable, ...(system === undefined ? {} : { system }) };
}

function leadingSystem(value: unknown): string | undefined {
  if (!isObject(value) || !isSystemRole(value["role"])) return undefined;
  return asString(value["content"]);
}

function isSystemRole(role: unknown): boolean {
  return role === "system" || role === "developer";
}

/** `function_call` has no id: a call and the next result of the same function belong together. @internal */
export class LegacyCallIds {
  #count = 0;
  #open: string | undefined;

  call(): string {
    this.#open = `function_call_${++this.#count}`;
    return this.#open;
  }

  result(): string {
    const id = this.#open ?? `function_call_${++this.#count}`;
    this.#open = undefined;
    return id;
  }
}

/** One message, or `undefined` where the value is none. @internal */
export function chatMessage(value: unknown, legacyIds: LegacyCallIds): Message | undefined {
  if (!isObject(value)) return undefined;
  const role = value["role"];
  if (role === "tool" || role === "function") return resultMessage(value, legacyIds);
  const ourRole = isSystemRole(role) ? "system" : role === "user" || role === "assistant" ? role : undefined;
  if (ourRole === undefined) return undefined;
  const content = contentBlocks(value["content"]);
  if (ourRole === "assistant") content.push(...answerBlocks(value, legacyIds));
  const known = ["role", "content", "tool_calls", "function_call", "refusal"];
  const extra = { ...extraFields(value, known), ...(role === "developer" ? { role } : {}) };
  const first = content[0];
  if (first !== undefined && first.type !== "opaque" && first.type !== "tool_use") {
    content[0] = withOpenaiFields(first, { extra });
  }
  return { role: ourRole, content, origin: defaultOrigin({ role: ourRole, content }) };
}

function contentBlocks(content: unknown): ContentBlock[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? content.flatMap((part: unknown) => partBlock(part)) : [];
}

function partBlock(part: unknown): readonly ContentBlock[] {
  if (typeof part === "string") return part === "" ? [] : [{ type: "text", text: part }];
  if (!isObject(part)) return [];
  const text = asString(part["text"]);
  if (part["type"] === "text" && text !== undefined) return [{ type: "text", text }];
  const image = part["image_url"];
  const url = isObject(image) ? asString(image["url"]) : asString(image);
  if (part["type"] === "image_url" && url !== undefined) {
    const block: ContentBlock = { type: "image", source: sourceOfUrl(url) };
    return [isObject(image) ? withOpenaiFields(block, { extra: extraFields(image, ["url"]) }) : block];
  }
  return [{ type: "opaque", provider: "openai-chat", value: part as JsonObject }];
}

function answerBlocks(value: Record<string, unknown>, legacyIds: LegacyCallIds): readonly ContentBlock[] {
  const blocks: ContentBlock[] = [];
  const refusal = asString(value["refusal"]);
  if (refusal !== undefined && refusal !== "") {
    blocks.push({ type: "opaque", provider: "openai-chat", value: { type: "refusal", refusal } });
  }
  if (Array.isArray(value["tool_calls"])) blocks.push(...value["tool_calls"].flatMap(toolCall));
  const legacy = value["function_call"];
  if (isObject(legacy))
    blocks.push(...toolCall({ id: legacyIds.call(), type: "function", function: legacy }));
  return blocks;
}

function toolCall(call: unknown): readonly ContentBlock[] {
  if (!isObject(call)) return [];
  const id = asString(call["id"]);
  const isCustom = call["type"] === "custom";
  const called = isCustom ? call["custom"] : call["function"];
  const name = isObject(called) ? asString(called["name"]) : undefined;
  if (id === undefined || name === undefined || !isObject(called)) {
    return [{ type: "opaque", provider: "openai-chat", value: call as JsonObject }];
  }
  const extra = {
    ...extraFields(call, ["id", "type", "function", "custom"]),
    ...(isCustom ? { type: "custom" } : {}),
  };
  const sent = isCustom ? called["input"] : called["arguments"];
  // Arguments are text on this wire; some recorders write the parsed value instead.
  const { input, text } = isCustom
    ? { input: asString(sent) ?? "", text: undefined }
    : parseArguments(typeof sent === "string" ? sent : JSON.stringify(sent ?? {}));
  const block: ToolUseBlock = { type: "tool_use", id, name, input };
  return [withOpenaiFields(block, { extra, ...(text === undefined ? {} : { arguments: text }) })];
}

function resultMessage(value: Record<string, unknown>, legacyIds: LegacyCallIds): Message {
  const isLegacy = value["role"] === "function";
  const id = asString(value["tool_call_id"]) ?? legacyIds.result();
  const sent = value["content"];
  const content =
    sent === undefined || sent === null
      ? undefined
      : typeof sent === "string"
        ? sent
        : Array.isArray(sent)
          ? sent.flatMap((part: unknown) => partBlock(part) as unknown as readonly ToolResultPart[])
          : JSON.stringify(sent);
  const extra = extraFields(value, ["role", "content", "tool_call_id", ...(isLegacy ? ["name"] : [])]);
  const block: ContentBlock = {
    type: "tool_result",
    tool_use_id: id,
    ...(content === undefined ? {} : { content }),
  };
  return { role: "user", content: [withOpenaiFields(block, { extra })], origin: "tool" };
}
