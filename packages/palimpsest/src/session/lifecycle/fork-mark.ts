/**
 * What tells a fork that was made whole from what a crash left of one.
 */

/**
 * Metadata key that says that everything was copied; its value is the id of the fork itself.
 *
 * @internal
 */
export const FORK_MARK = "palimpsest.fork";
