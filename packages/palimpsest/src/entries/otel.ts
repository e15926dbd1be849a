/** `palimpsest/otel`: sessions as spans and metrics in OpenTelemetry's GenAI semantic conventions, through your own `@opentelemetry/api`. */
export { type OtelObserver, type OtelOptions, otelObserver } from "../integrations/otel/otel-observer.ts";
