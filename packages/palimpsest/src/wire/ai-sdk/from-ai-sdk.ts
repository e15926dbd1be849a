/**
 * Parts of an answer of the AI SDK → our blocks.
 *
 * A provider's metadata is kept beside every block, because it goes back with it. Reasoning that Anthropic
 * signed becomes thinking, so that everybody here knows it as such; that of others, and what only the
 * provider executes, travels as it came.
 */
import { asString, isObject, type JsonObject, type JsonValue } from "../../base/json/json.ts";
import { parseBounded } from "../../base/json/parse-bounded.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import { AI_SDK, optionOf, withProviderOptions } from "./to-ai-sdk.ts";

type Fields = Readonly<Record<string, unknown>>;

/** One part of an answer; none where it says nothing. @internal */
export function fromAiSdkPart(part: unknown): readonly ContentBlock[] {
  if (!isObject(part)) return [];
  const metadata = part["providerMetadata"];
  switch (part["type"]) {
    case "text":
      return textBlock(asString(part["text"]) ?? "", metadata);
    case "reasoning":
      return reasoningBlock(asString(part["text"]) ?? "", metadata);
    case "tool-call":
      return callBlock(part, metadata);
    case "custom":
      return part["kind"] === BOOKKEEPING ? [] : [opaquePart(part)];
    default:
      return [opaquePart(part)];
  }
}

/** Told at the start of a stream and no part of what was said. */
const BOOKKEEPING = "anthropic.message_start";

function textBlock(text: string, metadata: unknown): readonly ContentBlock[] {
  if (text === "") return [];
  const isCompaction = optionOf(metadata, { provider: "anthropic", field: "type" }) === "compaction";
  const block: ContentBlock = isCompaction ? { type: "compaction", content: text } : { type: "text", text };
  return [withProviderOptions(block, metadata)];
}

function reasoningBlock(thinking: string, metadata: unknown): readonly ContentBlock[] {
  const signature = optionOf(metadata, { provider: "anthropic", field: "signature" });
  if (signature !== undefined)
    return [withProviderOptions({ type: "thinking", thinking, signature } as const, metadata)];
  const data = optionOf(metadata, { provider: "anthropic", field: "redactedData" });
  if (data !== undefined)
    return [withProviderOptions({ type: "redacted_thinking", data } as const, metadata)];
  if (isObject(metadata) && Object.keys(metadata).length > 0)
    return [opaquePart({ type: "reasoning", text: thinking, providerMetadata: metadata })];
  return thinking === "" ? [] : [{ type: "thinking", thinking }];
}

function callBlock(part: Fields, metadata: unknown): readonly ContentBlock[] {
  const [id, name] = [asString(part["toolCallId"]), asString(part["toolName"])];
  const input = inputOf(part["input"]);
  if (part["providerExecuted"] === true || id === undefined || name === undefined || name === "")
    return [opaquePart({ ...part, input })];
  return [withProviderOptions({ type: "tool_use", id, name, input } as const, metadata)];
}

/** Arguments are text on this interface; text that is not JSON stays text. */
function inputOf(input: unknown): JsonValue {
  if (typeof input !== "string") return (input ?? {}) as JsonValue;
  if (input === "") return {};
  const parsed = parseBounded(input);
  return parsed.ok ? (parsed.value as JsonValue) : input;
}

/** A part in the form in which it may go back: its metadata are options there, its result an output. */
function opaquePart(part: Fields): ContentBlock {
  const { providerMetadata, result, ...rest } = part;
  const value = {
    ...rest,
    ...(result === undefined ? {} : { output: { type: "json", value: plainJson(result) } }),
    ...("data" in rest ? { data: plainJson(rest["data"]) } : {}),
    ...(isObject(providerMetadata) ? { providerOptions: providerMetadata } : {}),
  };
  return { type: "opaque", provider: AI_SDK, value: value as JsonObject };
}

/** Bytes as base64 and addresses as text, so that the block can be kept. */
function plainJson(value: unknown): JsonValue {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof URL) return value.href;
  if (isObject(value) && ("data" in value || "url" in value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainJson(item)]));
  return (value ?? null) as JsonValue;
}
