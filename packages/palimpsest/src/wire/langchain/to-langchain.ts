/**
 * Our messages → LangChain's.
 *
 * Results of tools are separate messages there. A block with a message's fields begins a message again, so that
 * what a request joined comes apart. Other providers' opaque blocks are left out.
 */
import { isObject, type JsonObject, type JsonValue } from "../../base/json/json.ts";
import type { ContentBlock, Role, ToolResultBlock } from "../../transcript/blocks.ts";
import type { RequestMessage } from "../../transcript/window.ts";
import { readablePart, urlOfSource } from "../shared/media-source.ts";
import { argumentsText } from "../shared/openai-fields.ts";
import { isOnlyCall } from "./from-langchain.ts";
import { EMPTY_MESSAGE, LANGCHAIN, type LangChainFields, langchainFields } from "./langchain-fields.ts";

/** Blocks that are one message of LangChain. */
interface LangChainUnit {
  readonly role: Role;
  readonly blocks: readonly ContentBlock[];
}

/** A message in the form in which LangChain stores it. */
interface StoredLangChainMessage {
  readonly type: string;
  readonly data: PlainFields;
}

interface PlainFields {
  readonly content: unknown;
  readonly [field: string]: unknown;
}

/**
 * Writes messages for LangChain: plain ones, which every model, agent and graph of LangChain takes, or with
 * `mapStoredMessagesToChatMessages` of `@langchain/core/messages` instances of its classes.
 *
 * @typeParam Stored - the type of that function's messages, which is LangChain's own
 */
export function toLangChain<Native = LangChainFields, Stored = StoredLangChainMessage>(
  messages: readonly (RequestMessage & { readonly hostId?: string })[],
  asInstances?: (stored: Stored[]) => Native[],
): Native[] {
  const written = messages.flatMap((message) => {
    const units = langchainUnits(message);
    const id = message.hostId === undefined || units.length !== 1 ? {} : { id: message.hostId };
    return units.map(writeUnit).map(({ type, data }) => ({ type, data: { ...data, ...id } }));
  });
  if (asInstances === undefined)
    return written.map(({ type, data }) => ({ role: type, ...data })) as Native[];
  return asInstances(written as Stored[]);
}

/** The units of a message of a request, in order. @internal */
export function langchainUnits({ role, content }: RequestMessage): readonly LangChainUnit[] {
  const units: { role: Role; blocks: ContentBlock[] }[] = [];
  let open: ContentBlock[] | undefined;
  for (const block of content) {
    const isMessage = langchainFields(block).message !== undefined || isEmptyMessage(block);
    const hasBegun = open?.some((one) => langchainFields(one).message !== undefined) === true;
    if (
      open === undefined ||
      block.type === "tool_result" ||
      (isMessage && (role !== "assistant" || hasBegun))
    ) {
      open = [];
      units.push({ role, blocks: open });
    }
    open.push(block);
    if (block.type === "tool_result" || isEmptyMessage(block)) open = undefined;
  }
  return units.length === 0 ? [{ role, blocks: [] }] : units;
}

/** True for the block of a message that says nothing. @internal */
export function isEmptyMessage(block: ContentBlock): boolean {
  return block.type === "opaque" && isObject(block.value) && block.value["type"] === EMPTY_MESSAGE;
}

const TYPES: Readonly<Record<Role, string>> = { user: "human", assistant: "ai", system: "system" };

/** One message, in the form that its class takes. @internal */
export function writeUnit({ role, blocks }: LangChainUnit): StoredLangChainMessage {
  const kept = blocks.map((block) => langchainFields(block).message).find((fields) => fields !== undefined);
  const { type: _, ...held } =
    (blocks.find(isEmptyMessage) as { readonly value: JsonObject } | undefined)?.value ?? {};
  const { isList, tool_calls: odd = [], class: named, ...fields } = kept ?? held;
  const [result] = blocks;
  if (result?.type === "tool_result") return { type: "tool", data: { ...writeResult(result), ...fields } };
  const parts = blocks.filter((block) => !isOnlyCall(block)).flatMap(writePart);
  const [only] = parts;
  const isText = parts.length === 1 && Object.keys(only!).length === 2 && only!["type"] === "text";
  const content = isList === true || (parts.length > 0 && !isText) ? parts : (only?.["text"] ?? "");
  const calls = [...blocks.flatMap(writeCall), ...(odd as readonly JsonValue[])];
  return {
    type: typeof named === "string" ? named : TYPES[role],
    data: { ...fields, content, ...(calls.length === 0 ? {} : { tool_calls: calls }) },
  };
}

function writeCall(block: ContentBlock): readonly JsonObject[] {
  return block.type === "tool_use"
    ? [{ name: block.name, args: block.input, id: block.id, type: "tool_call" }]
    : [];
}

function writeResult({ tool_use_id: id, content, is_error: isError }: ToolResultBlock): PlainFields {
  return {
    content:
      typeof content === "string"
        ? content
        : (content ?? []).flatMap((part) => writePart(readablePart(part) as ContentBlock)),
    tool_call_id: id,
    ...(isError === true ? { status: "error" } : {}),
  };
}

function writePart(block: ContentBlock): readonly JsonObject[] {
  const { part = {} } = langchainFields(block);
  switch (block.type) {
    case "text":
      return [{ type: "text", text: block.text, ...part }];
    case "thinking": {
      const { thinking, signature } = block;
      const isReasoning = part["type"] === "reasoning";
      const text = isReasoning ? { type: "reasoning", reasoning: thinking } : { type: "thinking", thinking };
      return [{ ...text, ...(signature === undefined ? {} : { signature }), ...part }];
    }
    case "redacted_thinking":
      return [{ type: block.type, data: block.data, ...part }];
    case "tool_use":
      return [writeCallPart(block.input, { id: block.id, name: block.name, ...part })];
    case "image":
    case "document":
      return [writeMedia(block.type, block.source, part)];
    case "compaction":
      return block.content === null ? [] : [{ type: "text", text: block.content }];
    case "opaque":
      return block.provider === LANGCHAIN && isObject(block.value) && !isEmptyMessage(block)
        ? [block.value as JsonObject]
        : [];
    default:
      // A part of a result that came in LangChain's own form; what only another provider runs is left out.
      return "tool_use_id" in block || "input" in block ? [] : [block as JsonObject];
  }
}

/** The call as a part of the content: in Anthropic's form, whose input may be text, or in LangChain's. */
function writeCallPart(input: JsonValue, part: JsonObject): JsonObject {
  if (part["type"] === "tool_call") return { ...part, args: input };
  const written = part["input"];
  return { ...part, input: typeof written === "string" ? argumentsText(input, written) : input };
}

function writeMedia(type: "image" | "document", source: JsonObject, part: JsonObject): JsonObject {
  const { image_url: image, ...rest } = part;
  if (image !== undefined) {
    const url = urlOfSource(source) ?? "";
    return { ...rest, image_url: isObject(image) ? { url, ...(image as JsonObject) } : url };
  }
  if (part["type"] === undefined) return { type, source, ...part };
  return { ...part, ...(source["type"] === "url" ? { url: source["url"]! } : { data: source["data"]! }) };
}
