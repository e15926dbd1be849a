/** Answers, streams and errors that `wire/` writes as a server, read by the vendors' own SDKs over HTTP. */
import Anthropic from "@anthropic-ai/sdk";
import fc from "fast-check";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anthropicModel } from "#models/anthropic/anthropic-model.ts";
import { openaiChatModel } from "#models/openai/chat-model.ts";
import { openaiResponsesModel } from "#models/openai/responses-model.ts";
import type { ModelAnswer, StreamingModelClient } from "#ports/model-client.ts";
import type { ModelFailureKind } from "#ports/model-failure.ts";
import { WireServer } from "#test/models/ai-sdk/wire-server.ts";
import { answersOf, FORMATS, framesOf } from "#test/wire/shared/formats.ts";
import { classifyModelError } from "#wire/errors/model-failure.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";

const apiKey = "key";
const messages = [{ role: "user" as const, content: "hi" }];
let server: WireServer;
let anthropic: Anthropic;
let openai: OpenAI;
beforeAll(async () => {
  server = await WireServer.open();
  anthropic = new Anthropic({ baseURL: server.url, apiKey, maxRetries: 0 });
  openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey, maxRetries: 0 });
});
afterAll(() => server.close());

/** The SDK's own way to read an answer whole and to collect a stream, and our client on top of it. */
interface Reader {
  readonly whole: () => Promise<unknown>;
  readonly collected: () => Promise<unknown>;
  readonly client: () => StreamingModelClient;
  /** The content of a body or of what the SDK made of one. */
  readonly contentOf: (body: never) => unknown;
}

const READERS: Readonly<Record<(typeof FORMATS)[number]["name"], Reader>> = {
  anthropic: {
    whole: () => anthropic.messages.create({ model: "m", max_tokens: 9, messages }),
    collected: () => anthropic.messages.stream({ model: "m", max_tokens: 9, messages }).finalMessage(),
    client: () => anthropicModel(anthropic, { maxOutputTokens: 1_000 }),
    contentOf: ({ content, stop_reason }: Anthropic.Message) => ({ content, stop_reason }),
  },
  "openai-chat": {
    whole: () => openai.chat.completions.create({ model: "m", messages }),
    collected: () => openai.chat.completions.stream({ model: "m", messages }).finalChatCompletion(),
    client: () => openaiChatModel(openai),
    contentOf: ({ choices: [choice] }: OpenAI.ChatCompletion) => ({
      content: choice?.message.content ?? "",
      refusal: choice?.message.refusal ?? null,
      // The SDK's helper knows only functions.
      calls: (choice?.message.tool_calls ?? []).map((call) =>
        call.type === "function" ? [call.id, call.function.name, call.function.arguments] : [call.id],
      ),
    }),
  },
  "openai-responses": {
    whole: () => openai.responses.create({ model: "m", input: "hi" }),
    collected: () => openai.responses.stream({ model: "m", input: "hi" }).finalResponse(),
    client: () => openaiResponsesModel(openai),
    contentOf: ({ output }: OpenAI.Responses.Response) =>
      output.map(({ type, id, ...item }) => ({ type, id, text: JSON.stringify(item).length > 2 })),
  },
};

const request = {
  model: "m",
  messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "hi" }] }],
};

describe.each(FORMATS)("what is written in the format $name", (format) => {
  const reader = READERS[format.name];
  const answers = fc.sample(answersOf(format), {
    numRuns: bySize({ usual: 8, long: 25 }),
    seed: 20_261_123,
  });
  const withRequestId = (answer: ModelAnswer) => ({ ...answer, requestId: "req_1" });

  it("is an answer to its SDK and to the client of this library", async () => {
    for (const answer of answers) {
      const body = format.writeAnswer(answer);
      server.replies = [{ body: JSON.stringify(body) }];
      expect(await reader.whole()).toMatchObject(JSON.parse(JSON.stringify(body)) as object);
      expect(await reader.client().generate(request)).toEqual(withRequestId(answer));
    }
  });

  it("is a stream to them, with the same content", async () => {
    for (const answer of answers) {
      server.replies = [{ body: framesOf(format, answer) }];
      expect(await reader.client().stream(request)).toEqual(withRequestId(answer));
      // The SDK's helpers know the tools of today only.
      if (isOfTools(answer)) continue;
      const collected = await reader.collected();
      expect(reader.contentOf(collected as never)).toEqual(
        reader.contentOf(format.writeAnswer(answer) as never),
      );
    }
  });

  it.each<ModelFailureKind>([
    ...(["prompt-too-long", "body-too-large", "throttled", "overloaded", "timeout", "not-allowed"] as const),
    ...(["unknown-model", "invalid-request", "media-too-large"] as const),
  ])("is an error to them: %s", async (kind) => {
    const { status, headers, body } = format.writeError({ kind, message: "" });
    server.replies = [{ status, headers, body: JSON.stringify(body) }];
    for (const call of [reader.whole, () => reader.client().generate(request)]) {
      const error: unknown = await call().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toMatchObject({ status });
      expect(classifyModelError(error)).toMatchObject({ kind, status });
    }
  });

  it("breaks off with the kind of the error, whether the SDK or this library finds it", async () => {
    for (const kind of ["overloaded", "throttled", "prompt-too-long"] as const) {
      const error = format.errorEvent(format.writeError({ kind, message: "" }));
      server.replies = [{ body: [...framesOf(format, answers[0]!).slice(0, 3), error] }];
      const thrown: unknown = await reader
        .client()
        .stream(request)
        .then(
          () => undefined,
          (each: unknown) => each,
        );
      expect(classifyModelError(thrown).kind, kind).toBe(kind);
    }
  });
});

function isOfTools({ messages: [message] }: ModelAnswer): boolean {
  return message!.content.some(
    (block) => block.type === "opaque" || JSON.stringify(block).includes('"custom"'),
  );
}
