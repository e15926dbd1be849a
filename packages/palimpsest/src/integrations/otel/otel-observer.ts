/**
 * An observer that writes the events of sessions as OpenTelemetry spans and metrics.
 *
 * DESIGN. A call is a span that is open (`otel-calls.ts`); all other work is over when its event comes, and becomes a span
 * that began earlier, or one without a length. Spans and metrics have names, figures and ids; no text of a conversation, of
 * an error or of a memory.
 */

import type { TurnEvent } from "../../agent/options/turn/turn-options.ts";
import { checkOptions, having, type OptionRules, text } from "../../base/options/check-options.ts";
import type { Clock } from "../../ports/runtime.ts";
import type { SessionEvent, SessionObserver } from "../../session/events/events.ts";
import { CallSpans } from "./otel-calls.ts";
import { type OtelMeter, type OtelSpan, type OtelTracer, usageAttributes } from "./otel-objects.ts";
import { OtelWriter } from "./otel-writer.ts";

/** Options of {@link otelObserver}. */
export interface OtelOptions {
  /** Writes spans: `trace.getTracer("my-agent")`. */
  readonly tracer?: OtelTracer;
  /** Writes metrics: `metrics.getMeter("my-agent")`. */
  readonly meter?: OtelMeter;
  /** `gen_ai.provider.name`. @defaultValue from the model's name */
  readonly provider?: string;
  /** @defaultValue the machine's */
  readonly clock?: Clock;
}

const RULES: OptionRules<OtelOptions> = {
  tracer: having(["startSpan"], "a tracer", "`trace.getTracer(name)`"),
  meter: having(["createHistogram"], "a meter", "`metrics.getMeter(name)`"),
  provider: text,
  clock: having(["nowMs"], "a clock", "an object with `nowMs()`, such as `systemClock`"),
};

/** An observer of sessions, and of turns. */
export interface OtelObserver extends SessionObserver {
  /** Makes a listener for `session.turn(input, { onEvent })` that writes the calls of the turn's tools. */
  turn(session?: { readonly id: string }): (event: TurnEvent) => void;
}

/**
 * Writes what sessions do as spans and metrics in OpenTelemetry's GenAI semantic conventions, through your own
 * `@opentelemetry/api`. No text of a conversation is written.
 *
 * @example
 * ```ts
 * const observer = otelObserver({ tracer: trace.getTracer("my-agent"), meter: metrics.getMeter("my-agent") });
 * const palimpsest = createPalimpsest({ model, observer });
 * ```
 */
export function otelObserver(options: OtelOptions): OtelObserver {
  checkOptions("otelObserver", options, RULES);
  const { tracer, meter, provider, clock } = options;
  const writer = new OtelWriter({ tracer, meter, provider, now: () => clock?.nowMs() ?? Date.now() });
  const calls = new CallSpans(writer);
  const work = new SessionWork(writer);
  return {
    onEvent: (event, source) => {
      const sessionId = source?.sessionId;
      if (event.type === "call") calls.left(event, sessionId);
      else if (event.type === "answer") calls.answered(event, sessionId);
      else if (event.type === "cache-miss") calls.missed(event, sessionId);
      else if (event.type === "model-failed") calls.failed(event, sessionId);
      else if (event.type === "closed") calls.giveUp(sessionId);
      else work.take(event, sessionId);
    },
    turn: (session) => toolListener(writer, session?.id),
  };
}

/** The session's own work: compactions, summaries, notes, recalls. */
class SessionWork {
  readonly #writer: OtelWriter;

  constructor(writer: OtelWriter) {
    this.#writer = writer;
  }

  take(event: SessionEvent, sessionId: string | undefined): void {
    if (event.type === "layer") this.#edited({ ...event.edit, layer: event.layer, sessionId });
    else if (event.type === "offloaded")
      this.#edited({ layer: "offload", reason: "arrival", freedTokens: event.freedTokens, sessionId });
    else if (event.type === "summary-call") this.#summarised(event, sessionId);
    else if (event.type === "notes-update") this.#noted(event, sessionId);
    else if (event.type === "memory-recalled") this.#recalled(event, sessionId);
  }

