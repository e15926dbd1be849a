/**
 * Finds the items of a rollout by what they say.
 *
 * Few are ever looked for, and most of a file is their text. So an item is filed by its first looks, and its
 * whole content is compared only with those that are looked for and alike.
 */
import { asString } from "../../base/json/json.ts";
import type { Fields } from "../shared/fields.ts";
import { codexItemKey, isAboutItem, messageParts } from "./codex-item.ts";

interface Alike<Value> {
  /** Items whose whole key was not needed yet; all are newer than those with one. */
  unread: { readonly item: Fields; readonly value: Value }[];
  /** Values by the whole key; the newest last. */
  readonly byKey: Map<string, Value[]>;
}

/** @internal */
export class ItemIndex<Value> {
  readonly #groups = new Map<string, Alike<Value>>();

  add(item: Fields, value: Value): void {
    const sight = firstSight(item);
    const group = this.#groups.get(sight);
    if (group === undefined) this.#groups.set(sight, { unread: [{ item, value }], byKey: new Map() });
    else group.unread.push({ item, value });
  }

  /** The value of the newest item that says the same as this one, or `skipCount` before it. */
  find(item: Fields, skipCount = 0): Value | undefined {
    const group = this.#groups.get(firstSight(item));
    if (group === undefined) return undefined;
    for (const { item: known, value } of group.unread) {
      const key = codexItemKey(known);
      const same = group.byKey.get(key);
      if (same === undefined) group.byKey.set(key, [value]);
      else same.push(value);
    }
    group.unread = [];
    const found = group.byKey.get(codexItemKey(item)) ?? [];
    return found[found.length - 1 - skipCount];
  }

  /** Takes an item away, which is the newest one of those that are still there. */
  removeNewest(item: Fields): void {
    const group = this.#groups.get(firstSight(item));
    if (group === undefined || group.unread.pop() !== undefined) return;
    group.byKey.get(codexItemKey(item))?.pop();
  }
}

/** The same for all items with one key, and for few others. */
function firstSight(item: Fields): string {
  const { type, role, call_id: callId } = item;
  if (type === "message") return `message ${asString(role) ?? ""} ${charsIn(messageParts(item["content"]))}`;
  if (typeof callId === "string") return `${asString(type) ?? ""} of ${callId}`;
  const values = Object.keys(item).flatMap((key) => (isAboutItem(key) ? [] : [item[key]]));
  return `${asString(type) ?? ""} ${charsIn(values)}`;
}

function charsIn(values: readonly unknown[]): number {
  return values.reduce<number>((sum, value) => sum + (asString(value)?.length ?? 0), 0);
}
