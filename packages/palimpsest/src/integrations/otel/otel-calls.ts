/**
 * The calls of sessions as `chat` spans: from the moment when a request leaves to the moment when its answer is recorded.
 *
 * The end is written a microtask later, because a miss of the prompt cache is reported right after the answer.
 */
import type { SessionEvent } from "../../session/events/events.ts";
import { promptTokens, type Usage } from "../../transcript/blocks.ts";
import { type Attributes, type OtelSpan, usageAttributes } from "./otel-objects.ts";
import type { OtelWriter } from "./otel-writer.ts";

type EventOf<Type extends SessionEvent["type"]> = Extract<SessionEvent, { readonly type: Type }>;
type Miss = EventOf<"cache-miss">["miss"];

/** A call whose answer is awaited, or whose end is about to be written. */
interface OpenCall {
  readonly span: OtelSpan | undefined;
  readonly model: string;
  readonly atMs: number;
  isAnswered: boolean;
  usage: Usage | undefined;
  miss: Miss | undefined;
}

export class CallSpans {
  readonly #writer: OtelWriter;
  /** By session, then by number: one at a time, and one that was just answered. */
  readonly #calls = new Map<string | undefined, Map<number, OpenCall>>();

  constructor(writer: OtelWriter) {
    this.#writer = writer;
  }

  left({ model, tokens, seq }: EventOf<"call">, sessionId: string | undefined): void {
    this.giveUp(sessionId);
    const attributes = {
      ...this.#writer.chat(model, "answer"),
      "palimpsest.call.seq": seq,
      "palimpsest.call.estimated_tokens": tokens,
    };
    const span = this.#writer.begin({ name: `chat ${model}`, sessionId, attributes });
    const calls = this.#calls.get(sessionId) ?? new Map<number, OpenCall>();
    calls.set(seq, {
      span,
      model,
      atMs: this.#writer.now(),
      isAnswered: false,
      usage: undefined,
      miss: undefined,
    });
    this.#calls.set(sessionId, calls);
  }

  answered({ seq, usage, stopReason }: EventOf<"answer">, sessionId: string | undefined): void {
    const call = this.#calls.get(sessionId)?.get(seq);
    if (call === undefined) return;
    call.isAnswered = true;
    call.usage = usage;
    const endMs = this.#writer.now();
    const reasons = stopReason === undefined ? {} : { "gen_ai.response.finish_reasons": [stopReason] };
    queueMicrotask(() => this.#end(seq, sessionId, { ...usageAttributes(usage), ...reasons }, endMs));
  }

  missed({ seq, miss }: EventOf<"cache-miss">, sessionId: string | undefined): void {
    const call = this.#calls.get(sessionId)?.get(seq);
    if (call !== undefined) call.miss = miss;
  }

  failed({ seq, failure, isRecovered }: EventOf<"model-failed">, sessionId: string | undefined): void {
    // Of an answered call, it says that the provider had cut the prompt.
    if (this.#calls.get(sessionId)?.get(seq)?.isAnswered === true) return;
    this.#end(seq, sessionId, { "error.type": failure.kind, "palimpsest.recovered": isRecovered });
  }

  /** Ends the calls of a session that will not be answered: the host sent another, or closed it. */
  giveUp(sessionId: string | undefined): void {
    for (const [seq, { isAnswered }] of this.#calls.get(sessionId) ?? [])
      if (!isAnswered) this.#end(seq, sessionId, { "palimpsest.abandoned": true });
  }

  #end(seq: number, sessionId: string | undefined, attributes: Attributes, endMs = this.#writer.now()): void {
    const calls = this.#calls.get(sessionId);
    const call = calls?.get(seq);
    if (calls === undefined || call === undefined) return;
    calls.delete(seq);
    if (calls.size === 0) this.#calls.delete(sessionId);
    const { span, model, usage, atMs } = call;
    const chat = this.#writer.chat(model, "answer");
    this.#writer.measure(
      { ...chat, "error.type": attributes["error.type"] },
      { usage, tookMs: endMs - atMs },
    );
    this.#measureCache(call);
    this.#writer.end(span, attributes, endMs);
  }

  #measureCache({ span, model, usage, miss }: OpenCall): void {
    const { meters } = this.#writer;
    const cause: Attributes =
      miss === undefined
        ? {}
        : { "palimpsest.cache.miss_cause": causeOf(miss), "palimpsest.cache.miss_expected": miss.isExpected };
    if (miss !== undefined) {
      span?.addEvent("palimpsest.cache_miss", {
        ...cause,
        "palimpsest.cache.rebilled_tokens": miss.rebilledTokens,
      });
      meters?.rebilledTokens.add(miss.rebilledTokens, cause);
    }
    if (usage === undefined || promptTokens(usage) === 0) return;
    const result = miss !== undefined ? "miss" : usage.cacheReadTokens > 0 ? "hit" : "none";
    meters?.cacheCalls.add(1, { "palimpsest.cache.result": result, ...cause, "gen_ai.request.model": model });
  }
}

/** The cause in a word; of a change, with the part of the prompt. */
function causeOf({ cause }: Miss): string {
  return cause.type === "changed" ? `changed ${cause.change.part}` : cause.type;
}
