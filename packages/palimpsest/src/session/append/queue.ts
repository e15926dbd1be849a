/**
 * One thing after another: operations run in the order they were given, each when the one before
 * has ended, however it ended.
 */
export class Queue {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(operation: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(operation, operation);
    // Whoever called gets the failure; the next operation does not.
    this.#last = result.catch(() => undefined);
    return result;
  }
}
