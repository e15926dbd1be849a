/**
 * The types of the OpenAI SDK's client (`new OpenAI()` of `openai`, its client for Azure, or one with the `baseURL` of a
 * compatible server), and a token counter over it. The SDK is never imported.
 */
import { asNumber, isObject, type JsonObject } from "../../base/json/json.ts";
import { toWellFormed } from "../../base/text/text.ts";
import type { TokenCounter } from "../../ports/model-client.ts";
import { toOpenAIResponses } from "../../wire/openai-responses/to-openai-responses.ts";
import { unreadableAnswer } from "../../wire/shared/answer-assembly.ts";
import { checkClient } from "../shared/check-client.ts";
import { toolDefinitions } from "../shared/sdk-call.ts";

/** A client of the OpenAI SDK, as far as Chat Completions need it. */
export interface OpenAIChatClient {
  readonly chat: {
    readonly completions: { create(body: object, options?: object): PromiseLike<unknown> };
  };
}

/** A client of the OpenAI SDK, as far as the Responses API needs it. */
export interface OpenAIResponsesClient {
  /** Says which endpoint it is. */
  readonly baseURL?: string;
  readonly responses: {
    create(body: object, options?: object): PromiseLike<unknown>;
    /** Summarises; older SDKs have none. */
    compact?(body: object, options?: object): PromiseLike<unknown>;
    /** Counts requests; older SDKs and most compatible servers have none. */
    readonly inputTokens?: { count(body: object, options?: object): PromiseLike<unknown> };
  };
}

/** Counts with `client.responses.inputTokens.count`; `undefined` where the client cannot. @throws `OptionError` for another client */
export function openaiInputTokensCounter(client: OpenAIResponsesClient): TokenCounter | undefined {
  checkClient("openaiInputTokensCounter", client, "openai-responses", "responses");
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
