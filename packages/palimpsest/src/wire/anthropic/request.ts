/**
 * Writes a request as the body of an Anthropic Messages API call, and reads such a body back.
 *
 * System prompt and tools are sent byte for byte as the caller passed them, because every cached prompt begins with them.
 * Only a cache mark may be added at their end, and half a character, which every provider refuses, is replaced.
 */
import {
  asNumber,
  asString,
  isObject,
  type JsonObject,
  type JsonValue,
  wellFormedJson,
} from "../../base/json/json.ts";
import { toWellFormed } from "../../base/text/text.ts";
import type { ModelRequest } from "../../ports/model-client.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import type { CacheMark, RequestMessage } from "../../transcript/window.ts";
import { commonFields, type ReadRequest, requestBody, withParameters } from "../shared/read-request.ts";
import { contextManagement } from "./context-management.ts";
import { fromAnthropic } from "./from-anthropic.ts";
import { countMarks, renderAnthropic } from "./to-anthropic.ts";

/** Cache marks that one request may carry. Source: Anthropic docs, "Prompt caching". */
const CACHE_MARKS_COUNT = 4;

/** The body of a Messages API call; these fields are required. @internal */
export interface AnthropicBody extends JsonObject {
  readonly model: string;
  readonly max_tokens: number;
}

/** Returns the body, without `stream`. `parameters` override all fields except the messages. @internal */
export function anthropicBody(request: ModelRequest, maxOutputTokens: number): AnthropicBody {
  const { model, tools = [], parameters = {}, cacheMarks = [], cacheTtl = "5m" } = request;
  const { messages, marksCount } = renderAnthropic(request.messages, { cacheMarks, cacheTtl });
  const toolMarksCount = countMarks(tools);
  const marksLeft = cacheMarks.length === 0 ? 0 : CACHE_MARKS_COUNT - toolMarksCount - marksCount;
  // The API takes entries of an hour only before those of five minutes.
  const isAfterMark = toolMarksCount > 0;
  const headTtl = isAfterMark ? cacheTtl : (request.headCacheTtl ?? cacheTtl);
  const head = markedHead(request.system, tools, marksLeft > 0 ? headTtl : undefined);
  const { fields } = contextManagement(request);
  const body = { model, max_tokens: maxOutputTokens, ...head, ...fields, ...parameters, messages };
  return body as unknown as AnthropicBody;
}

/**
 * Returns the fields for system prompt and tools. With `cacheTtl` the last of them carries a cache mark, which covers both:
 * a prompt begins with the tools.
 */
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
    ...(tools.length === 0 ? {} : { tools: wellFormedJson(sentTools as JsonValue) }),
  } as JsonObject;
}

/**
 * Reads the body of a Messages API call; `anthropicBody` writes it again. A system prompt of several blocks, or with cache
 * marks of the host, is also kept as a parameter, which overrides its text.
 * @throws ModelError if the body is not an object.
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
    ...(marks.cacheMarks.length > 0 && hasLongHead(body) && marks.cacheTtl === "5m"
      ? { headCacheTtl: "1h" as const }
      : {}),
  };
  // True if `anthropicBody` writes the system prompt as it was.
  const isReproduced =
    typeof body["system"] === "string" || isSameJson(anthropicBody(request, 0)["system"], body["system"]);
  const kept = { system: body["system"], ...parameters } as JsonObject;
  return {
    request: isReproduced ? request : { ...request, parameters: kept },
    isStreaming: body["stream"] === true,
    unreadable,
  };
}

interface ReadMarks {
  readonly messages: readonly RequestMessage[];
  readonly cacheMarks: readonly CacheMark[];
  readonly cacheTtl: "5m" | "1h";
}

/** Moves cache marks from their blocks into a list of places. The lifetime of the last mark is used for all. */
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

/** Removes the mark that `anthropicBody` adds to the last tool of a request without a system prompt. */
function withoutLastMark(
  tools: readonly unknown[] | undefined,
  { cacheMarks, cacheTtl }: ReadMarks,
): Pick<ModelRequest, "tools"> {
  const last = tools?.at(-1);
  if (tools === undefined || !isObject(last) || cacheMarks.length === 0) return {};
  const { cache_control: mark, ...rest } = last;
  const isOurs = isSameJson(mark, cacheControl(cacheTtl)) || isSameJson(mark, cacheControl("1h"));
  return isOurs ? { tools: [...tools.slice(0, -1), rest] } : {};
}

/** True if the end of system prompt and tools is marked for an hour. */
function hasLongHead(body: Readonly<Record<string, unknown>>): boolean {
  const end = listOf(body["system"]).at(-1) ?? listOf(body["tools"]).at(-1);
  return isObject(end) && isSameJson(end["cache_control"], cacheControl("1h"));
}

/** Returns the text of a system prompt, which is a string or a list of text blocks. */
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
