/**
 * Content blocks: what a message is made of, in the vocabulary of the Anthropic Messages API.
 *
 * The names inside a block are the wire's own (`tool_use_id`, `is_error`), so that what a provider
 * sent is kept to the letter, foreign fields included: they are data that must survive a round
 * trip, even where the types below do not list them. Anything without a counterpart in that
 * vocabulary travels as an opaque block.
 *
 * Messages are lists of blocks with a role and an origin.
 */
import { asString, isObject, type JsonObject, type JsonValue } from "../base/json/json.ts";

/** A text stored once beside the log, by the SHA-256 of its UTF-8 bytes (hex). */
export interface BlobRef {
  readonly hash: string;
  /** Length of the text in UTF-8. */
  readonly bytes: number;
}

/** Plain text. */
export interface TextBlock {
  readonly type: "text";
  readonly text: string;
}

/** A picture. `source` is the Messages API’s: `{ type: "base64", media_type, data }`, `{ type: "url", url }` or `{ type: "file", file_id }`. */
export interface ImageBlock {
  readonly type: "image";
  readonly source: JsonObject;
}

/** A PDF or a text file. `source` is the Messages API’s, as for {@link ImageBlock}, and also `text` and `content`. */
export interface DocumentBlock {
  readonly type: "document";
  readonly source: JsonObject;
}

/** Reasoning of the model that may be read. Hand it back as it came: a changed letter breaks its signature. */
export interface ThinkingBlock {
  readonly type: "thinking";
  readonly thinking: string;
  /** Binds the text to what was sent before it; a block without one is never sent back. */
  readonly signature?: string;
}

/** Reasoning of the model that only its provider can read. */
export interface RedactedThinkingBlock {
  readonly type: "redacted_thinking";
  readonly data: string;
}

/** A call that the host answers with a {@link ToolResultBlock} of the same id in the next user message. */
export interface ToolUseBlock {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
}

/** Part of a tool's answer. Parts of other types (`tool_reference` …) are kept as they came. */
export type ToolResultPart =
  | TextBlock
  | ImageBlock
  | DocumentBlock
  | (JsonObject & { readonly type: string });

/** The answer to the call `tool_use_id`; without content if the tool returned nothing. */
export interface ToolResultBlock {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content?: string | readonly ToolResultPart[];
  readonly is_error?: boolean;
}

/**
 * A call that the provider answers itself: in the same assistant message, or in the next one if the message also has calls
 * that the host answers.
 */
export interface ServerToolUseBlock {
  readonly type: "server_tool_use" | "mcp_tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
}

/** The types of {@link ServerToolResultBlock}. Source: Anthropic SDK 1.10, `resources/beta/messages`. */
export const SERVER_TOOL_RESULT_TYPES = [
  "web_search_tool_result",
  "web_fetch_tool_result",
  "code_execution_tool_result",
  "bash_code_execution_tool_result",
  "text_editor_code_execution_tool_result",
  "tool_search_tool_result",
  "advisor_tool_result",
  "mcp_tool_result",
] as const;

/** The provider’s own answer to a {@link ServerToolUseBlock}. */
export interface ServerToolResultBlock {
  readonly type: (typeof SERVER_TOOL_RESULT_TYPES)[number];
  readonly tool_use_id: string;
  readonly content?: JsonValue;
}

/** The provider's own summary of everything before it; it goes back byte for byte. */
export interface CompactionBlock {
  readonly type: "compaction";
  readonly content: string | null;
}

/** Something only its provider understands. It is sent back to that provider and to no other. */
export interface OpaqueBlock {
  readonly type: "opaque";
  readonly provider: "anthropic" | "openai-chat" | "openai-responses" | "gemini" | "ai-sdk" | (string & {});
  readonly value: JsonValue;
}

/** One part of a message, by `type`. Fields that are not listed are kept and sent back. */
export type ContentBlock =
  | TextBlock
  | ImageBlock
  | DocumentBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | ToolResultBlock
  | ServerToolUseBlock
  | ServerToolResultBlock
  | CompactionBlock
  | OpaqueBlock;

