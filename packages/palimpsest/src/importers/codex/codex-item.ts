/**
 * Converts one item of a Codex session (`response_item`, or an element of a `replacement_history`) into our blocks.
 *
 * Items are those of the OpenAI Responses API. Calls that the client answers become tool calls and results, whatever the
 * type of their item. Content that only OpenAI can read (encrypted reasoning, its own web search) becomes an opaque block
 * in the same place. Ids of items are dropped: OpenAI refuses an item with an id without the reasoning it belongs to.
 */
import { asString, isObject, type JsonObject } from "../../base/json/json.ts";
import type { ContentBlock, Origin, Role, ToolResultPart } from "../../transcript/blocks.ts";
import { hasReadableSource, sourceOfUrl } from "../../wire/shared/media-source.ts";
import { parseArguments, withOpenAIFields } from "../../wire/shared/openai-fields.ts";
import { type OnDamage, resultPart, wellFormedBlock } from "../../wire/shared/well-formed-block.ts";
import { ASSISTANT, contentParts, type Fields, listOf, TOOL, toolResult } from "../shared/fields.ts";
import { isCodexContext } from "./codex-record.ts";

/** @internal */
export interface CodexItem {
  readonly role: Role;
  readonly origin: Origin;
  readonly content: readonly ContentBlock[];
  /** True if Codex itself inserted it. */
  readonly isContext: boolean;
}

/** Reads an item; `undefined` if it has no content. Never throws. @internal */
export function codexItem(item: Fields, onDamage: OnDamage): CodexItem | undefined {
  switch (item["type"]) {
    case "message":
      return readMessage(item, onDamage);
    case "agent_message":
      return messageItem("user", "host", fromAgent(item, readParts(item["content"], "user", onDamage)));
    case "reasoning":
      return readReasoning(item);
    case "function_call":
    case "custom_tool_call":
    case "local_shell_call":
      return answered([readCall(item, onDamage)]);
    case "tool_search_call":
      // OpenAI's own search is answered by OpenAI; the client's is a call like any other.
      return answered([isServerSide(item) ? opaque(item) : readCall(item, onDamage)]);
    case "tool_search_output":
      return isServerSide(item) ? answered([opaque(item)]) : result(readOutput(item, onDamage));
    case "function_call_output":
    case "custom_tool_call_output":
    case "local_shell_call_output":
      return result(readOutput(item, onDamage));
    case "image_generation_call":
      return answered([readGeneratedImage(item)]);
    case "web_search_call":
      return answered([opaque(item)]);
    case "compaction":
      if (typeof item["encrypted_content"] === "string") return answered([opaque(item)]);
      return answered([unknown(item, "assistant", onDamage)]);
    default:
      return answered([unknown(item, "assistant", onDamage)]);
  }
}

/**
 * Returns a key that is equal for two copies of the same item: the content for a message, the call's id for a call or its
 * result. @internal
 */
export function codexItemKey(item: Fields): string {
  const { type, role, call_id: callId } = item;
  if (type === "message") return JSON.stringify([type, role ?? null, messageParts(item["content"])]);
  if (typeof callId === "string") return JSON.stringify([type, callId]);
  const entries = Object.entries(item).filter(([key]) => !isAboutItem(key));
  return JSON.stringify(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The key by which an item is found again: of a call or a result the id, of others the whole. @internal */
export function findable(item: Fields): Fields {
  const { type, call_id: callId } = item;
  return type !== "message" && typeof callId === "string" ? { type, call_id: callId } : item;
}

/** Texts of a message, as they are in it. @internal */
export function codexTexts(content: unknown): readonly string[] {
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown) =>
    typeof part === "string" ? [part] : isObject(part) ? (asString(part["text"]) ?? []) : [],
  );
}

/** The text of each part of a message's content. @internal */
export function messageParts(content: unknown): readonly (string | null)[] {
  if (!Array.isArray(content)) return [asString(content) ?? null];
  return content.map((part: unknown) =>
    isObject(part)
      ? (asString(part["text"]) ?? asString(part["image_url"]) ?? null)
      : (asString(part) ?? null),
  );
}

/** True for fields about an item, as opposed to its content. @internal */
export function isAboutItem(key: string): boolean {
  return key === "id" || key === "status" || key.startsWith("internal_");
}

function messageItem(role: Role, origin: Origin, content: readonly ContentBlock[]): CodexItem {
  return { role, origin, content, isContext: origin === "host" };
}

