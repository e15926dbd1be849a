/** Writes spans and measurements with what all of them share: the session, the provider, the time. */
import { findModel } from "../../tokens/models/model-catalogue.ts";
import { promptTokens, type Usage } from "../../transcript/blocks.ts";
import {
  type Attributes,
  CLIENT_KIND,
  ERROR_STATUS,
  type Meters,
  metersOf,
  type OtelMeter,
  type OtelSpan,
  type OtelTracer,
  safeAttributes,
  safeText,
} from "./otel-objects.ts";

/** Names of providers in the conventions, where ours differ. */
const PROVIDERS: Readonly<Record<string, string>> = {
  google: "gcp.gemini",
  xai: "x_ai",
  mistral: "mistral_ai",
};

interface WriterOptions {
  readonly tracer: OtelTracer | undefined;
  readonly meter: OtelMeter | undefined;
  readonly provider: string | undefined;
  readonly now: () => number;
}

/** A span that begins. */
interface NewSpan {
  readonly name: string;
  readonly sessionId: string | undefined;
  readonly attributes: Attributes;
  /** @defaultValue now */
  readonly startTime?: number;
}

export class OtelWriter {
  readonly meters: Meters | undefined;
  readonly now: () => number;
  readonly #tracer: OtelTracer | undefined;
  readonly #provider: string | undefined;

  constructor({ tracer, meter, provider, now }: WriterOptions) {
    this.meters = meter === undefined ? undefined : metersOf(meter);
    this.now = now;
    this.#tracer = tracer;
    this.#provider = provider;
  }

  /** Attributes of a call of a model, for spans and metrics alike. */
  chat(model: string, purpose: "answer" | "summary"): Attributes {
    const known = findModel(model)?.provider;
    return {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name":
        this.#provider ?? (known === undefined ? "unknown" : (PROVIDERS[known] ?? known)),
      "gen_ai.request.model": model,
      "palimpsest.purpose": purpose,
    };
  }

  measure(
    attributes: Attributes,
    { usage, tookMs }: { readonly usage: Usage | undefined; readonly tookMs: number },
  ): void {
    this.meters?.seconds.record(tookMs / 1_000, attributes);
    if (usage === undefined) return;
    this.meters?.tokens.record(promptTokens(usage), { ...attributes, "gen_ai.token.type": "input" });
    this.meters?.tokens.record(usage.outputTokens, { ...attributes, "gen_ai.token.type": "output" });
  }

  /** Begins a span; calls of a model are those of a client. */
  begin({ name, sessionId, attributes, startTime = this.now() }: NewSpan): OtelSpan | undefined {
    const conversation = sessionId === undefined ? {} : { "gen_ai.conversation.id": sessionId };
    const kind = attributes["gen_ai.operation.name"] === "chat" ? CLIENT_KIND : 0;
    return this.#tracer?.startSpan(safeText(name), {
      ...{ kind, startTime },
      attributes: safeAttributes({ ...attributes, ...conversation }),
    });
  }

  end(span: OtelSpan | undefined, attributes: Attributes, endMs = this.now()): void {
    span?.setAttributes(safeAttributes(attributes));
    if (attributes["error.type"] !== undefined) span?.setStatus({ code: ERROR_STATUS });
    span?.end(endMs);
  }

  /** Writes a span of work that is over; without `tookMs`, one without a length. */
  past({ tookMs = 0, ...span }: NewSpan & { readonly tookMs?: number }): void {
    const endMs = this.now();
    const error = span.attributes["error.type"];
    this.end(this.begin({ ...span, startTime: endMs - tookMs }), { "error.type": error }, endMs);
  }
}
