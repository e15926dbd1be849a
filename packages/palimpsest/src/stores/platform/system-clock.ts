/** The clock of the machine. */
import type { Clock } from "../../ports/clock.ts";

/** Reads the time of the system. */
export const systemClock: Clock = { nowMs: () => Date.now() };
