/**
 * Chooses where a summary that is due comes from.
 *
 * A full window waits for the best summary that can be had. A summary that only saves money is worth no delay: it is
 * made from the log at once, or a model writes it in the background and a later call uses it, as the policy says.
 */
import type { SummaryDue } from "./window-plan.ts";

/** The ways to a summary at the moment when one is due. */
export interface SummaryMeans {
  /** True if a person asked for this compaction. */
  readonly isByHand: boolean;
  /** True if the window is full, or the provider refused the request. */
  readonly isFull: boolean;
  /** True if a model's summary of this window is at hand. */
  readonly hasWritten: boolean;
  /** True if no other summary will come: a model was asked, or may not be asked. */
  readonly isSettled: boolean;
  /** True if a hook refused this compaction. */
  readonly isVetoed: boolean;
  /** True if notes are being updated that could take the place of a summary. */
  readonly areNotesUpdating: boolean;
  /** True if a model may be asked, or is writing already. */
  readonly hasModel: boolean;
  /** True if a hook wants to be asked first. */
  readonly hasHook: boolean;
  /** True if the last summary in the background failed. */
  readonly hasBackgroundFailed: boolean;
  readonly editSafety: "strict" | "permissive";
  /** True if the policy asks no model for this summary. */
  readonly isFromLog: boolean;
}

/**
 * `wait`: obtain one before the call. `background`: have one written while the turn goes on. `later`: ask again with
 * the next call. `now`: make it from what is at hand. `now-instead`: the same, because the background failed.
 */
export type SummarySource = "wait" | "background" | "later" | "now" | "now-instead";

export function chooseSource({ reason }: SummaryDue, means: SummaryMeans): SummarySource {
  if (means.isVetoed) return "later";
  if (means.isSettled || means.hasWritten) return "now";
  if (means.isByHand) return "wait";
  const isUrgent = reason !== "rent" || means.isFull;
  // The notes that are being written may make a summary needless.
  if (means.areNotesUpdating) return isUrgent ? "wait" : "later";
  if (means.isFromLog) return means.hasHook ? "wait" : "now";
  if (isUrgent) return means.hasModel || means.hasHook ? "wait" : "now";
  // Under strict edit safety nothing can be kept behind a summary that comes later.
  if (!means.hasModel || means.editSafety === "strict") return "now";
  return means.hasBackgroundFailed ? "now-instead" : "background";
}
