/**
 * Creates and opens sessions.
 *
 * Opening starts at the last checkpoint: it names the entries of the window, which are read, and the entries after it
 * are folded like new ones. A log without a checkpoint is folded from its start.
 */

import { checkOptions } from "../../base/options/check-options.ts";
import { checkNewSessionId } from "../../base/session-id.ts";
import type { SessionLog } from "../../ports/session-store.ts";
import { UsageLedger } from "../../tokens/count/usage-ledger.ts";
import { Projection } from "../../transcript/projection.ts";
import { OpenCalls } from "../append/open-calls.ts";
import { checkMetadata } from "../append/session-metadata.ts";
import { notify, type SessionEvent } from "../events/events.ts";
import { EntryPositions } from "../history/message-reader.ts";
import { KnownDamage, WatchedLog } from "../history/watched-log.ts";
import { checkWindow, NEW_SESSION_RULES } from "../options/session-option-rules.ts";
import type { NewSessionOptions, SessionOptions } from "../options/session-options.ts";
import type { Session } from "../session.ts";
import { WindowTracker } from "../window/window-tracker.ts";
import { assembleSession } from "./assemble-session.ts";
import { foldStoredLog, UNKNOWN_MODEL } from "./fold-stored-log.ts";

/** Names this library in the header of every log that it writes. */
export const CREATED_BY = "palimpsest";

/**
 * Begins a new session. Nothing is stored before the first message.
 * @throws `StoreError` `SESSION_EXISTS` where the store has the id already; `OptionError` where the id or
 * the window cannot be used.
 */
export async function createSession(options: NewSessionOptions): Promise<Session> {
  checkOptions("createSession", options, NEW_SESSION_RULES);
  checkWindow(options.window);
  checkMetadata(options.metadata ?? {});
  checkNewSessionId(options.sessionId);
  const sessionId = options.sessionId ?? options.ids.sessionId();
  const stored = await options.store.create(sessionId, options.scope);
  const log = new WatchedLog(stored, new KnownDamage((event) => notify(options.observer, event)));
  const { scope, workingCopy, purpose, source, metadata = {} } = options;
  const header = {
    type: "header",
    sessionId,
    createdBy: CREATED_BY,
    scope,
    workingCopy,
    purpose,
    source,
  } as const;
  const tracker = new WindowTracker(new UsageLedger({ model: UNKNOWN_MODEL }));
  const empty = {
    projection: new Projection(),
    tracker,
    positions: new EntryPositions(),
    calls: new OpenCalls(),
  };
  const metadataEntries = Object.entries(metadata).flatMap(([key, value]) =>
    value === undefined ? [] : [{ type: "metadata", key, value } as const],
  );
  return assembleSession(options, log, { ...empty, beginning: [header, ...metadataEntries] });
}

/**
 * Opens a session of the store in its last state, and becomes its writer.
 * @throws `StoreError` `SESSION_NOT_FOUND`, or `SESSION_IN_USE` if it has another writer; `OptionError` if the window
 * cannot be used. Damage does not throw: it is skipped and reported to the observer.
 */
export async function openSession(sessionId: string, options: SessionOptions): Promise<Session> {
  // Options of new sessions are accepted too, so that a program can use one object for both.
  checkOptions("openSession", options, NEW_SESSION_RULES);
  checkWindow(options.window);
  const emit = (event: SessionEvent): void => notify(options.observer, event, { sessionId });
  const stored = await options.store.open(sessionId, options.scope);
  const log = new WatchedLog(stored, new KnownDamage(emit));
  try {
    // Before reading, so that no other process appends entries that this session would miss.
    await log.acquire();
    const folded = await foldStoredLog(log, emit);
    const session = assembleSession(options, log, folded);
    const { timer, verifyStored = true } = options;
    if (folded.isFromTail === true && timer !== undefined && verifyStored) log.verify(timer);
    return session;
  } catch (error) {
    await closeQuietly(log);
    throw error;
  }
}

async function closeQuietly(log: SessionLog): Promise<void> {
  try {
    await log.close();
  } catch {
    // The caller gets the error that prevented opening.
  }
}
