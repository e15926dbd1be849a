/**
 * Long pure work in steps of a millisecond or two: a generator that yields between them, so that a process with other
 * things to do can do them in between. The result is the same however the steps are spread.
 */
export type Steps<Result = void> = Generator<void, Result, undefined>;

/** Does all steps at once. */
export function finish<Result>(steps: Iterator<unknown, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
