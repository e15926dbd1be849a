/**
 * Cuts a scripted answer where the output limit or the end of the window would cut it, and counts it.
 */

import type { StopReason } from "palimpsest/internal";
import { cutHead } from "palimpsest/internal";
import type { AnswerPart, ScriptedAnswer } from "../script/script.ts";
import type { TextCounter } from "./prompt.ts";

/** An answer as it is sent. */
export interface FittedAnswer {
  readonly parts: readonly AnswerPart[];
  readonly stopReason: StopReason;
  readonly outputTokens: number;
  readonly thinkingTokens: number;
}

/** Limits of one answer, in tokens. */
interface AnswerLimits {
  readonly maxOutputTokens: number | undefined;
  /** Tokens of the window that the prompt leaves free. */
  readonly availableTokens: number;
}

/** Fits an answer into its limits; a text is cut, a call that does not fit is left out. */
export function fitAnswer(answer: ScriptedAnswer, limits: AnswerLimits, count: TextCounter): FittedAnswer {
  const maxTokens = Math.max(
    0,
    Math.min(limits.maxOutputTokens ?? Number.POSITIVE_INFINITY, limits.availableTokens),
  );
  const parts: AnswerPart[] = [];
  let left = maxTokens;
  let thinkingTokens = 0;
  let isCut = false;
  for (const part of answer.parts) {
    const tokens = Math.ceil(count(textOf(part)));
    const taken = Math.min(tokens, left);
    const fitted = tokens <= left ? part : cutPart(part, left / tokens);
    if (fitted !== undefined) parts.push(fitted);
    if (part.type === "thinking") thinkingTokens += taken;
    left -= taken;
    isCut = tokens > taken;
    if (isCut) break;
  }
  const isAtWindow = limits.availableTokens < (limits.maxOutputTokens ?? Number.POSITIVE_INFINITY);
  const cutReason: StopReason = isAtWindow ? "window-full" : "output-limit";
  const ownReason = parts.some(({ type }) => type === "tool-call") ? "tool-use" : "end";
  return {
    parts,
    stopReason: isCut ? cutReason : (answer.stopReason ?? ownReason),
    outputTokens: parts.length === 0 && !isCut ? 0 : maxTokens - left,
    thinkingTokens,
  };
}

function textOf(part: AnswerPart): string {
  return part.type === "tool-call" ? part.name + JSON.stringify(part.input) : part.text;
}

function cutPart(part: AnswerPart, share: number): AnswerPart | undefined {
  if (part.type === "tool-call") return undefined;
  const text = cutHead(part.text, Math.floor(part.text.length * share));
  return text === "" ? undefined : { ...part, text };
}
