/**
 * What the converters of all answers share: putting a streamed answer together, and the error of a value
 * that is not an answer.
 */
import { ModelError } from "../../base/errors.ts";

/** What puts an answer together from the events of a stream. @internal */
export interface Assembly {
  readonly isComplete: boolean;
  take(event: unknown): void;
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
