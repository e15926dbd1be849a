/**
 * A session as lists and `--json` describe it. Times are milliseconds since the epoch; unknown fields are absent.
 * `docs/reference/sessions-json.md` documents the JSON of all commands about sessions.
 */
import { isLost, redactBroken, type SessionInfo } from "palimpsest/internal";
import type { HeaderEntry, LogDamage } from "palimpsest/transcript";
import { nameOf, tagsOf } from "./session-words.ts";

export interface ListedSession {
  readonly sessionId: string;
  /** The shortest beginning of the id that names it in its project. */
  readonly shortId?: string | undefined;
  /** Its title, or the beginning of its first prompt. */
  readonly name?: string | undefined;
  readonly title?: string | undefined;
  readonly tags: readonly string[];
  /** On this machine: the import of a recording counts. */
  readonly lastActivityAt: number;
  /** For a recording, the time of its first message. */
  readonly createdAt?: number | undefined;
  /** When it was stored on this machine: for a recording, when it was imported. */
  readonly storedAt?: number | undefined;
  /** Size of the log alone, without blobs. */
  readonly bytes: number;
  /** A process is its writer now. */
  readonly isInUse: boolean;
  /** True if no entry of its log can be read; absent otherwise. */
  readonly isLost?: boolean | undefined;
  readonly workingCopy?: string | undefined;
  /** The session that it was forked from. */
  readonly forkOf?: string | undefined;
  /** The purpose of a session that is not a conversation with a user: `task` for an agent in the background. */
  readonly purpose?: string | undefined;
  /** The recording that it was imported from. */
  readonly source?: HeaderEntry["source"];
  /** Name of the project's folder; absent in a plain folder of sessions. */
  readonly project?: string | undefined;
}

export function listedSession(
  info: SessionInfo,
  more: { readonly shortId?: string | undefined; readonly project?: string | undefined },
): ListedSession {
  const { sessionId, header, metadata, lastActivityAt, bytes, isInUse } = info;
  const title = metadata["title"];
  return {
    sessionId,
    shortId: more.shortId,
    name: nameOf(info),
    title: typeof title === "string" ? redactBroken(title).text : undefined,
    tags: tagsOf(metadata),
    lastActivityAt,
    createdAt: header?.source?.firstAt ?? header?.at,
    storedAt: header?.at,
    bytes,
    isInUse,
    isLost: isLost(info) || undefined,
    workingCopy: header?.workingCopy,
    forkOf: header?.parent?.sessionId,
    purpose: header?.purpose,
    source: header?.source,
    project: more.project === "" ? undefined : more.project,
  };
}

/** Time that an import takes at most, in milliseconds: activity after that was a person's. Our choice: far above the largest recordings. */
const IMPORT_MS = 600_000;

/** When the session was last used, by a person who reads a list: for a recording that was not continued, when it was recorded. */
export function lastUsedAt({
  lastActivityAt,
  source,
  isInUse,
  storedAt = 0,
}: Pick<ListedSession, "lastActivityAt" | "source" | "isInUse" | "storedAt">): number {
  const isContinued = isInUse || lastActivityAt - storedAt > IMPORT_MS;
  return (isContinued ? undefined : source?.lastAt) ?? lastActivityAt;
}

/** A stretch of a log that cannot be read: its first byte, its size, and why. */
export function damageJson({ position, bytes, reason }: LogDamage) {
  return { position, bytes, reason };
}
