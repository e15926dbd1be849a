/**
 * Overflows that no error tells: providers that take more than their window, fill it to the last token
 * and answer nothing, or cut the prompt without a word. What they report of it gives them away.
 */
import { MODEL_FAILURE_DEFAULTS } from "../base/defaults/model-failures.ts";
import type { StopReason } from "../ports/model-client.ts";
import type { ModelFailure } from "../ports/model-failure.ts";
import { promptTokens, type Usage } from "../transcript/messages.ts";

/** An answer that came without an error. */
export interface AnswerSize {
  readonly usage: Usage;
  /** The window of the model. */
  readonly windowTokens: number;
  readonly stopReason?: StopReason;
  /** What the request was estimated at, without padding; without it, cut prompts are not found. */
  readonly estimatedTokens?: number;
}

/**
 * The failure that an answer hides, or `undefined`: a prompt above the window that was taken (z.ai), one
 * that fills it and left no room for a word (MiMo), one that was cut far below what was sent (Ollama).
 * How much a cut prompt could have had is not known; its `limitTokens` is absent.
 */
export function findSilentOverflow({
  usage,
  windowTokens,
  stopReason,
  estimatedTokens,
}: AnswerSize): ModelFailure | undefined {
  const prompt = promptTokens(usage);
  const limit = { promptTokens: prompt, limitTokens: windowTokens };
  if (prompt > windowTokens) {
    const message = `The provider took ${prompt} tokens, more than the window of ${windowTokens}.`;
    return { kind: "prompt-too-long", message, ...limit };
  }
  const isFilled = prompt >= windowTokens * MODEL_FAILURE_DEFAULTS.filledShare;
  if (
    isFilled &&
    usage.outputTokens === 0 &&
    (stopReason === "output-limit" || stopReason === "window-full")
  ) {
    const message = `The prompt of ${prompt} tokens fills the window of ${windowTokens}: there was no room for an answer.`;
    return { kind: "prompt-too-long", message, ...limit };
  }
  const isHeldAgainst =
    estimatedTokens !== undefined && estimatedTokens >= MODEL_FAILURE_DEFAULTS.truncationMinTokens;
  if (isHeldAgainst && prompt > 0 && prompt < estimatedTokens * MODEL_FAILURE_DEFAULTS.truncatedShare) {
    const message = `The provider read ${prompt} tokens of about ${Math.round(estimatedTokens)}: it cut the prompt.`;
    return { kind: "prompt-too-long", message, promptTokens: prompt };
  }
  return undefined;
}
