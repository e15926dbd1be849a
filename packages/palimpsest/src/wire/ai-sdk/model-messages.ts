/**
 * `ModelMessage`s of the AI SDK ↔ our messages, without a loss both ways.
 *
 * Everything of a message that our blocks have no place for is in their carriers; everything of ours that the SDK has no
 * place for is in the options of a provider named `palimpsest`, which no provider reads.
 */
import { isObject, type JsonObject } from "../../base/json/json.ts";
import { blockText, type ContentBlock, defaultOrigin, type Message } from "../../transcript/blocks.ts";
import {
  asMember,
  carrierOf,
  defined,
  isSameJson,
  opaqueBlock,
  opaqueValue,
  withCarrier,
} from "./carrier.ts";
import { aiSdkFileBlock } from "./file-data.ts";
import { assistantBlock, textBlock } from "./from-ai-sdk.ts";
import { MessageWriter } from "./to-ai-sdk.ts";
import { resultBlock } from "./tool-output.ts";

/** A message of the AI SDK, such as a `ModelMessage` of `ai` 5, 6 or 7. */
export interface AiSdkMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** The provider whose options hold what the SDK has no place for. @internal */
export const OWN = "palimpsest";

/**
 * Reads `ModelMessage`s of `ai` 5, 6 or 7. Nothing is lost: {@link toModelMessages} returns the same messages. A text in
 * the place of content is the same as a list of one text.
 */
export function fromModelMessages(messages: readonly AiSdkMessage[]): Message[] {
  const read: Message[] = [];
  for (const { role, content, ...fields } of messages) {
    const { own, others } = takeOwn(fields);
    const blocks =
      (own["content"] as unknown as readonly ContentBlock[] | undefined) ?? readContent(role, content);
    const last = read.at(-1);
    if (own["isRest"] === true && last !== undefined) {
      read[read.length - 1] = { ...last, content: [...last.content, ...blocks] };
      continue;
    }
    const isEmpty = blocks.length === 0;
    const message = isEmpty && role === "tool" ? { role, ...others } : others;
    const [first, ...rest] = isEmpty && Object.keys(message).length > 0 ? [opaqueBlock({})] : blocks;
    const isOfTool = role === "tool" && !blocks.some(({ type }) => type === "tool_result");
    read.push({
      role: role === "tool" ? "user" : role,
      content: first === undefined ? [] : [withCarrier(first, { message }), ...rest],
      ...(isOfTool ? { origin: "tool" } : {}),
      ...own,
    });
  }
  return read;
}

function readContent(role: AiSdkMessage["role"], content: unknown): readonly ContentBlock[] {
  const parts = Array.isArray(content) ? content : [{ type: "text", text: content }];
  return parts.filter(isObject).map((part) => {
    const { own, others } = takeOwn(part);
    if (own["block"] !== undefined) return own["block"] as unknown as ContentBlock;
    return readPart(role, own["isNamedByCall"] === true ? withoutName(others) : others);
  });
}

/** A part of a message as a block. @internal */
export function readPart(role: AiSdkMessage["role"], part: Fields): ContentBlock {
  if (role === "assistant") return assistantBlock(part);
  switch (part["type"]) {
    case "text":
      return textBlock(part);
    case "image":
    case "file":
      return aiSdkFileBlock(part);
    case "tool-result":
      return resultBlock(part);
    default:
      return opaqueBlock(defined(part));
  }
}

/** A result of our own does not name its tool: the call before it does. */
function withoutName({ toolName: _, ...part }: Fields): Fields {
  return part;
}

/** The fields without those that this library wrote. */
function takeOwn(fields: Fields): { readonly own: JsonObject; readonly others: JsonObject } {
  const options = asMember(fields["providerOptions"]);
  const own = asMember(options?.[OWN]);
  if (own === undefined) return { own: {}, others: defined(fields) };
  const { [OWN]: _, ...rest } = options!;
  const providerOptions = Object.keys(rest).length === 0 ? undefined : rest;
  return { own, others: defined({ ...fields, providerOptions }) };
}

/**
 * Writes messages as `ModelMessage`s of `ai` 5, 6 and 7. Nothing is lost: {@link fromModelMessages} returns the same
 * messages. For a request that `prepare` made, use `aiSdkWindow`, which leaves out what no provider takes.
 *
 * @typeParam Wire - the message type of your `ai`: `toModelMessages<ModelMessage>(messages)`
 */
export function toModelMessages<Wire = AiSdkMessage>(messages: readonly Message[]): Wire[] {
  const writer = new MessageWriter({ version: "v3", takesMarks: false, form: "stored" });
  return messages.flatMap((message) => {
    const { role, content, origin = defaultOrigin(message), ...others } = message;
    const all = writer.write([{ role, content: content.map((block) => carried(role, block)) }]);
    const [first, ...rest] = all;
    const isUsual = origin === defaultOrigin(message) || (origin === "tool" && first?.["role"] === "tool");
    const isInOrder = comesBackInOrder(message, all);
    const own = defined({
      ...others,
      origin: isUsual ? undefined : origin,
      content: isInOrder ? undefined : content,
    });
    const isWhole = Object.keys(own).length === 0;
    const written = first ?? { role, content: role === "system" ? "" : [] };
    return [
      isWhole ? written : withOwn(written, own),
      ...rest.map((one) => withOwn(one, { isRest: true, ...(isInOrder ? {} : { content: [] }) })),
    ] as unknown as Wire[];
  });
}

/** True if reading gives the blocks in their order again: a system message is one text, and results of tools are put first. */
function comesBackInOrder({ role, content }: Message, written: readonly JsonObject[]): boolean {
  if (role === "system") return content.length === 1 && content[0]?.type === "text";
  if (written.length < 2) return true;
  const other = content.findIndex(({ type }) => type !== "tool_result");
  return content.slice(other).every(({ type }) => type !== "tool_result");
}

function withOwn(fields: JsonObject, own: JsonObject): JsonObject {
  return { ...fields, providerOptions: { ...asMember(fields["providerOptions"]), [OWN]: own } };
}

/** The block itself if its part says all of it, else a text that carries it. */
function carried(role: Message["role"], block: ContentBlock): ContentBlock {
  const { message, ...carrier } = carrierOf(block);
  if (role === "system" || isSameJson(opaqueValue(block), {})) return block;
  const bare = defined({ ...block, aiSdk: Object.keys(carrier).length === 0 ? undefined : carrier });
  const comesBack = (one: ContentBlock): boolean => {
    const writer = new MessageWriter({ version: "v3", takesMarks: false, form: "stored" });
    const written = writer.write([{ role, content: [one] }]) as unknown as readonly AiSdkMessage[];
    const read = written.flatMap(({ role: own, content }) => readContent(own, content));
    return read.length === 1 && isSameJson(read[0], bare);
  };
  if (comesBack(block)) return block;
  const named = withCarrier(block, {
    providerOptions: { ...carrier.providerOptions, [OWN]: { isNamedByCall: true } },
  });
  if (block.type === "tool_result" && comesBack(named)) return named;
  const providerOptions = { [OWN]: { block: bare } };
  // A result answers a call even where its part cannot say all of it, such as half a character.
  if (block.type === "tool_result") {
    const own = withCarrier(block, { providerOptions });
    if (comesBack(own)) return own;
  }
  const text = blockText(block) || `[${block.type}]`;
  return withCarrier({ type: "text", text } as const, { providerOptions, message });
}
