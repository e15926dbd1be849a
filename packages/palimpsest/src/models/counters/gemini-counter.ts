/**
 * A token counter over the counting endpoints of Gemini and Vertex AI.
 *
 * Vertex AI accepts system prompt and tools in their own fields. The Gemini API accepts only contents, so there they are
 * counted as text, which differs by a few tokens.
 */
import { asNumber, isObject, type JsonObject } from "../../base/json/json.ts";
import { toWellFormed } from "../../base/text/text.ts";
import type { CountableRequest, TokenCounter } from "../../ports/model-client.ts";
import { geminiContents, geminiContentsText } from "../../wire/gemini/gemini-contents.ts";
import { unreadableAnswer } from "../../wire/shared/answer-assembly.ts";
import { toolDefinitions } from "../shared/sdk-call.ts";

/** `new GoogleGenAI()` of `@google/genai`, for Gemini or for Vertex AI. */
export interface GeminiCountingClient {
  /** True if it calls Vertex AI. */
  readonly vertexai?: boolean;
  readonly models: { countTokens(request: object): PromiseLike<unknown> };
}

/** Counts with `client.models.countTokens`. */
export function geminiCounter(client: GeminiCountingClient): TokenCounter {
  const isVertex = client.vertexai === true;
  return {
    name: isVertex ? "vertex-count-tokens" : "gemini-count-tokens",
    count: async (request) => {
      const answer = await client.models.countTokens(
        isVertex ? vertexRequest(request) : geminiRequest(request),
      );
      const tokens = isObject(answer) ? asNumber(answer["totalTokens"]) : undefined;
      if (tokens === undefined) throw unreadableAnswer("Gemini", answer);
      return tokens;
    },
  };
}

function vertexRequest({ model, system, tools, messages }: CountableRequest): JsonObject {
  const definitions = toolDefinitions(tools);
  return {
    model,
    contents: geminiContents(messages),
    config: {
      ...(system === undefined || system === "" ? {} : { systemInstruction: toWellFormed(system) }),
      ...(definitions.length === 0 ? {} : { tools: definitions }),
    },
  } as JsonObject;
}

function geminiRequest({ model, system, tools, messages }: CountableRequest): JsonObject {
  const head = [system, tools].flatMap((text) =>
    text === undefined || text === "" ? [] : [geminiContentsText(text)],
  );
  return { model, contents: [...head, ...geminiContents(messages)] };
}
