/** Streams that stay open and say nothing: comments keep a connection open, and do not count as events. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { anthropicModel } from "#models/anthropic/anthropic-model.ts";
import { openaiChatModel } from "#models/openai/chat-model.ts";
import { openaiResponsesModel } from "#models/openai/responses-model.ts";
import { classifyModelError } from "#wire/errors/model-failure.ts";

const REQUEST = {
  model: "claude-opus-4-5",
  messages: [{ role: "user", content: [{ type: "text", text: "Hello." }] }],
} as const;

describe("a stream of comments alone", () => {
  let server: Server;
  let closedCount = 0;
  beforeEach(async () => {
    closedCount = 0;
    server = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const timer = setInterval(() => response.write(": keep-alive\n\n"), 10);
      response.on("close", () => {
        clearInterval(timer);
        closedCount++;
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const limits = { idleTimeoutMs: 100 };
  const keys = { apiKey: "key", maxRetries: 0 };
  it.each([
    ["anthropic", (baseURL: string) => anthropicModel(new Anthropic({ ...keys, baseURL }), limits)],
    ["openai-responses", (baseURL: string) => openaiResponsesModel(new OpenAI({ ...keys, baseURL }), limits)],
    ["openai-chat", (baseURL: string) => openaiChatModel(new OpenAI({ ...keys, baseURL }), limits)],
  ])("ends as a lost connection over the SDK of %s, which closes it", async (provider, clientOf) => {
    const { port } = server.address() as AddressInfo;
    const error: unknown = await clientOf(`http://127.0.0.1:${port}`)
      .stream(REQUEST)
      .catch((one: unknown) => one);
    expect(error).toMatchObject({ code: "MODEL_FAILED" });
    expect((error as Error).message).toContain(
      `The answer of ${provider} had no event for 100 ms, although its connection is open.`,
    );
    expect(classifyModelError(error).kind).toBe("network");
    await vi.waitFor(() => expect(closedCount).toBe(1));
  });
});

describe("the limit of silence", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  const textEvents = (text: string): readonly object[] => [
    { type: "message_start", message: { id: "m", role: "assistant", usage: { input_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...[...text].map((letter) => ({
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text: letter },
    })),
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3 } },
    { type: "message_stop" },
  ];

  /** A client whose stream has an event every `everyMs`, and which ends when its signal does. */
  const clientOf = (events: readonly object[], everyMs: number) => ({
    messages: {
      create: async (_: object, { signal }: { readonly signal?: AbortSignal } = {}) =>
        (async function* () {
          for (const event of events) {
            await new Promise<void>((resolve, reject) => {
              const timer = setTimeout(resolve, everyMs);
              signal?.addEventListener("abort", () => {
                clearTimeout(timer);
                reject(new Error("Request was aborted."));
              });
            });
            yield event;
          }
        })(),
    },
  });

  const outcome = async (events: readonly object[], everyMs: number, options = {}): Promise<string> => {
    let ended: string | undefined;
    anthropicModel(clientOf(events, everyMs), options)
      .stream(REQUEST)
      .then(
        () => {
          ended = "answered";
        },
        (error: Error) => {
          ended = error.message;
        },
      );
    for (let step = 0; ended === undefined && step < 1_000; step++) await vi.advanceTimersByTimeAsync(10_000);
    return ended ?? "waits";
  };

  it.each([
    { everyMs: 290_000, options: {}, says: "answered", why: "each event comes in time" },
    {
      everyMs: 310_000,
      options: {},
      says: "had no event for 300000 ms",
      why: "five minutes are the default",
    },
    { everyMs: 400, options: { idleTimeoutMs: 300 }, says: "had no event for 300 ms", why: "it is set" },
    { everyMs: 900_000, options: { idleTimeoutMs: Infinity }, says: "answered", why: "it is switched off" },
  ])("says $says: $why", async ({ everyMs, options, says }) => {
    expect(await outcome(textEvents("abc"), everyMs, options)).toContain(says);
  });

  it("leaves no timer behind", async () => {
    await outcome(textEvents("abc"), 1_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends with the caller's reason where the caller aborts", async () => {
    const stop = new AbortController();
    const asked = anthropicModel(clientOf(textEvents("abc"), 1_000)).stream(REQUEST, { signal: stop.signal });
    const settled = asked.catch((error: Error) => error.message);
    await vi.advanceTimersByTimeAsync(1_500);
    stop.abort(new Error("stopped"));
    expect(await settled).toBe("Request was aborted.");
  });
});
