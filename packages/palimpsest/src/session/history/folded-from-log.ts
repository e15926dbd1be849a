/**
 * Folds a session's original messages into a state, such as the digest or the search index: on first use, then kept
 * up to date, and again from the log if the state became invalid.
 *
 * New messages wait here, so that a short session pays nothing. Once a few wait they are folded in while the process
 * has nothing else to do, usually while a model answers; a caller that needs the state does what is left, with a turn for the
 * others after each stretch. Folding goes step by step, and the state is handed out only between two messages: it is
 * the same however the steps were spread. While the log is being read new messages all wait, and unread ones are added
 * behind it.
 */
import type { Message } from "../../transcript/blocks.ts";
import type { FairTurns } from "../turns/fair-turns.ts";
import type { LogReader } from "./message-reader.ts";

/** Messages that may wait before a session begins to fold them. Our choice: sessions of one question never do. */
const WAITING_LIMIT = 8;

/** A state that was stored: of everything up to a message, and where what follows that begins. */
interface SavedState<State> {
  readonly state: State;
  readonly throughSeq: number;
  readonly position: number;
}

/** Stores a state, for a log that is too long to be read for it. */
interface StateStore<State> {
  /** `undefined` where there is none that can be read. */
  load(): Promise<SavedState<State> | undefined>;
  /** Marks the stored state as invalid. */
  invalidate(): void;
  /** Called when nothing waits any longer to be folded in. */
  rested?(): void;
}

interface Fold<State> {
  readonly create: () => State;
  /** Adds a message, in steps of a millisecond or two. `position`: where it begins in the log, if it was read from there. */
  readonly add: (state: State, seq: number, message: Message, position?: number) => Iterator<unknown>;
  /** True if a message of the log belongs to it. */
  readonly includes: (seq: number) => boolean;
}

export class FoldedFromLog<State> {
  readonly #fold: Fold<State>;
  readonly #reader: Pick<LogReader, "messages">;
  readonly #saved: StateStore<State> | undefined;
  readonly #turns: FairTurns;
  #state: State | undefined;
  #building: Promise<State> | undefined;
  /** Newest message that was read from the log and folded in. */
  #readThroughSeq = 0;
  /** Newest message that is folded in, however it came. */
  #throughSeq = 0;
  #waiting: { readonly seq: number; readonly message: Message }[] = [];
  /** The message that is being folded in. */
  #current: { readonly seq: number; readonly steps: Iterator<unknown> } | undefined;
  /** True once more messages than a few have waited, and while they are folded in between other things. */
  #isLong = false;
  #isAwake = false;
  #isHeld = false;

  constructor(
    reader: Pick<LogReader, "messages">,
    fold: Fold<State>,
    {
      isNew,
      saved,
      turns,
    }: { readonly isNew: boolean; readonly saved?: StateStore<State>; readonly turns: FairTurns },
  ) {
    this.#reader = reader;
    this.#fold = fold;
    this.#saved = saved;
    this.#turns = turns;
    if (isNew) this.#state = fold.create();
  }

