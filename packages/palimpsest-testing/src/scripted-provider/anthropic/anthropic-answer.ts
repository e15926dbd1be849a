/**
 * Writes an answer as the Anthropic Messages API does: as one message, or as its events in their real order,
 * with pings in between.
 */
import type { ContentBlock } from "palimpsest";
import {
  AnthropicWriter,
  anthropicMessage,
  isObject,
  type JsonObject,
  namedEvent,
} from "palimpsest/internal";
import { answerOf, answerReply, PIECES } from "../dialect/answer-reply.ts";
import type { AnswerTurn, Reply, TurnCompaction } from "../dialect/dialect.ts";
import { PROVIDER_FACTS } from "../dialect/provider-facts.ts";
import { BINDING_BETA } from "./anthropic-prompt.ts";

/** The answer to a request, in the form that it asked for. */
export function writeAnthropicAnswer(turn: AnswerTurn): Reply {
  const { newId, incoming } = turn;
  const { compaction } = turn;
  if (compaction !== undefined) turn.reading.seal.compacted(compaction.block);
  const summary = compaction === undefined ? [] : [compaction.block as unknown as ContentBlock];
  const content = [...summary, ...blocksOf(turn)];
  const message = anthropicMessage(answerOf(turn, content), { id: newId("msg_"), model: incoming.model });
  const body = { ...message, ...extrasOf(turn), ...usageOf(message["usage"] as JsonObject, turn) };
  const headers = { "request-id": newId("req_") };
  const reply = answerReply(turn, { body, content, writer: new AnthropicWriter(PIECES), headers });
  return incoming.isStreaming ? { ...reply, frames: withPings(reply.frames) } : reply;
}

/** Blocks of the answer; thinking is signed over everything before it. */
function blocksOf({ answer, incoming, reading, newId }: AnswerTurn): readonly ContentBlock[] {
  const thinking = incoming.body["thinking"];
  const isOmitted = isObject(thinking) && thinking["display"] === "omitted";
  return answer.parts.flatMap((part): ContentBlock[] => {
    if (part.type === "thinking") {
      const text = isOmitted ? "" : part.text;
      return [{ type: "thinking", thinking: text, signature: reading.seal.sealThinking(text) }];
    }
    if (part.type === "text" && part.text === "") return [];
    const block: ContentBlock =
      part.type === "text"
        ? { type: "text", text: part.text }
        : { type: "tool_use", id: part.id ?? newId("toolu_"), name: part.name, input: part.input };
    reading.seal.addBlock({ ...block });
    return [block];
  });
}

/** Fields of a message that say how this provider came to it. */
function extrasOf({ answer, incoming, reading }: AnswerTurn): JsonObject {
  const isRefused = answer.stopReason === "refusal";
  const input_transformations = reading.reasoning.dropped.map(({ path, reason }) => ({
    type: "thinking_dropped",
    path,
    reason,
  }));
  return {
    stop_details: isRefused ? { type: "refusal", category: null, explanation: null } : null,
    container: null,
    ...(incoming.betas.includes(BINDING_BETA) ? { input_transformations } : {}),
    ...(incoming.body["context_management"] === undefined
      ? {}
      : { context_management: { applied_edits: [...(reading.managed?.applied ?? [])] } }),
  };
}

/** A summary alone: its figures are in the iterations, and nothing was answered. */
export function writeAnthropicSummary(turn: AnswerTurn & { readonly compaction: TurnCompaction }): Reply {
  const { newId, incoming, compaction } = turn;
  const content = [compaction.block as unknown as ContentBlock];
  const answer = { messages: [{ role: "assistant" as const, content }], stopReason: "paused" as const };
  const message = anthropicMessage(
    { ...answer, rawStopReason: "compaction" },
    { id: newId("msg_"), model: incoming.model },
  );
  const usage = { input_tokens: 0, output_tokens: 0, iterations: [iterationOf(compaction)] };
  const headers = { "request-id": newId("req_") };
  return answerReply(turn, {
    body: { ...message, usage },
    content,
    writer: new AnthropicWriter(PIECES),
    headers,
  });
}

/** The figures of a summary. */
function iterationOf({ cache, outputTokens }: TurnCompaction): JsonObject {
  return {
    type: "compaction",
    input_tokens: cache.plainTokens,
    cache_read_input_tokens: cache.readTokens,
    cache_creation_input_tokens: cache.writtenTokens["5m"] + cache.writtenTokens["1h"],
    output_tokens: outputTokens,
  };
}

/** A gateway that withholds usage reports zeros and nothing else. */
function usageOf(figures: JsonObject, { usage, compaction }: AnswerTurn): JsonObject {
  if (usage === undefined) return {};
  const written = Number(figures["cache_creation_input_tokens"]);
  const written1h = usage.cache.writtenTokens["1h"];
  return {
    usage: {
      ...figures,
      cache_creation: {
        ephemeral_5m_input_tokens: Math.max(0, written - written1h),
        ephemeral_1h_input_tokens: Math.min(written, written1h),
      },
      output_tokens_details: { thinking_tokens: usage.thinkingTokens },
      service_tier: "standard",
      ...(compaction === undefined
        ? {}
        : { iterations: [iterationOf(compaction), { ...figures, type: "message" }] }),
    },
  };
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
