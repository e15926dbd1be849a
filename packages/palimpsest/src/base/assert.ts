/**
 * Bugs, as opposed to errors: a broken rule of our own code stops here, in production too.
 */

/** Thrown by {@link assert}; it is never caught by our own code. */
export class AssertionError extends Error {
  override readonly name = "AssertionError";
}

/** Stops with the rule in words if `condition` does not hold. */
export function assert(condition: unknown, rule: string): asserts condition {
  if (!condition)
    throw new AssertionError(`Broken rule: ${rule}. This is a bug in palimpsest; please report it.`);
}
