/** Memories and session notes as bytes: the size limit, strict UTF-8, and the version of a memory. */
import { MEMORY_STORE_DEFAULTS } from "../../base/defaults/memory/store.ts";
import { STORE_DEFAULTS } from "../../base/defaults/store.ts";
import { StoreError } from "../../base/errors.ts";
import type { Hasher } from "../../ports/runtime.ts";

/** @throws `STORE_FAILED` if the text is larger than a memory may be. */
export function encodeMemory(path: string, text: string): Buffer {
  const bytes = Buffer.from(text, "utf8");
  const { fileLimitBytes } = MEMORY_STORE_DEFAULTS;
  if (bytes.length <= fileLimitBytes) return bytes;
  throw new StoreError("STORE_FAILED", {
    message: `${path} was not stored: it would have ${bytes.length} bytes; the limit is ${fileLimitBytes}.`,
    hint: "Shorten it, or split it into several memories; nothing was changed.",
  });
}

/** Decodes to the letter, a byte order mark included. Returns `undefined` for bytes that are not UTF-8. */
export function decodeMemory(bytes: Uint8Array): string | undefined {
  try {
    return decodeExactly(bytes);
  } catch {
    // Another encoding, or not text: the caller names the file.
    return undefined;
  }
}

/** Hashes what the file holds: text that UTF-8 cannot encode has the version of the stored text. */
export function memoryVersion(text: string, hasher: Hasher): string {
  return hasher.sha256(text);
}

/** @throws `STORE_FAILED` if the text is larger than notes may be. */
export function encodeNotes(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8");
  const { notesFileLimitBytes } = STORE_DEFAULTS;
  if (bytes.length <= notesFileLimitBytes) return bytes;
  throw new StoreError("STORE_FAILED", {
    message: `Notes of ${bytes.length} bytes were not stored: the limit is ${notesFileLimitBytes}.`,
    hint: "Shorten them and store them again; the stored notes are unchanged.",
  });
}

/** Decodes to the letter, a byte order mark included. @throws `NOTES_UNREADABLE` for bytes that are not UTF-8. */
export function decodeNotes(bytes: Uint8Array, place: string): string {
  try {
    return decodeExactly(bytes);
  } catch (cause) {
    throw new StoreError("NOTES_UNREADABLE", {
      message: `${place} holds ${bytes.length} bytes that are not UTF-8 text.`,
      hint: "Save the file as UTF-8 again, or move it away: the session then starts new notes.",
      cause,
    });
  }
}

const exactDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decodeExactly(bytes: Uint8Array): string {
  return exactDecoder.decode(bytes);
}
