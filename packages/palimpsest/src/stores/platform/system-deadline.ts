/** Deadlines of the platform's clock. */
import type { Deadline } from "../../ports/deadline.ts";

/** Ends what takes too long. */
export const systemDeadline: Deadline = {
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};
