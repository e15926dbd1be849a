/**
 * The stored session behind a conversation of `MemoryManager`: its id in the store, opening it, and reading its log as
 * entries and summaries.
 */

import { STORE_DEFAULTS } from "../base/defaults/store.ts";
import { StoreError } from "../base/errors.ts";
import { whyNoNewId } from "../base/session-id.ts";
import type { Hasher } from "../ports/runtime.ts";
import { shownOf } from "../session/history/hydrate.ts";
import { LogReader } from "../session/history/message-reader.ts";
import { createSession, openSession } from "../session/lifecycle/open-session.ts";
import type { SessionOptions } from "../session/options/session-options.ts";
import type { Session } from "../session/session.ts";
import type { SessionParts } from "../session/window/session-parts.ts";
import { hasEffect } from "../transcript/edits.ts";
import type { Entry, MessageEntry } from "../transcript/entries.ts";
import { isWithin } from "../transcript/line.ts";
import { type Projection, project } from "../transcript/projection.ts";
import { type FoldedMemory, foldMemory, type ReadLog } from "./log/conversation-log.ts";

/** Metadata key of the id that the host uses, if a store cannot take it. */
const SESSION_ID_KEY = "memory.sessionId";

/** Options of the session. */
export type StoredConversationOptions = Omit<SessionOptions, "window" | "durability">;

/** Opens the session of the store, or begins it; nothing is stored before something is added. */
export async function openForMemory(sessionId: string, options: StoredConversationOptions): Promise<Session> {
  // Only the manager's compressions change the window; the session itself offloads and compacts nothing.
  const all: SessionOptions = { ...options, window: { policy: "off" } };
  const ids = storedIds(sessionId, options.hasher);
  for (const storedId of ids) {
    try {
      return await openSession(storedId, all);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  const storedId = ids.at(-1)!;
  const metadata = storedId === sessionId ? {} : { [SESSION_ID_KEY]: sessionId };
  return createSession({ ...all, sessionId: storedId, metadata });
}

/** Reads what a session remembers without becoming its writer; `undefined` where the store has none. */
export async function readForMemory(
  sessionId: string,
  { store, scope, hasher }: StoredConversationOptions,
): Promise<FoldedMemory | undefined> {
  for (const storedId of storedIds(sessionId, hasher)) {
    try {
      const log = await store.open(storedId, scope);
      try {
        return await readMemory({ log, reader: new LogReader(log) });
      } finally {
        await log.close();
      }
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return undefined;
}

const isNotFound = (error: unknown): boolean =>
  error instanceof StoreError && error.code === "SESSION_NOT_FOUND";

/** Reads the whole log, also of a session that was not made by `MemoryManager`. */
export async function readMemory({
  log,
  reader,
}: Pick<SessionParts, "log" | "reader">): Promise<FoldedMemory> {
  const entries: Entry[] = [];
  const metadata = new Map<string, unknown>();
  for await (const batch of log.readAll()) {
    for (const { entry } of batch.entries) {
      if (entry.type === "metadata") metadata.set(entry.key, entry.value);
      else entries.push(entry);
    }
  }
  const projection = project(entries);
  const messages: ReadLog["messages"][number][] = [];
  for (const entry of entries.filter(isMessage)) {
    if (!isRemembered(entry.seq, projection)) continue;
    const isWhole = !entry.content.some(({ type }) => type === "blob");
    const content = isWhole ? entry.content.map(shownOf) : await reader.wholeContent(entry);
    const { seq, role, origin, saidAt, at } = entry;
    messages.push({
      seq,
      id: entry.hostId ?? entry.id,
      atMs: saidAt ?? at,
      message: { role, origin, content },
    });
  }
  const times = new Map(entries.map(({ seq, at }) => [seq, at]));
  return foldMemory({ messages, edits: summariesOf(projection, times), metadata });
}

const isMessage = (entry: Entry): entry is MessageEntry => entry.type === "message";

/** True if the message is on the log's current line and its host did not remove it. */
function isRemembered(seq: number, { lineRanges, activeEdits }: Projection): boolean {
  const isRemoved = activeEdits.some(
    ({ edit }) => edit.kind === "host" && isWithin(edit.effect.hide ?? [], seq),
  );
  return isWithin(lineRanges, seq) && !isRemoved;
}

/** Returns edits that replace messages by a summary, whichever layer or program made them. */
function summariesOf({ activeEdits }: Projection, times: ReadonlyMap<number, number>): ReadLog["edits"] {
  return activeEdits.flatMap(({ seq, edit }) => {
    const isSummary = hasEffect(edit) && "isBoundary" in edit && edit.isBoundary === true;
    return isSummary && (edit.effect.insert ?? []).length > 0
      ? [{ seq, at: times.get(seq)!, effect: edit.effect }]
      : [];
  });
}

const STORED_ID = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
/** Ends of ids that {@link storedIds} made. */
const MADE_ID = /-[0-9a-f]{64}$/;
const READABLE_CHARS = 40;

/**
 * Ids under which the session may be stored; the last one is for new sessions. Older versions accepted more ids. It is
 * the session's id if a store can take it, else its readable part and its hash: two sessions never share one.
 */
function storedIds(sessionId: string, hasher: Hasher): readonly string[] {
  const isPlain =
    sessionId.length <= STORE_DEFAULTS.sessionIdLimitChars &&
    STORED_ID.test(sessionId) &&
    sessionId.toLowerCase() !== "memory" &&
    !sessionId.toLowerCase().endsWith(".jsonl") &&
    !MADE_ID.test(sessionId);
  const readable = sessionId
    .slice(0, READABLE_CHARS)
    .replace(/[^A-Za-z0-9_]+/g, "-")
    .replace(/^-/, "");
  // Hashed as JSON, which keeps lone surrogates apart.
  const hash = hasher.sha256(JSON.stringify(sessionId));
  const storedId = isPlain ? sessionId : `${readable}-${hash}`;
  const newId = whyNoNewId(storedId) === undefined ? storedId : `${readable || "session"}-${hash}`;
  return [...new Set([storedId, newId])];
}
