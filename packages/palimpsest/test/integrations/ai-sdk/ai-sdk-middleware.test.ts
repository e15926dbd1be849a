/** The middleware for language models, on a model that keeps what it is sent. */
import { describe, expect, it, vi } from "vitest";
import { aiSdkMiddleware } from "#integrations/ai-sdk/ai-sdk-middleware.ts";
import { setTheStage, wordsOf } from "../../agent/stage.ts";

type Prompt = readonly { readonly role: string; readonly content: unknown }[];

const USAGE = {
  inputTokens: { total: 40, noCache: 40, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5 },
};
const FINISH = { finishReason: { unified: "stop", raw: "end_turn" }, usage: USAGE };
const tooLong = (): Error =>
  Object.assign(new Error("prompt is too long: 40000 tokens > 32000 maximum"), {
    statusCode: 400,
    isRetryable: false,
  });

/** A model that answers, or throws what `failures` has for a call. */
function modelOf(failures: readonly (Error | undefined)[] = [], parts: readonly object[] = []) {
  const prompts: Prompt[] = [];
  const take = ({ prompt }: { readonly prompt: Prompt }): void => {
    const failure = failures[prompts.length];
    prompts.push(prompt);
    if (failure !== undefined) throw failure;
  };
  return {
    prompts,
    specificationVersion: "v3",
    provider: "fake",
    modelId: "claude-opus-4-6",
    doGenerate: async (options: { readonly prompt: Prompt }) => {
      take(options);
      return { content: [{ type: "text", text: "Fine." }], ...FINISH };
    },
    doStream: async (options: { readonly prompt: Prompt }) => {
      take(options);
      return { stream: ReadableStream.from(parts) };
    },
  };
}

const user = (text: string) => ({ role: "user", content: [{ type: "text", text }] });
const answer = { role: "assistant", content: [{ type: "text", text: "Fine." }] };
const system = {
  role: "system",
  content: "Be brief.",
  providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
};

const generate = async (
  middleware: ReturnType<typeof aiSdkMiddleware>,
  model: ReturnType<typeof modelOf>,
  prompt: Prompt,
) =>
  middleware.wrapGenerate({
    model,
    params: { prompt },
    doGenerate: () => Promise.reject(new Error("not used")),
  });

