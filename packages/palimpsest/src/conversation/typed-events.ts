/**
 * Events with typed arguments. What a listener throws, also later, is its own affair: what it is told
 * has happened already.
 */
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