const SERVER_RESULTS: ReadonlySet<string> = new Set(SERVER_TOOL_RESULT_TYPES);

export function isServerToolResult(block: ContentBlock): block is ServerToolResultBlock {
  return SERVER_RESULTS.has(block.type);
}

export function isServerToolUse(block: ContentBlock): block is ServerToolUseBlock {
  return block.type === "server_tool_use" || block.type === "mcp_tool_use";
}

/** Returns the id of the server tool's call whose program made a call, if a program made it. */
export function programOf(block: ContentBlock): string | undefined {
  const caller = (block as { readonly caller?: unknown }).caller;
  const id = isObject(caller) ? caller["tool_id"] : undefined;
  return typeof id === "string" ? id : undefined;
}

export function isThinking(block: ContentBlock): block is ThinkingBlock | RedactedThinkingBlock {
  return block.type === "thinking" || block.type === "redacted_thinking";
}

/** True for a provider's summary of everything before it; one that failed holds nothing. */
export function isCompaction(block: ContentBlock): boolean {
  if (block.type === "compaction") return typeof block.content === "string" && block.content !== "";
  return block.type === "opaque" && isObject(block.value) && block.value["type"] === "compaction";
}

export function isMedia(block: ContentBlock): block is ImageBlock | DocumentBlock {
  return block.type === "image" || block.type === "document";
}

/** A picture in the form of MCP (`data`, `mimeType`) as an image with a source; any other part as it is. */
export function withSource(part: object): JsonObject {
  const { type, source, data, mimeType } = part as JsonObject;
  const isMcp = type === "image" && source === undefined;
  if (!isMcp || typeof data !== "string" || typeof mimeType !== "string") return part as JsonObject;
  return { type, source: { type: "base64", media_type: mimeType, data } };
}

/**
 * The text of a tool result's content, its parts one after the other. A search result reads as its title, its source and
 * its content, a text document as its text, a resource of MCP as its address and its text; parts that are not text
 * appear as `[type]`.
 */
export function toolResultText(block: ToolResultBlock): string {
  if (block.content === undefined) return "";
  if (typeof block.content === "string") return block.content;
  return block.content.map((part) => partText(part) ?? `[${part.type}]`).join("\n");
}

/**
 * The text of a part of a result, or of a document; `undefined` for one that is not text, such as an image or a PDF.
 * Everything that reads, counts or shortens parts takes their text from here, so that offsets into it agree.
 */
export function partText(part: { readonly type: string }): string | undefined {
  const { type, text, title, source, content, resource } = part as JsonObject;
  if (type === "text") return asString(text);
  if (type === "search_result") return joinTexts([title, source, contentText(content)]);
  if (type === "resource") return resourceText(resource);
  if (type === "resource_link") return linkText(part as JsonObject);
  if (type !== "document" || !isObject(source)) return undefined;
  if (source["type"] === "text") return asString(source["data"]);
  return source["type"] === "content" ? contentText(source["content"]) : undefined;
}

/** An embedded resource of MCP. One that is not text has its bytes in `blob`. */
function resourceText(resource: unknown): string | undefined {
  if (!isObject(resource) || typeof resource["text"] !== "string") return undefined;
  return joinTexts([resource["uri"], resource["text"]]) ?? "";
}

/** A link of MCP: all that is said of the resource, which is not in the part. */
function linkText({ title, name, uri, description }: JsonObject): string | undefined {
  return typeof uri === "string" ? joinTexts([title ?? name, uri, description]) : undefined;
}

/** The text of a content inside of a part. It is not searched for parts with contents, so that no nesting is too deep. */
function contentText(content: unknown): string | undefined {
  if (!Array.isArray(content)) return asString(content);
  return joinTexts(
    content
      .filter(isObject)
      .map(({ type, text }) => (type === "text" ? text : typeof type === "string" ? `[${type}]` : undefined)),
  );
}

function joinTexts(texts: readonly unknown[]): string | undefined {
  const joined = texts.filter((text) => typeof text === "string" && text !== "");
  return joined.length === 0 ? undefined : joined.join("\n");
}

