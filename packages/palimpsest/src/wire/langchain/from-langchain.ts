/**
 * LangChain's messages → ours.
 *
 * A `ToolMessage` becomes a tool result in a separate user message. Calls are in `tool_calls`, and with some providers in
 * the content as well; they become one block each. Parts without a counterpart (audio, other providers' reasoning) become
 * opaque blocks.
 */
import { asString, isObject, type JsonObject, type JsonValue } from "../../base/json/json.ts";
import {
  type ContentBlock,
  defaultOrigin,
  type Message,
  type Role,
  type ToolResultPart,
} from "../../transcript/blocks.ts";
import { hasReadableSource, sourceOfUrl } from "../shared/media-source.ts";
import { extraFields } from "../shared/openai-fields.ts";
import {
  EMPTY_MESSAGE,
  LANGCHAIN,
  type LangChainMessage,
  langchainFields,
  plainJson,
  withLangChainFields,
} from "./langchain-fields.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads messages of LangChain: instances of its classes, or plain ones with a `role` or a `type`. Ids become `hostId`;
 * fields that our blocks lack are kept on the blocks, and {@link toLangChain} returns them.
 */
export function fromLangChain(messages: readonly LangChainMessage[]): Message[] {
  return messages.map((message) => {
    const read = langchainMessage(message, MESSAGE_FIELDS);
    return message.id === undefined ? read : { ...read, hostId: message.id };
  });
}

/** Fields of a message that are kept, beside its content, its calls and its id. */
const MESSAGE_FIELDS = [
  ...["name", "additional_kwargs", "response_metadata", "usage_metadata", "invalid_tool_calls"],
  ...["tool_call_chunks", "status", "artifact", "metadata"],
];
/** Those that the model's own answer keeps when LangChain changes others after the call. @internal */
export const LASTING_FIELDS = ["additional_kwargs", "response_metadata", "invalid_tool_calls", "status"];

const TYPES: ReadonlyMap<string, string> = new Map([
  ["user", "human"],
  ["assistant", "ai"],
]);
const ROLES: ReadonlyMap<string, Role> = new Map([
  ["human", "user"],
  ["ai", "assistant"],
  ["system", "system"],
  ["developer", "system"],
  ["tool", "user"],
]);

/** Types that follow from the role of our message. */
const USUAL_TYPES: ReadonlySet<string> = new Set(["human", "ai", "system"]);

/** The type of a message in LangChain's words. @internal */
export function langchainType({ type, role }: LangChainMessage): string {
  const named = type ?? role ?? "human";
  return TYPES.get(named) ?? named;
}

/** Reads one message with those of its fields that are named. @internal */
export function langchainMessage(native: LangChainMessage, kept: readonly string[]): Message {
  const fields = native as unknown as Fields;
  const type = langchainType(native);
  const role = ROLES.get(type) ?? ROLES.get(TYPES.get(native.role ?? "") ?? native.role ?? "") ?? "user";
  const isResult = type === "tool" && typeof fields["tool_call_id"] === "string";
  const calls = role === "assistant" && Array.isArray(fields["tool_calls"]) ? fields["tool_calls"] : [];
  const content = isResult ? [toolResult(fields)] : answerBlocks(native.content, calls);
  const message: JsonObject = {
    ...(isResult || USUAL_TYPES.has(type) ? {} : { class: type }),
    ...(native.type === undefined || native.role === undefined ? {} : { role: native.role }),
    ...(Array.isArray(native.content) && !isResult && hasOwnForm(content) ? { isList: true } : {}),
    ...keptFields(fields, isResult && fields["status"] === "error" ? without(kept, "status") : kept),
    ...keptFields({ tool_calls: calls.filter((call) => !isCall(call)) }, ["tool_calls"]),
  };
  return { role, content: withMessageFields(content, message), origin: defaultOrigin({ role, content }) };
}

/** True if the content might as well have been one text. */
function hasOwnForm(content: readonly ContentBlock[]): boolean {
  const inContent = content.filter((block) => !isOnlyCall(block));
  return inContent.length === 0 || (inContent.length === 1 && inContent[0]!.type === "text");
}

/** True for a call that the content of its message does not have. @internal */
export function isOnlyCall(block: ContentBlock): boolean {
  return block.type === "tool_use" && langchainFields(block).part === undefined;
}

function without(names: readonly string[], name: string): readonly string[] {
  return names.filter((one) => one !== name);
}

function keptFields(fields: Fields, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = plainJson(fields[name]);
      const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
      return value === undefined || isEmpty ? [] : [[name, value]];
    }),
  ) as JsonObject;
}

/** On the first block that stays when reasoning is taken out. */
function withMessageFields(content: readonly ContentBlock[], message: JsonObject): readonly ContentBlock[] {
  if (Object.keys(message).length === 0) return content;
  if (content.length === 0)
    return [{ type: "opaque", provider: LANGCHAIN, value: { type: EMPTY_MESSAGE, ...message } }];
  const lasting = content.findIndex(({ type }) => type !== "thinking" && type !== "redacted_thinking");
  const at = Math.max(0, lasting);
  return content.map((block, index) => (index === at ? withLangChainFields(block, { message }) : block));
}

