/**
 * The shapes of `--json` of the commands about stored sessions: stable, with the same figures as the
 * readable output. `docs/reference/sessions-json.md` documents them.
 *
 * Times are milliseconds since the epoch. Unknown fields are absent.
 */
import { type JsonValue, redactBroken, type SessionInfo } from "palimpsest/internal";
import type { HeaderEntry, LogDamage } from "palimpsest/transcript";
import { withoutAbsent } from "../terminal/terminal.ts";
import type { NotesJson } from "./notes-report.ts";
import type { UnreadableNotes } from "./read-notes.ts";
import { nameOf, tagsOf } from "./session-words.ts";

/** Version of these shapes; it counts up when a field changes its meaning or disappears. */
export const SESSIONS_JSON_VERSION = 1;

/** A session in a list. */
export interface ListedSession {
  readonly sessionId: string;
  /** The shortest beginning of the id that names it in its project. */
  readonly shortId?: string;
  /** Its title, or the beginning of its first prompt. */
  readonly name?: string;
  readonly title?: string;
  readonly tags: readonly string[];
  /** On this machine: the import of a recording counts. */
  readonly lastActivityAt: number;
  /** For a recording, the time of its first message. */
  readonly createdAt?: number;
  /** Size of the log alone, without blobs. */
  readonly bytes: number;
  /** A process is its writer now. */
  readonly isInUse: boolean;
  readonly workingCopy?: string;
  /** The session that it was forked from. */
  readonly forkOf?: string;
  /** The recording that it was imported from. */
  readonly source?: NonNullable<HeaderEntry["source"]>;
  /** Name of the project's folder; absent of a plain folder of sessions. */
  readonly project?: string;
}

export function listedSession(
  info: SessionInfo,
  more: { readonly shortId?: string | undefined; readonly project?: string | undefined },
): ListedSession {
  const { sessionId, header, metadata, lastActivityAt, bytes, isInUse } = info;
  const title = metadata["title"];
  return withoutAbsent<ListedSession>({
    sessionId,
    shortId: more.shortId,
    name: nameOf(info),
    title: typeof title === "string" ? redactBroken(title).text : undefined,
    tags: tagsOf(metadata),
    lastActivityAt,
    createdAt: header?.source?.firstAt ?? header?.at,
    bytes,
    isInUse,
    workingCopy: header?.workingCopy,
    forkOf: header?.parent?.sessionId,
    source: header?.source,
    project: more.project,
  });
}

/** A stretch of a log that cannot be read. */
interface DamageJson {
  /** Byte at which it begins. */
  readonly position: number;
  readonly bytes: number;
  readonly reason: LogDamage["reason"];
}

interface ShownMessage {
  readonly seq: number;
  readonly role: string;
  readonly origin: string;
  readonly at: number;
  /** The message as plain text, one element a block. */
  readonly content: readonly { readonly kind: string; readonly tool?: string; readonly text: string }[];
}

/** `sessions show`. */
export interface ShowJson extends ListedSession {
  readonly version: typeof SESSIONS_JSON_VERSION;
  /** Every key, its last value. */
  readonly metadata: Readonly<Record<string, JsonValue | undefined>>;
  readonly counts: {
    readonly entries: number;
    readonly messages: number;
    readonly userMessages: number;
    readonly assistantMessages: number;
    readonly toolCalls: number;
    readonly toolErrors: number;
    /** Requests that left. */
    readonly calls: number;
    readonly compactions: number;
    readonly edits: Readonly<Record<string, number>>;
  };
  readonly blobs: { readonly count: number; readonly bytes: number };
  readonly tokens: {
    /** The next request as it is now, by what was last reported and our estimate. */
    readonly window: number;
    /** Everything that was ever said, by our estimate. */
    readonly said: number;
  };
  /** Sum of the usage that providers reported. */
  readonly usage?: {
    readonly inputTokens: number;
    readonly cacheReadTokens: number;
    readonly cacheWriteTokens: number;
    readonly outputTokens: number;
  };
  /** At list prices; absent where nothing was reported, or a model has no known price. */
  readonly costUsd?: number;
  /** Calls by model. */
  readonly models: Readonly<Record<string, number>>;
  /** Absent if the store keeps no notes; `problem` if they cannot be read. */
  readonly notes?: NotesJson | UnreadableNotes;
  readonly damage: readonly DamageJson[];
  /** The newest ones, oldest first. */
  readonly messages: readonly ShownMessage[];
}

/** `sessions resume-info`. */
export interface ResumeInfoJson {
  readonly version: typeof SESSIONS_JSON_VERSION;
  readonly sessionId: string;
  readonly name?: string;
  /** It can be opened now: no other process is its writer. */
  readonly canResume: boolean;
  readonly isInUse: boolean;
  readonly bytes: number;
  /** Checkpoint from which opening reads; absent if it reads from the start. */
  readonly checkpoint?: { readonly seq: number; readonly position: number; readonly bytesFromEnd: number };
  /** Part of the log that opening reads. */
  readonly read: { readonly entries: number; readonly bytes: number };
  readonly lastSeq: number;
  readonly window: {
    readonly messages: number;
    readonly tokens: number;
    /** `reported`, `estimate` …: where the figure comes from. */
    readonly source: string;
    readonly model: string;
  };
  /** The newest request that left and was never answered. */
  readonly openCallSeq?: number;
  /** In what is read; `doctor` reads all of it. */
  readonly damage: readonly DamageJson[];
}

export function damageJson({ position, bytes, reason }: LogDamage): DamageJson {
  return { position, bytes, reason };
}
