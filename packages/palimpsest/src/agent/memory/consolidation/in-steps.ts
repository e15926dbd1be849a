/** Long work that leaves time for everything else: a lease that has to be renewed, an abort, other sessions. */
import { MEMORY_DREAM_DEFAULTS } from "../../../base/defaults/memory/dream.ts";
import { stopIfAborted } from "../../../base/stop-if-aborted.ts";
import type { Steps } from "../../../memory/consolidation/dream-plan.ts";

/** Lets everything else happen that is due. */
export type YieldToEventLoop = () => Promise<void>;

/** @throws `ABORTED` */
export async function inSteps<Result>(
  steps: Steps<Result>,
  { yieldTurn }: { readonly yieldTurn: YieldToEventLoop },
  signal: AbortSignal | undefined,
): Promise<Result> {
  for (let count = 1; ; count++) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (count % MEMORY_DREAM_DEFAULTS.stepsCount !== 0) continue;
    await yieldTurn();
    stopIfAborted(signal, "The dream");
  }
}