function answered(content: readonly ContentBlock[]): CodexItem {
  return { ...ASSISTANT, content, isContext: false };
}

function result(block: ContentBlock): CodexItem {
  return { ...TOOL, content: [block], isContext: false };
}

function opaque(item: Fields): ContentBlock {
  const value = Object.fromEntries(
    Object.entries(item).filter(([key]) => key !== "id" && !key.startsWith("internal_")),
  );
  return { type: "opaque", provider: "openai-responses", value: value as JsonObject };
}

function isServerSide(item: Fields): boolean {
  return item["execution"] === "server" || typeof item["call_id"] !== "string";
}

function readMessage(item: Fields, onDamage: OnDamage): CodexItem | undefined {
  const { role: wireRole, content, phase } = item;
  if (wireRole === "developer" || wireRole === "system") {
    const extra = wireRole === "developer" ? { role: "developer" } : {};
    return messageItem("system", "host", withExtra(readParts(content, "system", onDamage), extra));
  }
  if (wireRole === "user") {
    const origin = isCodexContext(codexTexts(content)) ? "host" : "user";
    return messageItem("user", origin, readParts(content, "user", onDamage));
  }
  if (wireRole !== "assistant") return undefined;
  const extra = typeof phase === "string" ? { phase } : {};
  return answered(withExtra(readParts(content, "assistant", onDamage), extra));
}

/** Keeps sender and recipient of a message between agents as a field of its first text. */
function fromAgent({ author, recipient }: Fields, content: readonly ContentBlock[]): readonly ContentBlock[] {
  const [first, ...others] = content;
  const agents = { author: asString(author), recipient: asString(recipient) };
  return first?.type === "text" ? [{ ...first, agents } as ContentBlock, ...others] : content;
}

/** The wire's fields of a message are kept with its first text. */
function withExtra(content: readonly ContentBlock[], extra: JsonObject): readonly ContentBlock[] {
  const [first, ...others] = content;
  return first?.type === "text" ? [withOpenAIFields(first, { extra }), ...others] : content;
}

const TEXT_PARTS: ReadonlySet<unknown> = new Set(["input_text", "output_text", "text"]);

function readParts(content: unknown, role: Role, onDamage: OnDamage): readonly ContentBlock[] {
  return contentParts(content).flatMap((part) => readPart(part, role, onDamage));
}

function readPart(part: unknown, role: Role, onDamage: OnDamage): readonly ContentBlock[] {
  const place = { role, onDamage, original: part };
  if (!isObject(part)) return [wellFormedBlock(part, place)];
  const { type } = part;
  if (TEXT_PARTS.has(type)) {
    return part["text"] === "" ? [] : [wellFormedBlock({ type: "text", text: part["text"] }, place)];
  }
  if (type === "input_image") return [withDetail(wellFormedBlock(image(part), place), part["detail"])];
  if (type === "input_file" && role === "user") return [readFile(part, onDamage)];
  if (type === "refusal" && role === "assistant" && typeof part["refusal"] === "string")
    return [opaque({ type, refusal: part["refusal"] })];
  return [unknown(part, role, onDamage)];
}

/** An unknown type, which may be the name of a block of ours: kept, reported, and never sent. */
function unknown(value: Fields, role: Role, onDamage: OnDamage): ContentBlock {
  const type = typeof value["type"] === "string" ? `codex ${value["type"]}` : undefined;
  return wellFormedBlock({ type }, { role, onDamage, original: value });
}

function image(part: Fields): JsonObject {
  return { type: "image", source: sourceOfUrl(asString(part["image_url"]) ?? "") };
}

/** A file that is in the message or at an address; one that OpenAI stores is opaque. */
function readFile(part: Fields, onDamage: OnDamage): ContentBlock {
  const url = asString(part["file_data"]) ?? asString(part["file_url"]);
  const source = sourceOfUrl(url ?? "");
  if (url !== undefined && hasReadableSource(source, "document")) return { type: "document", source };
  const { type, file_id: id } = part;
  return typeof id === "string" ? opaque({ type, file_id: id }) : unknown(part, "user", onDamage);
}

function withDetail(block: ContentBlock, detail: unknown): ContentBlock {
  return block.type === "image" && typeof detail === "string"
    ? withOpenAIFields(block, { extra: { detail } })
    : block;
}

