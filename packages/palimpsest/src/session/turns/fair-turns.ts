/**
 * Shares a process between its sessions and everything else in it.
 *
 * DESIGN. Nothing that a session does may keep the event loop for long. Who goes on after a stretch of work asks for a
 * turn (`take`); waiting ones go on one at a time, with a pass of the event loop between two of them, so that a thousand
 * sessions delay a timer by one of them. Long work that a caller waits for goes on before the others (`run`). Work
 * without a caller that waits is done in slices between these (`whenIdle`): after the others, but never not at all.
 * Sessions with the same clock share one, because there is one event loop.
 */
import type { Steps } from "../../base/steps.ts";
import type { Clock } from "../../ports/runtime.ts";

/** Longest stretch without a pass of the event loop, in milliseconds. Our choice: two of them still leave a screen its frame. */
const STRETCH_MS = 4;
/** Turns of those that wait before idle work has one, so that it does not fall behind for good. Our choice. */
const TURNS_PER_SLICE = 4;

/** The next step of some work; false if that was the last one. A step takes a millisecond or two at most. */
type WorkStep = () => boolean;

/** The event loop, as tests replace it. */
interface EventLoop {
  /** Runs `work` after a pass of the event loop. */
  readonly later: (work: () => void) => void;
  readonly now: () => number;
}

export class FairTurns {
  readonly #loop: EventLoop;
  readonly #waiting: (() => void)[] = [];
  readonly #idle: WorkStep[] = [];
  #isComing = false;
  #turnsTaken = 0;
  #lastMs: number;

  constructor(loop: EventLoop) {
    this.#loop = loop;
    this.#lastMs = loop.now();
  }

  /** Waits for a turn if there was none for a while; `undefined` if one may go on at once. */
  take(): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#mayGoOn) return undefined;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#come();
    });
  }

  /** True if there was a pass of the event loop lately. */
  get #mayGoOn(): boolean {
    return this.#loop.now() - this.#lastMs < STRETCH_MS;
  }

  /** Does work whose result a caller waits for; `undefined` if it is done already. */
  finish(step: WorkStep): Promise<void> | undefined {
    while (step()) {
      const turn = this.take();
      if (turn !== undefined) return turn.then(() => this.finish(step));
    }
    return undefined;
  }

  /** Does steps whose result a caller waits for, with turns for others in between. */
  run<Result>(steps: Steps<Result>): Result | Promise<Result> {
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) return step.value;
      if (this.#mayGoOn) continue;
      // Goes first: it has had its turn, and would take as many rounds as it has steps.
      return new Promise<void>((resolve) => {
        this.#waiting.unshift(resolve);
        this.#come();
      }).then(() => this.run(steps));
    }
  }

  /** Does work without a caller that waits, a slice at a time. */
  whenIdle(step: WorkStep): void {
    this.#idle.push(step);
    this.#come();
  }

  #come(): void {
    if (this.#isComing) return;
    this.#isComing = true;
    this.#loop.later(() => this.#turn());
  }

  #turn(): void {
    this.#isComing = false;
    this.#lastMs = this.#loop.now();
    const isSlice = this.#idle.length > 0 && this.#turnsTaken >= TURNS_PER_SLICE;
    const next = isSlice ? undefined : this.#waiting.shift();
    this.#turnsTaken = isSlice ? 0 : this.#turnsTaken + 1;
    if (this.#waiting.length > 0 || this.#idle.length > 0) this.#come();
    if (next === undefined) this.#slice();
    else next();
  }

  #slice(): void {
    const step = this.#idle.shift();
    if (step === undefined) return;
    const untilMs = this.#lastMs + STRETCH_MS / 2;
    let isMore = step();
    while (isMore && this.#loop.now() < untilMs) isMore = step();
    if (isMore) this.whenIdle(step);
  }
}

// Taken at once: a test that replaces the timers must not stop every session.
const later: EventLoop["later"] = (
  (set) => (work: () => void) =>
    void set(work)
)(globalThis.setImmediate ?? globalThis.setTimeout);

const ofClocks = new WeakMap<() => number, FairTurns>();
/** Of sessions whose clock does not tell how long they work: what they do has the same order on every machine. */
const WITHOUT_TIME = new FairTurns({ later, now: () => 0 });

/** The turns of a session: those of all sessions with its clock, if that tells how long they work. */
export function turnsOf({ steadyMs }: Pick<Clock, "steadyMs">): FairTurns {
  if (steadyMs === undefined) return WITHOUT_TIME;
  const turns = ofClocks.get(steadyMs) ?? new FairTurns({ later, now: steadyMs });
  ofClocks.set(steadyMs, turns);
  return turns;
}
