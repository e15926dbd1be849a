/**
 * OpenAI Chat Completions messages → our messages.
 *
 * A `tool` message becomes a tool result in a separate user message; `tool_calls` and the older
 * `function_call` become calls. Content without a counterpart among our blocks (a refusal, audio) becomes an opaque block.
 * Further fields (`name`, the exact text of the arguments) are kept on the block.
 */

import { asString, isObject, type JsonObject, type JsonValue } from "../../base/json/json.ts";
import { addAll } from "../../base/lists.ts";
import {
  type ContentBlock,
  defaultOrigin,
  type Message,
  type ToolResultPart,
  type ToolUseBlock,
} from "../../transcript/blocks.ts";
import { sourceOfUrl } from "../shared/media-source.ts";
import { extraFields, parseArguments, withOpenAIFields } from "../shared/openai-fields.ts";
import { type OnDamage, type ReadMessages, UNKNOWN_PROVIDER } from "../shared/well-formed-block.ts";
import { isChatPart } from "./chat-fields.ts";

/** Result of {@link fromOpenAIChat}. */
interface ReadOpenAIChat extends ReadMessages {
  /** The leading system or developer message, if its content is text. */
  readonly system?: string;
}

/** Reads the `messages` of a Chat Completions request. Never throws, whatever the list holds. */
export function fromOpenAIChat(wire: readonly unknown[]): ReadOpenAIChat {
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

/** Makes ids for the older `function_call`, which has none: the next result belongs to the latest call. @internal */
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

/** Unreadable blocks are kept in any case; only importers report them. */
const IGNORE_DAMAGE: OnDamage = () => undefined;

/** Reads one message; `undefined` if the value is not a message. @internal */
export function chatMessage(
  value: unknown,
  legacyIds: LegacyCallIds,
  onDamage: OnDamage = IGNORE_DAMAGE,
): Message | undefined {
  if (!isObject(value)) return undefined;
  const role = value["role"];
  if (role === "tool" || role === "function") return resultMessage(value, legacyIds, onDamage);
  const ourRole = isSystemRole(role) ? "system" : role === "user" || role === "assistant" ? role : undefined;
  if (ourRole === undefined) return undefined;
  const content = contentBlocks(value["content"], onDamage);
  if (ourRole === "assistant") addAll(content, answerBlocks(value, legacyIds, onDamage));
  const known = ["role", "content", "tool_calls", "function_call", "refusal"];
  const extra = { ...extraFields(value, known), ...(role === "developer" ? { role } : {}) };
  const first = content[0];
  if (first !== undefined && first.type !== "opaque" && first.type !== "tool_use") {
    content[0] = withOpenAIFields(first, { extra });
  }
  return { role: ourRole, content, origin: defaultOrigin({ role: ourRole, content }) };
}

function unreadable(value: unknown, what: string, onDamage: OnDamage): ContentBlock {
  onDamage(`${what}; it is kept, and sent to nobody`);
  return { type: "opaque", provider: UNKNOWN_PROVIDER, value: (value ?? null) as JsonValue };
}

function contentBlocks(content: unknown, onDamage: OnDamage): ContentBlock[] {
  if (content === undefined || content === null || content === "") return [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [unreadable(content, "that is neither text nor parts", onDamage)];
  return content.flatMap((part: unknown) => partBlock(part, onDamage));
}

function partBlock(part: unknown, onDamage: OnDamage): readonly ContentBlock[] {
  if (typeof part === "string") return part === "" ? [] : [{ type: "text", text: part }];
  if (!isObject(part)) return [unreadable(part, "that is no part of a message", onDamage)];
  const text = asString(part["text"]);
  if (part["type"] === "text" && text !== undefined) return [{ type: "text", text }];
  const image = part["image_url"];
  const url = isObject(image) ? asString(image["url"]) : asString(image);
  if (part["type"] === "image_url" && url !== undefined && url !== "") {
    const block: ContentBlock = { type: "image", source: sourceOfUrl(url) };
    return [isObject(image) ? withOpenAIFields(block, { extra: extraFields(image, ["url"]) }) : block];
  }
  if (isChatPart(part)) return [{ type: "opaque", provider: "openai-chat", value: part as JsonObject }];
  return [unreadable(part, `of the unknown type ${JSON.stringify(part["type"] ?? null)}`, onDamage)];
}

function answerBlocks(
  value: Record<string, unknown>,
  legacyIds: LegacyCallIds,
  onDamage: OnDamage,
): readonly ContentBlock[] {
  const blocks: ContentBlock[] = [];
  const refusal = asString(value["refusal"]);
  if (refusal !== undefined && refusal !== "") {
    blocks.push({ type: "opaque", provider: "openai-chat", value: { type: "refusal", refusal } });
  }
  const calls = value["tool_calls"];
  if (Array.isArray(calls))
    addAll(
      blocks,
      calls.map((call: unknown) => toolCall(call, onDamage)),
    );
  const legacy = value["function_call"];
  if (isObject(legacy))
    blocks.push(toolCall({ id: legacyIds.call(), type: "function", function: legacy }, onDamage));
  return blocks;
}

function toolCall(call: unknown, onDamage: OnDamage): ContentBlock {
  if (!isObject(call)) return unreadable(call, "in the place of a call", onDamage);
  const isCustom = call["type"] === "custom";
  const called = isCustom ? call["custom"] : call["function"];
  const id = callId(call["id"], onDamage);
  const name = isObject(called) ? asString(called["name"]) : undefined;
  if (id === undefined || name === undefined || name === "" || !isObject(called))
    return unreadable(call, "that is a call without a readable id or name", onDamage);
  const extra = {
    ...extraFields(call, ["id", "type", "function", "custom"]),
    ...(isCustom ? { type: "custom" } : {}),
  };
  const sent = isCustom ? called["input"] : called["arguments"];
  // Arguments are JSON text in this format; some recorders write the parsed value instead.
  const { input, text } = isCustom
    ? { input: asString(sent) ?? "", text: undefined }
    : parseArguments(typeof sent === "string" ? sent : JSON.stringify(sent ?? {}));
  const block: ToolUseBlock = { type: "tool_use", id, name, input };
  return withOpenAIFields(block, { extra, ...(text === undefined ? {} : { arguments: text }) });
}

function callId(value: unknown, onDamage: OnDamage): string | undefined {
  if (typeof value !== "number") return asString(value);
  onDamage("with a number for an id; mended");
  return String(value);
}

function resultMessage(
  value: Record<string, unknown>,
  legacyIds: LegacyCallIds,
  onDamage: OnDamage,
): Message {
  const isLegacy = value["role"] === "function";
  const id = callId(value["tool_call_id"], onDamage) ?? legacyIds.result();
  const sent = value["content"];
  const content =
    sent === undefined || sent === null
      ? undefined
      : typeof sent === "string"
        ? sent
        : Array.isArray(sent)
          ? sent.map(resultPart)
          : JSON.stringify(sent);
  const extra = extraFields(value, ["role", "content", "tool_call_id", ...(isLegacy ? ["name"] : [])]);
  const block: ContentBlock = {
    type: "tool_result",
    tool_use_id: id,
    ...(content === undefined ? {} : { content }),
  };
  return { role: "user", content: [withOpenAIFields(block, { extra })], origin: "tool" };
}

/** Reads a part of a tool result; a part that is neither text nor an image becomes its JSON text. */
function resultPart(part: unknown): ToolResultPart {
  const [block] = partBlock(part, IGNORE_DAMAGE);
  if (block?.type === "text" || block?.type === "image") return block as ToolResultPart;
  return { type: "text", text: typeof part === "string" ? part : (JSON.stringify(part) ?? "") };
}
