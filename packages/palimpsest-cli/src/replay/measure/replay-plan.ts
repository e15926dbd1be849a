/**
 * From a recording to what a host would have done: hand over what was said, prepare a call, record
 * the answer.
 *
 * A call comes before every response. Chunks of a response that came earlier belong to that call.
 * A recording that ends with something unanswered gets one more call, the one that would have come.
 */

import type { Clock, Message } from "palimpsest";
import type { ImportedItem, ImportedMessage } from "palimpsest/formats";
import type { JsonValue } from "palimpsest/internal";
import { RECORDING_STEP_MS } from "palimpsest-testing/internal";

export type ReplayStep =
  | { readonly type: "append"; readonly item: ImportedMessage }
  | {
      readonly type: "metadata";
      readonly key: string;
      readonly value: JsonValue;
      readonly isBoundary: boolean;
    }
  /** `answer` is empty for the call that was never recorded. */
  | { readonly type: "call"; readonly answer: readonly ImportedMessage[] };

export function planReplay(items: readonly ImportedItem[]): readonly ReplayStep[] {
  const plan = new ReplayPlan();
  for (const item of items) plan.add(item);
  return plan.finish();
}

class ReplayPlan {
  readonly #steps: ReplayStep[] = [];
  /** The answer being collected, which its call step already holds. */
  #answer: ImportedMessage[] | undefined;
  #responseId: string | undefined;
  #hasContent = false;
  #isOpen = false;
  #boundaries = 0;

  add(item: ImportedItem): void {
    if (item.type === "message") this.#addMessage(item);
    else if (item.type === "metadata") this.#metadata(`recorded.${item.key}`, item.value, false);
    else {
      const { type: kind, ...recorded } = item;
      this.#boundaries++;
      this.#metadata(
        `recorded-${kind}.${this.#boundaries}`,
        JSON.parse(JSON.stringify(recorded)) as JsonValue,
        true,
      );
    }
  }

  finish(): readonly ReplayStep[] {
    if (this.#isOpen && this.#hasContent) this.#steps.push({ type: "call", answer: [] });
    return this.#steps;
  }

  #addMessage(item: ImportedMessage): void {
    const { message } = item;
    const { responseId } = message;
    const isChunk = responseId !== undefined && responseId === this.#responseId;
    if (message.role !== "assistant" || !this.#hasContent) {
      this.#answer = undefined;
      this.#steps.push({ type: "append", item });
    } else if (isChunk && this.#answer !== undefined) {
      this.#answer.push(item);
    } else if (isChunk) {
      this.#steps.push({ type: "append", item });
    } else {
      this.#answer = [item];
      this.#steps.push({ type: "call", answer: this.#answer });
    }
    if (message.role === "assistant") this.#responseId = responseId;
    this.#hasContent ||= message.content.length > 0;
    this.#isOpen = message.role !== "assistant" || message.content.some((block) => block.type === "tool_use");
  }

  #metadata(key: string, value: JsonValue, isBoundary: boolean): void {
    this.#answer = undefined;
    this.#steps.push({ type: "metadata", key, value, isBoundary });
  }
}

export class RecordedClock implements Clock {
  #nowMs: number;

  /** `startMs`: of a recording that does not say when it began. */
  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  /** A message is said. Recorded times that go back are not followed. */
  observe({ at }: Pick<Message, "at">): void {
    this.#nowMs = Math.max(this.#nowMs, at ?? this.#nowMs + RECORDING_STEP_MS);
  }
}
