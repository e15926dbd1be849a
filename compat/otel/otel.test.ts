/** A session of an agent with a small window, as the real SDKs of OpenTelemetry export it. */
import Anthropic from "@anthropic-ai/sdk";
import type { Meter, Tracer } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { createPalimpsest, InMemorySessionStore } from "palimpsest";
import { anthropicModel } from "palimpsest/anthropic";
import { otelObserver } from "palimpsest/otel";
import { callTool, say, scriptedProvider } from "palimpsest-testing";
import { expect, it } from "vitest";
import { GOOD_SUMMARY, isSummaryRequest } from "../../test/helpers/recorded-agent.ts";

const SECRET = "marigold";
const TURNS = 24;

it("exports calls, tools, compactions and summaries, and no text of the conversation", async () => {
  const provider = await scriptedProvider({
    windowTokens: 24_000,
    script: (request) => {
      if (isSummaryRequest(request)) return GOOD_SUMMARY;
      const isResult = JSON.stringify((request.body as { messages: unknown[] }).messages.at(-1)).includes(
        "tool_result",
      );
      return isResult ? say(`It is ${SECRET}.`) : callTool("look", { at: SECRET });
    },
  });
  const spans = new InMemorySpanExporter();
  const traces = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const meters = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter: metrics })] });
  const tracer: Tracer = traces.getTracer("test");
  const meter: Meter = meters.getMeter("test");
  const observer = otelObserver({ tracer, meter });

  const client = new Anthropic({ apiKey: "key", baseURL: provider.url, maxRetries: 0 });
  const palimpsest = createPalimpsest({
    model: anthropicModel(client, { model: "claude-opus-4-6", maxOutputTokens: 1_000 }),
    store: new InMemorySessionStore(),
    window: { windowTokens: 24_000, policy: "faithful" },
    notes: "off",
    observer,
  });
  const session = await palimpsest.session("s");
  const look = {
    ...{ name: "look", description: "Looks.", inputSchema: { type: "object" } },
    run: () => `${SECRET} `.repeat(1_200),
  };
  for (let turn = 1; turn <= TURNS; turn++)
    await session.turn(`Where is the ${SECRET}? ${`note ${turn} `.repeat(400)}`, {
      tools: [look],
      onEvent: observer.turn(session),
    });
  await palimpsest.close();
  await provider.close();
  await meters.forceFlush();

  const exported = spans.getFinishedSpans();
  const named = (name: string) => exported.filter((span) => span.name === name);
  const answers = provider.requests.filter(
    (request) => request.purpose === "answer" && !isSummaryRequest(request),
  );
  const summaries = provider.requests.filter(
    (request) => request.purpose === "answer" && isSummaryRequest(request),
  );
  const calls = named("chat claude-opus-4-6").filter(
    ({ attributes }) => attributes["palimpsest.purpose"] === "answer",
  );
  expect(answers).toHaveLength(2 * TURNS);
  expect(calls).toHaveLength(2 * TURNS);
  expect(named("execute_tool look")).toHaveLength(TURNS);
  expect(summaries.length).toBeGreaterThan(0);
  expect(named("chat claude-opus-4-6")).toHaveLength(2 * TURNS + summaries.length);
  expect(named("palimpsest.compaction").length).toBeGreaterThan(0);
  expect(exported.every(({ attributes }) => attributes["gen_ai.conversation.id"] === "s")).toBe(true);
  expect(exported.every(({ endTime, startTime }) => endTime[0] >= startTime[0])).toBe(true);
  expect(calls.map(({ attributes }) => attributes["gen_ai.usage.input_tokens"])).toEqual(
    answers.map(({ promptTokens }) => Math.round(promptTokens)),
  );
  expect(calls.every(({ kind }) => kind === 2)).toBe(true);

  const points = metrics
    .getMetrics()
    .flatMap(({ scopeMetrics }) =>
      scopeMetrics.flatMap(({ metrics: all }) =>
        all.map(({ descriptor, dataPoints }) => ({ ...descriptor, dataPoints })),
      ),
    );
  const metric = (name: string) => points.find((one) => one.name === name);
  expect(metric("gen_ai.client.token.usage")?.unit).toBe("{token}");
  const counts = metric("gen_ai.client.operation.duration")?.dataPoints.map(({ attributes, value }) => [
    attributes["palimpsest.purpose"],
    (value as { readonly count: number }).count,
  ]);
  expect(counts).toEqual(
    expect.arrayContaining([
      ["answer", 2 * TURNS],
      ["summary", summaries.length],
    ]),
  );
  expect(points.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      "palimpsest.compaction.edits",
      "palimpsest.compaction.freed_tokens",
      "palimpsest.cache.calls",
    ]),
  );
  const written = exported.map(({ name, attributes, events, status }) => ({
    name,
    attributes,
    events,
    status,
  }));
  expect(JSON.stringify([written, points])).not.toContain(SECRET);
  await Promise.all([traces.shutdown(), meters.shutdown()]);
});