/**
 * Encrypted reasoning goes back to OpenAI as it came. Reasoning that was not encrypted is text to
 * read and is never sent back; an item without either says nothing.
 */
function readReasoning(item: Fields): CodexItem | undefined {
  const { encrypted_content: encrypted } = item;
  if (typeof encrypted === "string" && encrypted !== "") {
    return answered([opaque({ ...item, summary: listOf(item["summary"]) })]);
  }
  const thinking = [...codexTexts(item["summary"]), ...codexTexts(item["content"])].join("\n\n");
  return thinking === "" ? undefined : answered([{ type: "thinking", thinking }]);
}

function readCall(item: Fields, onDamage: OnDamage): ContentBlock {
  const { type, name, input, action } = item;
  const id = item["call_id"] ?? item["id"];
  const check = (block: Fields): ContentBlock =>
    wellFormedBlock({ type: "tool_use", id, ...block }, { role: "assistant", onDamage, original: item });
  if (type === "local_shell_call") return check({ name: "local_shell", input: action });
  if (type === "custom_tool_call")
    return custom(check({ name, input: typeof input === "string" ? input : (input ?? "") }), type);
  const sent = item["arguments"];
  const { input: value, text } =
    typeof sent === "string" ? parseArguments(sent) : { input: sent, text: undefined };
  const block = check({ name: type === "tool_search_call" ? "tool_search" : name, input: value });
  if (block.type !== "tool_use") return block;
  const { namespace } = item;
  return withOpenAIFields(block, {
    arguments: text,
    ...(typeof namespace === "string" ? { extra: { namespace } } : {}),
  });
}

/** Notes on the block that its item was of a custom tool, whose arguments are free text. */
function custom(block: ContentBlock, type: string): ContentBlock {
  const isOurs = block.type === "tool_use" || block.type === "tool_result";
  return isOurs ? withOpenAIFields(block, { extra: { type } }) : block;
}

function readOutput(item: Fields, onDamage: OnDamage): ContentBlock {
  const { type, call_id: id } = item;
  const { content, isError } = readResult(
    type === "tool_search_output" ? item["tools"] : item["output"],
    type,
  );
  const place = { role: "user", onDamage, original: item } as const;
  const block = wellFormedBlock(toolResult(id, content, isError), place);
  return type === "custom_tool_call_output" ? custom(block, type) : block;
}

interface CodexResult {
  readonly content: string | readonly ToolResultPart[] | undefined;
  readonly isError: boolean;
}

/** A text, a list of parts, or in older files an object with the text and whether it went well. */
function readResult(output: unknown, type: unknown): CodexResult {
  if (output === undefined || output === null) return { content: undefined, isError: false };
  if (typeof output === "string") return { content: output, isError: false };
  // The definitions of tools that a search found are one text: the model reads them, no one edits them.
  if (type === "tool_search_output") return { content: JSON.stringify(output), isError: false };
  if (Array.isArray(output)) return { content: output.map(readResultPart), isError: false };
  if (isObject(output) && output["content"] !== undefined)
    return { ...readResult(output["content"], type), isError: output["success"] === false };
  return { content: JSON.stringify(output), isError: false };
}

function readResultPart(part: unknown): ToolResultPart {
  if (!isObject(part)) return resultPart(part);
  if (TEXT_PARTS.has(part["type"])) return resultPart({ type: "text", text: part["text"] });
  if (part["type"] !== "input_image") return resultPart(part);
  const read = resultPart(image(part));
  return read.type === "image"
    ? (withDetail(read as ContentBlock, part["detail"]) as ToolResultPart)
    : resultPart(part);
}

/** A picture that the model made: a reader needs the picture, and it is counted as one. */
function readGeneratedImage(item: Fields): ContentBlock {
  const { result: data, revised_prompt: prompt } = item;
  if (typeof data !== "string") return opaque(item);
  const source = { type: "base64", media_type: mediaTypeOf(data), data };
  if (!hasReadableSource(source, "image")) return opaque(item);
  const extra = typeof prompt === "string" ? { revised_prompt: prompt } : {};
  return withOpenAIFields({ type: "image", source }, { extra });
}

/** Returns the media type of base64 data by its first characters. */
function mediaTypeOf(data: string): string {
  if (data.startsWith("/9j/")) return "image/jpeg";
  return data.startsWith("UklGR") ? "image/webp" : "image/png";
}
