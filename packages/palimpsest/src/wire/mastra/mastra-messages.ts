/**
 * Messages of Mastra as its storage keeps them (`MastraDBMessage`) ↔ our messages, without a loss both ways.
 *
 * They are messages of a chat with older names: parts are renamed to those of a `UIMessage`, which has a converter. What
 * has no place there travels in one field, `mastra`, of the part or the message.
 */

import { asString, type JsonObject } from "../../base/json/json.ts";
import { anyString, checkOptions, number, type OptionRules } from "../../base/options/check-options.ts";
import type { Message } from "../../transcript/blocks.ts";
import { asMember, defined } from "../ai-sdk/carrier.ts";
import { type AiSdkUiMessage, fromUiMessages, toUiMessages } from "../ai-sdk/ui-messages.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A message of Mastra 1, such as a `MastraDBMessage`. */
export interface MastraMessage {
  readonly id: string;
  readonly role: "user" | "assistant" | "system" | "signal";
  readonly createdAt: Date;
  readonly content: { readonly format: 2; readonly parts: readonly object[] };
}

/** Thread and owner of messages that Mastra has not seen yet. */
export interface MastraPlace {
  readonly threadId?: string;
  readonly resourceId?: string;
  /** Time of the first message, in milliseconds since the epoch; each other one is a millisecond later. @defaultValue 0 */
  readonly createdAtMs?: number;
}

const RULES: OptionRules<MastraPlace> = { threadId: anyString, resourceId: anyString, createdAtMs: number };

/** Reads `MastraDBMessage`s of Mastra 1. Nothing is lost: {@link toMastraMessages} returns the same messages. */
export function fromMastraMessages(messages: readonly MastraMessage[]): Message[] {
  return fromUiMessages(
    messages.map(({ id, role, createdAt, content: { parts, ...content }, ...others }) => ({
      id,
      role: role === "signal" ? "user" : role,
      parts: parts.map((part) => toUiPart(part as Fields)) as unknown as AiSdkUiMessage["parts"],
      mastra: { ...others, role, createdAt: new Date(createdAt).toISOString(), content },
    })),
  );
}

/**
 * Writes messages as `MastraDBMessage`s of Mastra 1. Nothing is lost: {@link fromMastraMessages} returns the same
 * messages.
 *
 * @typeParam Wire - the message type of your Mastra: `toMastraMessages<MastraDBMessage>(messages)`
 */
export function toMastraMessages<Wire = MastraMessage>(
  messages: readonly Message[],
  place: MastraPlace = {},
): Wire[] {
  checkOptions("toMastraMessages", place, RULES);
  const { threadId, resourceId, createdAtMs = 0 } = place;
  return toUiMessages<AiSdkUiMessage & { readonly mastra?: JsonObject }>(messages).map(
    ({ id, role, parts, mastra }, index) => {
      const { createdAt, content = { format: 2 }, ...own } = mastra ?? defined({ threadId, resourceId });
      return {
        id,
        role,
        ...own,
        createdAt: new Date(asString(createdAt) ?? createdAtMs + index),
        content: { ...asMember(content), parts: parts.map((part) => fromUiPart(part as unknown as Fields)) },
      } as Wire;
    },
  );
}

function toUiPart(part: Fields): Fields {
  switch (part["type"]) {
    case "reasoning":
      return toUiReasoning(part);
    case "file": {
      const { data, mimeType, ...rest } = part;
      // Bare base64 would come out as an address.
      const isBare = !/^(?:https?|data):/i.test(String(data));
      return { ...rest, url: data, mediaType: mimeType, ...(isBare ? { mastra: { isBare } } : {}) };
    }
    case "tool-invocation":
      return toUiTool(part);
    default:
      return part;
  }
}

function toUiReasoning({ reasoning, ...rest }: Fields): Fields {
  const [detail] = Array.isArray(rest["details"]) ? (rest["details"] as readonly unknown[]) : [];
  const signature = asString(asMember(detail)?.["signature"]);
  const renamed = { ...rest, text: reasoning };
  if (signature === undefined || rest["providerMetadata"] !== undefined) return renamed;
  return { ...renamed, providerMetadata: { anthropic: { signature } }, mastra: { isSignedInside: true } };
}

const UI_STATES: Readonly<Record<string, string>> = {
  "partial-call": "input-streaming",
  call: "input-available",
  result: "output-available",
};

function toUiTool({ toolInvocation, providerMetadata, ...rest }: Fields): Fields {
  const { toolCallId, toolName, args, state, result, errorText, ...others } = asMember(toolInvocation) ?? {};
  const isFailed = state === "result" && others["isError"] === true;
  const text = typeof result === "string" ? result : JSON.stringify(result);
  return defined({
    ...rest,
    type: `tool-${String(toolName)}`,
    toolCallId,
    input: args,
    state: isFailed ? "output-error" : (UI_STATES[String(state)] ?? state),
    ...(isFailed ? { errorText: text } : { output: result, errorText }),
    callProviderMetadata: providerMetadata,
    mastra: { ...others, state, ...(isFailed && typeof result !== "string" ? { result } : {}) },
  });
}

function fromUiPart(part: Fields): Fields {
  const { type, mastra, ...fields } = part;
  const kept = asMember(mastra) ?? {};
  if (type === "reasoning") {
    const { text, providerMetadata, details = [{ type: "text", text }], ...rest } = fields;
    const options = kept["isSignedInside"] === true ? undefined : providerMetadata;
    return defined({ type, reasoning: text, details, providerMetadata: options, ...rest });
  }
  if (type === "file") {
    const { url, mediaType, ...rest } = fields;
    const data = kept["isBare"] === true ? String(url).slice(String(url).indexOf(",") + 1) : url;
    return { type, data, mimeType: mediaType, ...rest };
  }
  const isTool = String(type).startsWith("tool-") && "toolCallId" in fields;
  return isTool ? fromUiTool(String(type).slice("tool-".length), fields, kept) : part;
}

function fromUiTool(toolName: string, fields: Fields, { state: own, ...others }: JsonObject): Fields {
  const { toolCallId, input, state, output, errorText, callProviderMetadata, ...rest } = fields;
  const isFailed = state === "output-error" && (own === undefined || own === "result");
  const before = Object.entries(UI_STATES).find(([, name]) => name === state)?.[0];
  const outcome = isFailed
    ? { state: "result", result: errorText, isError: true }
    : { state: own ?? before ?? state, result: output, errorText };
  const toolInvocation = defined({ toolCallId, toolName, args: input, ...outcome, ...others });
  return defined({
    type: "tool-invocation",
    toolInvocation,
    providerMetadata: callProviderMetadata,
    ...rest,
  });
}
