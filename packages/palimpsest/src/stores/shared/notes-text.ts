/** The notes of a session as bytes: how large they may be, and what is text. */
import { STORE_DEFAULTS } from "../../base/defaults/store.ts";
import { StoreError } from "../../base/errors.ts";

/** @throws `STORE_FAILED` where it is larger than notes may be. */
export function encodeNotes(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8");
  const { notesFileLimitBytes } = STORE_DEFAULTS;
  if (bytes.length <= notesFileLimitBytes) return bytes;
  throw new StoreError("STORE_FAILED", {
    message: `Notes of ${bytes.length} bytes were not stored: the notes of a session may have ${notesFileLimitBytes}.`,
    hint: "Shorten them before they are stored; the notes are what they were.",
  });
}

/** To the letter, a byte order mark included. @throws `NOTES_UNREADABLE` for what is no UTF-8. */
export function decodeNotes(bytes: Uint8Array, place: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new StoreError("NOTES_UNREADABLE", {
      message: `${place} holds ${bytes.length} bytes that are no UTF-8 text.`,
      hint: "Save the file as UTF-8 again, or move it away: new notes are begun where there are none.",
      cause,
    });
  }
}
