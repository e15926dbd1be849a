/**
 * Folds a session's original messages into a state, such as the digest or the search index: on first use, then kept
 * up to date, and again from the log if the state became invalid.
 *
 * New messages wait here until they are needed, so that a short session pays nothing. Only a few may wait: then each
 * new one folds the oldest in, so that no turn pays for hundreds. While the log is being read they all wait, and
 * unread ones are added behind it.
 */
import type { Message } from "../../transcript/blocks.ts";
import type { LogReader } from "./message-reader.ts";

/** Messages that may wait before they are folded in: a millisecond or two of work for who asks then. */
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
}

interface Fold<State> {
  readonly create: () => State;
  readonly add: (state: State, seq: number, message: Message) => void;
  /** True if a message of the log belongs to it. */
  readonly includes: (seq: number) => boolean;
}

export class FoldedFromLog<State> {
  readonly #fold: Fold<State>;
  readonly #reader: Pick<LogReader, "messages">;
  readonly #saved: StateStore<State> | undefined;
  #state: State | undefined;
  #building: Promise<State> | undefined;
  /** Newest message that was read from the log and folded in. */
  #readThroughSeq = 0;
  /** Newest message that is folded in, however it came. */
  #throughSeq = 0;
  #waiting: { readonly seq: number; readonly message: Message }[] = [];

  constructor(
    reader: Pick<LogReader, "messages">,
    fold: Fold<State>,
    { isNew, saved }: { readonly isNew: boolean; readonly saved?: StateStore<State> },
  ) {
    this.#reader = reader;
    this.#fold = fold;
    this.#saved = saved;
    if (isNew) this.#state = fold.create();
  }

  /** A message was appended as entry `seq`. */
  push(seq: number, message: Message): void {
    const isKept = this.#state !== undefined || this.#building !== undefined;
    // A message appended while the log is read may have been read already.
    if (!isKept || seq <= this.#readThroughSeq) return;
    this.#waiting.push({ seq, message });
    if (this.#state === undefined || this.#waiting.length <= WAITING_LIMIT) return;
    const oldest = this.#waiting.shift()!;
    this.#add(this.#state, oldest.seq, oldest.message);
  }

  /** The state as it is, if it is known, and the newest message in it. */
  get known(): { readonly state: State; readonly throughSeq: number } | undefined {
    if (this.#state === undefined) return undefined;
    return { state: this.#catchUp(this.#state), throughSeq: this.#throughSeq };
  }

  /** Its basis changed: a rewind, or the host removed messages. */
  invalidate(): void {
    this.#state = undefined;
    this.#building = undefined;
    this.#readThroughSeq = 0;
    this.#throughSeq = 0;
    this.#waiting = [];
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
      for await (const { entry, content } of this.#reader.messages(throughSeq, saved?.position)) {
        if (!this.#fold.includes(entry.seq)) continue;
        this.#fold.add(state, entry.seq, { ...entry, content });
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
    return this.#catchUp(state);
  }

  #catchUp(state: State): State {
    for (const { seq, message } of this.#waiting) this.#add(state, seq, message);
    this.#waiting = [];
    return state;
  }

  #add(state: State, seq: number, message: Message): void {
    this.#fold.add(state, seq, message);
    this.#throughSeq = seq;
  }
}
