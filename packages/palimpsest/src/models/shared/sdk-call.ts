/**
 * Helpers for calls of any vendor's SDK: the id of the request, streams that end early, listeners that throw, and tool
 * definitions.
 *
 * SDKs end a stream without an error when it is aborted, and some when its connection is closed. A caller must not take
 * that for the end of the answer.
 */
import { ModelError, OptionError } from "../../base/errors.ts";
import { isObject, type JsonObject } from "../../base/json/json.ts";
import { parseBounded } from "../../base/json/parse-bounded.ts";
import type { ModelEvent } from "../../ports/model-client.ts";
import { type Assembly, unreadableAnswer } from "../../wire/shared/answer-assembly.ts";
import type { IdleLimit } from "./idle-limit.ts";

/** Clients whose requests carry a session's window (`integrations/`). @internal */
export const managedClients = new WeakSet<object>();

/** Returns the client. @throws `OptionError` where its requests carry a session's window. @internal */
export function plainClient<Client extends object>(client: Client): Client {
  if (!managedClients.has(client)) return client;
  throw new OptionError({
    message: "The client of a model has a managed window: summaries would be taken for the conversation.",
    hint: "Pass the client that you gave to `withPalimpsest`.",
  });
}

/** Result of an SDK's call. @internal */
export interface Settled {
  readonly data: unknown;
  readonly requestId?: string;
}

/** Waits for a call. The id of the request is known if the SDK's promise gives access to the response. @internal */
export async function settle(call: PromiseLike<unknown>): Promise<Settled> {
  const { withResponse } = call as { readonly withResponse?: () => Promise<unknown> };
  if (typeof withResponse !== "function") return { data: await call };
  const { data, request_id: requestId } = (await withResponse.call(call)) as {
    readonly data: unknown;
    readonly request_id?: unknown;
  };
  return typeof requestId === "string" && requestId !== "" ? { data, requestId } : { data };
}

/**
 * Reads a stream to its end into `assembly`. Errors after the answer is complete are ignored. A stream that ends before is
 * an error, even if the SDK reported none, and so is one that falls silent. @internal
 */
export async function readStream(
  stream: unknown,
  {
    provider,
    assembly,
    idle,
  }: { readonly provider: string; readonly assembly: Assembly; readonly idle: IdleLimit },
): Promise<void> {
  const isStream = typeof stream === "object" && stream !== null && Symbol.asyncIterator in stream;
  if (!isStream) throw unreadableAnswer(provider, stream);
  idle.moved();
  try {
    for await (const event of stream as AsyncIterable<unknown>) {
      idle.moved();
      assembly.take(event);
    }
  } catch (error) {
    if (!assembly.isComplete) throw idle.error ?? error;
  } finally {
    idle.end();
  }
  if (assembly.isComplete) return;
  idle.signal.throwIfAborted();
  throw cutOffAnswer(provider);
}

/** Returns the error for an answer that ended before it was complete. */
function cutOffAnswer(provider: string): ModelError {
  return new ModelError(
    { kind: "network" },
    {
      message: `The answer of ${provider} ended before it was complete.`,
      hint: "Ask again; if it happens often, look at what stands between you and the provider.",
    },
  );
}

/** Returns a function that passes events to the listener and ignores what it throws. @internal */
export function safeListener(
  onEvent: ((event: ModelEvent) => void) | undefined,
): (event: ModelEvent) => void {
  if (onEvent === undefined) return () => undefined;
  return (event) => {
    try {
      onEvent(event);
    } catch {
      // A listener that fails must not cost the answer.
    }
  };
}

/** Returns an SDK's request options with the signal, or none without it. @internal */
export function signalOption(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

/** Parses tool definitions; returns none if the text is not a JSON list. @internal */
export function toolDefinitions(tools: string | undefined): readonly unknown[] {
  const parsed = tools === undefined ? undefined : parseBounded(tools);
  return parsed?.ok === true && Array.isArray(parsed.value) ? parsed.value : [];
}

/** Fields of a tool that the endpoint knows without a beta header. Source: Anthropic API reference, "Count tokens in a Message". */
const COUNTED_FIELDS: ReadonlySet<string> = new Set([
  ...["type", "name", "description", "input_schema", "strict", "max_characters"],
]);
/** Types of tools that the client runs. The counting endpoint refuses tools that the server runs. */
const CLIENT_TOOL = /^(?:custom$|bash_|text_editor_)/;

/**
 * Returns the definitions that Anthropic's counting endpoint accepts: without tools that are deferred (they are not in
 * the prompt) or run by the server, and without fields that only a beta header allows. @internal
 */
export function anthropicToolDefinitions(tools: string | undefined): readonly unknown[] {
  return toolDefinitions(tools).flatMap((tool) => {
    if (!isObject(tool)) return [tool];
    const { type } = tool;
    const isServers = typeof type === "string" && !CLIENT_TOOL.test(type);
    if (isServers || tool["defer_loading"] === true) return [];
    const fields = Object.entries(tool).filter(([field]) => COUNTED_FIELDS.has(field));
    return [Object.fromEntries(fields) as JsonObject];
  });
}
