/**
 * Reads the prompt of an OpenAI Chat Completions request, for the scripted provider. Clients of this API do not send
 * reasoning back, so there is none to check.
 */
import { isObject, readChatRequest } from "palimpsest/internal";
import { askedOf } from "../dialect/answer-reply.ts";
import type { IncomingRequest, PromptReading, ReadingRules } from "../dialect/dialect.ts";
import { sumPromptTokens } from "../dialect/prompt.ts";
import {
  type ContentFields,
  contentText,
  contentWords,
  fieldsText,
  listOf,
  mediaCountOf,
  openAiPosition,
  toolPositions,
} from "./openai-content.ts";

export function readChatPrompt({ body }: IncomingRequest, { count }: ReadingRules): PromptReading {
  const messages = listOf(body["messages"]).filter(isObject);
  const positions = [
    ...toolPositions(body["tools"], count),
    ...messages.map((message, index) =>
      openAiPosition(
        {
          text: `${fieldsText(message, ["content"])} ${contentText(message["content"])}`,
          counted: `${contentWords(message["content"])}${callsText(message)}`,
          mediaCount: mediaCountOf(message["content"]),
        },
        { tier: "messages", path: `messages[${index}]`, count },
      ),
    ),
  ];
  return {
    positions,
    promptTokens: sumPromptTokens(positions),
    ...askedOf(readChatRequest(body)),
    reasoning: { keptCount: 0, dropped: [], refused: undefined },
    seal: { sealThinking: () => "", addBlock: () => undefined, compacted: () => undefined },
  };
}

function callsText(message: ContentFields): string {
  return listOf(message["tool_calls"])
    .flatMap((call) => (isObject(call) && isObject(call["function"]) ? [call["function"]] : []))
    .map(({ name, arguments: given }) => `\n${String(name)} ${String(given)}`)
    .join("");
}
