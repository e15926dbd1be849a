/**
 * Paths of a session's files: `<root>/<id>.jsonl`, `<root>/<id>/blobs/<hash>` and `<root>/.log-ends/<id>`. Sessions of a
 * scope are in `<root>/@<scope>`, a name that no session id can have.
 *
 * An id becomes a file name, so it must not leave the folder or end like a log: the folder of a session `a.jsonl` would
 * have the path of the log of a session `a`.
 */
import { join } from "node:path";
import { STORE_DEFAULTS } from "../../base/defaults/store.ts";
import { OptionError } from "../../base/errors.ts";
import { shorten } from "../../base/text/text.ts";
import type { Hasher } from "../../ports/runtime.ts";
import type { Scope } from "../../transcript/entries.ts";

const LOG_ENDING = ".jsonl";
/** Digits of a scope's hash, enough to keep scopes apart. */
const SCOPE_HASH_DIGITS = 32;
const SCOPE_NAME_CHARS = 48;
/** Folders beside the sessions of a project that are not a session's: `memory.jsonl` would make one of it. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(["memory"]);
const ID_PATTERN = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/** The files of one session. */
export interface SessionPaths {
  readonly rootFolder: string;
  readonly logFile: string;
  readonly sessionFolder: string;
  readonly blobFolder: string;
  /** The durable end of the log; outside the session's folder, so that a session without large texts has none. */
  readonly endFile: string;
}

/** True if the text can be the id of a session in any store. */
export function isSessionId(id: unknown): id is string {
  return (
    typeof id === "string" &&
    id.length <= STORE_DEFAULTS.sessionIdLimitChars &&
    ID_PATTERN.test(id) &&
    !id.toLowerCase().endsWith(LOG_ENDING) &&
    !RESERVED_NAMES.has(id.toLowerCase())
  );
}

/** @throws `OptionError` if the text cannot be the id of a session. */
export function assertSessionId(id: string): void {
  if (isSessionId(id)) return;
  throw new OptionError({
    message: `${JSON.stringify(shorten(String(id), 60))} cannot be the id of a session.`,
    hint:
      `Use 1 to ${STORE_DEFAULTS.sessionIdLimitChars} of the characters A-Z a-z 0-9 . _ - and begin ` +
      `with another than the dot; the ending ${LOG_ENDING} and the name memory are taken.`,
  });
}

/** The folder of a scope's sessions: readable, and by the hash never that of another scope. */
export function scopeFolder(root: string, scope: Scope | undefined, hasher: Hasher): string {
  const { tenant, project } = scope ?? {};
  if (tenant === undefined && project === undefined) return root;
  const hash = hasher.sha256(JSON.stringify([tenant ?? null, project ?? null])).slice(0, SCOPE_HASH_DIGITS);
  const readable = [tenant, project].flatMap((part) => part ?? []).join(".");
  return join(root, `@${readable.replace(/[^A-Za-z0-9._-]+/g, "-").slice(0, SCOPE_NAME_CHARS)}-${hash}`);
}

/** The paths of a session whose id was checked. */
export function sessionPaths(rootFolder: string, sessionId: string): SessionPaths {
  const sessionFolder = join(rootFolder, sessionId);
  return {
    rootFolder,
    logFile: sessionFolder + LOG_ENDING,
    sessionFolder,
    blobFolder: join(sessionFolder, "blobs"),
    endFile: join(rootFolder, ".log-ends", sessionId),
  };
}

/** The session whose log has this file name, if it is one. */
export function sessionIdOfFile(name: string): string | undefined {
  if (!name.endsWith(LOG_ENDING)) return undefined;
  const id = name.slice(0, -LOG_ENDING.length);
  return isSessionId(id) ? id : undefined;
}
