/**
 * What a list shows of a session, gathered from some of its entries: those at the beginning of its log
 * and those at the end.
 */
import type { JsonValue } from "../../base/json.ts";
import { shorten } from "../../base/text.ts";
import type { SessionInfo, SessionPage, SessionQuery } from "../../ports/session-store.ts";
import type { Entry, HeaderEntry } from "../../transcript/entries.ts";

const PROMPT_CHARS = 200;
const PAGE_SESSIONS = 50;

/** Entries in the order of the log; the same entry may be given twice. */
export class SessionGist {
  #header: HeaderEntry | undefined;
  #firstPrompt: string | undefined;
  readonly #metadata = new Map<string, JsonValue>();
  lastAt = 0;

  add(entry: Entry): void {
    this.lastAt = Math.max(this.lastAt, entry.at);
    if (entry.type === "header") this.#header ??= entry;
    else if (entry.type === "metadata") this.#metadata.set(entry.key, entry.value);
    else if (entry.type === "message" && entry.role === "user") this.#firstPrompt ??= promptOf(entry.content);
  }

  info(stored: Pick<SessionInfo, "sessionId" | "bytes" | "isInUse">, modifiedAt = 0): SessionInfo {
    return {
      ...stored,
      lastActivityAt: Math.max(this.lastAt, modifiedAt),
      ...(this.#header === undefined ? {} : { header: this.#header }),
      metadata: Object.fromEntries(this.#metadata),
      ...(this.#firstPrompt === undefined ? {} : { firstPrompt: this.#firstPrompt }),
    };
  }
}

function promptOf(content: readonly { readonly type: string }[]): string | undefined {
  for (const block of content) {
    const { text } = block as { readonly text?: unknown };
    if (block.type === "text" && typeof text === "string" && text.trim() !== "")
      return shorten(text.trim().replace(/\s+/g, " "), PROMPT_CHARS);
  }
  return undefined;
}

/** The page that was asked for, out of all that there are. */
export function pageOf(
  all: readonly SessionInfo[],
  { limit = PAGE_SESSIONS, after }: SessionQuery,
): SessionPage {
  const sorted = [...all].sort(compareInfos);
  const start = after === undefined ? 0 : sorted.findIndex((info) => cursorOf(info) > after);
  const rest = start === -1 ? [] : sorted.slice(start);
  const sessions = rest.slice(0, limit);
  const last = sessions.at(-1);
  return rest.length > limit && last !== undefined ? { sessions, next: cursorOf(last) } : { sessions };
}

/** The latest activity first, then by id. */
function compareInfos(one: SessionInfo, other: SessionInfo): number {
  return cursorOf(one) < cursorOf(other) ? -1 : 1;
}

/** A text that sorts as the list does. */
function cursorOf({ lastActivityAt, sessionId }: SessionInfo): string {
  const rank =
    Number.MAX_SAFE_INTEGER - Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.floor(lastActivityAt)));
  return `${String(rank).padStart(16, "0")} ${sessionId}`;
}
