/**
 * A request ⇄ the body of a Messages API call.
 *
 * System prompt and tools are sent as they were handed over, byte for byte, because everything that is
 * cached begins with them; the one thing that may be added is a cache mark at their end.
 */
import { asNumber, asString, isObject, type JsonObject } from "../../base/json/json.ts";
import { toWellFormed } from "../../base/text/text.ts";
import type { ModelRequest } from "../../ports/model-client.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import type { CacheMark, RequestMessage } from "../../transcript/window.ts";
import { commonFields, type ReadRequest, requestBody, withParameters } from "../shared/read-request.ts";
import { fromAnthropic } from "./from-anthropic.ts";
import { toAnthropic } from "./to-anthropic.ts";

/** Cache marks that one request may carry. Source: Anthropic docs, "Prompt caching". */
const CACHE_MARKS_COUNT = 4;

/** The fields that every call has. @internal */
export interface AnthropicBody extends JsonObject {
  readonly model: string;
  readonly max_tokens: number;
}

/** The body without `stream`. `parameters` win over everything but the conversation. @internal */
export function anthropicBody(request: ModelRequest, maxOutputTokens: number): AnthropicBody {
  const { model, tools = [], parameters = {}, cacheMarks = [], cacheTtl = "5m" } = request;
  const messages = toAnthropic<JsonObject>(request.messages, { cacheMarks, cacheTtl });
  const marksLeft = cacheMarks.length === 0 ? 0 : CACHE_MARKS_COUNT - marksIn([...tools, ...messages]);
  const head = markedHead(request.system, tools, marksLeft > 0 ? cacheTtl : undefined);
  return { model, max_tokens: maxOutputTokens, ...head, ...parameters, messages } as AnthropicBody;
}

/** System prompt and tools; with a lifetime, the last of them carries a mark, which covers all of it. */
function markedHead(
  system: string | undefined,
  tools: readonly unknown[],
  cacheTtl: "5m" | "1h" | undefined,
): JsonObject {
  const mark = cacheTtl === undefined ? {} : { cache_control: cacheControl(cacheTtl) };
  // The API refuses an empty text.
  const hasSystem = system !== undefined && system.trim() !== "";
  const last = tools.at(-1);
  const sentTools = hasSystem || !isObject(last) ? tools : [...tools.slice(0, -1), { ...mark, ...last }];
  return {
    ...(hasSystem ? { system: [{ type: "text", text: toWellFormed(system), ...mark }] } : {}),
    ...(tools.length === 0 ? {} : { tools: sentTools }),
  } as JsonObject;
}

/** Marks that tools and blocks carry already. */
function marksIn(parts: readonly unknown[]): number {
  const marksOf = (part: unknown): number => (isObject(part) && isObject(part["cache_control"]) ? 1 : 0);
  return parts.reduce<number>((count, part) => {
    const content = isObject(part) ? part["content"] : undefined;
    const inside = Array.isArray(content) ? content.reduce((sum: number, one) => sum + marksOf(one), 0) : 0;
    return count + marksOf(part) + inside;
  }, 0);
}

/**
 * Reads the body of a Messages API call, so that `anthropicBody` gives it back. A system prompt of several blocks,
 * or with separate marks, is also a parameter, which wins over its text. @throws ModelError where it is not an object.
 * @internal
 */
export function readAnthropicRequest(sent: unknown): ReadRequest {
  const body = requestBody(sent);
  const { messages: read, unreadable } = fromAnthropic(listOf(body["messages"]));
  const marks = takeMarks(read);
  const maxOutputTokens = asNumber(body["max_tokens"]);
  const hasLimit = maxOutputTokens !== undefined;
  const { parameters, ...common } = commonFields(body, [
    "messages",
    "system",
    ...(hasLimit ? ["max_tokens"] : []),
  ]);
  const system = systemText(body["system"]);
  const request: ModelRequest = {
    ...common,
    ...(system === undefined ? withoutLastMark(common.tools, marks) : { system }),
    messages: marks.messages,
    ...withParameters(parameters ?? {}),
    ...(hasLimit ? { maxOutputTokens } : {}),
    ...(marks.cacheMarks.length === 0 ? {} : { cacheMarks: marks.cacheMarks, cacheTtl: marks.cacheTtl }),
  };
  const isWhole =
    typeof body["system"] === "string" || isSameJson(anthropicBody(request, 0)["system"], body["system"]);
  const kept = { system: body["system"], ...parameters } as JsonObject;
  return {
    request: isWhole ? request : { ...request, parameters: kept },
    isStreaming: body["stream"] === true,
    unreadable,
  };
}

interface ReadMarks {
  readonly messages: readonly RequestMessage[];
  readonly cacheMarks: readonly CacheMark[];
  readonly cacheTtl: "5m" | "1h";
}

/** Cache marks by their place instead of on their blocks; the lifetime of the last is that of all. */
function takeMarks(read: readonly RequestMessage[]): ReadMarks {
  const cacheMarks: CacheMark[] = [];
  let cacheTtl: "5m" | "1h" = "5m";
  const messages = read.map((message, messageIndex) => ({
    ...message,
    content: message.content.map((block, blockIndex) => {
      if (!("cache_control" in block)) return block;
      const { cache_control: mark, ...rest } = block as ContentBlock & { readonly cache_control: unknown };
      if (isObject(mark)) {
        cacheMarks.push({ message: messageIndex, block: blockIndex });
        cacheTtl = mark["ttl"] === "1h" ? "1h" : "5m";
      }
      return rest as ContentBlock;
    }),
  }));
  return { messages, cacheMarks, cacheTtl };
}

/** The mark that `anthropicBody` adds to the last tool where there is no system prompt. */
function withoutLastMark(
  tools: readonly unknown[] | undefined,
  { cacheMarks, cacheTtl }: ReadMarks,
): Pick<ModelRequest, "tools"> {
  const last = tools?.at(-1);
  if (tools === undefined || !isObject(last) || cacheMarks.length === 0) return {};
  const { cache_control: mark, ...rest } = last;
  return isSameJson(mark, cacheControl(cacheTtl)) ? { tools: [...tools.slice(0, -1), rest] } : {};
}

/** The text of a system prompt in either of its forms; its blocks are separate lines. */
function systemText(system: unknown): string | undefined {
  if (typeof system === "string") return system;
  const texts = listOf(system).flatMap((block) => (isObject(block) ? (asString(block["text"]) ?? []) : []));
  return texts.length === 0 ? undefined : texts.join("\n");
}

function cacheControl(cacheTtl: "5m" | "1h"): JsonObject {
  return { type: "ephemeral", ...(cacheTtl === "1h" ? { ttl: cacheTtl } : {}) };
}

function isSameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
