/**
 * Finds a text in the sessions of a store: what was said, what tools were asked and answered, titles.
 *
 * The session with the latest activity comes first, and in a session the oldest place, one session
 * open at a time and one batch of its log in memory. A store that can tell cheaply that a session
 * does not hold the text is asked first, so most logs are never parsed.
 */

import { OptionError } from "../../base/errors.ts";
import {
  checkOptions,
  flag,
  number,
  type OptionRules,
  signal as signalRule,
} from "../../base/options/check-options.ts";
import { cutWithoutSecrets, redactBroken } from "../../base/redaction/broken-secrets.ts";
import { cutHead, cutTail } from "../../base/text/text.ts";
import { readableText } from "../../compaction/preview/readable-text.ts";
import type { OverviewRow, SessionLog, SessionStore } from "../../ports/session-store.ts";
import { isThinking } from "../../transcript/blocks.ts";
import {
  type Entry,
  isReservedKey,
  type MessageEntry,
  type Scope,
  type StoredBlock,
} from "../../transcript/entries.ts";
import type { SessionObserver } from "../events/events.ts";
import { OBSERVER_RULE, SCOPE_RULE } from "../options/session-option-rules.ts";
import { readBlock } from "./hydrate.ts";
import { watchReads } from "./watched-log.ts";

/** Which sessions are searched, and when to stop. */
export interface SessionSearchOptions {
  readonly scope?: Scope;
  /** Places in all. @defaultValue 50 */
  readonly limit?: number;
  /** Results per session, so that one with many does not hide the others. @defaultValue 3 */
  readonly limitPerSession?: number;
  /** Shows keys and passwords in snippets. @defaultValue false */
  readonly showsSecrets?: boolean;
  /** Receives damage in the logs that are read. */
  readonly observer?: SessionObserver;
  /** Ends the search: it throws the signal's reason. */
  readonly signal?: AbortSignal;
}

const RULES: OptionRules<SessionSearchOptions> = {
  scope: SCOPE_RULE,
  limit: number,
  limitPerSession: number,
  showsSecrets: flag,
  observer: OBSERVER_RULE,
  signal: signalRule,
};

/** A place where the text stands. */
export interface SessionSearchHit {
  readonly sessionId: string;
  /** The entry. */
  readonly seq: number;
  /** When it was said, or recorded, in milliseconds since the epoch. */
  readonly at: number;
  /** The text and what stands around it, on one line. */
  readonly snippet: string;
}

const PLACES = 50;
const PLACES_PER_SESSION = 3;
const SNIPPET_CHARS = 160;
/** Characters that JSON does not escape, so that the bytes of a log contain them as the text does. */
const PLAIN_RUN = /[A-Za-z0-9_./@-]+/g;

/**
 * Finds `query` exactly, ignoring case. An unreadable session is skipped, so that it does not hide the others.
 * @throws `OptionError` for an empty query
 */
export async function* searchSessions(
  store: SessionStore,
  query: string,
  options: SessionSearchOptions = {},
): AsyncGenerator<SessionSearchHit> {
  checkOptions("searchSessions", options, RULES);
  const { scope, limit = PLACES, limitPerSession = PLACES_PER_SESSION, signal } = options;
  const sought = { pattern: patternOf(query), showsSecrets: options.showsSecrets === true };
  const plain = longestPlainRun(query);
  let left = limit;
  for await (const sessionId of listSessionIds(store, scope)) {
    signal?.throwIfAborted();
    if (plain !== undefined && (await store.mayHold?.(sessionId, plain, scope)) === false) continue;
    const opened = await openQuietly(store, sessionId, scope);
    if (opened === undefined) continue;
    const log = watchReads(opened, options.observer);
    try {
      for await (const hit of searchLog(log, sought, Math.min(left, limitPerSession), signal)) {
        yield hit;
        left--;
      }
    } finally {
      await log.close();
    }
    if (left <= 0) return;
  }
}

