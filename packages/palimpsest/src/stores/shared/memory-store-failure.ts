/** Errors of the memory stores: the platform's error, and what was tried. */
import { AssertionError } from "../../base/assert.ts";
import { errorMessage, PalimpsestError, StoreError } from "../../base/errors.ts";

const HINTS: Readonly<Record<string, string>> = {
  ENOSPC: "Free some disk space, then try again.",
  EDQUOT: "Free some of the disk quota, then try again.",
  ESHORT: "Free some disk space, or raise the quota or the limit of file sizes, then try again.",
  EACCES: "Give the process write access to the memory directory.",
  EPERM: "Give the process write access to the memory directory.",
  EROFS: "The file system is read-only; choose another memory directory.",
  ECONFINED: "Put folders and files of your own in the place of links in the memory directory.",
};

/** A `STORE_FAILED` around the platform's error. Bugs and errors of ours pass as they are. */
export function memoryFailure(what: string, error: unknown): Error {
  if (error instanceof AssertionError || error instanceof PalimpsestError) return error;
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return new StoreError("STORE_FAILED", {
    message: `${what}: ${errorMessage(error)}`,
    hint: HINTS[String(code)] ?? "Check the disk and the memory directory, then try again.",
    cause: error,
  });
}

export function memoryStoreClosed(): StoreError {
  return new StoreError("STORE_FAILED", {
    message: "The memory store was closed.",
    hint: "Open it again.",
  });
}

/** Others change the memories all the time, or somebody does not move and cannot be told from the living. */
export function memoryStoreBusy(what: string): StoreError {
  return new StoreError("STORE_FAILED", {
    message: `${what}: others were changing the memory directory all the time.`,
    hint: "Try again in a moment; nothing was changed.",
  });
}
