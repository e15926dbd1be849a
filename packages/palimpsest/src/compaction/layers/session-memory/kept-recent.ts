/**
 * The recent messages that stay beside the session's notes.
 *
 * What the notes do not tell of stays in any case. From there the stretch grows backwards, so that the
 * agent still sees what it works with: until there are enough tokens and enough messages in words, and
 * never beyond the most that is kept. Only a pair or a response that would be parted may go beyond it.
 */
import type { VisibleMessage } from "../../../transcript/window.ts";
import { findCuts } from "../../shared/kept-tail.ts";
import { type Measure, measureMessages } from "../../shared/measure.ts";

/** How much stays, in tokens as `measure` counts them. */
export interface KeepPolicy {
  readonly leastKeptTokens: number;
  /** At least this many messages that say something in words. */
  readonly leastKeptTextCount: number;
  readonly mostKeptTokens: number;
}

interface RecentInput {
  readonly visible: readonly VisibleMessage[];
  /** The last entry that the notes tell of. */
  readonly throughSeq: number;
  readonly policy: KeepPolicy;
  /** What is left beside the notes: the stretch does not grow beyond it. */
  readonly availableTokens: number;
}

/** Where the recent messages start; `undefined` where there is no place to cut before them. */
export function findRecentStart(input: RecentInput, measure: Measure): number | undefined {
  const { visible, throughSeq, policy } = input;
  const cuts = findCutsAfterSummary(visible);
  const firstUncovered = findFirstUncovered(visible, throughSeq);
  let start = cuts.findLast((cut) => cut <= firstUncovered);
  if (start === undefined) return undefined;
  let kept = sizeOf(visible.slice(start), measure);
  const mostTokens = Math.min(policy.mostKeptTokens, input.availableTokens);
  for (const cut of cuts.filter((one) => one < start!).toReversed()) {
    if (kept.tokens >= policy.leastKeptTokens && kept.textCount >= policy.leastKeptTextCount) break;
    const more = sizeOf(visible.slice(cut, start), measure);
    if (kept.tokens + more.tokens > mostTokens) break;
    kept = { tokens: kept.tokens + more.tokens, textCount: kept.textCount + more.textCount };
    start = cut;
  }
  return start;
}

/** An earlier summary, and what was put back beside it, is never kept: the notes tell of it. */
function findCutsAfterSummary(visible: readonly VisibleMessage[]): readonly number[] {
  const lastSummary = visible.findLastIndex(
    ({ origin, insertedBy }) => origin === "summary" && insertedBy !== undefined,
  );
  return findCuts(visible).filter((cut) => cut > lastSummary);
}

/**
 * Index of the first message that notes up to `throughSeq` cannot tell of; the window's length where they
 * tell of all. A summary is as new as the newest entry that it stands for.
 */
export function findFirstUncovered(visible: readonly VisibleMessage[], throughSeq: number): number {
  const index = visible.findIndex((message) => isUncovered(message, throughSeq));
  return index === -1 ? visible.length : index;
}

/** Also what the host put in the place of an old message after the notes were taken is new to them. */
function isUncovered({ seq, insertedBy, origin }: VisibleMessage, throughSeq: number): boolean {
  if (seq > throughSeq) return true;
  return insertedBy !== undefined && insertedBy > throughSeq && CONVERSATION_ORIGINS.has(origin);
}

const CONVERSATION_ORIGINS: ReadonlySet<string> = new Set(["user", "assistant", "tool", "host"]);

function sizeOf(messages: readonly VisibleMessage[], measure: Measure) {
  return { tokens: measureMessages(messages, measure), textCount: messages.filter(saysSomething).length };
}

function saysSomething({ role, blocks }: VisibleMessage): boolean {
  return role !== "system" && blocks.some(({ block }) => block.type === "text" && block.text.trim() !== "");
}
