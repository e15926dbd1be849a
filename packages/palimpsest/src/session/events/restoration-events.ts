/** What a restoration did and did not, for whoever watches. */

/** Why something was not put back. */
export type RestoreSkipReason =
  /** It can still be read in the window. */
  | "visible"
  /** The same thing was put back already. */
  | "duplicate"
  /** No room is left for it. */
  | "budget"
  /** There is nothing to show: an empty text, a file of which the log holds nothing. */
  | "empty"
  /** The restorer returned something that is no item. */
  | "malformed"
  /** The restorer threw. */
  | "failed"
  /** The restorer did not answer in time. */
  | "timeout"
  /** The compaction was aborted meanwhile. */
  | "aborted";

/** What was put back, or was not and why; without a `key` it is about the restorer as a whole. */
export type RestorationEvent =
  | {
      readonly type: "restored";
      readonly restorer: string;
      readonly kind: string;
      readonly key: string;
      readonly tokens: number;
      /** Less of it is shown than there is. */
      readonly isCut: boolean;
    }
  | {
      readonly type: "restore-skipped";
      readonly restorer: string;
      readonly kind?: string;
      readonly key?: string;
      readonly reason: RestoreSkipReason;
      readonly detail?: string;
    };