/**
 * The plain text of a block: the form in which it is counted, searched and read back.
 * A call reads as its name and its arguments in JSON, media as `[image]` or `[document]`.
 * A document of text reads as its text.
 */
export function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return block.thinking;
    case "redacted_thinking":
      return "";
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      return `${block.name} ${JSON.stringify(block.input)}`;
    case "tool_result":
      return toolResultText(block);
    case "image":
      return "[image]";
    case "document":
      return partText(block) ?? "[document]";
    case "compaction":
      return block.content ?? "";
    case "opaque":
      return JSON.stringify(block.value);
    default:
      return block.content === undefined ? "" : JSON.stringify(block.content);
  }
}

/** The author's role. A `system` message is one inside the conversation; the system prompt is not a message. */
export type Role = "user" | "assistant" | "system";

/**
 * The origin of a message, which decides how far it is trusted.
 * `host` is the program around the agent (reminders, attachments), `engine` is this library.
 */
export type Origin = "user" | "assistant" | "tool" | "host" | "engine" | "restored" | "recalled" | "summary";

/**
 * One message as a host passes it in. Only `role` and `content` are required. The other fields make pairing, trust and
 * matching exact if the host knows them.
 */
export interface Message {
  readonly role: Role;
  /** The content. Tool results are in a user message, before its other blocks. */
  readonly content: readonly ContentBlock[];
  /** @defaultValue from role and content, see `defaultOrigin` */
  readonly origin?: Origin;
  /** Chunks with the same response id are one assistant turn and stay together. */
  readonly responseId?: string;
  /** The model that answered, of an assistant message. */
  readonly model?: string;
  /** The host's own id of the message, by which `reconcile` finds it again. */
  readonly hostId?: string;
  /** Time of the message, in milliseconds since the epoch. */
  readonly at?: number;
  /** True if the answer was cut off: its finished blocks are kept, unfinished ones are not shown. */
  readonly interrupted?: boolean;
}

/**
 * A message as a host may write it: a string is a text, and `content` may be a string or hold strings. A text by itself
 * is the user's; in `record` it is the model's.
 */
export type MessageInput =
  | string
  | (Omit<Message, "content"> & { readonly content: string | readonly (string | InputBlock)[] });

/** Blocks may be passed as an SDK types them: it gives results of its provider's own tools no index, and has blocks without a use for others. */
type InputBlock =
  | ContentBlock
  | (Omit<ServerToolResultBlock, "content"> & { readonly content?: unknown })
  | (Omit<ServerToolUseBlock | ToolUseBlock, "input"> & { readonly input: unknown })
  | { readonly type: "container_upload"; readonly file_id: string };

/** The usage of one call as its provider reported it, in tokens. No token counts twice: the prompt is the sum of the first three fields. */
export interface Usage {
  /** Prompt tokens that were neither read from the cache nor written to it. */
  readonly inputTokens: number;
  /** Prompt tokens read from the cache; 0 where the provider has none. */
  readonly cacheReadTokens: number;
  /** Prompt tokens written to the cache; 0 if the provider does not bill them separately. */
  readonly cacheWriteTokens: number;
  /** The answer, reasoning included. */
  readonly outputTokens: number;
}

/** Size of the prompt that was sent, in tokens: new, read from the cache, written to it. */
export function promptTokens(usage: Usage): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

/** Adds up the usage of several calls. */
export function sumUsage(usages: readonly Usage[]): Usage {
  const sum = (field: keyof Usage): number => usages.reduce((total, usage) => total + usage[field], 0);
  return {
    inputTokens: sum("inputTokens"),
    cacheReadTokens: sum("cacheReadTokens"),
    cacheWriteTokens: sum("cacheWriteTokens"),
    outputTokens: sum("outputTokens"),
  };
}

/** Returns the origin of a message whose host named none. */
export function defaultOrigin(message: Pick<Message, "role" | "content">): Origin {
  if (message.role === "assistant") return "assistant";
  if (message.role === "system") return "host";
  return message.content.some((block) => block.type === "tool_result") ? "tool" : "user";
}
