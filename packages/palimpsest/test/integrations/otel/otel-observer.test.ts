/** Sessions as spans and metrics, with a tracer and a meter that write down what they get. */
import { FakeClock } from "palimpsest-testing";
import { beforeEach, describe, expect, it } from "vitest";
import type { TurnEvent } from "#agent/options/turn/turn-options.ts";
import { createPalimpsest } from "#host/create-palimpsest.ts";
import type { OtelMeter, OtelTracer } from "#integrations/otel/otel-objects.ts";
import { type OtelObserver, otelObserver } from "#integrations/otel/otel-observer.ts";
import { functionModel } from "#models/function/function-model.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";

type Attributes = Readonly<Record<string, unknown>>;

interface WrittenSpan {
  readonly name: string;
  readonly kind: number | undefined;
  readonly attributes: Attributes;
  readonly events: readonly (readonly [string, Attributes | undefined])[];
  readonly tookMs: number | undefined;
  readonly isError: boolean;
}

const clock = new FakeClock(1_000_000);
let spans: WrittenSpan[];
let measured: (readonly [name: string, value: number, attributes: Attributes])[];
let observer: OtelObserver;

const tracer: OtelTracer = {
  startSpan: (name, { kind, attributes, startTime = 0 } = {}) => {
    const span = { name, kind, attributes: { ...attributes }, isError: false };
    const written = {
      ...span,
      events: [] as [string, Attributes | undefined][],
      tookMs: undefined as number | undefined,
    };
    spans.push(written);
    return {
      setAttributes: (more) => Object.assign(written.attributes, more),
      setStatus: ({ code }) => Object.assign(written, { isError: code === 2 }),
      addEvent: (event, more) => written.events.push([event, more]),
      end: (endMs = 0) => Object.assign(written, { tookMs: endMs - startTime }),
    };
  },
};
const meter: OtelMeter = {
  createHistogram: (name) => ({
    record: (value, attributes = {}) => measured.push([name, value, attributes]),
  }),
  createCounter: (name) => ({ add: (value, attributes = {}) => measured.push([name, value, attributes]) }),
};
const settled = () => Promise.resolve();
const USAGE = { inputTokens: 10, cacheReadTokens: 80, cacheWriteTokens: 10, outputTokens: 7 };

beforeEach(() => {
  spans = [];
  measured = [];
  observer = otelObserver({ tracer, meter, clock });
});

