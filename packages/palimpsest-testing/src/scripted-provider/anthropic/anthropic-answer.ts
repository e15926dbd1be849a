/**
 * Writes an answer as the Anthropic Messages API does: as one message, or as its events in their real order,
 * with pings in between.
 */

import type { StopReason } from "palimpsest/internal";
import { asString, isObject, type JsonObject } from "palimpsest/internal";
import type { AnswerTurn, AnswerUsage, Reply } from "../dialect/dialect.ts";
import { PROVIDER_FACTS } from "../dialect/provider-facts.ts";
import { inPieces, jsonReply, namedEvent, streamReply } from "../dialect/reply.ts";
import { BINDING_BETA } from "./anthropic-prompt.ts";

type Block = Readonly<Record<string, unknown>> & { readonly type: string };

const STOP_REASONS: Readonly<Record<StopReason, string>> = {
  end: "end_turn",
  "tool-use": "tool_use",
  "output-limit": "max_tokens",
  "window-full": "model_context_window_exceeded",
  refusal: "refusal",
  paused: "pause_turn",
  other: "stop_sequence",
};

/** The answer to a request, in the form that it asked for. */
export function writeAnthropicAnswer(turn: AnswerTurn): Reply {
  const blocks = blocksOf(turn);
  const message = messageOf(turn, blocks);
  const headers = { "request-id": turn.newId("req_") };
  return turn.incoming.isStreaming
    ? streamReply(eventsOf(message, blocks), headers)
    : jsonReply(message, 200, headers);
}

/** Blocks of the answer; thinking is signed over everything before it. */
function blocksOf({ answer, incoming, reading, newId }: AnswerTurn): readonly Block[] {
  const thinking = incoming.body["thinking"];
  const isOmitted = isObject(thinking) && thinking["display"] === "omitted";
  return answer.parts.flatMap((part): Block[] => {
    if (part.type === "thinking") {
      const text = isOmitted ? "" : part.text;
      return [{ type: "thinking", thinking: text, signature: reading.seal.sealThinking(text) }];
    }
    const block: Block =
      part.type === "text"
        ? { type: "text", text: part.text }
        : { type: "tool_use", id: part.id ?? newId("toolu_"), name: part.name, input: part.input };
    if (part.type === "text" && part.text === "") return [];
    reading.seal.addBlock(block);
    return [block];
  });
}

function messageOf(turn: AnswerTurn, blocks: readonly Block[]): JsonObject & { readonly usage: JsonObject } {
  const { incoming, answer, reading, newId } = turn;
  const transformations = reading.reasoning.dropped.map(({ path, reason }) => ({
    type: "thinking_dropped",
    path,
    reason,
  }));
  return {
    id: newId("msg_"),
    type: "message",
    role: "assistant",
    model: incoming.model,
    content: blocks as unknown as readonly JsonObject[],
    stop_reason: STOP_REASONS[answer.stopReason],
    stop_sequence: null,
    stop_details:
      answer.stopReason === "refusal" ? { type: "refusal", category: null, explanation: null } : null,
    container: null,
    ...(incoming.betas.includes(BINDING_BETA) ? { input_transformations: transformations } : {}),
    usage: usageOf(turn.usage),
  };
}

/** A gateway that withholds usage reports zeros: the field itself cannot be left out. */
function usageOf(usage: AnswerUsage | undefined): JsonObject {
  if (usage === undefined) return { input_tokens: 0, output_tokens: 0 };
  const { cache, reported } = usage;
  const { "5m": written5m, "1h": written1h } = cache.writtenTokens;
  const read = reported.cacheReadTokens ?? cache.readTokens;
  const written = reported.cacheWriteTokens ?? written5m + written1h;
  return {
    input_tokens:
      reported.promptTokens === undefined
        ? cache.plainTokens
        : Math.max(0, reported.promptTokens - read - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    cache_creation: {
      ephemeral_5m_input_tokens: Math.max(0, written - written1h),
      ephemeral_1h_input_tokens: Math.min(written, written1h),
    },
    output_tokens: reported.outputTokens ?? usage.outputTokens,
    output_tokens_details: { thinking_tokens: usage.thinkingTokens },
    service_tier: "standard",
  };
}

function eventsOf(
  message: JsonObject & { readonly usage: JsonObject },
  blocks: readonly Block[],
): readonly string[] {
  const { usage, stop_reason, stop_sequence, stop_details } = message;
  const start = { ...message, content: [], stop_reason: null, stop_details: null };
  const { output_tokens_details: _, ...startUsage } = usage;
  const events = [
    namedEvent({ type: "message_start", message: { ...start, usage: { ...startUsage, output_tokens: 1 } } }),
    ...blocks.flatMap((block, index) => blockEvents(block, index)),
    namedEvent({
      type: "message_delta",
      delta: {
        stop_reason: stop_reason ?? null,
        stop_sequence: stop_sequence ?? null,
        stop_details: stop_details ?? null,
        container: null,
      },
      usage: deltaUsage(usage),
    }),
    namedEvent({ type: "message_stop" }),
  ];
  return withPings(events);
}

function deltaUsage(usage: JsonObject): JsonObject {
  const { cache_creation: _creation, service_tier: _tier, ...totals } = usage;
  return totals;
}

function blockEvents(block: Block, index: number): readonly string[] {
  const delta = (delta: Block): string => namedEvent({ type: "content_block_delta", index, delta });
  const pieces = (text: string): readonly string[] => inPieces(text, PROVIDER_FACTS.deltaLength);
  const start = (content_block: Block): string =>
    namedEvent({ type: "content_block_start", index, content_block });
  const stop = namedEvent({ type: "content_block_stop", index });
  if (block.type === "thinking")
    return [
      start({ type: "thinking", thinking: "", signature: "" }),
      ...pieces(asString(block["thinking"]) ?? "").map((thinking) =>
        delta({ type: "thinking_delta", thinking }),
      ),
      delta({ type: "signature_delta", signature: block["signature"] }),
      stop,
    ];
  if (block.type === "tool_use")
    return [
      start({ ...block, input: {} }),
      delta({ type: "input_json_delta", partial_json: "" }),
      ...pieces(JSON.stringify(block["input"])).map((partial_json) =>
        delta({ type: "input_json_delta", partial_json }),
      ),
      stop,
    ];
  return [
    start({ type: "text", text: "" }),
    ...pieces(asString(block["text"]) ?? "").map((text) => delta({ type: "text_delta", text })),
    stop,
  ];
}

/** A ping after the first block has begun, and then every few events. */
function withPings(events: readonly string[]): readonly string[] {
  const ping = namedEvent({ type: "ping" });
  return events.flatMap((event, index) =>
    index === 1 || (index > 1 && index % PROVIDER_FACTS.deltasPerPing === 0 && index < events.length - 1)
      ? [event, ping]
      : [event],
  );
}
