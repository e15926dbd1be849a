/**
 * Words for sessions: a short id, a name, and how long ago something was.
 */

import type { JsonValue, SessionInfo } from "palimpsest/internal";
import { redactBroken, showOnOneLine } from "palimpsest/internal";

/** Letters of an id that are shown at least: two of ten thousand random ids share so many once in a hundred times. */
const SHORT_ID_CHARS = 8;

/** The shortest beginnings that tell each id from all others. `ids` are all there are, sorted. */
export function shortIds(wanted: readonly string[], ids: readonly string[]): ReadonlyMap<string, string> {
  const places = new Map(ids.map((id, index) => [id, index]));
  return new Map(
    wanted.map((id) => {
      const place = places.get(id);
      const neighbours = place === undefined ? [] : [ids[place - 1], ids[place + 1]];
      const shared = Math.max(0, ...neighbours.map((other) => sharedChars(id, other ?? "")));
      return [id, id.slice(0, Math.max(SHORT_ID_CHARS, shared + 1))];
    }),
  );
}

function sharedChars(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

/** The name of a session in lists, on one line and without secrets; `undefined` where nothing is known of it. */
export function nameOf({
  metadata,
  firstPrompt,
}: Pick<SessionInfo, "metadata" | "firstPrompt">): string | undefined {
  const title = metadata["title"];
  const name = typeof title === "string" && title.trim() !== "" ? title : firstPrompt;
  return name === undefined ? undefined : showOnOneLine(redactBroken(name).text);
}

/** The tags; none if the metadata has something else in their place. */
export function tagsOf(metadata: Readonly<Record<string, JsonValue | undefined>>): readonly string[] {
  const tags = metadata["tags"];
  return Array.isArray(tags)
    ? tags.filter((tag) => typeof tag === "string").map((tag) => redactBroken(tag).text)
    : [];
}

const UNITS = [
  { ms: 365 * 86_400_000, short: "y" },
  { ms: 30 * 86_400_000, short: "mo" },
  { ms: 86_400_000, short: "d" },
  { ms: 3_600_000, short: "h" },
  { ms: 60_000, short: "min" },
] as const;

/** `3 h ago`, `now`. A time to come, which a wrong clock makes, is said to be one. */
export function formatAge(at: number, nowMs: number): string {
  const age = nowMs - at;
  if (!Number.isFinite(age)) return "?";
  if (age < -60_000) return "in the future";
  const unit = UNITS.find(({ ms }) => age >= ms);
  return unit === undefined ? "now" : `${Math.floor(age / unit.ms)} ${unit.short} ago`;
}

/** `2026-11-21 23:08`, in the time zone of the machine; `?` if a calendar has no such time. */
export function formatSessionTime(at: number | undefined): string {
  const date = new Date(at ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return "?";
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
