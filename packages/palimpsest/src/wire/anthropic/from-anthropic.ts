/**
 * Anthropic Messages API, request shape → our messages.
 *
 * Our blocks *are* the wire's blocks, so a well-formed block is kept as the very object it came in,
 * unknown fields included. What is not well-formed, or of a type we do not know, becomes opaque: it
 * goes back to Anthropic as it came and to no one else.
 */
import { isObject, type JsonObject, type JsonValue } from "../../base/json/json.ts";
import {
  type ContentBlock,
  defaultOrigin,
  type Message,
  type Role,
  SERVER_TOOL_RESULT_TYPES,
  type ToolResultPart,
} from "../../transcript/blocks.ts";
import { type OnDamage, type ReadMessages, wellFormedBlock } from "../shared/well-formed-block.ts";

/** Reads the `messages` of a Messages API request. Never throws, whatever the list holds. */
export function fromAnthropic(wire: readonly unknown[]): ReadMessages {
  const messages: Message[] = [];
  const unreadable: number[] = [];
  wire.forEach((value, index) => {
    const message = anthropicMessage(value);
    if (message === undefined) unreadable.push(index);
    else messages.push(message);
  });
  return { messages, unreadable };
}

/** One message, or `undefined` where the value is none. @internal */
function anthropicMessage(value: unknown): Message | undefined {
  if (!isObject(value) || !isRole(value["role"])) return undefined;
  const content = anthropicContent(value["content"]);
  const role = value["role"];
  return { role, content, origin: defaultOrigin({ role, content }) };
}

/** Content in either of its forms. @internal */
export function anthropicContent(content: unknown): readonly ContentBlock[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown): readonly ContentBlock[] => {
    if (typeof block === "string") return block === "" ? [] : [{ type: "text", text: block }];
    return isObject(block) ? [anthropicBlock(block)] : [];
  });
}

/**
 * Content from a recording, which may be anything: every block fits its type, and what had to be
 * mended for it is reported. @internal
 */
export function recordedContent(content: unknown, role: Role, onDamage: OnDamage): readonly ContentBlock[] {
  if (content === undefined || content === null || content === "") return [];
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  return blocks.flatMap((block) => (block === "" ? [] : [wellFormedBlock(block, { role, onDamage })]));
}

/** A message from a recording. @internal */
export function recordedMessage(value: unknown, onDamage: OnDamage): Message | undefined {
  if (!isObject(value) || !isRole(value["role"])) return undefined;
  const role = value["role"];
  const content = recordedContent(value["content"], role, onDamage);
  return { role, content, origin: defaultOrigin({ role, content }) };
}

function isRole(value: unknown): value is Role {
  return value === "user" || value === "assistant" || value === "system";
}

const SERVER_RESULTS: ReadonlySet<unknown> = new Set(SERVER_TOOL_RESULT_TYPES);

function anthropicBlock(block: Record<string, unknown>): ContentBlock {
  const type = block["type"];
  if (type === "tool_use" || type === "server_tool_use" || type === "mcp_tool_use") return toolUse(block);
  if (type === "tool_result") return toolResult(block);
  const isWellFormed =
    (type === "text" && typeof block["text"] === "string") ||
    (type === "thinking" && typeof block["thinking"] === "string") ||
    (type === "redacted_thinking" && typeof block["data"] === "string") ||
    ((type === "image" || type === "document") && isObject(block["source"])) ||
    (SERVER_RESULTS.has(type) && typeof block["tool_use_id"] === "string") ||
    (type === "compaction" && (typeof block["content"] === "string" || block["content"] === null));
  return isWellFormed ? (block as unknown as ContentBlock) : opaque(block);
}

function opaque(block: Record<string, unknown>): ContentBlock {
  return { type: "opaque", provider: "anthropic", value: block as JsonObject };
}

function toolUse(block: Record<string, unknown>): ContentBlock {
  if (typeof block["id"] !== "string" || typeof block["name"] !== "string") return opaque(block);
  const input = (block["input"] ?? {}) as JsonValue;
  return (block["input"] === undefined || block["input"] === null
    ? { ...block, input }
    : block) as unknown as ContentBlock;
}

function toolResult(block: Record<string, unknown>): ContentBlock {
  if (typeof block["tool_use_id"] !== "string") return opaque(block);
  const content = block["content"];
  if (content === undefined || typeof content === "string" || isPartList(content)) {
    return block as unknown as ContentBlock;
  }
  const { content: _, ...rest } = block;
  if (content === null) return rest as unknown as ContentBlock;
  const repaired = Array.isArray(content) ? content.map(resultPart) : JSON.stringify(content);
  return { ...rest, content: repaired } as unknown as ContentBlock;
}

function isPartList(content: unknown): content is readonly ToolResultPart[] {
  return (
    Array.isArray(content) &&
    content.every(
      (part: unknown) =>
        isObject(part) &&
        typeof part["type"] === "string" &&
        (part["type"] !== "text" || typeof part["text"] === "string"),
    )
  );
}

function resultPart(part: unknown): ToolResultPart {
  if (isPartList([part])) return part as ToolResultPart;
  return { type: "text", text: typeof part === "string" ? part : JSON.stringify(part) };
}