describe("a call", () => {
  const source = { sessionId: "s" };
  const call = { type: "call", seq: 4, model: "claude-opus-4-5", tokens: 95, source: "estimate" } as const;
  const chat = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "anthropic",
    "gen_ai.request.model": "claude-opus-4-5",
    "palimpsest.purpose": "answer",
  };

  it("is a span of a client with the usage, and is measured", async () => {
    observer.onEvent(call, source);
    clock.advance(1_500);
    observer.onEvent({ type: "answer", seq: 4, usage: USAGE, stopReason: "end_turn" }, source);
    await settled();
    expect(spans).toEqual([
      {
        name: "chat claude-opus-4-5",
        kind: 2,
        tookMs: 1_500,
        isError: false,
        events: [],
        attributes: {
          ...chat,
          "gen_ai.conversation.id": "s",
          "palimpsest.call.seq": 4,
          "palimpsest.call.estimated_tokens": 95,
          "gen_ai.usage.input_tokens": 100,
          "gen_ai.usage.output_tokens": 7,
          "gen_ai.usage.cache_read.input_tokens": 80,
          "gen_ai.usage.cache_creation.input_tokens": 10,
          "gen_ai.response.finish_reasons": ["end_turn"],
        },
      },
    ]);
    expect(measured).toEqual([
      ["gen_ai.client.operation.duration", 1.5, chat],
      ["gen_ai.client.token.usage", 100, { ...chat, "gen_ai.token.type": "input" }],
      ["gen_ai.client.token.usage", 7, { ...chat, "gen_ai.token.type": "output" }],
      [
        "palimpsest.cache.calls",
        1,
        { "palimpsest.cache.result": "hit", "gen_ai.request.model": "claude-opus-4-5" },
      ],
    ]);
  });

  it("has the miss of the cache with its cause, and the same number in another session is another call", async () => {
    observer.onEvent(call, source);
    observer.onEvent(call, { sessionId: "other" });
    observer.onEvent({ type: "answer", seq: 4, usage: { ...USAGE, cacheReadTokens: 0 } }, source);
    const cause = { type: "changed", change: { part: "tool-order" } } as const;
    const sizes = { expectedTokens: 90, readTokens: 0, rebilledTokens: 90, idleMs: 5 };
    observer.onEvent({ type: "cache-miss", seq: 4, miss: { cause, isExpected: false, ...sizes } }, source);
    await settled();
    const miss = {
      "palimpsest.cache.miss_cause": "changed tool-order",
      "palimpsest.cache.miss_expected": false,
    };
    expect(spans.map(({ tookMs, events }) => [tookMs, events])).toEqual([
      [0, [["palimpsest.cache_miss", { ...miss, "palimpsest.cache.rebilled_tokens": 90 }]]],
      [undefined, []],
    ]);
    expect(measured.slice(-2)).toEqual([
      ["palimpsest.cache.rebilled_tokens", 90, miss],
      [
        "palimpsest.cache.calls",
        1,
        { "palimpsest.cache.result": "miss", ...miss, "gen_ai.request.model": call.model },
      ],
    ]);
  });

  it("ends with its error, or when the host sends another or closes the session", () => {
    const failure = { kind: "overloaded", message: "secret words" } as const;
    observer.onEvent(call, source);
    observer.onEvent({ type: "model-failed", seq: 4, failure, isRecovered: false }, source);
    observer.onEvent({ ...call, seq: 6 }, source);
    observer.onEvent({ ...call, seq: 8 }, source);
    observer.onEvent({ type: "closed" }, source);
    expect(
      spans.map(({ isError, tookMs, attributes }) => [isError, tookMs, attributes["palimpsest.abandoned"]]),
    ).toEqual([
      [true, 0, undefined],
      [false, 0, true],
      [false, 0, true],
    ]);
    expect(spans[0]?.attributes["error.type"]).toBe("overloaded");
    expect(measured[0]).toEqual([
      "gen_ai.client.operation.duration",
      0,
      { ...chat, "error.type": "overloaded" },
    ]);
    expect(JSON.stringify([spans, measured])).not.toContain("secret");
  });
});

describe("a session's own work", () => {
  it("is a span with its length and what it cost, without any text", () => {
    const source = { sessionId: "s" };
    const about = { trigger: "auto", form: "forked", attempt: 0, tookMs: 400 } as const;
    observer.onEvent(
      { type: "summary-call", model: "gpt-4.1", outcome: "written", usage: USAGE, ...about },
      source,
    );
    observer.onEvent({ type: "summary-call", model: "x", outcome: "timeout", ...about }, source);
    const edit = { kind: "microcompact", effect: {}, reason: "cold", freedTokens: 120 } as const;
    observer.onEvent({ type: "layer", seq: 2, layer: "microcompact", edit, why: "secret" }, source);
    observer.onEvent({ type: "offloaded", seq: 3, block: 0, bytes: 9, freedTokens: 30 }, source);
    const notes = {
      form: "log",
      outcome: "failed",
      reason: "secret",
      changed: ["secret"],
      refusedCount: 0,
    } as const;
    observer.onEvent({ type: "notes-update", tookMs: 70, ...notes, usage: USAGE }, source);
    observer.onEvent(
      {
        type: "memory-recalled",
        paths: ["secret.md", "b.md"],
        tokens: 50,
        chosenBy: "rank",
        fellBack: "secret",
      },
      source,
    );
    expect(spans.map(({ name, tookMs, isError }) => [name, tookMs, isError])).toEqual([
      ["chat gpt-4.1", 400, false],
      ["chat x", 400, true],
      ["palimpsest.compaction", 0, false],
      ["palimpsest.compaction", 0, false],
      ["palimpsest.notes_update", 70, true],
      ["palimpsest.recall", 0, false],
    ]);
    expect(spans[0]?.attributes).toMatchObject({
      "gen_ai.provider.name": "openai",
      "palimpsest.purpose": "summary",
      "palimpsest.summary.trigger": "auto",
      "gen_ai.usage.input_tokens": 100,
    });
    expect(spans[1]?.attributes).toMatchObject({
      "gen_ai.provider.name": "unknown",
      "error.type": "timeout",
    });
    expect(measured.filter(([name]) => name.startsWith("palimpsest."))).toEqual([
      ["palimpsest.compaction.edits", 1, { "palimpsest.layer": "microcompact", "palimpsest.reason": "cold" }],
      [
        "palimpsest.compaction.freed_tokens",
        120,
        { "palimpsest.layer": "microcompact", "palimpsest.reason": "cold" },
      ],
      ["palimpsest.compaction.edits", 1, { "palimpsest.layer": "offload", "palimpsest.reason": "arrival" }],
      [
        "palimpsest.compaction.freed_tokens",
        30,
        { "palimpsest.layer": "offload", "palimpsest.reason": "arrival" },
      ],
      ["palimpsest.memory.recalled", 2, { "palimpsest.recall.chosen_by": "rank" }],
    ]);
    expect(JSON.stringify([spans, measured])).not.toContain("secret");
  });
});

