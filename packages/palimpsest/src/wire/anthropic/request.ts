/**
 * A request → the body of a Messages API call.
 *
 * System prompt and tools are sent as they were handed over, byte for byte, because everything that is
 * cached begins with them; the one thing that may be added is a cache mark at their end.
 */
import { isObject, type JsonObject } from "../../base/json/json.ts";
import { toWellFormed } from "../../base/text/text.ts";
import type { ModelRequest } from "../../ports/model-client.ts";
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
  const mark =
    cacheTtl === undefined
      ? {}
      : { cache_control: { type: "ephemeral", ...(cacheTtl === "1h" ? { ttl: cacheTtl } : {}) } };
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
