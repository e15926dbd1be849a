/**
 * The errors of a session with a model.
 */
import { CompactionError, OptionError, SessionError } from "../../base/errors.ts";
import type { PartialSpan } from "../../compaction/summary/plan-compaction.ts";

/** The side of a pivot that is to be summarised, if only one is. @throws `OptionError` where both are asked for. */
export function spanOf({
  from,
  upTo,
}: {
  readonly from?: number;
  readonly upTo?: number;
}): PartialSpan | undefined {
  if (from !== undefined && upTo !== undefined)
    throw new OptionError({
      message: "A compaction is of what stands `from` an entry on, or `upTo` one, not both.",
      hint: "Leave one of them out.",
    });
  if (from !== undefined) return { side: "from", pivotSeq: from };
  return upTo === undefined ? undefined : { side: "up-to", pivotSeq: upTo };
}

export function noModelId(): OptionError {
  return new OptionError({
    message: "There is no id of a model: neither the request nor the model client names one.",
    hint: 'Pass `model` with the request, or make the client with one: anthropicModel(client, { model: "…" }).',
  });
}

export function turnRunning(id: string): SessionError {
  return new SessionError("TURN_RUNNING", {
    message: `Session ${id} is in the middle of a turn.`,
    hint: "Wait for it, or abort it by the signal that it was given.",
  });
}

export function refusedTail(): CompactionError {
  return new CompactionError("COMPACTION_REFUSED", {
    message:
      "This model binds its thinking to what stands before it, so nothing may be kept behind a summary.",
    hint: "Compact everything, or from an entry on.",
  });
}