  /** A message was appended as entry `seq`. */
  push(seq: number, message: Message): void {
    const isKept = this.#state !== undefined || this.#building !== undefined;
    // A message appended while the log is read may have been read already.
    if (!isKept || seq <= this.#readThroughSeq) return;
    this.#waiting.push({ seq, message });
    this.#isLong ||= this.#waiting.length > WAITING_LIMIT;
    if (this.#isLong) this.#wake();
  }

  /** Folds in what waits, when the process has time for it. */
  #wake(): void {
    if (this.#isAwake || this.#isHeld || this.#state === undefined) return;
    this.#isAwake = true;
    this.#turns.whenIdle(() => {
      try {
        this.#isAwake = this.#step();
        if (!this.#isAwake) this.#saved?.rested?.();
      } catch {
        // No caller waits for it: the next one that asks reads the log, and gets the error then.
        this.#isAwake = false;
        this.invalidate();
      }
      return this.#isAwake;
    });
  }

  /** Lets messages wait while `work` looks at the state, unless a caller needs them folded in. */
  async hold(work: () => Promise<void>): Promise<void> {
    this.#isHeld = true;
    try {
      await work();
    } finally {
      this.#isHeld = false;
      if (this.#waiting.length > 0 && this.#isLong) this.#wake();
    }
  }

  /** The state as it is, if it is known, and the newest message in it. */
  get known(): { readonly state: State; readonly throughSeq: number } | undefined {
    if (this.#state === undefined) return undefined;
    while (this.#step());
    return { state: this.#state, throughSeq: this.#throughSeq };
  }

  /** The same where nothing waits to be folded in; `undefined` otherwise. */
  get rested(): { readonly state: State; readonly throughSeq: number } | undefined {
    if (this.#state === undefined || this.#waiting.length > 0 || this.#current !== undefined)
      return undefined;
    return { state: this.#state, throughSeq: this.#throughSeq };
  }

  /** True if nothing was folded into the state since. */
  isStill({ state, throughSeq }: { readonly state: State; readonly throughSeq: number }): boolean {
    return this.#state === state && this.#throughSeq === throughSeq && this.#current === undefined;
  }

  /** True if the state need not be read from the log. */
  get isKnown(): boolean {
    return this.#state !== undefined;
  }

  /** Its basis changed: a rewind, or the host removed messages. */
  invalidate(): void {
    this.#state = undefined;
    this.#building = undefined;
    this.#readThroughSeq = 0;
    this.#throughSeq = 0;
    this.#waiting = [];
    this.#current = undefined;
    this.#saved?.invalidate();
  }

  /** The state, up to date. Reads the log only if it is not known, once for all who ask meanwhile. */
  async get(): Promise<State> {
    if (this.#state !== undefined) return this.#catchUp(this.#state);
    if (this.#building !== undefined) return this.#building;
    // Starts in the next step, so that messages appended from here on see a build under way.
    const building: Promise<State> = Promise.resolve().then(() =>
      this.#build(() => this.#building === building),
    );
    this.#building = building;
    return building;
  }

  /** `isCurrent` returns false once the build is invalid. */
  async #build(isCurrent: () => boolean): Promise<State> {
    const saved = await this.#saved?.load();
    const state = saved?.state ?? this.#fold.create();
    let throughSeq = saved?.throughSeq ?? 0;
    try {
      for await (const { entry, content, position } of this.#reader.messages(throughSeq, saved?.position)) {
        if (!this.#fold.includes(entry.seq)) continue;
        const steps = this.#fold.add(state, entry.seq, { ...entry, content }, position);
        const turn = this.#turns.finish(() => steps.next().done !== true);
        if (turn !== undefined) await turn;
        throughSeq = entry.seq;
      }
    } catch (error) {
      if (isCurrent()) this.invalidate();
      throw error;
    }
    if (!isCurrent()) return this.get();

    this.#state = state;
    this.#building = undefined;
    this.#readThroughSeq = throughSeq;
    this.#throughSeq = throughSeq;
    this.#waiting = this.#waiting.filter(({ seq }) => seq > throughSeq);
    this.#saved?.rested?.();
    return this.#catchUp(state);
  }

  #catchUp(state: State): State | Promise<State> {
    const turn = this.#turns.finish(() => this.#state === state && this.#step());
    return turn === undefined ? state : turn.then(() => (this.#state === state ? state : this.get()));
  }

  /** Goes on folding in what waits; false if nothing does. */
  #step(): boolean {
    if (this.#state === undefined) return false;
    if (this.#current === undefined) {
      const next = this.#waiting.shift();
      if (next === undefined) return false;
      this.#current = { seq: next.seq, steps: this.#fold.add(this.#state, next.seq, next.message) };
    }
    const { seq, steps } = this.#current;
    if (steps.next().done !== true) return true;
    this.#throughSeq = seq;
    this.#current = undefined;
    return this.#waiting.length > 0;
  }
}
