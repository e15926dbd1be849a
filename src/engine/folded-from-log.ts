/**
 * Something folded from a session's original messages, such as the digest or the search index:
 * made only when it is first asked for, kept up to date afterwards, and made anew from the log when
 * what it was folded from does not hold any more.
 *
 * New messages wait here until they are needed, so that a short session does not pay for it. Only a
 * few may wait: then each new one has the oldest folded in, so that no turn ever pays for hundreds.
 */
import type { Message } from "../transcript/messages.ts";
import type { LogReader } from "./log-reader.ts";

/** Messages that may wait before they are folded in: a few milliseconds of work for who asks then. */
const WAITING_LIMIT = 32;

export interface Fold<State> {
  readonly create: () => State;
  readonly add: (state: State, seq: number, message: Message) => void;
  /** Whether a message of the log belongs into it. */
  readonly includes: (seq: number) => boolean;
}

export class FoldedFromLog<State> {
  readonly #fold: Fold<State>;
  readonly #reader: LogReader;
  #state: State | undefined;
  #waiting: { readonly seq: number; readonly message: Message }[] = [];

  constructor(reader: LogReader, fold: Fold<State>, { isNew }: { readonly isNew: boolean }) {
    this.#reader = reader;
    this.#fold = fold;
    if (isNew) this.#state = fold.create();
  }

  /** A message was appended as entry `seq`. */
  push(seq: number, message: Message): void {
    if (this.#state === undefined) return;
    this.#waiting.push({ seq, message });
    if (this.#waiting.length <= WAITING_LIMIT) return;
    const oldest = this.#waiting.shift()!;
    this.#fold.add(this.#state, oldest.seq, oldest.message);
  }

  /** What it was folded from changed: a rewind, or messages that the host took out. */
  invalidate(): void {
    this.#state = undefined;
    this.#waiting = [];
  }

  /** The state, up to date. Reads the log only if it is not known. */
  async get(): Promise<State> {
    if (this.#state !== undefined) return this.#catchUp(this.#state);
    const state = this.#fold.create();
    for await (const { entry, content } of this.#reader.messages())
      if (this.#fold.includes(entry.seq)) this.#fold.add(state, entry.seq, { ...entry, content });
    this.#state = state;
    return state;
  }

  #catchUp(state: State): State {
    for (const { seq, message } of this.#waiting) this.#fold.add(state, seq, message);
    this.#waiting = [];
    return state;
  }
}
