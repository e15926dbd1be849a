/**
 * Errors of the file store: the platform's error, and what was tried on which file with which figures.
 */
import { AssertionError } from "../../base/assert.ts";
import { errorCode, errorMessage, StoreError } from "../../base/errors.ts";

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

/** A `STORE_FAILED` around the platform's error. Bugs and errors of ours pass as they are. */
export function storeFailure(what: string, error: unknown): Error {
  if (error instanceof AssertionError || error instanceof StoreError) return error;
  const reason = errorMessage(error);
  return new StoreError("STORE_FAILED", {
    message: `${what}: ${reason}`,
    hint: HINTS[errorCode(error) ?? ""] ?? "Check the disk and the folder of the sessions, then try again.",
    cause: error,
  });
}

/** A `SESSION_UNREADABLE` around the platform's error. */
export function readFailure(path: string, error: unknown): Error {
  if (error instanceof AssertionError || error instanceof StoreError) return error;
  return new StoreError("SESSION_UNREADABLE", {
    message: `${path} cannot be read: ${errorMessage(error)}`,
    hint: "Check that the file is a regular file, that the process may read it, and that the disk is sound.",
    cause: error,
  });
}

/** A `NOTES_UNREADABLE` around the platform's error. */
export function notesUnreadable(path: string, error: unknown): Error {
  if (error instanceof AssertionError || error instanceof StoreError) return error;
  return new StoreError("NOTES_UNREADABLE", {
    message: `${path} cannot be read: ${errorMessage(error)}`,
    hint: "Check that it is a plain text file, that the process may read it, and that the disk is sound.",
    cause: error,
  });
}

/** The session is there already. */
export function sessionExists(sessionId: string): StoreError {
  return new StoreError("SESSION_EXISTS", {
    message: `There is a session ${sessionId} already.`,
    hint: "Open it, or begin a new one with another id.",
  });
}

/** Something of this id lies in the trash already, which is not to be lost. */
export function trashHolds(sessionId: string): StoreError {
  return new StoreError("SESSION_EXISTS", {
    message: `The trash holds a session ${sessionId} already.`,
    hint: "Restore or purge that one first.",
  });
}

/** There is no such session. */
export function sessionNotFound(sessionId: string, place: string): StoreError {
  return new StoreError("SESSION_NOT_FOUND", {
    message: `There is no session ${sessionId} in ${place}.`,
    hint: "Check the id and the folder; a session is stored with its first entry.",
  });
}

/** Somebody else is the session's writer. `waitSeconds`: when that ends if nobody is there any more. */
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
