/**
 * OpenAI's counting endpoint of the Responses API, exact for what would be sent.
 */
import { asNumber, isObject, type JsonObject } from "../../base/json/json.ts";
import { toWellFormed } from "../../base/text/text.ts";
import type { TokenCounter } from "../../ports/token-counter.ts";
import { toOpenAIResponses } from "../../wire/openai-responses/to-openai-responses.ts";
import { unreadableAnswer } from "../../wire/shared/answer-assembly.ts";
import { toolDefinitions } from "../shared/tool-definitions.ts";
import type { OpenAIResponsesClient } from "./openai-client.ts";

/** Counts with `client.responses.inputTokens.count`; `undefined` where the client cannot. */
export function openaiInputTokensCounter(client: OpenAIResponsesClient): TokenCounter | undefined {
  const { inputTokens } = client.responses;
  if (typeof inputTokens?.count !== "function") return undefined;
  return {
    name: "openai-input-tokens",
    count: async ({ model, system, tools, messages }) => {
      const definitions = toolDefinitions(tools);
      const answer = await inputTokens.count({
        model,
        ...(system === undefined || system === "" ? {} : { instructions: toWellFormed(system) }),
        ...(definitions.length === 0 ? {} : { tools: definitions }),
        input: toOpenAIResponses<JsonObject>(messages),
      });
      const tokens = isObject(answer) ? asNumber(answer["input_tokens"]) : undefined;
      if (tokens === undefined) throw unreadableAnswer("openai", answer);
      return tokens;
    },
  };
}
