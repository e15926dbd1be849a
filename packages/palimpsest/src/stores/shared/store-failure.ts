/**
 * Errors of the stores. Each names the attempted operation and the file, keeps the platform's error as its cause, and
 * has a hint for the usual error codes.
 */
import { AssertionError } from "../../base/assert.ts";
import { errorCode, errorMessage, PalimpsestError, SessionError, StoreError } from "../../base/errors.ts";

const HINTS: Readonly<Record<string, string>> = {
  ENOSPC: "Free some disk space; the session goes on with the next append.",
  EDQUOT: "Free some of the disk quota; the session goes on with the next append.",
  ESHORT:
    "Free some disk space, or raise the quota or the limit of file sizes; the session goes on with the next append.",
  EFBIG: "The file is as large as the system allows; fork the session into a new one.",
  EACCES: "Give the process write access to the folder of the sessions.",
  EPERM: "Give the process write access to the folder of the sessions.",
  EROFS: "The file system is read-only; choose another folder for the sessions.",
  EMFILE: "The process has too many open files; close sessions that are not used.",
};
const MEMORY_HINTS: Readonly<Record<string, string>> = {
  ENOSPC: "Free some disk space, then try again.",
  EDQUOT: "Free some of the disk quota, then try again.",
  ESHORT: "Free some disk space, or raise the quota or the limit of file sizes, then try again.",
  EACCES: "Give the process write access to the memory directory.",
  EPERM: "Give the process write access to the memory directory.",
  EROFS: "The file system is read-only; choose another memory directory.",
  ECONFINED: "Replace links in the memory directory by real folders and files.",
};

/** Wraps the platform's error in a `STORE_FAILED`. Bugs and store errors pass unchanged. */
export function storeFailure(what: string, error: unknown): Error {
  if (error instanceof AssertionError || error instanceof StoreError) return error;
  return new StoreError("STORE_FAILED", {
    message: `${what}: ${platformMessage(error)}`,
    hint: HINTS[errorCode(error) ?? ""] ?? "Check the disk and the folder of the sessions, then try again.",
    cause: error,
  });
}

/** Wraps the platform's error in a `STORE_FAILED` of the memory store. Bugs and errors of this library pass unchanged. */
export function memoryFailure(what: string, error: unknown): Error {
  if (error instanceof AssertionError || error instanceof PalimpsestError) return error;
  return new StoreError("STORE_FAILED", {
    message: `${what}: ${platformMessage(error)}`,
    hint: MEMORY_HINTS[errorCode(error) ?? ""] ?? "Check the disk and the memory directory, then try again.",
    cause: error,
  });
}

/** The platform's message, with paths as they are below the folder that is held open. */
function platformMessage(error: unknown): string {
  return errorMessage(error).replace(/\/proc\/self\/fd\/\d+\/?/g, "");
}

export function memoryStoreClosed(): StoreError {
  return new StoreError("STORE_FAILED", {
    message: "The memory store was closed.",
    hint: "Open it again.",
  });
}

/** The error for a lock that stayed taken: by other programs in turn, or by one that does not move. */
export function memoryStoreBusy(): StoreError {
  return new StoreError("STORE_FAILED", {
    message: `The change was not made: other programs were changing the memory directory the whole time.`,
    hint: "Try again in a moment; nothing was changed.",
  });
}

/** Wraps the platform's error in a `SESSION_UNREADABLE`. */
export function readFailure(path: string, error: unknown): Error {
  if (error instanceof AssertionError || error instanceof StoreError) return error;
  return new StoreError("SESSION_UNREADABLE", {
    message: `${path} cannot be read: ${platformMessage(error)}`,
    hint: "Check that the file is a regular file, that the process may read it, and that the disk is sound.",
    cause: error,
  });
}

/** Wraps the platform's error in a `NOTES_UNREADABLE`. */
export function notesUnreadable(path: string, error: unknown): Error {
  if (error instanceof AssertionError || error instanceof StoreError) return error;
  return new StoreError("NOTES_UNREADABLE", {
    message: `${path} cannot be read: ${platformMessage(error)}`,
    hint: "Check that it is a plain text file, that the process may read it, and that the disk is sound.",
    cause: error,
  });
}

/** The error for any use of a log after it was closed. */
export function logClosed(sessionId: string): SessionError {
  return new SessionError("SESSION_CLOSED", {
    message: `The session ${sessionId} was closed.`,
    hint: "Open it again to read it or to go on with it.",
  });
}

/** The error for a session id that is in use already. */
export function sessionExists(sessionId: string): StoreError {
  return new StoreError("SESSION_EXISTS", {
    message: `Session ${sessionId} exists already.`,
    hint: "Open it, or create a session with another id.",
  });
}

/** The error for a session that cannot be moved to the trash, because the trash holds one with its id. */
export function trashHolds(sessionId: string): StoreError {
  return new StoreError("SESSION_EXISTS", {
    message: `The trash holds a session ${sessionId} already.`,
    hint: "Restore or purge that one first.",
  });
}

/** The error for a session that does not exist. */
export function sessionNotFound(sessionId: string, place: string): StoreError {
  return new StoreError("SESSION_NOT_FOUND", {
    message: `There is no session ${sessionId} in ${place}.`,
    hint: "Check the id and the folder; a session is stored with its first entry.",
  });
}

/** The error for a session that has another writer. `waitSeconds`: until its lease expires if that writer is dead. */
export function sessionInUse(sessionId: string, who: string, waitSeconds?: number): StoreError {
  const wait =
    waitSeconds === undefined
      ? "wait until it is closed"
      : `try again in ${waitSeconds} s in case it is gone`;
  return new StoreError("SESSION_IN_USE", {
    message: `Session ${sessionId} is in use: ${who}.`,
    hint: `Fork the session and go on in the fork, ${wait}, or only read it.`,
  });
}
