/**
 * Our messages → the `messages` of an Anthropic Messages API request.
 *
 * The API refuses a whole request because of one unknown field or one empty text. So each type of block has a list of the
 * fields that are sent. Cache marks are not among them: their places are planned for each call
 * (`tokens/prompt-cache/breakpoints.ts`), and imported marks would use up the few that are allowed. Every block is
 * rendered independently of the others, so a conversation that grew begins with the same bytes as before. A mark adds a
 * field to its block and changes nothing else.
 */

import { isObject, type JsonObject, wellFormedJson } from "../../base/json/json.ts";
import { checkOptions, list, type OptionRules, oneOf } from "../../base/options/check-options.ts";
import { toWellFormed } from "../../base/text/text.ts";
import {
  type ContentBlock,
  type DocumentBlock,
  type ImageBlock,
  isCompaction,
  partText,
  programOf,
  type Role,
  type ServerToolResultBlock,
  type ServerToolUseBlock,
  type ToolResultBlock,
  type ToolResultPart,
} from "../../transcript/blocks.ts";
import { LEADING_USER_TEXT } from "../../transcript/repair.ts";
import type { CacheMark, RequestMessage } from "../../transcript/window.ts";
import { hasReadableSource, knownSource, readablePart } from "../shared/media-source.ts";
import { partInWords } from "../shared/part-in-words.ts";
import { eachOnce, renderOnce } from "../shared/render-once.ts";
import {
  isKnownResultPart,
  isKnownToAnthropic,
  marksByMessage,
  renderedPlaces,
  withCacheMarks,
} from "./sendable-blocks.ts";

/** One element of `messages` in a request to the Anthropic Messages API. */
export interface AnthropicMessage {
  readonly role: Role;
  readonly content: readonly JsonObject[];
}

/** Options of rendering a request. */
export interface ToAnthropicOptions {
  /** Blocks that carry a cache mark, as `prepare` plans them: `prepared.cacheMarks`. */
  readonly cacheMarks?: readonly CacheMark[] | undefined;
  /**
   * Lifetime of the cache entries that the marks write. Marks of an hour must come before those of five
   * minutes, so use one lifetime for all marks of a request, yours on system prompt and tools included.
   * @defaultValue `5m`
   */
  readonly cacheTtl?: "5m" | "1h" | undefined;
}

const RULES: OptionRules<ToAnthropicOptions> = { cacheMarks: list, cacheTtl: oneOf("5m", "1h") };

/** Fields of each type of block that are sent, besides `type`. Source: Anthropic SDK 1.10, `resources/beta/messages`. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ["text", "citations"],
  image: ["source"],
  document: ["source", "title", "context", "citations"],
  search_result: ["source", "title", "content", "citations"],
  tool_reference: ["tool_name"],
  thinking: ["thinking", "signature"],
  redacted_thinking: ["data"],
  tool_use: ["id", "name", "input", "caller"],
  server_tool_use: ["id", "name", "input", "caller"],
  mcp_tool_use: ["id", "name", "input", "server_name"],
  tool_result: ["tool_use_id", "content", "is_error"],
  compaction: ["content", "encrypted_content", "signature", "tool_changes"],
};

/** The same for results of the provider's own tools. */
const SERVER_RESULT_FIELDS = ["tool_use_id", "content", "is_error", "caller"];

/**
 * Renders the messages for the Messages API. Blocks that the API would refuse or that belong to another provider are left
 * out: unsigned thinking, foreign opaque blocks, blank texts, and messages that are empty without them. A cache mark on
 * such a block is dropped. Ids that the API would refuse are changed, in call and result alike.
 *
 * @typeParam Wire - the message type of the client that sends it, such as `Anthropic.MessageParam`.
 */
export function toAnthropic<Wire = AnthropicMessage>(
  messages: readonly RequestMessage[],
  options: ToAnthropicOptions = {},
): Wire[] {
  checkOptions("toAnthropic", options, RULES);
  return renderAnthropic(messages, options).messages as Wire[];
}

/** The messages of {@link toAnthropic}, and the cache marks that they carry. @internal */
export function renderAnthropic(
  messages: readonly RequestMessage[],
  { cacheMarks = [], cacheTtl = "5m" }: ToAnthropicOptions = {},
): { readonly messages: readonly AnthropicMessage[]; readonly marksCount: number } {
  const marks = marksByMessage(cacheMarks);
  const rendered: AnthropicMessage[] = [];
  let renderedCount = 0;
  let marksCount = 0;
  let hasSystem = false;
  const renderedOnce = renderMessages(messages);
  // A loop: a long conversation is rendered for every call.
  for (let index = 0; index < messages.length; index++) {
    const [known] = renderedOnce[index]!;
    if (known === undefined) continue;
    const marked = marks.get(index);
    const message =
      marked === undefined ? known.message : withMarks(messages[index]!, known, marked, cacheTtl);
    const kept = known.hasSignedCompaction ? withoutMisplacedCompaction(message, renderedCount) : message;
    renderedCount++;
    if (kept === undefined) continue;
    rendered.push(kept);
    hasSystem ||= kept.role === "system";
    marksCount += kept === known.message ? known.marksCount : countMarks(kept.content);
  }
  const all = withUserFirst(messages, rendered);
  const placed = hasSystem
    ? all.map((message, index) => placeSystem(message, all[index - 1], all[index + 1]))
    : all;
  return { messages: placed, marksCount };
}

