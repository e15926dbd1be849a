/**
 * Timing of clearing as a problem with a known answer: the requests of a session, the results and arguments
 * in each, and for each of them the request from which on it is never used again.
 *
 * With that knowledge only the moment is left to choose, so the best moments can be computed and a rule that
 * does not know the future can be measured against them (`clairvoyant.ts`).
 */

import { isCacheWarm } from "palimpsest/experimental";
import type { Tariff } from "palimpsest/tokens";
import type { Trajectory, TrajectoryMessage } from "palimpsest-testing/internal";
import { EVALUATION_DEFAULTS as D } from "../defaults/evaluation.ts";

/** Something that can be cleared: an old result, or the arguments of an old call. */
export interface DeadWeight {
  /** Index of its message. */
  readonly source: number;
  /** Tokens freed by clearing it. */
  readonly freedTokens: number;
  /** The first request that does not need it. */
  readonly fromRequest: number;
}

/** A request of the session, where nothing was ever cleared. */
interface FullRequest {
  /** Index of the message that answers it: it carries all before. */
  readonly answer: number;
  readonly tokens: number;
  /** True if the cache holds the request before it. */
  readonly isWarm: boolean;
}

export interface ClearingProblem {
  readonly tariff: Tariff;
  readonly requests: readonly FullRequest[];
  /** In the order of the messages; never those that stay in use to the end. */
  readonly weights: readonly DeadWeight[];
  /** Tokens of a request up to the beginning of each message, the fixed part included. */
  readonly startTokens: readonly number[];
}

export function clearingProblem(trajectory: Trajectory, tariff: Tariff): ClearingProblem {
  const startTokens = trajectory.tokensBefore.map((tokens) => tokens + trajectory.fixedTokens);
  const requests = requestsOf(trajectory, startTokens, tariff);
  return { tariff, requests, weights: weightsOf(trajectory, requests), startTokens };
}

function requestsOf(
  { messages }: Trajectory,
  startTokens: readonly number[],
  tariff: Tariff,
): readonly FullRequest[] {
  const requests: FullRequest[] = [];
  let lastMs: number | undefined;
  for (const [answer, { author, atMs }] of messages.entries()) {
    if (author !== "assistant") continue;
    // It left when the message before it was there.
    const nowMs = messages[answer - 1]?.atMs ?? atMs;
    const idleMs = lastMs === undefined ? undefined : nowMs - lastMs;
    const isWarm = isCacheWarm({ idleMs, cachedTokens: requests.at(-1)?.tokens ?? 0 }, tariff);
    requests.push({ answer, tokens: startTokens[answer]!, isWarm });
    lastMs = nowMs;
  }
  return requests;
}

function weightsOf({ messages }: Trajectory, requests: readonly FullRequest[]): readonly DeadWeight[] {
  const lastUses = messages.map((_, index) => index);
  for (const [index, { references }] of messages.entries())
    for (const { source } of references) lastUses[source] = index;
  return messages.flatMap((message, source) => {
    const freedTokens = freedBy(message);
    const fromRequest = firstBehind(requests, lastUses[source]!);
    return freedTokens > 0 && fromRequest < requests.length ? [{ source, freedTokens, fromRequest }] : [];
  });
}

/** A result leaves a placeholder, a call the beginning of its arguments; neither is worth it where it is small. */
function freedBy({ author, tokens, text, argumentsText }: TrajectoryMessage): number {
  if (author === "tool") return tokens > D.clearableTokens ? tokens - D.placeholderTokens : 0;
  if (author !== "assistant" || argumentsText.length <= D.clearableArgumentCharacters) return 0;
  const argumentTokens = Math.round((tokens * argumentsText.length) / text.length);
  return Math.max(0, argumentTokens - D.argumentPlaceholderTokens);
}

/** Index of the first request whose answer follows message `source`. */
function firstBehind(requests: readonly FullRequest[], source: number): number {
  let low = 0;
  let high = requests.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (requests[middle]!.answer > source) high = middle;
    else low = middle + 1;
  }
  return low;
}
