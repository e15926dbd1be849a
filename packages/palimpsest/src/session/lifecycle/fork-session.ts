/**
 * Forks a session: makes a new one that begins with everything up to an entry of another.
 *
 * DESIGN. The fork is self-contained: entries are copied with their numbers, so that every reference stays valid, and so
 * are their blobs. Deleting the original takes nothing away. Reading takes no lease, so a session that another process
 * writes can be forked. The header is written first, so that a failed fork can be found and removed through the port.
 */

import { PalimpsestError, SessionError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json/json.ts";
import { checkOptions } from "../../base/options/check-options.ts";
import { checkNewSessionId } from "../../base/session-id.ts";
import { stopIfAborted } from "../../base/stop-if-aborted.ts";
import { shorten } from "../../base/text/text.ts";
import type { SessionLog, SessionStore } from "../../ports/session-store.ts";
import { ENTRY_VERSION, type Entry, type HeaderEntry, type Scope } from "../../transcript/entries.ts";
import { FORK_MARK, markNotesForeign, notesStateIn } from "../append/carried-marks.ts";
import { notify, type SessionEvent } from "../events/events.ts";
import { KnownDamage, WatchedLog } from "../history/watched-log.ts";
import { checkWindow, FORK_RULES } from "../options/session-option-rules.ts";
import type { ForkOptions, SessionOptions } from "../options/session-options.ts";
import { internalsOf, type Session } from "../session.ts";
import { assembleSession } from "./assemble-session.ts";
import { foldStoredLog } from "./fold-stored-log.ts";
import { ForkCopy } from "./fork-copy.ts";
import { CREATED_BY } from "./open-session.ts";

const FORK_ENDING = " (fork)";
const TITLE_CHARS = 200;

const STOPPED = {
  what: "The fork",
  hint: "Nothing is left of it; the session that was to be forked is as it was.",
};

/**
 * Makes a session that begins as `sessionId` was after entry `atSeq`, and opens it. All of it is durable when
 * this resolves; where it throws, nothing of the fork is left.
 * @throws `StoreError` `SESSION_NOT_FOUND`, `SESSION_EXISTS`, `STORE_FAILED`; `SessionError` `ENTRY_NOT_FOUND`
 * where there is no such entry, `ABORTED`.
 */
export async function forkSession(sessionId: string, options: ForkOptions): Promise<Session> {
  checkOptions("forkSession", options, FORK_RULES);
  checkWindow(options.window);
  checkNewSessionId(options.sessionId);
  const from = options.from ?? { store: options.store, ...scopeOf(options.scope) };
  const emit = (event: SessionEvent): void => notify(options.observer, event);
  const parent = new WatchedLog(await from.store.open(sessionId, from.scope), new KnownDamage(emit));
  try {
    const forkPoint = await findForkPoint(parent, options.atSeq);
    const { metadata } = await from.store.find(sessionId, from.scope);
    return await copyInto({ parent, ...forkPoint, metadata, options });
  } finally {
    // The parent was only read, so a failure to close it does not matter to the fork.
    await parent.close().catch(() => undefined);
  }
}

interface Copying {
  readonly parent: SessionLog;
  readonly atSeq: number;
  readonly entryId: string;
  /** True if the parent's notes cover later entries. */
  readonly hasLaterNotes: boolean;
  /** Title, tags … of the parent as they are now. */
  readonly metadata: JsonObject;
  readonly options: ForkOptions;
}

async function copyInto(copying: Copying): Promise<Session> {
  const { options, parent } = copying;
  const { store, scope, clock } = options;
  const emit = (event: SessionEvent): void => notify(options.observer, event);
  const created = await store.create(options.sessionId ?? options.ids.sessionId(), scope);
  const log = new WatchedLog(created, new KnownDamage(emit));
  try {
    const { entries, missingBlobs } = await copyEntries(log, copying);
    const folded = await foldStoredLog(log, emit);
    // Open calls of the parent are answered in the parent.
    folded.calls.clear();
    const session = assembleSession(options, log, folded);
    // No other code has the session yet, so its queue is not needed.
    if (copying.hasLaterNotes) await markNotesForeign(internalsOf(session));
    await internalsOf(session).writer.checkpoint();
    await copyNotes({ from: parent, to: log, emit });
    await log.sync();
    stopIfAborted(options.signal, STOPPED);
    emit({ type: "forked", parentId: parent.sessionId, entries, missingBlobs });
    return session;
  } catch (error) {
    await discard(log, { store, at: clock.nowMs(), ...scopeOf(scope) });
    throw error;
  }
}

async function copyEntries(
  log: SessionLog,
  { parent, atSeq, entryId, metadata, options }: Copying,
): Promise<{ readonly entries: number; readonly missingBlobs: number }> {
  const { ids, clock, workingCopy } = options;
  let copy: ForkCopy | undefined;
  for await (const batch of parent.readAll()) {
    stopIfAborted(options.signal, STOPPED);
    const entries = batch.entries.map(({ entry }) => entry).filter(({ seq }) => seq <= atSeq);
    const first = entries[0];
    if (first === undefined) continue;
    if (copy === undefined) {
      copy = new ForkCopy({ from: parent, to: log, ids });
      await copy.begin(headerOf(first, { log, parent, entryId, workingCopy, ids, now: clock.nowMs() }));
    }
    await copy.add(entries, () => stopIfAborted(options.signal, STOPPED));
    if (copy.lastSeq >= atSeq) break;
  }
  if (copy === undefined) throw noSuchEntry(atSeq, 0);
  await copy.fillUpTo(atSeq);
  const described = describeFork(metadata);
  const titled = options.title === undefined ? {} : { title: options.title };
  await copy.describe(
    { ...described, ...options.metadata, ...titled, [FORK_MARK]: log.sessionId },
    clock.nowMs(),
  );
  return { entries: copy.lastSeq, missingBlobs: copy.missingBlobs };
}

/**
 * Copies the notes as they are now, not as they were at the entry forked at: a person may have written in them.
 * Notes that cannot be read are reported, and the fork goes on without them.
 */
async function copyNotes({
  from,
  to,
  emit,
}: {
  readonly from: SessionLog;
  readonly to: SessionLog;
  readonly emit: (event: SessionEvent) => void;
}): Promise<void> {
  let text: string | undefined;
  try {
    text = await from.notes?.read();
  } catch (error) {
    emit({ type: "notes-unreadable", reason: error instanceof PalimpsestError ? error.code : String(error) });
  }
  if (text !== undefined) await to.notes?.replace(undefined, text);
}

/** Makes the header of the fork, even if that of the parent is damaged. */
function headerOf(
  first: Entry,
  made: {
    readonly log: SessionLog;
    readonly parent: SessionLog;
    readonly entryId: string;
    readonly workingCopy: string | undefined;
    readonly ids: SessionOptions["ids"];
    readonly now: number;
  },
): HeaderEntry {
  const { workingCopy } = made;
  const known = first.type === "header" ? first : undefined;
  const parent = { sessionId: made.parent.sessionId, entryId: made.entryId };
  return {
    ...known,
    type: "header",
    seq: 1,
    // The first copied entry names the header as its parent, so the id stays.
    id: known?.id ?? made.ids.entryId(),
    v: ENTRY_VERSION,
    at: made.now,
    sessionId: made.log.sessionId,
    createdBy: CREATED_BY,
    parent,
    ...(workingCopy === undefined ? {} : { workingCopy }),
  };
}

/** Returns title and tags for the fork: those that the parent has now, not at the entry forked at. */
function describeFork(metadata: JsonObject): JsonObject {
  const { title, tags } = metadata;
  const named =
    typeof title !== "string" || title.trim() === ""
      ? {}
      : { title: shorten(title, TITLE_CHARS - FORK_ENDING.length) + FORK_ENDING };
  return { ...named, ...(tags === undefined ? {} : { tags }) };
}

/** Finds the entry to fork at. Excludes entries that the session's writer appends meanwhile. */
async function findForkPoint(
  log: SessionLog,
  asked: number | undefined,
): Promise<Pick<Copying, "atSeq" | "entryId" | "hasLaterNotes">> {
  const tail = (await log.readTail()).entries.map(({ entry }) => entry);
  const isInTail = tail.length > 0 && (asked === undefined || asked >= tail[0]!.seq);
  const last = isInTail ? lastUpTo(tail, asked) : await findLastUpTo(log, asked);
  const head = last === undefined ? 0 : last.headSeq;
  const atSeq = asked ?? head;
  if (last === undefined || !Number.isInteger(atSeq) || atSeq < 1 || atSeq > head)
    throw noSuchEntry(atSeq, head);
  const notesState = notesStateIn(tail);
  // Without a record of what the notes cover, they may cover anything.
  const hasLaterNotes = notesState === undefined ? atSeq < head : notesState.throughSeq > atSeq;
  return { atSeq, entryId: last.id, hasLaterNotes };
}

interface LastEntry {
  /** Id of the entry forked at, or of the one before if that is damaged. */
  readonly id: string;
  readonly headSeq: number;
}

function lastUpTo(entries: readonly Entry[], asked = Number.POSITIVE_INFINITY): LastEntry {
  const last = entries.findLast(({ seq }) => seq <= asked);
  return { id: last?.id ?? "", headSeq: entries.at(-1)!.seq };
}

async function findLastUpTo(log: SessionLog, asked: number | undefined): Promise<LastEntry | undefined> {
  let found: LastEntry | undefined;
  for await (const { entries } of log.readAll({ outline: true })) {
    if (entries.length === 0) continue;
    const { id, headSeq } = lastUpTo(
      entries.map(({ entry }) => entry),
      asked,
    );
    found = { id: id === "" ? (found?.id ?? "") : id, headSeq };
    if (asked !== undefined && headSeq >= asked) break;
  }
  return found;
}

async function discard(
  log: SessionLog,
  { store, scope, at }: { readonly store: SessionStore; readonly scope?: Scope; readonly at: number },
): Promise<void> {
  // Errors are ignored here: the caller gets the error that stopped the fork.
  await log.close().catch(() => undefined);
  try {
    await store.trash(log.sessionId, { at, reason: "a fork that was not finished" }, scope);
    await store.purge(log.sessionId, scope);
  } catch {
    // Nothing was stored, or it cannot be removed now. A remainder lacks the mark of a complete fork, so it can be
    // found.
  }
}

function scopeOf(scope: Scope | undefined): { readonly scope?: Scope } {
  return scope === undefined ? {} : { scope };
}

function noSuchEntry(atSeq: number, head: number): SessionError {
  return new SessionError("ENTRY_NOT_FOUND", {
    message:
      head === 0
        ? "The session has no entry that can be read, so there is nothing to fork."
        : `There is no entry ${atSeq} to fork at: the log has entries 1 to ${head}.`,
    hint: "Pass the number of an entry of the session, as `append`, `record` and `prepare` return them.",
  });
}
