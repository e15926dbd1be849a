/**
 * Facts that are over: forgotten or superseded. Old conversations still say them, and must not bring them back; a
 * user who says one again makes it new.
 */

import { compareFacts } from "../subject/same-subject.ts";
import type { FreshMemory } from "../write/plan-remember.ts";
import { isRelated } from "./dream-claims.ts";

/** One fact that is over, and since when. */
export interface PastMemory {
  readonly body: string;
  readonly sessionId?: string | undefined;
  readonly messageId?: string | undefined;
  readonly overMs: number;
}

/** The parts of a fact that are compared. */
type DatedFact = Pick<FreshMemory, "body" | "createdAtMs" | "updatedAtMs" | "sessionId" | "messageId">;

/** True if a fact is one of those, said before it was over. A fact without a time never is. */
export function isOver(fact: DatedFact, past: readonly PastMemory[]): boolean {
  const statedAtMs = Math.max(fact.createdAtMs ?? 0, fact.updatedAtMs ?? 0);
  if (statedAtMs === 0) return false;
  return past.some((one) => statedAtMs <= one.overMs && (saysIt(fact, one) || saysItOtherwise(fact, one)));
}

/** In other words, out of the same message: one message may say much else. */
function saysItOtherwise(fact: DatedFact, { body, sessionId, messageId }: PastMemory): boolean {
  return (
    sessionId !== undefined &&
    messageId !== undefined &&
    fact.sessionId === sessionId &&
    fact.messageId === messageId &&
    isRelated(fact.body, body)
  );
}

function saysIt({ body }: DatedFact, past: PastMemory): boolean {
  return compareFacts(body, past.body) === "repeats";
}
