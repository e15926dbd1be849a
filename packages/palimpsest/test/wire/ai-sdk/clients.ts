/** Every client of a model over HTTP, with the vendors' own SDKs. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createAnthropic as createAnthropicV4 } from "@ai-sdk/anthropic-v4";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { aiSdkModel } from "#models/ai-sdk/ai-sdk-model.ts";
import { anthropicModel } from "#models/anthropic/anthropic-model.ts";
import { openaiChatModel } from "#models/openai/chat-model.ts";
import { openaiResponsesModel } from "#models/openai/responses-model.ts";
import type { StreamingModelClient } from "#ports/model-client.ts";
import { anthropicWire, chatWire, responsesWire, type Wire } from "#test/models/ai-sdk/wires.ts";

export interface ConnectedClient {
  readonly name: string;
  readonly wire: Wire;
  readonly model: string;
  /** A client of a server that answers at this address; it does not try again. */
  readonly connect: (url: string) => StreamingModelClient;
  /** The same with a timeout, in milliseconds; `undefined` where the SDK has none. */
  readonly connectWithTimeout?: (url: string, timeout: number) => StreamingModelClient;
  /** A tool in the form that the client takes. */
  readonly tool: object;
  /** A parameter that wins, as it is given and as it is sent. */
  readonly parameter: { readonly given: Record<string, number>; readonly sent: Record<string, number> };
}

const inputSchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;
const aiSdkTool = { type: "function", name: "weather", description: "Weather", inputSchema };
const apiKey = "key";

export const CLIENTS: readonly ConnectedClient[] = [
  {
    name: "anthropicModel",
    wire: anthropicWire,
    model: "claude-opus-4-5",
    connect: (baseURL) =>
      anthropicModel(new Anthropic({ baseURL, apiKey, maxRetries: 0 }), { maxOutputTokens: 1_000 }),
    connectWithTimeout: (baseURL, timeout) =>
      anthropicModel(new Anthropic({ baseURL, apiKey, maxRetries: 0, timeout }), { maxOutputTokens: 1_000 }),
    tool: { name: "weather", description: "Weather", input_schema: inputSchema },
    parameter: { given: { max_tokens: 55 }, sent: { max_tokens: 55 } },
  },
  {
    name: "openaiChatModel",
    wire: chatWire,
    model: "gpt-4.1",
    connect: (url) =>
      openaiChatModel(new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 }), {
        maxOutputTokens: 1_000,
      }),
    connectWithTimeout: (url, timeout) =>
      openaiChatModel(new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0, timeout })),
    tool: {
      type: "function",
      function: { name: "weather", description: "Weather", parameters: inputSchema },
    },
    parameter: { given: { max_completion_tokens: 55 }, sent: { max_completion_tokens: 55 } },
  },
  {
    name: "openaiResponsesModel",
    wire: responsesWire,
    model: "gpt-5.1",
    connect: (url) =>
      openaiResponsesModel(new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 }), {
        maxOutputTokens: 1_000,
      }),
    connectWithTimeout: (url, timeout) =>
      openaiResponsesModel(new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0, timeout })),
    tool: {
      type: "function",
      name: "weather",
      description: "Weather",
      parameters: inputSchema,
      strict: false,
    },
    parameter: { given: { max_output_tokens: 55 }, sent: { max_output_tokens: 55 } },
  },
  {
    name: "aiSdkModel of @ai-sdk/anthropic (v3)",
    wire: anthropicWire,
    model: "claude-opus-4-5",
    connect: (url) =>
      aiSdkModel(createAnthropic({ baseURL: `${url}/v1`, apiKey })("claude-opus-4-5"), {
        maxOutputTokens: 1_000,
      }),
    tool: aiSdkTool,
    parameter: { given: { maxOutputTokens: 55 }, sent: { max_tokens: 55 } },
  },
  {
    name: "aiSdkModel of @ai-sdk/anthropic (v4)",
    wire: anthropicWire,
    model: "claude-opus-4-5",
    connect: (url) =>
      aiSdkModel(createAnthropicV4({ baseURL: `${url}/v1`, apiKey })("claude-opus-4-5"), {
        maxOutputTokens: 1_000,
      }),
    tool: aiSdkTool,
    parameter: { given: { maxOutputTokens: 55 }, sent: { max_tokens: 55 } },
  },
  {
    name: "aiSdkModel of @ai-sdk/openai-compatible (v3)",
    wire: chatWire,
    model: "some-model",
    connect: (url) =>
      aiSdkModel(
        createOpenAICompatible({ name: "some", baseURL: `${url}/v1`, apiKey, includeUsage: true })(
          "some-model",
        ),
      ),
    tool: aiSdkTool,
    parameter: { given: { maxOutputTokens: 55 }, sent: { max_tokens: 55 } },
  },
  {
    name: "aiSdkModel of @ai-sdk/openai (v3)",
    wire: responsesWire,
    model: "gpt-5.1",
    connect: (url) => aiSdkModel(createOpenAI({ baseURL: `${url}/v1`, apiKey })("gpt-5.1")),
    tool: aiSdkTool,
    parameter: { given: { maxOutputTokens: 55 }, sent: { max_output_tokens: 55 } },
  },
];
