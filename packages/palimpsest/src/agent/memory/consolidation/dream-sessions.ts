/**
 * Reads sessions for a dream: how many were active, what their users asked to remember, and the conversations for a
 * model.
 *
 * Only messages since the last dream are read, one open session at a time, the newest first. An unreadable session is
 * skipped, so that it does not block the others. So is one with a purpose, such as an agent's that worked as a task:
 * no user speaks in it.
 */

import { MEMORY_DREAM_DEFAULTS } from "../../../base/defaults/memory/dream.ts";
import { addAll } from "../../../base/lists.ts";
import { stopIfAborted } from "../../../base/stop-if-aborted.ts";
import { formatPointer } from "../../../compaction/shared/pointer.ts";
import { extractByRules } from "../../../memory/extraction/rule-extractor.ts";
import type { ConversationMessage } from "../../../memory/trust/attributed-text.ts";
import type { FreshMemory } from "../../../memory/write/plan-remember.ts";
import type { SessionLog, SessionStore } from "../../../ports/session-store.ts";
import type { SessionObserver } from "../../../session/events/events.ts";
import { shownOf } from "../../../session/history/hydrate.ts";
import { watchReads } from "../../../session/history/watched-log.ts";
import { blockText, defaultOrigin, type Message } from "../../../transcript/blocks.ts";
import type { Scope } from "../../../transcript/entries.ts";
import type { DreamSessions } from "./run-dream.ts";

/** Sessions whose logs one dream reads, the newest first. Our choice: earlier dreams read the older ones. */
const READ_SESSIONS_COUNT = 50;

/** The sessions of one scope of a store, for a dream; `observer` receives damage in them. */
export function storedSessions(
  store: SessionStore,
  scope?: Scope,
  observer?: SessionObserver,
): DreamSessions {
  const limit = READ_SESSIONS_COUNT;
  const activeSince = async (sinceMs: number): Promise<readonly string[]> => {
    const found: string[] = [];
    for (let after: string | undefined; ; ) {
      const { sessions, next } = await store.describe({
        limit,
        scope,
        ...(after === undefined ? {} : { after }),
      });
      const active = sessions.filter(({ lastActivityAt }) => lastActivityAt > sinceMs);
      for (const { sessionId, header } of active) if (header?.purpose === undefined) found.push(sessionId);
      if (next === undefined || active.length < sessions.length || found.length >= limit)
        return found.slice(0, limit);
      after = next;
    }
  };
  const open = (sessionId: string) => async () => watchReads(await store.open(sessionId, scope), observer);
  return {
    count: async (sinceMs) => (await activeSince(sinceMs)).length,
    gather: async (sinceMs, signal) => {
      const gathered: FreshMemory[] = [];
      for (const sessionId of await activeSince(sinceMs)) {
        stopIfAborted(signal, "The dream");
        const conversation = await readConversation(
          open(sessionId),
          (at, message) => at > sinceMs && isUsers(message),
        );
        const found = extractByRules(conversation?.map(({ message }) => message) ?? []).proposals;
        const atById = new Map(conversation?.map(({ at, message }) => [message.id, at]));
        addAll(
          gathered,
          found.map(({ quote: _, kind: __, language: ___, ...fact }) => {
            const createdAtMs = atById.get(fact.messageId ?? "");
            return { ...fact, folder: "", sessionId, createdAtMs };
          }),
        );
        if (gathered.length >= MEMORY_DREAM_DEFAULTS.gatheredCount) break;
      }
      return gathered;
    },
    conversations: async function* (sinceMs, signal) {
      for (const sessionId of await activeSince(sinceMs)) {
        stopIfAborted(signal, "The dream");
        const conversation = await readConversation(open(sessionId), () => true);
        if (conversation === undefined) continue;
        const messagesOf = (isNew: boolean) =>
          conversation.filter(({ at }) => at > sinceMs === isNew).map(({ message }) => message);
        const messages = messagesOf(true);
        if (messages.length > 0) yield { sessionId, messages, earlier: messagesOf(false) };
      }
    },
  };
}

function isUsers(message: Message): boolean {
  return (message.origin ?? defaultOrigin(message)) === "user";
}

/** Reads a session's conversation with times; `undefined` if it is unreadable or too large. */
async function readConversation(
  open: () => Promise<SessionLog>,
  isTaken: (at: number, message: Message) => boolean,
): Promise<readonly { readonly at: number; readonly message: ConversationMessage }[] | undefined> {
  let log: SessionLog | undefined;
  let left: number = MEMORY_DREAM_DEFAULTS.judgedCharacters;
  try {
    log = await open();
    const conversation: { readonly at: number; readonly message: ConversationMessage }[] = [];
    for await (const { entries } of log.readAll())
      for (const { entry } of entries) {
        if (entry.type !== "message") continue;
        // Large content was pasted: its preview suffices to distinguish it from the user's own words.
        const message = { ...entry, content: entry.content.map(shownOf) };
        if (!isTaken(entry.at, message)) continue;
        for (const block of message.content) left -= blockText(block).length;
        if (left < 0) return undefined;
        conversation.push({
          at: entry.at,
          message: { id: formatPointer({ seq: entry.seq, block: 0 }), message },
        });
      }
    return conversation;
  } catch {
    // It went to the trash a moment ago, or its file cannot be read.
    return undefined;
  } finally {
    await log?.close();
  }
}
