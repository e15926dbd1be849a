/**
 * Parts of the AI SDK → our blocks: of an answer, of a prompt, and of a `ModelMessage`.
 *
 * A provider's metadata is kept beside every block, because it goes back with it. Reasoning that Anthropic
 * signed becomes thinking, so that everybody here knows it as such; that of others, and what only the
 * provider executes, travels as it came.
 */
import { asString, isObject, type JsonValue } from "../../base/json/json.ts";
import { parseBounded } from "../../base/json/parse-bounded.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import { asMember, defined, optionOf, withCarrier } from "./carrier.ts";
import { opaqueFile } from "./file-data.ts";

type Fields = Readonly<Record<string, unknown>>;

/** One part of an answer; none where it says nothing. @internal */
export function fromAiSdkPart(part: unknown): readonly ContentBlock[] {
  if (!isObject(part)) return [];
  const { type, text, providerMetadata: providerOptions } = part;
  switch (type) {
    case "text":
    case "reasoning": {
      const isSilent = (asString(text) ?? "") === "" && (type === "text" || !hasMembers(providerOptions));
      return isSilent ? [] : [assistantBlock({ type, text, providerOptions })];
    }
    case "tool-call": {
      const { toolCallId, toolName, providerExecuted } = part;
      const input = inputOf(part["input"]);
      const { providerMetadata: _, ...rest } = part;
      if (providerExecuted === true) return [opaquePart({ ...rest, input, providerOptions })];
      return [assistantBlock({ type, toolCallId, toolName, input, providerOptions })];
    }
    default: {
      const { providerMetadata: _, ...rest } = part;
      return type === "custom" && part["kind"] === BOOKKEEPING
        ? []
        : [opaquePart({ ...rest, providerOptions })];
    }
  }
}

/** Told at the start of a stream and no part of what was said. */
const BOOKKEEPING = "anthropic.message_start";

const hasMembers = (value: unknown): boolean => isObject(value) && Object.keys(value).length > 0;

/** A part of an assistant's message; the metadata of its provider are options there. @internal */
export function assistantBlock(part: Fields): ContentBlock {
  switch (part["type"]) {
    case "text":
      return textBlock(part);
    case "reasoning":
      return reasoningBlock(part);
    case "tool-call":
      return callBlock(part);
    default:
      return opaquePart(part);
  }
}

/** A part of type `text`, of any message. @internal */
export function textBlock({ type: _, text, providerOptions, ...part }: Fields): ContentBlock {
  const words = asString(text) ?? "";
  const isCompaction = optionOf(providerOptions, { provider: "anthropic", field: "type" }) === "compaction";
  const block: ContentBlock = isCompaction
    ? { type: "compaction", content: words }
    : { type: "text", text: words };
  return withCarrier(block, { providerOptions: asMember(providerOptions), part: defined(part) });
}

function reasoningBlock(whole: Fields): ContentBlock {
  const { type: _, text, providerOptions, ...part } = whole;
  const thinking = asString(text) ?? "";
  const carrier = { providerOptions: asMember(providerOptions), part: defined(part) };
  const signature = optionOf(providerOptions, { provider: "anthropic", field: "signature" });
  if (signature !== undefined)
    return withCarrier({ type: "thinking", thinking, signature } as const, carrier);
  const data = optionOf(providerOptions, { provider: "anthropic", field: "redactedData" });
  if (data !== undefined && thinking === "")
    return withCarrier({ type: "redacted_thinking", data } as const, carrier);
  return hasMembers(providerOptions) || data !== undefined
    ? opaquePart(whole)
    : withCarrier({ type: "thinking", thinking } as const, carrier);
}

function callBlock(whole: Fields): ContentBlock {
  const { type: _, toolCallId, toolName, input = {}, providerOptions, ...part } = whole;
  const [id, name] = [asString(toolCallId), asString(toolName)];
  if (part["providerExecuted"] === true || id === undefined || name === undefined || name === "")
    return opaquePart(whole);
  return withCarrier({ type: "tool_use", id, name, input: input as JsonValue } as const, {
    providerOptions: asMember(providerOptions),
    part: defined(part),
  });
}

/** Arguments are text in answers; text that is not JSON stays text. */
function inputOf(input: unknown): JsonValue {
  if (typeof input !== "string") return (input ?? {}) as JsonValue;
  if (input === "") return {};
  const parsed = parseBounded(input);
  return parsed.ok ? (parsed.value as JsonValue) : input;
}

/** A part in the form in which it may go back: its result is an output there, its data is text. */
function opaquePart(part: Fields): ContentBlock {
  const { result, providerOptions, ...rest } = part;
  return opaqueFile({
    ...rest,
    ...(result === undefined ? {} : { output: { type: "json", value: result } }),
    ...(isObject(providerOptions) ? { providerOptions } : {}),
  });
}
