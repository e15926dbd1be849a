/** An event loop that goes on when a test says so, and a clock that goes on with every look at it. */
import { FairTurns } from "#session/turns/fair-turns.ts";

export function steppedLoop({ lookMs = 0 }: { readonly lookMs?: number } = {}) {
  let due: (() => void)[] = [];
  let nowMs = 0;
  const turns = new FairTurns({
    later: (work) => void due.push(work),
    now: () => {
      nowMs += lookMs;
      return nowMs;
    },
  });
  return {
    turns,
    /** So much time passes without a turn. */
    work: (ms: number) => {
      nowMs += ms;
    },
    /** One pass of the loop, with what follows from it at once; false if nothing was due. */
    pass: async (): Promise<boolean> => {
      const now = due;
      due = [];
      for (const work of now) work();
      for (let tick = 0; tick < 20; tick++) await Promise.resolve();
      return now.length > 0;
    },
  };
}