  #edited({
    layer,
    reason,
    freedTokens,
    sessionId,
  }: {
    readonly layer: string;
    readonly reason: string;
    readonly freedTokens: number;
    readonly sessionId: string | undefined;
  }): void {
    const why = { "palimpsest.layer": layer, "palimpsest.reason": reason };
    const attributes = { ...why, "palimpsest.freed_tokens": freedTokens };
    this.#writer.past({ name: "palimpsest.compaction", sessionId, attributes });
    this.#writer.meters?.edits.add(1, why);
    // A counter only grows: restored files may need more than was freed.
    this.#writer.meters?.freedTokens.add(Math.max(0, freedTokens), why);
  }

  #summarised(
    event: Extract<SessionEvent, { readonly type: "summary-call" }>,
    sessionId: string | undefined,
  ): void {
    const { model, outcome, usage, tookMs, trigger, form, attempt } = event;
    const error = outcome === "written" ? undefined : outcome;
    const chat = { ...this.#writer.chat(model, "summary"), "error.type": error };
    this.#writer.measure(chat, { usage, tookMs });
    const attributes = {
      ...{ ...chat, ...usageAttributes(usage) },
      "palimpsest.summary.trigger": trigger,
      "palimpsest.summary.form": form,
      "palimpsest.summary.attempt": attempt,
    };
    this.#writer.past({ name: `chat ${model}`, sessionId, attributes, tookMs });
  }

  /** The event does not name the model that was asked. */
  #noted(
    { outcome, form, usage, tookMs }: Extract<SessionEvent, { readonly type: "notes-update" }>,
    sessionId: string | undefined,
  ): void {
    if (usage !== undefined)
      this.#writer.measure(
        { "gen_ai.operation.name": "chat", "palimpsest.purpose": "notes" },
        { usage, tookMs },
      );
    const attributes = {
      "palimpsest.notes.outcome": outcome,
      "palimpsest.notes.form": form,
      ...usageAttributes(usage),
      "error.type": outcome === "failed" ? "notes_update_failed" : undefined,
    };
    this.#writer.past({ name: "palimpsest.notes_update", sessionId, attributes, tookMs });
  }

  #recalled(
    { paths, tokens, chosenBy, fellBack }: Extract<SessionEvent, { readonly type: "memory-recalled" }>,
    sessionId: string | undefined,
  ): void {
    const by = { "palimpsest.recall.chosen_by": chosenBy };
    const attributes = {
      ...by,
      "palimpsest.recall.memories": paths.length,
      "palimpsest.recall.tokens": tokens,
      "palimpsest.recall.fell_back": fellBack !== undefined,
    };
    this.#writer.past({ name: "palimpsest.recall", sessionId, attributes });
    this.#writer.meters?.recalled.add(paths.length, by);
  }
}

/** The tools of a turn run from the answer that calls them to their result. */
function toolListener(writer: OtelWriter, sessionId: string | undefined): (event: TurnEvent) => void {
  const spans = new Map<string, OtelSpan | undefined>();
  return (event) => {
    if (event.type === "tool-result") {
      const error = event.isError ? "tool_error" : undefined;
      writer.end(spans.get(event.call.id), { "error.type": error });
      spans.delete(event.call.id);
    }
    if (event.type !== "answer") return;
    for (const block of event.answer.messages.flatMap(({ content }) => content)) {
      if (block.type !== "tool_use") continue;
      const attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": block.name,
        "gen_ai.tool.call.id": block.id,
        "gen_ai.tool.type": "function",
      };
      spans.set(block.id, writer.begin({ name: `execute_tool ${block.name}`, sessionId, attributes }));
    }
  };
}