/** A block for each part of the content, and for each call that is not among them. */
function answerBlocks(content: unknown, calls: readonly unknown[]): readonly ContentBlock[] {
  const waiting = new Set(calls.filter(isCall));
  const blocks = partsOf(content).map((part) => {
    const isNamed = ({ id }: Call): boolean => id === String(part["id"]);
    const call = CALL_PARTS.has(part["type"]) ? [...waiting].find(isNamed) : undefined;
    if (call === undefined) return partBlock(part);
    waiting.delete(call);
    const extra = extraFields(part, ["id", "name", "args", ...(isObject(part["input"]) ? ["input"] : [])]);
    const input = (plainJson(call.args) ?? {}) as JsonValue;
    return withLangChainFields({ type: "tool_use", id: call.id, name: call.name, input } as const, {
      part: plainJson(extra) as JsonObject,
    });
  });
  const others = [...waiting].map(
    ({ id, name, args }): ContentBlock => ({
      type: "tool_use",
      id,
      name,
      input: (plainJson(args) ?? {}) as JsonValue,
    }),
  );
  return [...blocks, ...others];
}

/** Types of parts that repeat a call of `tool_calls`. */
const CALL_PARTS: ReadonlySet<unknown> = new Set(["tool_use", "tool_call"]);

interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

function isCall(call: unknown): call is Call {
  return isObject(call) && typeof call["id"] === "string" && typeof call["name"] === "string";
}

function partsOf(content: unknown): readonly Fields[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown): readonly Fields[] =>
    typeof part === "string" ? [{ type: "text", text: part }] : isObject(part) ? [part] : [],
  );
}

function partBlock(part: Fields): ContentBlock {
  const block = knownBlock(part);
  if (block !== undefined) return block;
  return { type: "opaque", provider: LANGCHAIN, value: (plainJson(part) ?? null) as JsonValue };
}

function knownBlock(part: Fields): ContentBlock | undefined {
  const { type, text, thinking, signature, data } = part;
  if (type === "text" && typeof text === "string")
    return withPart({ type, text }, extraFields(part, ["type", "text"]));
  const isSigned = typeof signature === "string" && signature !== "";
  if (type === "thinking" && typeof thinking === "string" && isSigned)
    return withPart({ type, thinking, signature }, extraFields(part, ["type", "thinking", "signature"]));
  const reasoning = asString(part["reasoning"]);
  if (type === "reasoning" && reasoning !== undefined && isSigned)
    return withPart(
      { type: "thinking", thinking: reasoning, signature },
      extraFields(part, ["reasoning", "signature"]),
    );
  if (type === "redacted_thinking" && typeof data === "string" && data !== "")
    return withPart({ type, data }, extraFields(part, ["type", "data"]));
  return mediaBlock(part);
}

function withPart<T extends ContentBlock>(block: T, extra: Fields): T {
  return withLangChainFields(block, { part: plainJson(extra) as JsonObject });
}

/** Pictures and documents in the forms of Anthropic, of OpenAI, and of LangChain itself. */
function mediaBlock(part: Fields): ContentBlock | undefined {
  const { type, source, image_url: image } = part;
  if ((type === "image" || type === "document") && isObject(source))
    return hasReadableSource(source, type)
      ? withPart({ type, source: source as JsonObject }, extraFields(part, ["type", "source"]))
      : undefined;
  const url = isObject(image) ? asString(image["url"]) : asString(image);
  if (type === "image_url" && url !== undefined) {
    const extra = isObject(image) ? extraFields(image, ["url"]) : "url";
    return media("image", sourceOfUrl(url), { ...extraFields(part, ["image_url"]), image_url: extra });
  }
  const kind = type === "image" ? type : type === "file" ? "document" : undefined;
  if (kind === undefined) return undefined;
  const data = asString(plainJson(part["data"]));
  const mediaType = asString(part["mimeType"]) ?? asString(part["mime_type"]);
  if (data !== undefined && mediaType !== undefined)
    return media(kind, { type: "base64", media_type: mediaType, data }, extraFields(part, ["data"]));
  const address = asString(part["url"]);
  return address === undefined
    ? undefined
    : media(kind, { type: "url", url: address }, extraFields(part, ["url"]));
}

function media(type: "image" | "document", source: JsonObject, part: Fields): ContentBlock | undefined {
  return hasReadableSource(source, type) ? withPart({ type, source }, part) : undefined;
}

function toolResult(fields: Fields): ContentBlock {
  const { content, tool_call_id: id, status } = fields;
  return {
    type: "tool_result",
    tool_use_id: String(id),
    content: typeof content === "string" ? content : partsOf(content).map(resultPart),
    ...(status === "error" ? { is_error: true } : {}),
  };
}

/** A part that is none of ours stays as it came. */
function resultPart(part: Fields): ToolResultPart {
  const block = knownBlock(part);
  if (block?.type === "text" || block?.type === "image" || block?.type === "document")
    return block as ToolResultPart;
  return (plainJson(part) ?? { type: "text", text: "" }) as ToolResultPart;
}
