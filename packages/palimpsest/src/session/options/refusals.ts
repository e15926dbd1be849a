/**
 * The errors of operations that the state of a session does not allow.
 */
import { CompactionError, SessionError } from "../../base/errors.ts";

/** @throws `REWIND_REFUSED` where the log has no entry `toSeq`. */
export function checkRewind(toSeq: number, nextSeq: number): void {
  if (Number.isInteger(toSeq) && toSeq >= 1 && toSeq < nextSeq) return;
  throw new SessionError("REWIND_REFUSED", {
    message: `There is no entry ${toSeq}: the log has entries 1 to ${nextSeq - 1}.`,
    hint: "Pass the number of an entry of this session, as `append` and `prepare` return them.",
  });
}

export function noSuchCall(callSeq: number): SessionError {
  return new SessionError("ENTRY_NOT_FOUND", {
    message: `Entry ${callSeq} is not a call of this session.`,
    hint: "Pass the `callSeq` of a prepared call.",
  });
}

export function sessionClosed(id: string): SessionError {
  return new SessionError("SESSION_CLOSED", {
    message: `Session ${id} is closed.`,
    hint: "Open it again by its id, as it was opened before: `palimpsest.session`, `nodeSessions` or `openSession`.",
  });
}

export function vetoed(veto: string, cause?: unknown): CompactionError {
  return new CompactionError("COMPACTION_VETOED", {
    message: `A hook vetoed the compaction: ${veto === "" ? "it gave no reason" : veto}.`,
    hint: "The request does not fit without it, or it was asked for by hand. Nothing was changed.",
    cause,
  });
}

export function nothingGained(hasPivot: boolean): CompactionError {
  return new CompactionError("COMPACTION_REFUSED", {
    message:
      "Nothing would be gained by a compaction now: there is no place to cut, or too little to summarise.",
    hint: hasPivot ? "Go on without it, or name another `from` or `upTo`." : "Go on without it.",
  });
}

export function compactionOff(): CompactionError {
  return new CompactionError("COMPACTION_REFUSED", {
    message: "Compaction is switched off, also by hand.",
    hint: "Switch it on: `compact` in the options of the window, or the variable PALIMPSEST_DISABLE_COMPACT.",
  });
}
