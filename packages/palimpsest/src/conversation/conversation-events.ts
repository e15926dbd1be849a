/**
 * Events of `MemoryManager`, and their listeners.
 */

import type { CompressionReport } from "./compression/compression-report.ts";
import type { ConversationEntry } from "./entries/conversation-entry.ts";

/**
 * Events by name, with the arguments of their listeners.
 *
 * - `entry:added`: an entry was added and is in the store; after a compression also the entry of type `summary`
 *   that replaces the compressed ones, with the summary's id.
 * - `compressed`: a summary took the place of entries.
 * - `session:cleared`: a session was cleared.
 * - `background:failed`: something failed in the background: a compression after an entry was added (the entry
 *   is kept), or the write of a session that was cleared or imported (it is made again by the next call).
 */
interface MemoryEvents {
  readonly "entry:added": readonly [sessionId: string, entry: ConversationEntry];
  readonly compressed: readonly [sessionId: string, report: CompressionReport];
  readonly "session:cleared": readonly [sessionId: string];
  readonly "background:failed": readonly [sessionId: string, error: unknown];
}

type Name = keyof MemoryEvents;
type Listener<Event extends Name> = (...args: MemoryEvents[Event]) => unknown;

/** Listeners of `MemoryManager`, by event. */
export class MemoryEventSource {
  readonly #listeners = new Map<
    Name,
    readonly { readonly call: Listener<never>; readonly isOnce: boolean }[]
  >();

  /** Calls `listener` whenever `event` happens. What it throws is dropped. */
  on<Event extends Name>(event: Event, listener: Listener<Event>): this {
    return this.#listen(event, { call: listener, isOnce: false });
  }

  /** Calls `listener` the next time that `event` happens. */
  once<Event extends Name>(event: Event, listener: Listener<Event>): this {
    return this.#listen(event, { call: listener, isOnce: true });
  }

  /** Removes a listener. */
  off<Event extends Name>(event: Event, listener: Listener<Event>): this {
    const left = (this.#listeners.get(event) ?? []).filter(({ call }) => call !== listener);
    this.#listeners.set(event, left);
    return this;
  }

  /**
   * Calls every listener that was registered when the event happened. `argsOf` makes a copy of the data for each.
   * @internal
   */
  protected emit<Event extends Name>(event: Event, argsOf: () => MemoryEvents[Event]): void {
    for (const { call, isOnce } of this.#listeners.get(event) ?? []) {
      if (isOnce) this.off(event, call as Listener<Event>);
      try {
        const result = (call as Listener<Event>)(...argsOf());
        if (result instanceof Promise) result.catch(() => undefined);
      } catch {
        // The operation has succeeded; an error of a listener must not make it fail.
      }
    }
  }

  #listen(event: Name, listener: { readonly call: Listener<never>; readonly isOnce: boolean }): this {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
    return this;
  }
}