/** Where another provider's summary was the beginning, what is left may begin with an answer, which the API refuses. */
function withUserFirst(
  [first]: readonly RequestMessage[],
  rendered: readonly AnthropicMessage[],
): readonly AnthropicMessage[] {
  const wasSummary = first?.content.some((block) => block.type === "opaque" && isCompaction(block)) === true;
  if (!wasSummary || rendered[0]?.role !== "assistant") return rendered;
  return [{ role: "user", content: [{ type: "text", text: LEADING_USER_TEXT }] }, ...rendered];
}

/** A message as it is rendered without marks of the caller, and what every call asks about it. */
interface RenderedMessage {
  readonly message: AnthropicMessage;
  readonly hasSignedCompaction: boolean;
  readonly marksCount: number;
}

const renderMessage = renderOnce(({ role, content }: RequestMessage): readonly RenderedMessage[] => {
  const blocks =
    role === "assistant"
      ? withoutLastThinking(content.flatMap(renderAssistantBlock))
      : content.flatMap(renderUserBlock);
  if (blocks.length === 0) return [];
  const message = Object.freeze({ role, content: Object.freeze(blocks) });
  const hasSignedCompaction = blocks.some(isSignedCompaction);
  return [{ message, hasSignedCompaction, marksCount: countMarks(blocks) }];
});

const renderMessages = eachOnce(renderMessage);

function withMarks(
  { role, content }: RequestMessage,
  { message }: RenderedMessage,
  marked: ReadonlySet<number>,
  cacheTtl: "5m" | "1h",
): AnthropicMessage {
  const render = role === "assistant" ? renderAssistantBlock : renderUserBlock;
  return withCacheMarks(message, renderedPlaces(content, marked, render), cacheTtl);
}

/** Counts the cache marks that parts of a request carry. @internal */
export function countMarks(parts: readonly unknown[]): number {
  return parts.filter((part) => isObject(part) && isObject(part["cache_control"])).length;
}

/** Removes thinking from the end of an answer that was cut off while thinking: the API refuses it there. */
function withoutLastThinking(blocks: readonly JsonObject[]): readonly JsonObject[] {
  const isThinking = ({ type }: JsonObject): boolean => type === "thinking" || type === "redacted_thinking";
  const end = blocks.findLastIndex((block) => !isThinking(block)) + 1;
  return end === blocks.length ? blocks : blocks.slice(0, end);
}

/**
 * Removes signed compaction blocks that are not at the very start of the request. Such a block replaces everything before
 * it, so the API accepts it only there; elsewhere the replaced messages are still in the request. `undefined`: nothing is
 * left.
 */
function withoutMisplacedCompaction(message: AnthropicMessage, index: number): AnthropicMessage | undefined {
  const isPlaced = (block: JsonObject, position: number): boolean =>
    !isSignedCompaction(block) || (index === 0 && position === 0);
  const content = message.content.filter(isPlaced);
  if (content.length === message.content.length) return message;
  return content.length === 0 ? undefined : { ...message, content };
}

function isSignedCompaction(block: JsonObject): boolean {
  return block["type"] === "compaction" && block["signature"] !== undefined;
}

/**
 * Gives a `system` message the role `user` if the API would refuse it: it has to be text, after a user message and before
 * an answer or the end. Source: Anthropic docs, "Mid-conversation system messages".
 */
function placeSystem(
  message: AnthropicMessage,
  before: AnthropicMessage | undefined,
  after: AnthropicMessage | undefined,
): AnthropicMessage {
  if (message.role !== "system") return message;
  const isPlaced = before?.role === "user" && (after === undefined || after.role === "assistant");
  const isText = message.content.every(({ type }) => type === "text");
  return isPlaced && isText ? message : { ...message, role: "user" };
}

const renderAssistantBlock = renderOnce((block: ContentBlock) => renderBlock(block, "assistant"));
const renderUserBlock = renderOnce((block: ContentBlock) => renderBlock(block, "user"));

function renderBlock(block: ContentBlock, role: "assistant" | "user"): readonly JsonObject[] {
  switch (block.type) {
    case "text":
      return isBlank(block.text) ? [] : [renderText(block, role)];
    case "thinking":
      // Thinking is bound to its signature byte for byte: it is never changed, only left out.
      return block.signature === undefined || block.signature === ""
        ? []
        : [pick(block, FIELDS["thinking"]!)];
    case "redacted_thinking":
      return [pick(block, FIELDS["redacted_thinking"]!)];
    case "image":
    case "document":
      return role === "assistant" ? [] : [renderMedia(block)];
    case "tool_use":
      return [renderToolUse(block, FIELDS["tool_use"]!)];
    case "server_tool_use":
      return isServerCallId(block.id) ? [renderToolUse(block, FIELDS[block.type]!)] : [];
    case "mcp_tool_use":
      return [renderMcpUse(block)];
    case "tool_result":
      return [renderToolResult(block)];
    case "compaction":
      return [pick(block, FIELDS["compaction"]!)];
    case "opaque":
      return isKnownToAnthropic(block) ? [block.value as JsonObject] : [];
    case "mcp_tool_result":
      return [{ ...renderServerResult(block), tool_use_id: anthropicToolId(block.tool_use_id) }];
    default:
      return isServerCallId(block.tool_use_id) ? [renderServerResult(block)] : [];
  }
}