describe("a turn", () => {
  it("gives calls with the session's id, and its tools", async () => {
    const answers = [
      {
        messages: [
          {
            role: "assistant" as const,
            content: [{ type: "tool_use" as const, id: "c1", name: "look", input: {} }],
          },
        ],
      },
      { messages: [{ role: "assistant" as const, content: [{ type: "text" as const, text: "Done." }] }] },
    ];
    const model = functionModel(async () => ({ stopReason: "end" as const, ...answers.shift()! }), {
      model: "m",
    });
    const palimpsest = createPalimpsest({ model, store: new InMemorySessionStore(), observer, notes: "off" });
    const session = await palimpsest.session("mine");
    const look = { name: "look", description: "Looks.", inputSchema: { type: "object" }, run: () => "seen" };
    await session.turn("Go.", { tools: [look], onEvent: observer.turn(session) });
    await palimpsest.close();
    const tool = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "look",
      "gen_ai.tool.call.id": "c1",
      "gen_ai.tool.type": "function",
    };
    expect(spans.map(({ name }) => name)).toEqual(["chat m", "execute_tool look", "chat m"]);
    expect(spans[1]).toMatchObject({ kind: 0, tookMs: 0, isError: false });
    expect(spans[1]?.attributes).toEqual({ ...tool, "gen_ai.conversation.id": "mine" });
    expect(spans.map(({ attributes }) => attributes["gen_ai.conversation.id"])).toEqual([
      "mine",
      "mine",
      "mine",
    ]);
  });
});

describe("names from outside", () => {
  it("are written without keys and control characters, on one line, and not at any length", async () => {
    const key = ["sk-", "ant-api03-", "a1B2".repeat(12)].join("");
    const evil = `look ${key}\u001b[2J\n\u202e${"x".repeat(100_000)}`;
    const model = `m\u001b[2J ${key}`;
    const tool = { type: "tool_use" as const, id: `c1 ${key}\u0007`, name: evil, input: {} };
    const messages = [{ role: "assistant" as const, content: [tool] }];
    observer.onEvent({ type: "call", seq: 4, model, tokens: 95, source: "estimate" }, { sessionId: "s" });
    observer.turn({ id: "s" })({
      type: "answer",
      answer: { messages, model, usage: USAGE, stopReason: "tool-use" },
    } as TurnEvent);
    observer.onEvent({ type: "answer", seq: 4, usage: USAGE, stopReason: evil }, { sessionId: "s" });
    await settled();
    const written = JSON.stringify([spans, measured]);
    expect(spans.map(({ name }) => name.slice(0, 40))).toEqual([
      "chat m\\u{1B}[2J [redacted: anthropic]",
      "execute_tool look [redacted: anthropic]\\",
    ]);
    expect(spans[1]?.attributes["gen_ai.tool.call.id"]).toBe("c1 [redacted: anthropic]\\u{7}");
    expect(written).not.toContain("a1B2a1B2");
    expect(written).not.toMatch(/\\u00(?:1b|07)|\\n|\u202e|x{257}/);
    expect(measured.length).toBeGreaterThan(0);
  });
});
