/**
 * The objects of `@opentelemetry/api` as far as they are used, and the names that are written: the GenAI semantic
 * conventions, and our own under `palimpsest.` where those have none.
 *
 * Source: OpenTelemetry semantic conventions 1.41, "Generative AI", spans and metrics.
 */
import { cutWithoutSecrets } from "../../base/redaction/broken-secrets.ts";
import { showOnOneLine } from "../../base/text/hidden-characters.ts";
import type { Usage } from "../../transcript/blocks.ts";

/** Attributes of spans and metrics. */
export type Attributes = Record<string, string | number | boolean | string[] | undefined>;

/** A span of `@opentelemetry/api`. */
export interface OtelSpan {
  setAttributes(attributes: Attributes): unknown;
  setStatus(status: { code: number }): unknown;
  addEvent(name: string, attributes?: Attributes): unknown;
  end(endTime?: number): void;
}

/** A tracer of `@opentelemetry/api`, such as `trace.getTracer("my-agent")`. */
export interface OtelTracer {
  startSpan(name: string, options?: { kind?: number; attributes?: Attributes; startTime?: number }): OtelSpan;
}

interface Instrument {
  record(value: number, attributes?: Attributes): void;
}
interface Counter {
  add(value: number, attributes?: Attributes): void;
}
interface InstrumentOptions {
  description?: string;
  unit?: string;
  advice?: { explicitBucketBoundaries?: number[] };
}

/** A meter of `@opentelemetry/api`, such as `metrics.getMeter("my-agent")`. */
export interface OtelMeter {
  createHistogram(name: string, options?: InstrumentOptions): Instrument;
  createCounter(name: string, options?: InstrumentOptions): Counter;
}

/** `SpanKind.CLIENT` and `SpanStatusCode.ERROR` of `@opentelemetry/api`. */
export const CLIENT_KIND = 2;
export const ERROR_STATUS = 2;

/** Buckets that the conventions advise: of tokens, and of seconds. */
const TOKEN_BUCKETS = Array.from({ length: 14 }, (_, index) => 4 ** index);
const SECOND_BUCKETS = Array.from({ length: 14 }, (_, index) => 0.01 * 2 ** index);

/** The instruments that calls and the session's own work are measured with. */
export interface Meters {
  readonly tokens: Instrument;
  readonly seconds: Instrument;
  readonly edits: Counter;
  readonly freedTokens: Counter;
  readonly recalled: Counter;
  readonly cacheCalls: Counter;
  readonly rebilledTokens: Counter;
}

/** Characters of a text that is written. Our choice: names and ids are shorter, and a model may call a tool by anything. */
const TEXT_CHARS = 256;

/** A name or an id from outside, without keys and without characters that could control a terminal. */
export function safeText(text: string): string {
  return showOnOneLine(cutWithoutSecrets(text, { from: 0, to: TEXT_CHARS }));
}

/** The attributes that have a value, with safe texts. */
export function safeAttributes(attributes: Attributes): Attributes {
  const safe: Attributes = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined) continue;
    if (typeof value === "string") safe[name] = safeText(value);
    else safe[name] = Array.isArray(value) ? value.map(safeText) : value;
  }
  return safe;
}

/** Makes the instruments. Their attributes are made safe. */
export function metersOf(meter: OtelMeter): Meters {
  const counter = (name: string, description: string, unit: string): Counter => {
    const made = meter.createCounter(`palimpsest.${name}`, { description, unit });
    return { add: (value, attributes = {}) => made.add(value, safeAttributes(attributes)) };
  };
  const histogram = (name: string, options: InstrumentOptions): Instrument => {
    const made = meter.createHistogram(name, options);
    return { record: (value, attributes = {}) => made.record(value, safeAttributes(attributes)) };
  };
  return {
    tokens: histogram("gen_ai.client.token.usage", {
      description: "Number of input and output tokens used.",
      unit: "{token}",
      advice: { explicitBucketBoundaries: TOKEN_BUCKETS },
    }),
    seconds: histogram("gen_ai.client.operation.duration", {
      description: "GenAI operation duration.",
      unit: "s",
      advice: { explicitBucketBoundaries: SECOND_BUCKETS },
    }),
    edits: counter("compaction.edits", "Edits that made a window smaller, by layer and reason.", "{edit}"),
    freedTokens: counter("compaction.freed_tokens", "Tokens by which windows became smaller.", "{token}"),
    recalled: counter("memory.recalled", "Memories that were shown to a model.", "{memory}"),
    cacheCalls: counter("cache.calls", "Answered calls by what they read from the prompt cache.", "{call}"),
    rebilledTokens: counter("cache.rebilled_tokens", "Tokens billed again after a cache miss.", "{token}"),
  };
}

/** Attributes of a usage. The conventions count cached tokens as input. */
export function usageAttributes(usage: Usage | undefined): Attributes {
  if (usage === undefined) return {};
  return {
    "gen_ai.usage.input_tokens": usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
    "gen_ai.usage.output_tokens": usage.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": usage.cacheReadTokens,
    "gen_ai.usage.cache_creation.input_tokens": usage.cacheWriteTokens,
  };
}
