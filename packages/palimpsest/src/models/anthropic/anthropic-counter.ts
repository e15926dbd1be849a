/**
 * Anthropic's counting endpoint: free, with limits of its own, exact but for what the server adds. It
 * refuses requests with server tools and with files by address; then the chain goes on to the next counter.
 */
import { asNumber, isObject, type JsonObject } from "../../base/json/json.ts";
import type { TokenCounter } from "../../ports/token-counter.ts";
import { toAnthropic } from "../../wire/anthropic/to-anthropic.ts";
import { unreadableAnswer } from "../../wire/shared/answer-assembly.ts";
import { anthropicToolDefinitions } from "../shared/tool-definitions.ts";
import type { AnthropicClient } from "./anthropic-client.ts";

/** Counts with `client.messages.countTokens`; `undefined` where the client cannot. */
export function anthropicCounter(client: Pick<AnthropicClient, "messages">): TokenCounter | undefined {
  const { messages: api } = client;
  if (typeof api.countTokens !== "function") return undefined;
  return {
    name: "anthropic-count-tokens",
    count: async ({ model, system, tools, messages }) => {
      const hasSystem = system !== undefined && system.trim() !== "";
      const definitions = anthropicToolDefinitions(tools);
      const answer = await api.countTokens!({
        model,
        ...(hasSystem ? { system } : {}),
        ...(definitions.length === 0 ? {} : { tools: definitions }),
        messages: toAnthropic<JsonObject>(messages),
      });
      const tokens = isObject(answer) ? asNumber(answer["input_tokens"]) : undefined;
      if (tokens === undefined) throw unreadableAnswer("anthropic", answer);
      return tokens;
    },
  };
}
