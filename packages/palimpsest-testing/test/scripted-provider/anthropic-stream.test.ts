/** An answer in a stream: the events of the real API in their order, which the SDK puts together again. */
import type Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { answer, callTool, refuse, say, think } from "#scripted-provider/scripted-provider.ts";
import { countCharacters, withProvider } from "#test/fakes/kit.ts";

const ask = {
  model: "claude-opus-5-5",
  max_tokens: 100,
  messages: [{ role: "user" as const, content: "hi" }],
  tools: [{ name: "read", input_schema: { type: "object" as const } }],
};

describe("a stream", () => {
  it("has the events of the real one, in their order, with pings in between", async () => {
    await withProvider(
      {
        script: [[think("I should look."), say("Looking."), callTool("read", { path: "a.ts" }, "toolu_1")]],
        countTokens: countCharacters,
      },
      async ({ provider }) => {
        const response = await fetch(`${provider.url}/v1/messages`, {
          method: "POST",
          body: JSON.stringify({ ...ask, stream: true }),
        });
        expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
        const events = (await response.text()).trim().split("\n\n");
        const data = events.map((event) => {
          const [name, line] = event.split("\n") as [string, string];
          const parsed = JSON.parse(line.slice("data: ".length)) as Record<string, unknown>;
          expect(name).toBe(`event: ${String(parsed["type"])}`);
          return parsed;
        });
        expect(
          data.map(({ type, index, delta, content_block }) =>
            [type, index, (delta as { type?: string })?.type, (content_block as { type?: string })?.type]
              .filter((each) => each !== undefined)
              .join(" "),
          ),
        ).toEqual([
          "message_start",
          "content_block_start 0 thinking",
          "ping",
          "content_block_delta 0 thinking_delta",
          "content_block_delta 0 signature_delta",
          "content_block_stop 0",
          "content_block_start 1 text",
          "content_block_delta 1 text_delta",
          "content_block_stop 1",
          "content_block_start 2 tool_use",
          "ping",
          "content_block_delta 2 input_json_delta",
          "content_block_delta 2 input_json_delta",
          "content_block_stop 2",
          "message_delta",
          "message_stop",
        ]);
        expect(data.at(-2)).toMatchObject({
          delta: { stop_reason: "tool_use", stop_sequence: null },
          usage: { input_tokens: 56, output_tokens: 41 },
        });
      },
    );
  });

  it.each([
    { step: "A text that comes in more than a single piece, äöü 🙂 and all.", why: "a text" },
    {
      step: [think("Hm."), callTool("read", { path: "a/long/path/to/a/file.ts", lines: [1, 2] })],
      why: "thinking and a call",
    },
    {
      step: [think("a"), say("b"), think("c"), callTool("read"), callTool("read")],
      why: "thinking in between",
    },
    { step: refuse("No."), why: "a refusal" },
    { step: answer([]), why: "nothing" },
    { step: "x".repeat(500), why: "a text that is cut" },
    { step: answer("a", { usage: "withheld" }), why: "no usage" },
  ])("holds what an answer in one piece holds: $why", async ({ step }) => {
    await withProvider({ script: () => step, countTokens: countCharacters }, async ({ anthropic }) => {
      const whole = await anthropic.messages.create(ask);
      const streamed = (await anthropic.messages.stream(ask).finalMessage()) as Anthropic.Message & {
        parsed_output?: unknown;
      };
      const { parsed_output: _, ...message } = streamed;
      expect(message).toEqual(whole);
    });
  });
});