function patternOf(query: string): RegExp {
  if (query.trim() === "") {
    throw new OptionError({
      message: "There is nothing to search for: the text is empty.",
      hint: "Give a word or a piece of what was said.",
    });
  }
  // Without the `u` flag no letter beyond ASCII equals one of it, so that looking at bytes first is sound.
  return new RegExp(query.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"), "i");
}

/** A part of the query that the bytes of a matching log contain, ignoring case. */
function longestPlainRun(query: string): string | undefined {
  const runs = query.match(PLAIN_RUN) ?? [];
  return runs.reduce<string | undefined>(
    (longest, run) => (run.length > (longest?.length ?? 1) ? run : longest),
    undefined,
  );
}

async function openQuietly(
  store: SessionStore,
  sessionId: string,
  scope: Scope | undefined,
): Promise<SessionLog | undefined> {
  try {
    return await store.open(sessionId, scope);
  } catch {
    // It went to the trash a moment ago, or its file cannot be read.
    return undefined;
  }
}

async function* searchLog(
  log: SessionLog,
  query: Pick<Sought, "pattern" | "showsSecrets">,
  limit: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<SessionSearchHit> {
  // Metadata is written again from time to time: the same text under the same key is one place.
  const reported = new Set<string>();
  let left = limit;
  for await (const { entries } of log.readAll()) {
    for (const { entry } of entries) {
      signal?.throwIfAborted();
      const snippet = await findIn(entry, { log, reported, ...query });
      if (snippet === undefined) continue;
      const at = entry.type === "message" ? (entry.saidAt ?? entry.at) : entry.at;
      yield { sessionId: log.sessionId, seq: entry.seq, at, snippet };
      if (--left <= 0) return;
    }
  }
}

interface Sought {
  readonly log: SessionLog;
  readonly pattern: RegExp;
  readonly showsSecrets: boolean;
  readonly reported: Set<string>;
}

async function findIn(entry: Entry, sought: Sought): Promise<string | undefined> {
  if (entry.type === "message") return findInMessage(entry, sought);
  if (entry.type !== "metadata" || typeof entry.value !== "string" || isReservedKey(entry.key))
    return undefined;
  const snippet = snippetOf(entry.value, sought);
  const isReported = sought.reported.has(`${entry.key}\n${entry.value}`);
  sought.reported.add(`${entry.key}\n${entry.value}`);
  return snippet === undefined || isReported ? undefined : `${entry.key}: ${snippet}`;
}

async function findInMessage({ content }: MessageEntry, sought: Sought): Promise<string | undefined> {
  for (const block of content) {
    const snippet = snippetOf(await textOf(block, sought.log), sought);
    if (snippet !== undefined) return snippet;
  }
  return undefined;
}

/** The words of a block, also of one that was too large for the log. */
async function textOf(block: StoredBlock, log: SessionLog): Promise<string> {
  if (block.type !== "blob") return isThinking(block) ? "" : readableText(block);
  try {
    const whole = block.view === "preview" ? await readBlock(block, log) : undefined;
    return readableText(whole ?? block.shown);
  } catch {
    // A damaged blob is reported where someone asks for it; its preview can still be found.
    return readableText(block.shown);
  }
}

function snippetOf(text: string, { pattern, showsSecrets }: Sought): string | undefined {
  const found = pattern.exec(text);
  if (found === null) return undefined;
  const start = Math.max(0, found.index - Math.floor((SNIPPET_CHARS - found[0].length) / 2));
  const tail = cutTail(text, text.length - start);
  const from = text.length - tail.length;
  const to = from + cutHead(tail, SNIPPET_CHARS).length;
  const piece = showsSecrets ? text.slice(from, to) : cutWithoutSecrets(text, { from, to });
  const isAtEnd = start + SNIPPET_CHARS >= text.length;
  return `${start > 0 ? "…" : ""}${piece.replace(/\s+/g, " ").trim()}${isAtEnd ? "" : "…"}`;
}

/**
 * Every session, the latest activity first. What an index says may be behind: ask `find` before
 * something is done to a session that cannot be undone.
 */
export async function overviewOf(store: SessionStore, scope?: Scope): Promise<readonly OverviewRow[]> {
  if (store.overview !== undefined) return store.overview(scope);
  const { sessions } = await store.describe({
    limit: Number.POSITIVE_INFINITY,
    scope,
  });
  return sessions.map(({ sessionId, lastActivityAt, bytes, metadata, firstPrompt }) => {
    const name = typeof metadata["title"] === "string" ? metadata["title"] : firstPrompt;
    const title = name === undefined ? undefined : redactBroken(name).text;
    return { sessionId, lastActivityAt, bytes, title };
  });
}

/** The ids of all sessions, the latest activity first. */
async function* listSessionIds(store: SessionStore, scope?: Scope): AsyncGenerator<string> {
  for (const { sessionId } of await overviewOf(store, scope)) yield sessionId;
}
