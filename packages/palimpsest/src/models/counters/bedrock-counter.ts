/**
 * A token counter over Amazon Bedrock's counting endpoint, which counts requests to Claude as Bedrock would bill them.
 */
import { asNumber, isObject, type JsonObject } from "../../base/json/json.ts";
import type { CountableRequest, TokenCounter } from "../../ports/model-client.ts";
import { toAnthropic } from "../../wire/anthropic/to-anthropic.ts";
import { unreadableAnswer } from "../../wire/shared/answer-assembly.ts";
import { anthropicToolDefinitions } from "../shared/sdk-call.ts";

/** `new BedrockRuntime()` of `@aws-sdk/client-bedrock-runtime`, or `{ countTokens: (input) => client.send(new CountTokensCommand(input)) }`. */
export interface BedrockCountingClient {
  countTokens(input: object): PromiseLike<unknown>;
}

/** Version of the Messages API that Bedrock takes. Source: Amazon Bedrock user guide, "Anthropic Claude Messages API". */
const ANTHROPIC_VERSION = "bedrock-2023-05-31";
/** Region prefix of an inference profile's id. It is removed, because the endpoint accepts only ids of models. */
const PROFILE_REGION = /^(?:[a-z]{2,6}(?:-gov)?|global)\.(?=[a-z0-9-]+\.)/;

/** Counts with `CountTokens`. The endpoint refuses other models than Claude; then the next counter is asked. */
export function bedrockCounter(client: BedrockCountingClient): TokenCounter {
  return {
    name: "bedrock-count-tokens",
    count: async (request) => {
      const body = new TextEncoder().encode(JSON.stringify(bodyOf(request)));
      const modelId = request.model.replace(PROFILE_REGION, "");
      const answer = await client.countTokens({ modelId, input: { invokeModel: { body } } });
      const tokens = isObject(answer) ? asNumber(answer["inputTokens"]) : undefined;
      if (tokens === undefined) throw unreadableAnswer("Bedrock", answer);
      return tokens;
    },
  };
}

function bodyOf({ system, tools, messages }: CountableRequest): JsonObject {
  const definitions = anthropicToolDefinitions(tools);
  return {
    anthropic_version: ANTHROPIC_VERSION,
    // A required field; it does not affect the count.
    max_tokens: 1,
    ...(system === undefined || system.trim() === "" ? {} : { system }),
    ...(definitions.length === 0 ? {} : { tools: definitions }),
    messages: toAnthropic<JsonObject>(messages),
  } as JsonObject;
}
