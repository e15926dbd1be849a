/**
 * One recorded message of gemini-cli in our terms. An answer and what its tools said are in one
 * record; they become an assistant message and a user message with the results.
 */

import { asNumber, asString, isObject } from "../../base/json/json.ts";
import type { ContentBlock, Usage } from "../../transcript/blocks.ts";
import { type OnDamage, wellFormedBlock } from "../../wire/shared/well-formed-block.ts";
import type { ParsedMessage } from "../shared/conversation-builder.ts";
import {
  ASSISTANT,
  contentParts,
  type Fields,
  fieldsOf,
  HOST,
  listOf,
  parseTimestamp,
  TOOL,
  usageOfTotal,
} from "../shared/fields.ts";
import type { LeftOutReason } from "../shared/imported-session.ts";
import { geminiBlock, toolResultOf } from "./gemini-part.ts";

/** @internal */
interface ParsedGeminiMessage {
  readonly parsed: ParsedMessage;
  readonly leftOut?: LeftOutReason;
}

/** State for references to earlier messages, while a session is read. @internal */
export class GeminiCalls {
  readonly #answered = new Set<string>();
  /** Calls without an id by name, the first `next` of them answered. */
  readonly #unnamed = new Map<string, { readonly ids: string[]; next: number }>();
  #count = 0;

  /** Ids for calls without one: a result belongs to the oldest open call of its name. */
  readonly idFor = (name: string, kind: "call" | "result"): string => {
    const calls = this.#unnamed.get(name) ?? { ids: [], next: 0 };
    const open = kind === "result" ? calls.ids[calls.next++] : undefined;
    if (open !== undefined) return open;
    const id = `function_call_${++this.#count}`;
    if (kind === "call") calls.ids.push(id);
    this.#unnamed.set(name, calls);
    return id;
  };

  /** True if this is the first result of the call; the same answer is recorded in several places. */
  isFirstResult(id: string): boolean {
    if (this.#answered.has(id)) return false;
    this.#answered.add(id);
    return true;
  }
}

/** @internal */
interface GeminiContext {
  readonly calls: GeminiCalls;
  readonly onDamage: OnDamage;
  readonly line: number | undefined;
}

/** The messages that a record represents; none for a type that is not known. @internal */
export function geminiMessages(
  raw: Fields,
  context: GeminiContext,
): readonly ParsedGeminiMessage[] | undefined {
  switch (raw["type"]) {
    case "user":
      return [userMessage(raw, context)].filter(({ parsed }) => parsed.content.length > 0 || saysText(raw));
    case "gemini":
      return answerMessages(raw, context);
    case "info":
    case "warning":
      return [notice(raw, "transcript-only", context)];
    case "error":
      return [notice(raw, "api-error", context)];
    default:
      return undefined;
  }
}

/** True if nothing but results of tools is in it. */
function saysText(raw: Fields): boolean {
  return !contentParts(raw["content"]).some((part) => isObject(part) && isObject(part["functionResponse"]));
}

/** The text of a message, in one piece. @internal */
export function geminiText(raw: Fields): string {
  return contentParts(raw["content"])
    .map((part) => (typeof part === "string" ? part : isObject(part) ? (asString(part["text"]) ?? "") : ""))
    .join("");
}

/** Commands to the tool itself are recorded among the messages and never sent. @internal */
export function isCommand(raw: Fields): boolean {
  return /^\s*[/?]/.test(geminiText(raw));
}

function userMessage(raw: Fields, { calls, onDamage, line }: GeminiContext): ParsedGeminiMessage {
  const content = contentParts(raw["content"])
    .map((part) => geminiBlock(part, { role: "user", onDamage, callId: calls.idFor }))
    .filter((block) => block.type !== "tool_result" || calls.isFirstResult(block.tool_use_id));
  const origin = content.some((block) => block.type === "tool_result") ? "tool" : "user";
  return {
    parsed: { message: { role: "user", origin, ...common(raw) }, content, line },
    ...(isCommand(raw) ? { leftOut: "transcript-only" } : {}),
  };
}

function answerMessages(
  raw: Fields,
  { calls, onDamage, line }: GeminiContext,
): readonly ParsedGeminiMessage[] {
  const place = { role: "assistant", onDamage } as const;
  const blocks = contentParts(raw["content"]).map((part) =>
    geminiBlock(part, { ...place, callId: calls.idFor }),
  );
  const inContent = new Set(blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])));
  const recorded = listOf(raw["toolCalls"]);
  const called = recorded.flatMap((call: unknown) => {
    const block = callBlock(call, onDamage);
    return block.type === "tool_use" && inContent.has(block.id) ? [] : [block];
  });
  const answer: ParsedMessage = {
    message: { ...ASSISTANT, ...common(raw), model: asString(raw["model"]) },
    content: [...thoughts(raw["thoughts"]), ...blocks, ...called],
    usage: geminiUsage(raw["tokens"]),
    line,
  };
  const results = recorded.flatMap((call: unknown) => resultBlocks(call, { calls, onDamage }));
  if (results.length === 0) return [{ parsed: answer }];
  const at = recorded.reduce<number | undefined>((latest, call: unknown) => {
    const time = parseTimestamp(fieldsOf(call)["timestamp"]);
    return time === undefined ? latest : Math.max(latest ?? time, time);
  }, undefined);
  return [{ parsed: answer }, { parsed: { message: { ...TOOL, at }, content: results, line } }];
}

