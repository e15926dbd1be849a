/**
 * Events of `MemoryManager`, and their listeners.
 */

import type { CompressionReport } from "./compress-conversation.ts";
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
export interface MemoryEvents {
  readonly "entry:added": readonly [sessionId: string, entry: ConversationEntry];
  readonly compressed: readonly [sessionId: string, report: CompressionReport];
  readonly "session:cleared": readonly [sessionId: string];
  readonly "background:failed": readonly [sessionId: string, error: unknown];
}

type Listener<Args extends readonly unknown[]> = (...args: Args) => unknown;

/** Listeners by event. */
export class TypedEvents<Events extends { readonly [Name in keyof Events]: readonly unknown[] }> {
  readonly #listeners = new Map<
    keyof Events,
    { readonly call: Listener<never>; readonly isOnce: boolean }[]
  >();

  on<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>, { isOnce = false } = {}): void {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), { call: listener, isOnce }]);
  }

  off<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): void {
    const left = (this.#listeners.get(name) ?? []).filter(({ call }) => call !== listener);
    this.#listeners.set(name, left);
  }

  /** Tells every listener that was there when the event happened. `argsOf` makes each its own copy. */
  emit<Name extends keyof Events>(name: Name, argsOf: () => Events[Name]): void {
    for (const { call, isOnce } of this.#listeners.get(name) ?? []) {
      if (isOnce) this.off(name, call as Listener<Events[Name]>);
      try {
        const result = (call as Listener<Events[Name]>)(...argsOf());
        if (result instanceof Promise) result.catch(() => undefined);
      } catch {
        // A listener that breaks must not make an operation fail that was carried out.
      }
    }
  }
}
