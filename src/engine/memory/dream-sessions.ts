/**
 * What a dream reads of the sessions of a store: how many were active, and what their users asked to be kept.
 *
 * Only what was said since the last dream is read, one session open at a time, the newest first. A session that
 * cannot be read is passed over: it must not keep the others from being dreamt of.
 */
import { MEMORY_DREAM_DEFAULTS } from "../../base/defaults/memory-dream.ts";
import { formatPointer } from "../../compaction/pointer.ts";
import { extractByRules } from "../../memory/extraction/rule-extractor.ts";
import type { FreshMemory } from "../../memory/plan-remember.ts";
import type { TalkMessage } from "../../memory/spoken-pieces.ts";
import type { SessionLog, SessionStore } from "../../ports/session-store.ts";
import type { Scope } from "../../transcript/entries.ts";
import { defaultOrigin } from "../../transcript/messages.ts";
import { shownOf } from "../hydrate.ts";
import { stopIfAborted } from "../stop-if-aborted.ts";
import type { DreamSessions } from "./dream.ts";

/** The sessions of one scope of a store, as a dream looks into them. */
export function storedSessions(store: SessionStore, scope?: Scope): DreamSessions {
  const limit = MEMORY_DREAM_DEFAULTS.readSessionsCount;
  const activeSince = async (sinceMs: number): Promise<readonly string[]> => {
    const { sessions } = await store.describe({ limit, ...(scope === undefined ? {} : { scope }) });
    return sessions
      .filter(({ lastActivityAt }) => lastActivityAt > sinceMs)
      .map(({ sessionId }) => sessionId);
  };
  return {
    count: async (sinceMs) => (await activeSince(sinceMs)).length,
    gather: async (sinceMs, signal) => {
      const gathered: FreshMemory[] = [];
      for (const sessionId of await activeSince(sinceMs)) {
        stopIfAborted(signal, "The dream");
        gathered.push(...(await gatherOne(() => store.open(sessionId, scope), { sessionId, sinceMs })));
        if (gathered.length >= MEMORY_DREAM_DEFAULTS.gatheredCount) break;
      }
      return gathered;
    },
  };
}

async function gatherOne(
  open: () => Promise<SessionLog>,
  { sessionId, sinceMs }: { readonly sessionId: string; readonly sinceMs: number },
): Promise<readonly FreshMemory[]> {
  let log: SessionLog | undefined;
  try {
    log = await open();
    const talk: TalkMessage[] = [];
    for await (const { entries } of log.readAll())
      for (const { entry } of entries) {
        if (entry.type !== "message" || entry.at <= sinceMs) continue;
        // What is large was pasted: its preview is enough to be told from words of the user's own.
        const message = { ...entry, content: entry.content.map(shownOf) };
        if ((message.origin ?? defaultOrigin(message)) !== "user") continue;
        talk.push({ id: formatPointer({ seq: entry.seq, block: 0 }), message });
      }
    return extractByRules(talk).proposals.map(({ quote: _, kind: __, language: ___, ...fact }) => ({
      ...{ ...fact, folder: "", sessionId },
    }));
  } catch {
    // It went to the trash a moment ago, or its file cannot be read.
    return [];
  } finally {
    await log?.close();
  }
}
