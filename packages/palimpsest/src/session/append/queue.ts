/**
 * Runs operations one after another, in the order in which they were given. An operation that fails does not stop the
 * next one.
 */
import { sessionClosed } from "../options/refusals.ts";
import type { FairTurns } from "../turns/fair-turns.ts";

export class Queue {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(operation: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(operation, operation);
    // The caller gets the failure; the next operation does not.
    this.#last = result.catch(() => undefined);
    return result;
  }
}

/** The operations of one session. */
export class SessionQueue extends Queue {
  isClosed = false;
  readonly #sessionId: string;
  readonly #turns: FairTurns;

  constructor(sessionId: string, turns: FairTurns) {
    super();
    this.#sessionId = sessionId;
    this.#turns = turns;
  }

  /** @throws `SESSION_CLOSED` */
  runOpen<Result>(operation: () => Promise<Result>): Promise<Result> {
    return this.run(async () => {
      const turn = this.#turns.take();
      if (turn !== undefined) await turn;
      if (this.isClosed) throw sessionClosed(this.#sessionId);
      return operation();
    });
  }
}