/** True for an id that the API made for a server tool's call; others it refuses. MCP tools may have any id. */
function isServerCallId(id: string): boolean {
  return /^srvtoolu_[a-zA-Z0-9_]+$/.test(id);
}

function renderServerResult(block: ServerToolResultBlock): JsonObject {
  return { ...pick(block, SERVER_RESULT_FIELDS), content: block.content ?? [] };
}

/** Renders media; those that the API cannot read become a text, because it would refuse the whole request. */
function renderMedia(block: ImageBlock | DocumentBlock): JsonObject {
  const { type, source } = block;
  if (!hasReadableSource(source, type)) return inWords(block);
  return { ...pick(block, FIELDS[type]!), source: knownSource(source, type) };
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}

/** The allowed fields of a block, in the order in which the block has them. */
function pick(block: object, fields: readonly string[]): JsonObject {
  const kept = Object.entries(block).filter(
    ([key, value]) => value !== undefined && (key === "type" || fields.includes(key)),
  );
  return Object.fromEntries(kept) as JsonObject;
}

function renderText(block: ContentBlock & { readonly type: "text" }, role: "assistant" | "user"): JsonObject {
  // Citations are an answer's; on a user's text the API refuses them.
  const fields = role === "assistant" ? FIELDS["text"]! : ["text"];
  return { ...pick(block, fields), text: toWellFormed(block.text) };
}

function renderToolUse(
  block: ContentBlock & { readonly type: "tool_use" | "server_tool_use" | "mcp_tool_use" },
  fields: readonly string[],
): JsonObject {
  const input = isObject(block.input) ? block.input : { arguments: block.input };
  const program = programOf(block);
  // A program whose call is left out is not named.
  const isNamed = program === undefined || isServerCallId(program);
  return {
    ...pick(block, isNamed ? fields : fields.filter((field) => field !== "caller")),
    id: anthropicToolId(block.id),
    name: anthropicToolName(block.name),
    input: wellFormedJson(input as JsonObject),
  };
}

/** Adds the server's name, which the API requires for every call of an MCP tool. */
function renderMcpUse(block: ServerToolUseBlock): JsonObject {
  const rendered = renderToolUse(block, FIELDS["mcp_tool_use"]!);
  return typeof rendered["server_name"] === "string" ? rendered : { ...rendered, server_name: "unknown" };
}

function renderToolResult(block: ToolResultBlock): JsonObject {
  const rendered = {
    ...pick(block, FIELDS["tool_result"]!),
    tool_use_id: anthropicToolId(block.tool_use_id),
  };
  const content =
    typeof block.content === "string"
      ? toWellFormed(block.content)
      : (block.content ?? []).flatMap(renderResultPart);
  // The API requires that a failed result is not empty and has only text.
  const isFailure = block.is_error === true;
  if (isFailure && content.length === 0) return { ...rendered, content: "(no output)" };
  if (isFailure && typeof content !== "string")
    return { ...rendered, content: content.map((part) => inWords(part as { readonly type: string })) };
  return block.content === undefined ? rendered : { ...rendered, content };
}

/** The text of a part where the API takes no other. */
function inWords(part: { readonly type: string }): JsonObject {
  if (part.type === "text") return part as JsonObject;
  const text = partText(part) ?? "";
  return { type: "text", text: isBlank(text) ? `[${part.type}]` : toWellFormed(text) };
}

function renderResultPart(given: ToolResultPart): readonly JsonObject[] {
  const part = readablePart(given);
  const fields = FIELDS[part.type];
  if (part.type === "image" || part.type === "document") return [renderMedia(part as ImageBlock)];
  // A part of a type that the API does not allow in a result is sent as text.
  if (fields === undefined || !isKnownResultPart(part)) return [{ type: "text", text: partInWords(part) }];
  if (part.type !== "text") return [pick(part, fields)];
  const text = (part as { readonly text: string }).text;
  return isBlank(text) ? [] : [{ ...pick(part, ["text"]), text: toWellFormed(text) }];
}

/**
 * Returns a tool id with only the characters that the API accepts. Different ids stay different.
 */
function anthropicToolId(id: string): string {
  if (/^[a-zA-Z0-9_-]+$/.test(id)) return id;
  if (id === "") return "_empty_";
  return id.replace(/[^a-zA-Z0-9_-]/g, (unit) => `_x${unit.charCodeAt(0).toString(16)}_`);
}

/** Longest name of a tool. Source: Anthropic docs, "Define tools". */
const TOOL_NAME_CHARACTERS = 128;

function anthropicToolName(name: string): string {
  return toWellFormed(name.slice(0, TOOL_NAME_CHARACTERS)) || "_";
}
