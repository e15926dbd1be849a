/** The timer of the platform. */
import type { Timer } from "../../ports/timer.ts";

/** Repeats work without keeping the process alive. */
export const systemTimer: Timer = {
  every: (ms, work) => {
    const timer = setInterval(work, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};
