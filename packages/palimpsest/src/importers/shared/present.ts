/**
 * Optional fields of an imported thing: absent where the recording does not have them.
 */

/** @internal */
export type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that have a value; the others are left away altogether. @internal */
export function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}
