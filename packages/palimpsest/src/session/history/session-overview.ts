/**
 * All sessions of a store at once, without opening them: by the store's own index where it has one.
 */
import { redactBroken } from "../../base/redaction/broken-secrets.ts";
import type { OverviewRow, SessionStore } from "../../ports/session-store.ts";
import type { Scope } from "../../transcript/entries.ts";

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
export async function* listSessionIds(store: SessionStore, scope?: Scope): AsyncGenerator<string> {
  for (const { sessionId } of await overviewOf(store, scope)) yield sessionId;
}
