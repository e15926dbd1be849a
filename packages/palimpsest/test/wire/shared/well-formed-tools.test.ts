/** Definitions of tools, whose descriptions another program may have cut, in the body of each provider. */
import {
  judgeAnthropicRequest,
  judgeOpenAIChatRequest,
  judgeOpenAIResponsesRequest,
} from "palimpsest-testing";
import { expect, it } from "vitest";
import type { RequestMessage } from "#transcript/window.ts";
import { anthropicBody } from "#wire/anthropic/request.ts";
import { chatBody } from "#wire/openai-chat/request.ts";
import { responsesBody } from "#wire/openai-responses/request.ts";

const messages: readonly RequestMessage[] = [{ role: "user", content: [{ type: "text", text: "hi" }] }];
const parameters = { type: "object", properties: {} };
const words = { name: "look", description: "cut in half \ud83d" };

it.each([
  {
    name: "Anthropic",
    tool: { ...words, input_schema: parameters },
    body: (tools: readonly unknown[]) => anthropicBody({ model: "claude-opus-4-5", tools, messages }, 100),
    judge: judgeAnthropicRequest,
  },
  {
    name: "Chat Completions",
    tool: { type: "function", function: { ...words, parameters } },
    body: (tools: readonly unknown[]) =>
      chatBody(
        { model: "gpt-5.5", tools, messages },
        { maxOutputTokens: undefined, outputLimitField: "max_tokens", systemRole: "system" },
      ),
    judge: judgeOpenAIChatRequest,
  },
  {
    name: "Responses",
    tool: { type: "function", ...words, parameters },
    body: (tools: readonly unknown[]) =>
      responsesBody(
        { model: "gpt-5.5", tools, messages },
        { maxOutputTokens: undefined, includesReasoning: false },
      ),
    judge: judgeOpenAIResponsesRequest,
  },
])("$name gets no half a character in a tool, and whole tools as they are", ({ tool, body, judge }) => {
  expect(judge(body([tool]) as never)).toEqual([]);
  const whole = JSON.parse(JSON.stringify(tool).replace("\\ud83d", ""));
  expect(JSON.stringify(body([whole])["tools"])).toBe(JSON.stringify([whole]));
});
