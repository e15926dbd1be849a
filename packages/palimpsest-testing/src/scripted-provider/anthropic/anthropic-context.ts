/**
 * Context management as Anthropic's server does it: before the model reads a request, it drops what a compaction block
 * replaces, clears old thinking and old results by rule, and says when a summary is due.
 *
 * The server remembers nothing: each request is edited by itself. Sources: Anthropic docs, "Context editing", "Compaction at a
 * token threshold" and "Compaction on demand".
 */
import { asNumber, asString, isObject, type JsonObject } from "palimpsest/internal";
import type { ManagedContext } from "../dialect/dialect.ts";
import { sealText } from "../dialect/reasoning-seal.ts";

type Fields = Readonly<Record<string, unknown>>;
type Count = (body: Fields) => number;

const CLEARED_RESULT = "[Old tool result content cleared by context management]";
const BLOCK_PREFIX = "EuYB";

/** The request as the model reads it; `undefined` where nothing is edited. `count`: tokens of a body. */
export function manageAnthropicContext(body: Fields, count: Count): ManagedContext | undefined {
  const asked = isObject(body["context_management"]) ? listOf(body["context_management"]["edits"]) : [];
  const messages = messagesOf(body);
  let edited: Fields = withMessages(body, afterCompaction(messages));
  if (asked.length === 0 && messagesOf(edited).length === messages.length) return undefined;
  const applied: JsonObject[] = [];
  let compacts = false;
  for (const edit of asked) {
    if (edit["type"] === "compact_20260112") {
      compacts = count(edited) >= (thresholdOf(edit, "input_tokens") ?? DEFAULT_COMPACT_TOKENS);
      continue;
    }
    const before = count(edited);
    const cleared =
      edit["type"] === "clear_thinking_20251015"
        ? clearThinking(edited, edit)
        : clearToolUses(edited, edit, before);
    if (cleared === undefined) continue;
    const freed = before - count(cleared.body);
    const least = isObject(edit["clear_at_least"]) ? (asNumber(edit["clear_at_least"]["value"]) ?? 0) : 0;
    if (freed < least) continue;
    edited = cleared.body;
    applied.push({
      type: String(edit["type"]),
      [cleared.field]: cleared.clearedCount,
      cleared_input_tokens: freed,
    });
  }
  return { body: edited, applied, compacts, originalTokens: count(body) };
}

/** Source: Anthropic docs, "Compaction at a token threshold". */
const DEFAULT_COMPACT_TOKENS = 150_000;
/** Source: Anthropic docs, "Context editing". */
const DEFAULT_CLEAR = { tokens: 100_000, kept: 3 };

interface Cleared {
  readonly body: Fields;
  readonly field: "cleared_tool_uses" | "cleared_thinking_turns";
  readonly clearedCount: number;
}

/** Thinking of the newest turns stays; a turn is the model's, up to the next message of the user. */
function clearThinking(body: Fields, edit: Fields): Cleared | undefined {
  const { keep } = edit;
  const kept =
    isObject(keep) && keep["type"] === "thinking_turns" ? (asNumber(keep["value"]) ?? 1) : Infinity;
  const messages = messagesOf(body);
  const turns = messages.flatMap((message, index) =>
    message["role"] === "assistant" && blocksOf(message).some(isThinking) ? [index] : [],
  );
  const cleared = new Set(turns.slice(0, Math.max(0, turns.length - kept)));
  if (cleared.size === 0) return undefined;
  const next = messages.flatMap((message, index) => {
    if (!cleared.has(index)) return [message];
    const content = blocksOf(message).filter((block) => !isThinking(block));
    return content.length === 0 ? [] : [{ ...message, content }];
  });
  return { body: withMessages(body, next), field: "cleared_thinking_turns", clearedCount: cleared.size };
}

