/** Blocks that no request would hold: refused where a host hands them over, kept in answers. */
import { describe, expect, it } from "vitest";
import { validateMessages } from "#session/input/validate-messages.ts";
import { validateAnswer } from "#session/model/validate-answer.ts";
import { toAiSdk } from "#wire/ai-sdk/to-ai-sdk.ts";
import { toAnthropic } from "#wire/anthropic/to-anthropic.ts";
import { toOpenAIChat } from "#wire/openai-chat/to-openai-chat.ts";
import { toOpenAIResponses } from "#wire/openai-responses/to-openai-responses.ts";

const say = (...content: readonly unknown[]): unknown => ({ role: "user", content });
const refused = (message: string, hint: string): unknown =>
  expect.objectContaining({
    code: "OPTION_INVALID",
    message: expect.stringContaining(message),
    hint: expect.stringContaining(hint),
  });

const FOREIGN = [
  [{ type: "image_url", image_url: { url: "https://x.example/cat.png" } }, "fromOpenAIChat"],
  [{ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }, "fromOpenAIChat"],
  [{ type: "file", file: { file_id: "f1" } }, "fromOpenAIChat"],
  [{ type: "input_text", text: "the deadline is 4 March" }, '`{ type: "text", text }`'],
  [{ type: "input_image", image_url: "https://x.example/cat.png" }, "fromOpenAIResponses"],
  [{ type: "input_file", file_id: "f1" }, "fromOpenAIResponses"],
  [{ type: "output_text", text: "Yes." }, "fromOpenAIResponses"],
  [{ type: "function_call", call_id: "c1", name: "Read", arguments: "{}" }, "fromOpenAIResponses"],
  [{ type: "function_call_output", call_id: "c1", output: "x" }, '`{ type: "tool_result", '],
  [{ type: "tool-call", toolCallId: "c1", toolName: "Read", input: {} }, "fromModelMessages"],
  [{ type: "tool-result", toolCallId: "c1", toolName: "Read" }, "fromModelMessages"],
  [{ type: "file", mediaType: "image/png", data: "AAAA" }, "fromModelMessages"],
] as const;

describe("a block in another vocabulary", () => {
  it.each(FOREIGN)("%o of a user is refused, with %s", (block, hint) => {
    const text = { type: "text", text: "What is this?" };
    expect(() => validateMessages(say(text, block))).toThrow(
      refused("message.content[1] has the type", hint),
    );
    expect(() => validateMessages([say("x"), { role: "system", content: [block] }])).toThrow(
      refused("messages[1].content[0] has the type", hint),
    );
    expect(() => validateMessages({ role: "assistant", content: [block] })).toThrow(
      refused(block.type, hint),
    );
  });

  it.each(FOREIGN)("%o of an answer is kept as it came", (block) => {
    const { messages } = validateAnswer({ messages: [{ role: "assistant", content: [block] }] });
    expect(messages[0]?.content).toEqual([{ type: "opaque", provider: "unknown", value: block }]);
  });

  it("a type that no vocabulary has may be a new one, and is kept", () => {
    const block = { type: "hologram", frames: 3 };
    expect(validateMessages(say(block))[0]?.content).toEqual([
      { type: "opaque", provider: "unknown", value: block },
    ]);
  });
});

describe("a search result of a user", () => {
  const result = {
    type: "search_result",
    source: "https://x.example/wiki",
    title: "Deploying",
    content: [{ type: "text", text: "We deploy on Tuesdays." }],
  };
  const messages = validateMessages(say("When?", result));
  const TEXT = "Deploying\nhttps://x.example/wiki\nWe deploy on Tuesdays.";

  it("is sent to Anthropic as it is", () => {
    expect(toAnthropic(messages)).toEqual([
      { role: "user", content: [{ type: "text", text: "When?" }, result] },
    ]);
  });

  it("is a text elsewhere", () => {
    expect(toOpenAIChat(messages)).toMatchObject([
      { content: [{ text: "When?" }, { type: "text", text: TEXT }] },
    ]);
    expect(toOpenAIResponses(messages)).toMatchObject([
      { content: [{ text: "When?" }, { type: "input_text", text: TEXT }] },
    ]);
    const model = "claude-opus-5-5";
    expect(toAiSdk({ model, messages }, { version: "v3", takesMarks: false })).toMatchObject([
      { role: "user", content: [{ text: "When?" }, { type: "text", text: TEXT }] },
    ]);
  });
});
