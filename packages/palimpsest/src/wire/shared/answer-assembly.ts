/**
 * The common part of reading all answers: composing an answer from what its format says, putting a streamed one
 * together, and the error of a value that is not an answer.
 */
import { ModelError } from "../../base/errors.ts";
import { asNumber, isObject } from "../../base/json/json.ts";
import type { ModelAnswer, ModelEvent, StopReason } from "../../ports/model-client.ts";
import type { ContentBlock, Message, Usage } from "../../transcript/blocks.ts";

/** Builds an answer from the events of a stream. @internal */
export interface Assembly {
  readonly isComplete: boolean;
  take(event: unknown): void;
  /** The whole answer; before the stream is complete, its finished blocks as an interrupted one. */
  answer(requestId?: string): ModelAnswer;
}

/** Contents of an answer, however its format spells them. @internal */
export interface AnswerFields {
  readonly content: readonly ContentBlock[];
  readonly responseId?: string | undefined;
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly requestId?: string | undefined;
  readonly stopReason: StopReason;
  readonly rawStopReason?: string | undefined;
  readonly isInterrupted?: boolean;
}

/** Composes an answer of one message; of none where the provider sent nothing. @internal */
export function composeAnswer(fields: AnswerFields): ModelAnswer {
  const { content, responseId, model, usage, requestId, rawStopReason } = fields;
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
  /** @throws ModelError where the stream says that the answer failed. */
  abstract take(event: unknown): void;
  protected abstract wholeAnswer(requestId: string | undefined): ModelAnswer;
  /** Fields that are known before the end. */
  protected abstract knownFields(): Pick<AnswerFields, "responseId" | "model" | "usage">;

  answer(requestId?: string): ModelAnswer {
    if (this.isComplete) return this.wholeAnswer(requestId);
    const known = { ...this.knownFields(), requestId, content: this.#finished };
    return composeAnswer({ ...known, stopReason: "other", isInterrupted: true });
  }

  protected emit(event: ModelEvent): void {
    if (event.type === "block") this.#finished.push(event.block);
    this.#tell(event);
  }
}

/** The error of an answer that is none. @internal */
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

/** True if a block is a model's own words for not answering. @internal */
export function isRefusal(block: ContentBlock): boolean {
  return block.type === "opaque" && isObject(block.value) && block.value["type"] === "refusal";
}

/** Usage of Responses (`input_tokens`) and of Chat Completions (`prompt_tokens`). @internal */
export function openaiUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const prompt = asNumber(usage["input_tokens"]) ?? asNumber(usage["prompt_tokens"]);
  if (prompt === undefined) return undefined;
  const details = usage["input_tokens_details"] ?? usage["prompt_tokens_details"];
  const fields = isObject(details) ? details : {};
  // DeepSeek reports hits beside the prompt and not in its details.
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