/** Results of all uses but the newest become a placeholder; uses of excluded tools are not counted. */
function clearToolUses(body: Fields, edit: Fields, promptTokens: number): Cleared | undefined {
  const excluded = new Set<unknown>(Array.isArray(edit["exclude_tools"]) ? edit["exclude_tools"] : []);
  const messages = messagesOf(body);
  const names = new Map(
    messages.flatMap((message) =>
      blocksOf(message).flatMap((block) =>
        block["type"] === "tool_use" ? [[block["id"], block["name"]] as const] : [],
      ),
    ),
  );
  const uses = messages.flatMap((message) =>
    blocksOf(message).flatMap((block) =>
      block["type"] === "tool_result" && !excluded.has(names.get(block["tool_use_id"]))
        ? [block["tool_use_id"]]
        : [],
    ),
  );
  const tokens = thresholdOf(edit, "input_tokens");
  const count = thresholdOf(edit, "tool_uses");
  const isDue = count === undefined ? promptTokens > (tokens ?? DEFAULT_CLEAR.tokens) : names.size > count;
  const kept = isObject(edit["keep"]) ? (asNumber(edit["keep"]["value"]) ?? 0) : DEFAULT_CLEAR.kept;
  const cleared = new Set(uses.slice(0, Math.max(0, uses.length - kept)));
  if (!isDue || cleared.size === 0) return undefined;
  const clearsInput = (name: unknown): boolean => {
    const inputs = edit["clear_tool_inputs"];
    return inputs === true || (Array.isArray(inputs) && inputs.includes(name));
  };
  const next = messages.map((message) => ({
    ...message,
    content: blocksOf(message).map((block) => {
      if (block["type"] === "tool_result" && cleared.has(block["tool_use_id"]))
        return { ...block, content: CLEARED_RESULT };
      const isCleared = block["type"] === "tool_use" && cleared.has(block["id"]);
      return isCleared && clearsInput(block["name"]) ? { ...block, input: {} } : block;
    }),
  }));
  return { body: withMessages(body, next), field: "cleared_tool_uses", clearedCount: cleared.size };
}

function thresholdOf(edit: Fields, type: "input_tokens" | "tool_uses"): number | undefined {
  const { trigger } = edit;
  return isObject(trigger) && trigger["type"] === type ? asNumber(trigger["value"]) : undefined;
}

/** What stands before the newest block with a summary is ignored. */
function afterCompaction(messages: readonly Fields[]): readonly Fields[] {
  for (let index = messages.length - 1; index >= 0; index--) {
    const blocks = blocksOf(messages[index]!);
    const place = blocks.findLastIndex(isSummary);
    if (place >= 0)
      return [{ ...messages[index], content: blocks.slice(place) }, ...messages.slice(index + 1)];
  }
  return messages;
}

/** True for a block that holds a summary; one of a failed compaction holds none. */
export function isSummary(block: Fields): boolean {
  return block["type"] === "compaction" && typeof block["content"] === "string";
}

/** The conversation with a summary in its place. On demand the block is signed. */
export function compactAnthropic(
  body: Fields,
  summary: string,
  { key, isOnDemand }: { readonly key: string; readonly isOnDemand: boolean },
): { readonly body: Fields; readonly block: JsonObject } {
  const seal = sealText(summary, key, BLOCK_PREFIX);
  const block: JsonObject = isOnDemand
    ? { type: "compaction", content: summary, signature: seal }
    : { type: "compaction", content: summary, encrypted_content: seal };
  const { context_management: _, compaction: __, ...rest } = body;
  return { body: { ...rest, messages: [{ role: "assistant", content: [block] }] }, block };
}

/** True if the seal of a block does not fit its summary. */
export function isForgedSummary(block: Fields, key: string): boolean {
  const seal = asString(block["signature"]) ?? asString(block["encrypted_content"]);
  return seal !== undefined && seal !== sealText(String(block["content"]), key, BLOCK_PREFIX);
}

function isThinking({ type }: Fields): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function messagesOf(body: Fields): readonly Fields[] {
  return listOf(body["messages"]);
}

function withMessages(body: Fields, messages: readonly Fields[]): Fields {
  return { ...body, messages };
}

function blocksOf({ content }: Fields): readonly Fields[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
