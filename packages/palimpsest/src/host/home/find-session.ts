/**
 * Finding one session by what people call it: its id, the beginning of one, or the name that lists show: its title, or
 * its first prompt where it has none.
 */

import { HOME_DEFAULTS } from "../../base/defaults/home.ts";
import { AmbiguousSessionError, errorCode, StoreError } from "../../base/errors.ts";
import { shorten } from "../../base/text/text.ts";
import type { OverviewRow, SessionStore } from "../../ports/session-store.ts";
import { overviewOf } from "../../session/history/search-sessions.ts";
import { overviewRowOf } from "../../stores/shared/session-info.ts";
import { isSessionId } from "../../stores/shared/session-paths.ts";
import type { HomeProject } from "./home-types.ts";

/** Sessions that a message about an ambiguous name lists. Source: our choice. */
const CANDIDATES_SHOWN_COUNT = 10;
/** Sessions without a title in the index that are read one by one, each time. Source: our choice. */
const UNTITLED_READ_COUNT = 100;

/** A place to look in. */
export interface Place {
  readonly project: HomeProject;
  readonly store: SessionStore;
}

/** A session that fits. */
export interface Match extends Place {
  readonly sessionId: string;
}

/**
 * A whole id counts before everything, in the first place before the others; then what fits in the first; then
 * what fits in all.
 * @throws `SESSION_NOT_FOUND`, `SESSION_AMBIGUOUS`
 */
export async function findSession(which: string, places: readonly Place[], where: string): Promise<Match> {
  const here = places.slice(0, 1);
  const matches = await firstFound([
    () => findById(which, here),
    () => findById(which, places.slice(1)),
    () => matching(which, here),
    () => matching(which, places),
  ]);
  return theOne(which, matches, where);
}

/**
 * Finds a session in the trash of a place, by its id or the beginning of one.
 * @throws `SESSION_NOT_FOUND`, `SESSION_AMBIGUOUS`
 */
export async function findTrashed(which: string, places: readonly Place[], where: string): Promise<Match> {
  const matches: Match[] = [];
  for (const [index, place] of places.entries())
    for (const { sessionId } of await place.store.listTrash().catch(noneUnlessFirst(index)))
      if (which !== "" && sessionId.startsWith(which)) matches.push({ ...place, sessionId });
  const whole = matches.filter(({ sessionId }) => sessionId === which);
  return theOne(which, whole.length > 0 ? whole : matches, `the trash of ${where}`, TRASH_HINT);
}

const TRASH_HINT = "Give its id or the beginning of one, as `palimpsest sessions list --trash` shows it.";
const STORED_HINT =
  "Give its id, the beginning of one, or its exact title: `palimpsest sessions list` has them (--all, --trash). A session without a message is not stored.";

/** The one session; `SESSION_NOT_FOUND` or `SESSION_AMBIGUOUS` where there is not just one. */
function theOne<Found extends { readonly sessionId: string }>(
  which: string,
  matches: readonly Found[],
  where: string,
  hint = STORED_HINT,
): Found {
  const [match] = matches;
  // A program without types may pass what is not there: nothing fits that, either.
  const name = JSON.stringify(shorten(String(which), HOME_DEFAULTS.titleChars));
  if (match === undefined) {
    throw new StoreError("SESSION_NOT_FOUND", {
      message: `There is no session ${name} in ${where}.`,
      hint,
    });
  }
  if (matches.length === 1) return match;
  const ids = matches.map(({ sessionId }) => sessionId);
  const candidates = ids.slice(0, CANDIDATES_SHOWN_COUNT).join(", ");
  const more = ids.length > CANDIDATES_SHOWN_COUNT ? " …" : "";
  throw new AmbiguousSessionError(ids, {
    message: `${name} fits ${ids.length} sessions: ${candidates}${more}.`,
    hint: "Give more of the id, or a whole one.",
  });
}

/** Asked for one by one: listing a folder of very many sessions takes longer than looking for one. */
async function findById(which: string, places: readonly Place[]): Promise<readonly Match[]> {
  if (!isSessionId(which)) return [];
  const found: Match[] = [];
  for (const place of places) if (await isThere(which, place)) found.push({ ...place, sessionId: which });
  return found;
}

async function isThere(sessionId: string, { store }: Place): Promise<boolean> {
  try {
    await store.find(sessionId);
    return true;
  } catch (error) {
    // A session that cannot be read exists; opening it gives the reason.
    if (errorCode(error) !== "SESSION_UNREADABLE")
      return !(error instanceof StoreError && error.code === "SESSION_NOT_FOUND");
    return isListed(sessionId, store);
  }
}

/** False for a folder that cannot be read: it would seem to have every session. */
async function isListed(sessionId: string, store: SessionStore): Promise<boolean> {
  try {
    return (await store.list()).includes(sessionId);
  } catch {
    return false;
  }
}

async function firstFound(searches: readonly (() => Promise<readonly Match[]>)[]): Promise<readonly Match[]> {
  for (const search of searches) {
    const found = await search();
    if (found.length > 0) return found;
  }
  return [];
}

/** The sessions of that id or title; those with that first prompt only if there are none. */
async function matching(which: string, places: readonly Place[]): Promise<readonly Match[]> {
  if (which === "") return [];
  const named: Match[] = [];
  const prompted: Match[] = [];
  for (const [index, place] of places.entries()) {
    const rows = await titledRows(place.store).catch(noneUnlessFirst(index));
    for (const { sessionId, title } of rows) {
      const match = { ...place, sessionId };
      if (sessionId.startsWith(which)) named.push(match);
      // The title of a session without an index is only in its log; another one may be a first prompt, or be behind.
      else if (title === undefined || title === which) {
        const info = await place.store.find(sessionId);
        if (info.metadata["title"] === which) named.push(match);
        else if (overviewRowOf(info).title === which) prompted.push(match);
      }
    }
  }
  return named.length > 0 ? named : prompted;
}

/** All sessions. An index that was made from the files alone has no titles; a list of all gives it those. */
async function titledRows(store: SessionStore): Promise<readonly OverviewRow[]> {
  const rows = await overviewOf(store);
  if (rows.filter(({ title }) => title === undefined).length <= UNTITLED_READ_COUNT) return rows;
  await store.describe({ limit: Number.POSITIVE_INFINITY });
  return overviewOf(store);
}

/** One project that cannot be read must not hide the sessions of the others. */
function noneUnlessFirst(index: number): (error: unknown) => readonly never[] {
  return (error) => {
    if (index === 0 || errorCode(error) !== "SESSION_UNREADABLE") throw error;
    return [];
  };
}
