/**
 * One message of a gemini-cli session while its log is folded: its last writing, and what replaced
 * contexts say about the answers of its calls.
 *
 * The tool shortens old answers in its context. Kept is what was written first; what is new in a
 * replaced context (an answer that was not there before) is taken over.
 */

import { isObject } from "../../base/json/json.ts";
import { contentParts, type Fields, listOf } from "../shared/fields.ts";
import { toolResultOf } from "./gemini-part.ts";

/** @internal */
export class GeminiMessageSlot {
  readonly type = "message";
  readonly line: number | undefined;
  /** Its place among all slots. */
  readonly order: number;
  /** Not taken back later. */
  isLive = true;
  /** Put in by the tool: beside the conversation, or in the place of what it dropped. */
  putIn: "no" | "beside" | "instead" = "no";
  #raw: Fields;
  readonly #added = new Map<string, Fields>();
  readonly #shortened = new Set<string>();
  /** The first answer of each call, once it was asked for. */
  #answers: Map<string, string> | undefined;

  constructor({ raw, line, order }: { raw: Fields; line: number | undefined; order: number }) {
    this.#raw = raw;
    this.line = line;
    this.order = order;
  }

  /** The message as it was written last. */
  get raw(): Fields {
    return this.#raw;
  }

  /** The message grew, and was written once more. */
  rewrite(raw: Fields): void {
    this.#raw = raw;
    this.#answers = undefined;
  }

  /** Takes over what a replaced context adds; returns the calls whose answers it shortened. */
  takeOver(after: Fields): readonly string[] {
    const shortened: string[] = [];
    for (const call of callsOf(after)) {
      const { id } = call;
      const answer = answerOf(call);
      if (typeof id !== "string" || answer === undefined) continue;
      this.#answers ??= answersOf(this.#raw);
      const first = this.#answers.get(id);
      if (first === undefined) {
        this.#answers.set(id, answer);
        this.#added.set(id, call);
      } else if (first !== answer && !this.#shortened.has(id)) {
        this.#shortened.add(id);
        shortened.push(id);
      }
    }
    return shortened;
  }

  /** The message with everything that is known of its calls. */
  finish(): Fields {
    if (this.#added.size === 0) return this.#raw;
    const calls = new Map<unknown, Fields>(callsOf(this.#raw).map((call) => [call["id"], call]));
    for (const [id, call] of this.#added)
      if (answerOf(calls.get(id) ?? {}) === undefined) calls.set(id, call);
    return { ...this.#raw, toolCalls: [...calls.values()] };
  }
}

function callsOf({ toolCalls }: Fields): readonly Fields[] {
  return listOf(toolCalls).filter(isObject);
}

function answerOf({ id, result }: Fields): string | undefined {
  if (typeof id !== "string" || contentParts(result).length === 0) return undefined;
  return JSON.stringify(toolResultOf(id, result)["content"] ?? null);
}

function answersOf(message: Fields): Map<string, string> {
  return new Map(
    callsOf(message).flatMap((call): readonly [string, string][] => {
      const answer = answerOf(call);
      return answer === undefined ? [] : [[String(call["id"]), answer]];
    }),
  );
}
