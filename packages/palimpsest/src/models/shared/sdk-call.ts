/**
 * The common part of all SDKs' calls: the id of the request beside the answer, streams that end
 * without a word, and answers that are none.
 *
 * The SDKs end a stream silently when it is aborted, and some when its connection is closed; a caller
 * must not take that for the end of an answer.
 */
import { ModelError } from "../../base/errors.ts";
import { isObject, type JsonObject } from "../../base/json/json.ts";
import { parseBounded } from "../../base/json/parse-bounded.ts";
import type { ModelEvent } from "../../ports/model-client.ts";
import { type Assembly, unreadableAnswer } from "../../wire/shared/answer-assembly.ts";

/** Result of an SDK's call. @internal */
export interface Settled {
  readonly data: unknown;
  readonly requestId?: string;
}

/** Waits for a call; SDKs whose promises know the response tell the id of the request. @internal */
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
 * Reads a stream to its end. An answer that was complete stays one, whatever the connection does afterwards;
 * one that was not is an error, however quietly the stream ended. @internal
 */
export async function readStream(
  stream: unknown,
  {
    provider,
    assembly,
    signal,
  }: { readonly provider: string; readonly assembly: Assembly; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const isStream = typeof stream === "object" && stream !== null && Symbol.asyncIterator in stream;
  if (!isStream) throw unreadableAnswer(provider, stream);
  try {
    for await (const event of stream as AsyncIterable<unknown>) assembly.take(event);
  } catch (error) {
    if (!assembly.isComplete) throw error;
  }
  if (assembly.isComplete) return;
  signal?.throwIfAborted();
  throw cutOffAnswer(provider);
}

/** The error of an answer that ended before it was complete. */
function cutOffAnswer(provider: string): ModelError {
  return new ModelError(
    { kind: "network" },
    {
      message: `The answer of ${provider} ended before it was complete.`,
      hint: "Ask again; if it happens often, look at what stands between you and the provider.",
    },
  );
}

/** Tells an event. What a listener throws is its own affair: the answer is still wanted. @internal */
export function teller(onEvent: ((event: ModelEvent) => void) | undefined): (event: ModelEvent) => void {
  if (onEvent === undefined) return () => undefined;
  return (event) => {
    try {
      onEvent(event);
    } catch {
      // A listener that fails must not cost the answer.
    }
  };
}

/** The fields of an SDK's request options; a signal that is not there is left away. @internal */
export function signalOption(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

/** The definitions; none where the text holds no list. @internal */
export function toolDefinitions(tools: string | undefined): readonly unknown[] {
  const parsed = tools === undefined ? undefined : parseBounded(tools);
  return parsed?.ok === true && Array.isArray(parsed.value) ? parsed.value : [];
}

/** Fields of a tool that the endpoint knows without a beta header. Source: Anthropic API reference, "Count tokens in a Message". */
const COUNTED_FIELDS: ReadonlySet<string> = new Set([
  ...["type", "name", "description", "input_schema", "strict", "max_characters"],
]);
/** Tools of Anthropic's that the client runs, which the endpoint takes; those that the server runs it refuses. */
const CLIENT_TOOL = /^(?:custom$|bash_|text_editor_)/;

/**
 * The definitions as Anthropic's counting endpoint takes them: without tools that are deferred (they are not in
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
