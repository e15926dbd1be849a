import { setTimeout as delay } from "node:timers/promises";

/** Waits for something that processes do. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let waited = 0; !(await condition()); waited += 10) {
    if (waited > 20_000) throw new RangeError(`It did not happen: ${condition}`);
    await delay(10);
  }
}
