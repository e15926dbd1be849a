/**
 * What is over: facts that were forgotten, or that another one has taken the place of. Whoever reads old talk again
 * finds them said there, and they must not come back for that; said once more, they are as good as new.
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

/** What is looked at of a fact. */
type DatedFact = Pick<FreshMemory, "body" | "createdAtMs" | "updatedAtMs" | "sessionId" | "messageId">;

/** Whether a fact is one of those, said before it was over. Of one without a time nobody knows. */
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
