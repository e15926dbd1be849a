/**
 * Builds what a list shows of a session from the entries at the beginning and at the end of its log.
 */

import { SESSION_LIST_DEFAULTS } from "../../base/defaults/session-list.ts";
import { OptionError } from "../../base/errors.ts";
import { cutWithoutSecrets, redactBroken } from "../../base/redaction/broken-secrets.ts";
import { shorten } from "../../base/text/text.ts";
import { withoutWrappers } from "../../base/text/wrapper-text.ts";
import type { OverviewRow, SessionInfo, SessionPage, SessionQuery } from "../../ports/session-store.ts";
import { type Entry, type HeaderEntry, MetadataFold } from "../../transcript/entries.ts";

/** Characters of a first prompt that are shown. Source: our choice. */
const PROMPT_CHARS = 200;
/**
 * Characters of a title in the list of all sessions. Source: our choice, so that 10,000 of them are read within
 * milliseconds.
 */
const TITLE_CHARS = 80;

/**
 * Collects what a list shows of a session, for stores. Add entries in the order of the log (repeated ones are harmless),
 * then call `info`.
 */
export class SessionInfoBuilder {
  #header: HeaderEntry | undefined;
  #firstPrompt: string | undefined;
  /** The first text with the role of a user that a program put there: a wrapper, a reminder, a file. */
  #firstWrapper: string | undefined;
  readonly #metadata = new MetadataFold();
  /** When the newest entry so far was appended, in milliseconds since the epoch. */
  lastAt = 0;

  /** True once the beginning of the log has given everything that a list shows. */
  get hasHead(): boolean {
    return this.#header !== undefined && this.#firstPrompt !== undefined;
  }

  /** Takes one more entry. */
  add(entry: Entry): void {
    this.lastAt = Math.max(this.lastAt, entry.at);
    this.#metadata.apply(entry);
    if (entry.type === "header") this.#header ??= entry;
    else if (entry.type === "message" && entry.role === "user") {
      // Hosts insert reminders, hook output and files with the role of a user, and say so in the origin.
      const isUserText = entry.origin === undefined || entry.origin === "user";
      if (isUserText) this.#firstPrompt ??= promptOf(entry.content, withoutWrappers);
      this.#firstWrapper ??= promptOf(entry.content, (text) => text);
    }
  }

  /** The info; `modifiedAt` is when the store last saw a change, where it knows (milliseconds since the epoch). */
  info(stored: Pick<SessionInfo, "sessionId" | "bytes" | "isInUse">, modifiedAt = 0): SessionInfo {
    const firstPrompt = this.#firstPrompt ?? this.#firstWrapper;
    return {
      ...stored,
      lastActivityAt: plausibleTime(Math.max(this.lastAt, modifiedAt)),
      ...(this.#header === undefined ? {} : { header: this.#header }),
      metadata: this.#metadata.values,
      ...(firstPrompt === undefined ? {} : { firstPrompt }),
    };
  }
}

/** Characters read of a first prompt: many times what is shown, for prompts that begin with blank lines. */
const READ_CHARS = 20 * PROMPT_CHARS;

function promptOf(
  content: readonly { readonly type: string }[],
  wordsOf: (text: string) => string,
): string | undefined {
  for (const block of content) {
    // A long prompt is stored beside the log, where this block shows its beginning.
    const { shown = block } = block as { readonly shown?: { readonly type: string } };
    const { text } = shown as { readonly text?: unknown };
    if (shown.type !== "text" || typeof text !== "string") continue;
    const words = wordsOf(text).trim();
    // An element whose end is not shown may be all of it.
    if (words === "" || (shown !== block && words.startsWith("<"))) continue;
    // Before it is cut: half a key would not be recognised.
    const beginning = cutWithoutSecrets(words, { from: 0, to: READ_CHARS });
    return shorten(beginning.replace(/\s+/g, " "), PROMPT_CHARS);
  }
  return undefined;
}

type Head = Pick<SessionInfo, "header" | "firstPrompt" | "metadata">;

/** True if a person can go on with the session: it is not an agent's in the background, and something of it can be read. */
export function isConversation(info: Head): boolean {
  return !isLost(info) && info.header?.purpose === undefined;
}

/**
 * True if nothing of the session can be read that a list shows: a crash, a full disk or a power loss may leave a log that is
 * empty or has only zeros.
 */
export function isLost({ header, firstPrompt, metadata }: Head): boolean {
  return header === undefined && firstPrompt === undefined && Object.keys(metadata).length === 0;
}

/** The row of a session in a list of all sessions. */
export function overviewRowOf({
  sessionId,
  lastActivityAt,
  bytes,
  metadata,
  firstPrompt,
}: SessionInfo): OverviewRow {
  const named = metadata["title"];
  const title = typeof named === "string" && named.trim() !== "" ? named.trim() : firstPrompt;
  return {
    sessionId,
    lastActivityAt,
    bytes,
    ...(title === undefined ? {} : { title: shorten(redactBroken(title).text, TITLE_CHARS) }),
  };
}

/** Returns the number of sessions of a page. @throws `OptionError` for an invalid limit. */
export function pageLimit({ limit = SESSION_LIST_DEFAULTS.pageSessions }: SessionQuery): number {
  if (limit === Number.POSITIVE_INFINITY || (Number.isSafeInteger(limit) && limit > 0)) return limit;
  throw new OptionError({
    message: `\`limit\` is ${String(limit)}; it is a whole number of sessions above 0, or Infinity.`,
    hint: "Leave it out for pages of the usual size.",
  });
}

/**
 * Cuts a page out of the infos of all sessions: the latest activity first.
 * @throws `OptionError` for an invalid `limit`.
 */
export function pageOf(all: readonly SessionInfo[], query: SessionQuery): SessionPage {
  const limit = pageLimit(query);
  const { after = "" } = query;
  const rest = all.filter((info) => cursorOf(info) > after).sort(compareByActivity);
  const sessions = rest.slice(0, limit);
  const last = sessions.at(-1);
  return rest.length > limit && last !== undefined ? { sessions, next: cursorOf(last) } : { sessions };
}

/** The latest activity first, then by id. */
export function compareByActivity(one: Ranked, other: Ranked): number {
  const difference = other.lastActivityAt - one.lastActivityAt;
  if (difference !== 0) return difference;
  return one.sessionId < other.sessionId ? -1 : one.sessionId > other.sessionId ? 1 : 0;
}

/** The fields that decide a session's place in a list. */
export type Ranked = Pick<SessionInfo, "sessionId" | "lastActivityAt">;

/** A text that sorts as the list does: the end of a page, as the query for the next one has it. */
export function cursorOf({ lastActivityAt, sessionId }: Ranked): string {
  const rank = Number.MAX_SAFE_INTEGER - plausibleTime(lastActivityAt);
  return `${String(rank).padStart(16, "0")} ${sessionId}`;
}

/** Whole milliseconds, so that a cursor holds all of it. */
export function plausibleTime(timeMs: number): number {
  return Number.isFinite(timeMs) ? Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.floor(timeMs))) : 0;
}
