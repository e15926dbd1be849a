/**
 * Metadata key of a complete fork; its value is the fork's id. A fork that a crash interrupted does not have it.
 *
 * @internal
 */
export const FORK_MARK = "palimpsest.fork";
