/**
 * The session behind a conversation of `MemoryManager`.
 */
import { StoreError } from "../base/errors.ts";
import type { Hasher } from "../ports/runtime.ts";
import { LogReader } from "../session/history/message-reader.ts";
import { createSession, openSession } from "../session/lifecycle/open-session.ts";
import type { SessionOptions } from "../session/options/session-options.ts";
import type { Session } from "../session/session.ts";
import type { FoldedMemory } from "./log/conversation-log.ts";
import { readMemory } from "./read-conversation.ts";
import { newStoredSessionId, storedSessionId } from "./validate-input.ts";

/** Key of the metadata that has the id a host uses, where it is no id of a store. */
const SESSION_ID_KEY = "memory.sessionId";

/** What the session works with. */
type MemorySessionOptions = Omit<SessionOptions, "window" | "durability">;

/** Opens the session of the store, or begins it; nothing is stored before something is added. */
export async function openForMemory(sessionId: string, options: MemorySessionOptions): Promise<Session> {
  // The window is what the memory says it is: nothing is offloaded or compacted beside it.
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
  { store, scope, hasher }: MemorySessionOptions,
): Promise<FoldedMemory | undefined> {
  for (const storedId of storedIds(sessionId, hasher)) {
    try {
      const log = await store.open(storedId, scope);
      try {
        return await readMemory({ log, reader: new LogReader(log, new Map()) });
      } finally {
        await log.close();
      }
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return undefined;
}

/** Where the session may be stored; a new one goes to the last. Older versions kept ids that new sessions do not get. */
function storedIds(sessionId: string, hasher: Hasher): readonly string[] {
  return [...new Set([storedSessionId(sessionId, hasher), newStoredSessionId(sessionId, hasher)])];
}

const isNotFound = (error: unknown): boolean =>
  error instanceof StoreError && error.code === "SESSION_NOT_FOUND";