function callBlock(call: unknown, onDamage: OnDamage): ContentBlock {
  const block = isObject(call)
    ? { type: "tool_use", id: call["id"], name: call["name"], input: call["args"] ?? {} }
    : call;
  return wellFormedBlock(block, { role: "assistant", onDamage, original: call });
}

function resultBlocks(
  call: unknown,
  { calls, onDamage }: Pick<GeminiContext, "calls" | "onDamage">,
): readonly ContentBlock[] {
  if (!isObject(call)) return [];
  const { id, result, status } = call;
  if (typeof id !== "string" || result === undefined || result === null || !calls.isFirstResult(id))
    return [];
  const block = toolResultOf(id, result, status === "error" || status === "cancelled");
  return [wellFormedBlock(block, { role: "user", onDamage, original: result })];
}

/** Summaries of the reasoning: what the tool shows, unsigned, and not what is sent back. */
function thoughts(value: unknown): readonly ContentBlock[] {
  return listOf(value).flatMap((thought): readonly ContentBlock[] => {
    const subject = asString(fieldsOf(thought)["subject"]) ?? "";
    const description = asString(fieldsOf(thought)["description"]) ?? "";
    const text = [subject === "" ? "" : `**${subject}**`, description]
      .filter((part) => part !== "")
      .join("\n");
    return text === "" ? [] : [{ type: "thinking", thinking: text }];
  });
}

function notice(raw: Fields, reason: LeftOutReason, { line }: GeminiContext): ParsedGeminiMessage {
  const content: ContentBlock[] = [{ type: "text", text: geminiText(raw) }];
  return {
    parsed: { message: { ...HOST, ...common(raw) }, content, isAttachment: true, line },
    leftOut: reason,
  };
}

function common(raw: Fields) {
  return { hostId: asString(raw["id"]), at: parseTimestamp(raw["timestamp"]) };
}

/** The prompt as it is reported includes what was read from the cache; thoughts are billed as output. */
function geminiUsage(value: unknown): Usage | undefined {
  const { input, tool, cached, output, thoughts: thinking } = fieldsOf(value);
  const sum = (one: unknown, other: unknown): number => (asNumber(one) ?? 0) + (asNumber(other) ?? 0);
  const prompt = sum(input, tool);
  const cacheRead = Math.min(asNumber(cached) ?? 0, prompt);
  return usageOfTotal({ input: prompt, cacheRead, output: sum(output, thinking) });
}