describe("aiSdkMiddleware", () => {
  it("takes the whole list with each call, and keeps system messages as they are", async () => {
    const { session } = await setTheStage();
    const [middleware, model] = [aiSdkMiddleware(session), modelOf()];
    await generate(middleware, model, [system, user("One?")]);
    await generate(middleware, model, [system, user("One?"), answer, user("Two?")]);
    expect(model.prompts[1]).toEqual([system, user("One?"), answer, user("Two?")]);
    expect(session.visible).toHaveLength(4);
    await generate(middleware, model, [system, user("One?"), answer, user("Three?")]);
    expect(JSON.stringify(model.prompts[2])).not.toContain("Two?");
    expect(session.tokens.source).not.toBe("estimate");
  });

  it("recovers once from a prompt that is too long, and leaves every other error to the SDK", async () => {
    const { session } = await setTheStage();
    const middleware = aiSdkMiddleware(session);
    const list = Array.from({ length: 30 }, (_, index) =>
      index % 2 === 0 ? user(`Question ${index}: ${wordsOf(900)}`) : answer,
    );
    const model = modelOf([tooLong()]);
    await generate(middleware, model, list.slice(0, 29));
    expect(model.prompts).toHaveLength(2);
    expect(JSON.stringify(model.prompts[1]).length).toBeLessThan(JSON.stringify(model.prompts[0]).length);
    const busy = Object.assign(new Error("Overloaded"), { statusCode: 529 });
    await expect(generate(middleware, modelOf([busy]), [...list, user("Last?")])).rejects.toBe(busy);
  });

  it("recovers once where a stream begins with the refusal, and shows every other error in its place", async () => {
    const { session } = await setTheStage();
    const middleware = aiSdkMiddleware(session);
    const head = [
      { type: "stream-start", warnings: [] },
      { type: "response-metadata", id: "r" },
    ];
    const texts = ["start", "delta", "end"].map((step) => ({
      type: `text-${step}`,
      id: "0",
      delta: "Fine.",
    }));
    const whole = [...head, ...texts, { type: "finish", ...FINISH }];
    const cut = { type: "finish", finishReason: { unified: "error", raw: undefined }, usage: USAGE };
    const error = { type: "invalid_request_error", code: "context_length_exceeded", message: "Too long." };
    const unknown = { type: "error", error: new SyntaxError("Unexpected token < in JSON at position 0") };
    const refused = [...head, unknown, { type: "error", error: { ...error, statusCode: 400 } }, cut];
    const busy = [...head, { type: "error", error: new Error("Overloaded") }, cut];
    const streams: (readonly object[])[] = [refused, whole, busy];
    const model = modelOf();
    const doStream = async (options: { readonly prompt: Prompt }) => {
      model.prompts.push(options.prompt);
      return { stream: ReadableStream.from(streams.shift() ?? []) };
    };
    const ask = async (prompt: readonly object[]): Promise<readonly unknown[]> => {
      const call = { model: { ...model, doStream }, params: { prompt }, doStream: () => Promise.reject() };
      const { stream } = await middleware.wrapStream<{ stream: ReadableStream }>(call);
      const parts: unknown[] = [];
      for await (const part of stream) parts.push(part);
      return parts;
    };
    const list = Array.from({ length: 29 }, (_, index) =>
      index % 2 === 0 ? user(`Question ${index}: ${wordsOf(900)}`) : answer,
    );
    expect(await ask(list)).toEqual(whole);
    expect(model.prompts).toHaveLength(2);
    expect(JSON.stringify(model.prompts[1]).length).toBeLessThan(JSON.stringify(model.prompts[0]).length);
    expect(await ask([...list, answer, user("Last?")])).toEqual(busy);
    expect(model.prompts).toHaveLength(3);
  });

  it.each([
    { why: "whole", end: { type: "finish", ...FINISH }, isInterrupted: false },
    { why: "cut off", end: undefined, isInterrupted: true },
  ])("records a stream that is $why before its end is shown", async ({ end, isInterrupted }) => {
    const { session, events } = await setTheStage();
    const parts = [
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: "Fine." },
      { type: "text-end", id: "0" },
      ...(end === undefined ? [] : [end]),
    ];
    const model = modelOf([], parts);
    const result = await aiSdkMiddleware(session).wrapStream<{ stream: ReadableStream }>({
      model,
      params: { prompt: [user("One?")] },
      doStream: () => Promise.reject(new Error("not used")),
    });
    const shown: unknown[] = [];
    for await (const part of result.stream) shown.push(part);
    expect(shown).toEqual(parts);
    expect(session.visible.map(({ role }) => role)).toEqual(["user", "assistant"]);
    const answered = events.filter((event) => event.type === "answer");
    expect(answered.map(({ stopReason }) => stopReason)).toEqual([
      isInterrupted ? "interrupted" : "end_turn",
    ]);
  });

  it("throws the error of a store as it is, and tells the provider to stop where the host does", async () => {
    const { session, events } = await setTheStage();
    const middleware = aiSdkMiddleware(session);
    vi.spyOn(session, "record").mockRejectedValue(new Error("The disk is full."));
    await expect(generate(middleware, modelOf(), [user("One?")])).rejects.toThrow("The disk is full.");
    expect(events.filter(({ type }) => type === "model-failed")).toEqual([]);
    const reasons: unknown[] = [];
    const stream = new ReadableStream({
      start: (controller) => {
        for (const type of ["text-start", "text-delta", "text-end"])
          controller.enqueue({ type, id: "0", delta: "Fine." });
      },
      cancel: (reason) => void reasons.push(reason),
    });
    const result = await middleware.wrapStream<{ stream: ReadableStream }>({
      model: { ...modelOf(), doStream: async () => ({ stream }) },
      params: { prompt: [user("One?")] },
      doStream: () => Promise.reject(new Error("not used")),
    });
    const reader = result.stream.getReader();
    for (let read = 0; read < 3; read++) await reader.read();
    await expect(reader.cancel("enough")).rejects.toThrow("The disk is full.");
    expect(reasons).toEqual(["enough"]);
  });
});
