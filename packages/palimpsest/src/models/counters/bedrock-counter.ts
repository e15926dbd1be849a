/**
 * The counting endpoint of Amazon Bedrock, which counts Claude's requests as they would be billed there.
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
/** Region of an inference profile, in front of the model's own id: the endpoint counts for models only. */
const PROFILE_REGION = /^(?:[a-z]{2,6}(?:-gov)?|global)\.(?=[a-z0-9-]+\.)/;

/** Counts with `CountTokens`. Models other than Claude's are refused by the endpoint; the chain goes on then. */
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
    // Asked for by the form of the body; what is counted does not depend on it.
    max_tokens: 1,
    ...(system === undefined || system.trim() === "" ? {} : { system }),
    ...(definitions.length === 0 ? {} : { tools: definitions }),
    messages: toAnthropic<JsonObject>(messages),
  } as JsonObject;
}
