/**
 * Helpers for reading a model's answer in any wire format: composing a `ModelAnswer`, assembling a streamed one, and the
 * error for a value that is not an answer.
 */
import { ModelError } from "../../base/errors.ts";
import { asNumber, isObject } from "../../base/json/json.ts";
import type { AppliedProviderEdits, ModelAnswer, ModelEvent, StopReason } from "../../ports/model-client.ts";
import type { ContentBlock, Message, Usage } from "../../transcript/blocks.ts";

/** Builds an answer from the events of a stream, one by one. @internal */
export interface Assembly {
  readonly isComplete: boolean;
  take(event: unknown): void;
  /** Returns the whole answer; before the stream is complete, an interrupted answer of the finished blocks. */
  answer(requestId?: string): ModelAnswer;
}

/** Contents of an answer, independent of its wire format. @internal */
export interface AnswerFields {
  readonly content: readonly ContentBlock[];
  readonly responseId?: string | undefined;
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly requestId?: string | undefined;
  readonly stopReason: StopReason;
  readonly rawStopReason?: string | undefined;
  readonly isInterrupted?: boolean;
  readonly providerEdits?: AppliedProviderEdits | undefined;
}

/** Composes an answer of one message; of none if the provider sent no content. @internal */
export function composeAnswer(fields: AnswerFields): ModelAnswer {
  const { content, responseId, model, usage, requestId, rawStopReason, providerEdits } = fields;
  const message: Message = {
    role: "assistant",
    content,
    origin: "assistant",
    ...(responseId === undefined ? {} : { responseId }),
    ...(model === undefined ? {} : { model }),
    ...(fields.isInterrupted === true ? { interrupted: true } : {}),
  };
  return {
    messages: content.length === 0 ? [] : [message],
    stopReason: fields.stopReason,
    ...(rawStopReason === undefined ? {} : { rawStopReason }),
    ...(usage === undefined ? {} : { usage }),
    ...(model === undefined ? {} : { model }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(providerEdits === undefined ? {} : { providerEdits }),
  };
}

/** An {@link Assembly} that remembers the finished blocks, which survive an interruption. @internal */
export abstract class AnswerAssembly implements Assembly {
  readonly #tell: (event: ModelEvent) => void;
  readonly #finished: ContentBlock[] = [];

  constructor({ tell = () => undefined }: { readonly tell?: (event: ModelEvent) => void } = {}) {
    this.#tell = tell;
  }

  abstract get isComplete(): boolean;
  /** @throws ModelError if the event reports that the answer failed. */
  abstract take(event: unknown): void;
  protected abstract wholeAnswer(requestId: string | undefined): ModelAnswer;
  /** Returns the fields that are known before the end of the stream. */
  protected abstract knownFields(): Pick<AnswerFields, "responseId" | "model" | "usage">;

  answer(requestId?: string): ModelAnswer {
    if (this.isComplete) return this.wholeAnswer(requestId);
    const known = { ...this.knownFields(), requestId, content: this.#finished };
    return composeAnswer({ ...known, stopReason: "other", isInterrupted: true });
  }

  /** Passes an event to the listener, and keeps finished blocks. */
  protected emit(event: ModelEvent): void {
    if (event.type === "block") this.#finished.push(event.block);
    this.#tell(event);
  }
}

/** Returns the error for a value that is not an answer. @internal */
export function unreadableAnswer(provider: string, answer: unknown): ModelError {
  const plain = typeof answer === "object" ? "an object" : `a value of type ${typeof answer}`;
  const kind = answer === null ? "null" : Array.isArray(answer) ? "a list" : plain;
  return new ModelError(
    { kind: "unreadable-answer" },
    {
      message: `What came from ${provider} is no answer of its API, but ${kind}.`,
      hint: "Look at the address and at what stands between you and the provider: a proxy may answer in its place.",
    },
  );
}

/** True if a block is the model's refusal to answer. @internal */
export function isRefusal(block: ContentBlock): boolean {
  return block.type === "opaque" && isObject(block.value) && block.value["type"] === "refusal";
}

/** Reads the usage that Responses (`input_tokens`) or Chat Completions (`prompt_tokens`) report. @internal */
export function openaiUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const prompt = asNumber(usage["input_tokens"]) ?? asNumber(usage["prompt_tokens"]);
  if (prompt === undefined) return undefined;
  const details = usage["input_tokens_details"] ?? usage["prompt_tokens_details"];
  const fields = isObject(details) ? details : {};
  // DeepSeek reports cache hits in a separate field, not in the details.
  const read = asNumber(fields["cached_tokens"]) ?? asNumber(usage["prompt_cache_hit_tokens"]) ?? 0;
  const cacheReadTokens = Math.min(read, prompt);
  const cacheWriteTokens = Math.min(asNumber(fields["cache_write_tokens"]) ?? 0, prompt - cacheReadTokens);
  return {
    inputTokens: prompt - cacheReadTokens - cacheWriteTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: asNumber(usage["output_tokens"]) ?? asNumber(usage["completion_tokens"]) ?? 0,
  };
}
