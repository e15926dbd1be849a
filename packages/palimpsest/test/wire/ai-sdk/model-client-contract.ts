/** The contract of every client of a model, with any API and SDK. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ModelAnswer, ModelEvent, ModelRequest, StreamingModelClient } from "#ports/model-client.ts";
import { type SeenRequest, WireServer } from "#test/models/ai-sdk/wire-server.ts";
import type { WireAnswer } from "#test/models/ai-sdk/wires.ts";
import type { ContentBlock } from "#transcript/blocks.ts";
import { classifyModelError } from "#wire/errors/model-failure.ts";
import type { ConnectedClient } from "./clients.ts";

const TEXT: WireAnswer = { text: "It is 12 degrees.", stop: "end" };
const CALLS: WireAnswer = {
  thinking: "Let me see.",
  text: "I look it up.",
  calls: [
    { id: "call_1", name: "weather", input: { city: "Oslo" } },
    { id: "call_2", name: "weather", input: { city: "Rome" } },
  ],
  stop: "tool-use",
};
const USED = { inputTokens: 30, cacheReadTokens: 60, cacheWriteTokens: 10, outputTokens: 20 };

/** Ways to ask: whole, and streamed. */
const WAYS = ["generate", "stream"] as const;

/** A stream is cut after each `cutStep`-th event, the last one that matters among them. */
export function modelClientContract(
  { name, wire, model, connect, connectWithTimeout, tool, parameter }: ConnectedClient,
  cutStep: number,
): void {
  describe(`${name} over ${wire.name}`, () => {
    let server: WireServer;
    let client: StreamingModelClient;
    beforeEach(async () => {
      server = await WireServer.open();
      client = connect(server.url);
    });
    afterEach(() => server.close());

    const request: ModelRequest = {
      model,
      system: "Be brief.",
      tools: [tool],
      messages: [{ role: "user", content: [{ type: "text", text: "How warm is it in Oslo?" }] }],
    };
    const replyWith = (way: (typeof WAYS)[number], answer: WireAnswer): void => {
      server.replies = [way === "generate" ? wire.json(answer) : { body: wire.events(answer) }];
    };
    const ask = (way: (typeof WAYS)[number], asked = request, signal?: AbortSignal): Promise<ModelAnswer> =>
      client[way](asked, signal === undefined ? {} : { signal });
    const lastBody = (): SeenRequest["body"] => server.requests.at(-1)?.body ?? {};
    const failureOf = async (call: Promise<unknown>): Promise<ReturnType<typeof classifyModelError>> =>
      classifyModelError(
        await call.then(
          () => "it answered",
          (error: unknown) => error,
        ),
      );

    it.each(WAYS)("%s resolves with what was said, who said it and what it took", async (way) => {
      replyWith(way, TEXT);
      const answer = await ask(way);
      expect(answer.messages.map(({ role, content }) => ({ role, content: bare(content) }))).toEqual([
        { role: "assistant", content: [{ type: "text", text: "It is 12 degrees." }] },
      ]);
      expect(answer.stopReason).toBe("end");
      expect(answer.rawStopReason).toEqual(expect.any(String));
      expect(answer.messages[0]?.responseId).toEqual(expect.any(String));
      expect(answer.model).toMatch(/\d/);
      expect(prompt(answer)).toBe(100);
      expect(answer.usage?.cacheReadTokens).toBe(60);
      expect(answer.usage?.outputTokens).toBe(20);
      // Chat Completions do not say what was written.
      if (wire.name !== "OpenAI Chat Completions" && !name.includes("openai (v3)"))
        expect(answer.usage).toEqual(USED);
    });

    it.each(WAYS)("%s resolves with calls of tools, in order", async (way) => {
      replyWith(way, CALLS);
      const answer = await ask(way);
      expect(answer.stopReason).toBe("tool-use");
      const calls = answer.messages
        .flatMap(({ content }) => content)
        .filter(({ type }) => type === "tool_use");
      expect(bare(calls)).toEqual([
        { type: "tool_use", id: "call_1", name: "weather", input: { city: "Oslo" } },
        { type: "tool_use", id: "call_2", name: "weather", input: { city: "Rome" } },
      ]);
    });

    // The AI SDK's provider takes the text of a refusal for an answer.
    const stops = name.includes("openai (v3)")
      ? (["output-limit"] as const)
      : (["output-limit", "refusal"] as const);
    it.each(
      WAYS.flatMap((way) => stops.map((stop) => [way, stop] as const)),
    )("%s tells an answer that stopped for %s", async (way, stop) => {
      replyWith(way, { text: "As far as", stop });
      expect((await ask(way)).stopReason).toBe(stop);
    });

    it.each(WAYS)("%s resolves with no message where the provider sent nothing", async (way) => {
      replyWith(way, { stop: "end" });
      expect((await ask(way)).messages).toEqual([]);
    });

    it("sends system prompt, tools and messages, and parameters win", async () => {
      replyWith("generate", TEXT);
      await ask("generate", { ...request, parameters: parameter.given });
      const body = lastBody();
      expect(body).toMatchObject({ model, ...parameter.sent });
      const text = JSON.stringify(body);
      expect(text).toContain("Be brief.");
      expect(text).toContain('"weather"');
      expect(text).toContain("How warm is it in Oslo?");
      expect(server.requests).toHaveLength(1);
    });

    it.each(
      WAYS,
    )("after %s, hands back calls, results and reasoning as the provider wants them", async (way) => {
      replyWith(way, CALLS);
      const answer = await ask(way);
      const turn: ModelRequest = {
        ...request,
        messages: [
          ...request.messages,
          ...answer.messages,
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "call_1", content: "12" },
              { type: "tool_result", tool_use_id: "call_2", content: "no such city", is_error: true },
            ],
          },
        ],
      };
      server.replies = [wire.json(TEXT)];
      await ask("generate", turn);
      const body = lastBody();
      if (wire.returnedReasoning !== undefined)
        expect(wire.returnedReasoning(body)).toEqual(wire.sentReasoning);
      const text = JSON.stringify(body);
      for (const part of ["I look it up.", "call_1", "call_2", "Oslo", "no such city"])
        expect(text).toContain(part);
    });

    it("tells a stream as it comes, and the same at its end as the whole answer says", async () => {
      const events: ModelEvent[] = [];
      replyWith("stream", CALLS);
      const streamed = await client.stream(request, { onEvent: (event) => events.push(event) });
      replyWith("generate", CALLS);
      const whole = await ask("generate");
      expect(bare(streamed.messages.flatMap(({ content }) => content))).toEqual(
        bare(whole.messages.flatMap(({ content }) => content)),
      );
      expect(streamed.usage).toEqual(whole.usage);
      expect(streamed.stopReason).toBe(whole.stopReason);
      const reported = (type: "text" | "thinking"): string =>
        events.flatMap((event) => (event.type === type ? [event.text] : [])).join("");
      expect(reported("text")).toBe("I look it up.");
      expect(reported("thinking")).toBe("Let me see.");
      expect(events.filter(({ type }) => type === "tool-call")).toEqual([
        { type: "tool-call", id: "call_1", name: "weather" },
        { type: "tool-call", id: "call_2", name: "weather" },
      ]);
      const blocks = events.flatMap((event) => (event.type === "block" ? [event.block] : []));
      expect(bare(blocks)).toEqual(bare(streamed.messages.flatMap(({ content }) => content)));
    });

    it("rejects where a stream is cut at any place, and has told the blocks that were finished", async () => {
      const all = wire.events(CALLS);
      let mostReportedCount = 0;
      for (let count = (all.length - 3) % cutStep; count < all.length - 2; count += cutStep) {
        server.replies = [{ body: all.slice(0, count), after: "cut" }];
        const blocks: ContentBlock[] = [];
        const onEvent = (event: ModelEvent): void =>
          void (event.type === "block" && blocks.push(event.block));
        const failure = await failureOf(client.stream(request, { onEvent }));
        // An answer that is cut after the reason to stop is whole: only figures may be missing.
        if (failure.message === "it answered") expect(count).toBeGreaterThanOrEqual(all.length - 2);
        else expect(failure.kind, `cut after ${count} events`).toBe("network");
        mostReportedCount = Math.max(mostReportedCount, blocks.length);
      }
      // This provider of the AI SDK tells the end of a text only at the end of all.
      expect(mostReportedCount).toBeGreaterThanOrEqual(name.includes("openai-compatible") ? 1 : 3);
    });

    it("rejects where a stream ends quietly in the middle", async () => {
      server.replies = [{ body: wire.events(CALLS).slice(0, 4) }];
      const { kind } = await failureOf(client.stream(request));
      // One provider of the AI SDK sees it by itself and calls it invalid data.
      expect(kind).toBe(name.includes("openai-compatible") ? "unreadable-answer" : "network");
    });

    it("passes over events that it does not know", async () => {
      const [first = "", ...others] = wire.events(TEXT);
      const unknown = first.startsWith("event:")
        ? 'event: something_new\ndata: {"type":"something_new","payload":[1]}\n\n'
        : 'data: {"object":"something.new","choices":[]}\n\n';
      server.replies = [{ body: [first, unknown, ...others] }];
      const answer = await ask("stream");
      expect(bare(answer.messages[0]?.content ?? [])).toEqual([{ type: "text", text: "It is 12 degrees." }]);
    });

    it.each(WAYS)("%s rejects when it is aborted before, during and after the first words", async (way) => {
      const reply =
        way === "generate"
          ? { after: "hang" as const }
          : { body: wire.events(TEXT).slice(0, 2), after: "hang" as const };
      for (const moment of ["before", "during"] as const) {
        server.replies = [reply];
        const controller = new AbortController();
        if (moment === "before") controller.abort();
        server.onWritten = () => setImmediate(() => controller.abort());
        const call = ask(way, request, controller.signal);
        if (moment === "during" && way === "generate") {
          const seen = server.requests.length;
          while (server.requests.length === seen) await new Promise((resolve) => setImmediate(resolve));
          controller.abort();
        }
        expect((await failureOf(call)).kind, moment).toBe("aborted");
      }
    });

    it.each(WAYS)("%s rejects with an error that can be told: too long", async (way) => {
      const message = "prompt is too long: 213462 tokens > 200000 maximum";
      server.replies = [wire.error(400, { type: "invalid_request_error", message })];
      expect(await failureOf(ask(way))).toMatchObject({
        kind: "prompt-too-long",
        status: 400,
        promptTokens: 213_462,
        limitTokens: 200_000,
        message,
      });
    });

    it("rejects with an error that can be told: throttled, with the wait", async () => {
      const error = wire.error(429, { type: "rate_limit_error", message: "Rate limit reached" });
      server.replies = [{ ...error, headers: { "retry-after": "7" } }];
      expect(await failureOf(ask("generate"))).toMatchObject({ kind: "throttled", retryAfterMs: 7_000 });
      expect(server.requests).toHaveLength(1);
    });

    it.each([
      { why: "a key that is wrong", status: 401, kind: "not-allowed" },
      { why: "a body that is too large", status: 413, kind: "body-too-large" },
      { why: "a provider that failed", status: 500, kind: "overloaded" },
      { why: "a provider that is overloaded", status: 529, kind: "overloaded" },
    ])("rejects with an error that can be told: $why", async ({ status, kind }) => {
      server.replies = [{ status, headers: { "content-type": "text/html" }, body: "<html>no</html>" }];
      expect((await failureOf(ask("generate"))).kind).toBe(kind);
    });

    it.each([
      { why: "HTML", reply: { headers: { "content-type": "text/html" }, body: "<html>welcome</html>" } },
      { why: "no JSON", reply: { body: '{"id": "msg_1", "content": [' } },
      { why: "JSON of something else", reply: { body: '{"status":"ok"}' } },
      { why: "null", reply: { body: "null" } },
    ])("rejects an answer that is none: $why", async ({ reply }) => {
      for (const way of WAYS) {
        server.replies = [reply];
        const { kind } = await failureOf(ask(way));
        expect(["unreadable-answer", "network"], way).toContain(kind);
        if (way === "generate") expect(kind).toBe("unreadable-answer");
      }
    });

    it("rejects where nobody listens", async () => {
      const nobody = connect("http://127.0.0.1:9");
      expect((await failureOf(nobody.generate(request))).kind).toBe("network");
    });

    it.runIf(connectWithTimeout !== undefined)("leaves the time to the SDK, and tells it", async () => {
      server.replies = [{ after: "hang" }];
      const hasty = connectWithTimeout!(server.url, 50);
      expect((await failureOf(hasty.generate(request))).kind).toBe("timeout");
    });

    it("survives a listener that throws", async () => {
      replyWith("stream", TEXT);
      const onEvent = (): never => {
        throw new RangeError("no");
      };
      expect((await client.stream(request, { onEvent })).stopReason).toBe("end");
    });
  });
}

/** Blocks without what a provider keeps beside them. */
function bare(blocks: readonly ContentBlock[]): readonly object[] {
  return blocks.map((block) =>
    Object.fromEntries(
      Object.entries(block).filter(([key]) => !["openai", "aiSdk", "citations"].includes(key)),
    ),
  );
}

function prompt({ usage }: ModelAnswer): number {
  return (usage?.inputTokens ?? 0) + (usage?.cacheReadTokens ?? 0) + (usage?.cacheWriteTokens ?? 0);
}
