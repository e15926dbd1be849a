/**
 * The common part of writing answers: the head that the format wants beside the answer, and a stream that grows
 * with the events of a model.
 *
 * A stream is written from our own events, so one writer serves an answer that is there (each block at once) and
 * one that is still coming (pieces first, then the block that they make).
 */
import { isObject, type JsonObject } from "../../base/json/json.ts";
import type { ModelAnswer, ModelEvent } from "../../ports/model-client.ts";
import { type ContentBlock, promptTokens } from "../../transcript/blocks.ts";

/** Facts of a written answer that our own answers do not hold. @internal */
export interface AnswerHead {
  /** Id of the answer where it has none. */
  readonly id: string;
  /** The model where the answer does not name one. */
  readonly model: string;
}

/** All blocks of an answer. @internal */
export function contentOf(answer: ModelAnswer): readonly ContentBlock[] {
  return answer.messages.flatMap(({ content }) => content);
}

/** Id and model of a written answer: its own, or those of the head. @internal */
export function idAndModel({ messages, model }: ModelAnswer, head: AnswerHead): AnswerHead {
  return { id: messages[0]?.responseId ?? head.id, model: model ?? head.model };
}

/** The provider's own word for why it stopped, where this format reads it as the same; else the `usual` one. @internal */
export function writtenStop(
  { stopReason, rawStopReason }: ModelAnswer,
  usual: string,
  read: (raw: string) => ModelAnswer["stopReason"],
): string {
  return rawStopReason !== undefined && read(rawStopReason) === stopReason ? rawStopReason : usual;
}

/** Usage as both OpenAI APIs count it: the prompt with its cached part. @internal */
export function openaiTotals({ usage }: ModelAnswer) {
  if (usage === undefined) return undefined;
  const prompt = promptTokens(usage);
  return {
    prompt,
    output: usage.outputTokens,
    total: prompt + usage.outputTokens,
    details: { cached_tokens: usage.cacheReadTokens, cache_write_tokens: usage.cacheWriteTokens },
  };
}

/** Fields that only our converters read: what another format said of this block. */
const OWN_FIELDS = ["openai", "aiSdk"];

/** The block without the fields of other formats. @internal */
export function withoutOwnFields<T extends object>(block: T): T {
  if (!OWN_FIELDS.some((field) => field in block)) return block;
  return Object.fromEntries(Object.entries(block).filter(([field]) => !OWN_FIELDS.includes(field))) as T;
}

/** The value of an opaque block of this provider. @internal */
export function ownValue(block: ContentBlock, provider: string): Record<string, unknown> | undefined {
  return block.type === "opaque" && block.provider === provider && isObject(block.value)
    ? block.value
    : undefined;
}

/** Writes the content of an answer as frames of a stream. A begun call is not shown before its input is known. @internal */
export abstract class AnswerWriter {
  readonly #pieceLength: number;
  /** Pieces that no finished block has accounted for yet. */
  readonly #written = { text: "", thinking: "" };

  /** `pieceLength`: characters of a piece of what is there at once. */
  constructor({ pieceLength = Number.POSITIVE_INFINITY }: { readonly pieceLength?: number } = {}) {
    this.#pieceLength = pieceLength;
  }

  take(event: ModelEvent): readonly string[] {
    if (event.type === "block") return this.block(event.block);
    if (event.type === "tool-call") return [];
    const frames = this.piece(event.type, event.text);
    if (frames.length > 0) this.#written[event.type] += event.text;
    return frames;
  }

  /** Frames of the beginning; `body` is the answer as its vendor's format writes it, whose content comes later. */
  abstract begin(body: JsonObject): readonly string[];
  /** Frames of the end, of the whole answer. */
  abstract end(body: JsonObject): readonly string[];

  /** The frames of a piece; none where the format cannot tell it before its block is finished. */
  protected abstract piece(type: "text" | "thinking", text: string): readonly string[];
  protected abstract block(block: ContentBlock): readonly string[];

  /** The text that was written in pieces and has no finished block yet. */
  protected takeWritten(type: "text" | "thinking"): string {
    const written = this.#written[type];
    this.#written[type] = "";
    return written;
  }

  /** The pieces of a finished text that are not written yet. */
  protected restOf(type: "text" | "thinking", whole: string): readonly string[] {
    const written = this.takeWritten(type);
    return this.pieces(whole.startsWith(written) ? whole.slice(written.length) : "");
  }

  /** A text in pieces; never cut in the middle of a character. */
  protected pieces(text: string): readonly string[] {
    if (text.length <= this.#pieceLength) return text === "" ? [] : [text];
    const pieces: string[] = [];
    let piece = "";
    for (const character of text) {
      piece += character;
      if (piece.length < this.#pieceLength) continue;
      pieces.push(piece);
      piece = "";
    }
    return piece === "" ? pieces : [...pieces, piece];
  }
}
