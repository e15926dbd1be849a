/**
 * Writes an answer as the OpenAI Chat Completions API does: one completion, or its chunks.
 */
import type { ContentBlock } from "palimpsest";
import { ChatWriter, chatCompletion, type JsonObject, readChatRequest } from "palimpsest/internal";
import { answerOf, answerReply, PIECES } from "../dialect/answer-reply.ts";
import type { AnswerTurn, Reply } from "../dialect/dialect.ts";

/** The answer to a request, in the form that it asked for. */
export function writeChatAnswer(turn: AnswerTurn): Reply {
  const { newId, incoming, usage, nowSeconds: createdSeconds } = turn;
  const content = blocksOf(turn);
  const head = { id: newId("chatcmpl-"), model: incoming.model, createdSeconds };
  const completion = chatCompletion(answerOf(turn, content), head);
  const details = { reasoning_tokens: usage?.thinkingTokens ?? 0, audio_tokens: 0 };
  const counted = { ...(completion["usage"] as JsonObject), completion_tokens_details: details };
  const { includesUsage } = readChatRequest(incoming.body);
  return answerReply(turn, {
    body: { ...completion, service_tier: "default", ...(usage === undefined ? {} : { usage: counted }) },
    content,
    // Usage comes in a separate chunk, to clients that asked for it.
    writer: new ChatWriter({ ...PIECES, includesUsage }),
    headers: { "x-request-id": newId("req_") },
  });
}

/** One text, and calls; this API does not show reasoning. A refusal in words has a separate field. */
function blocksOf({ answer, newId }: AnswerTurn): readonly ContentBlock[] {
  const text = answer.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const answered: ContentBlock =
    answer.stopReason === "refusal"
      ? { type: "opaque", provider: "openai-chat", value: { type: "refusal", refusal: text } }
      : { type: "text", text };
  const calls = answer.parts.flatMap((part): ContentBlock[] =>
    part.type === "tool-call"
      ? [{ type: "tool_use", id: part.id ?? newId("call_"), name: part.name, input: part.input }]
      : [],
  );
  return text === "" ? calls : [answered, ...calls];
}
