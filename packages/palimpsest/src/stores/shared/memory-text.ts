/** Memories as bytes: how large a file may be, what is text, and which version it is. */
import { MEMORY_STORE_DEFAULTS } from "../../base/defaults/memory/store.ts";
import { StoreError } from "../../base/errors.ts";
import type { Hasher } from "../../ports/runtime.ts";

/** @throws `STORE_FAILED` where it is larger than a memory may be. */
export function encodeMemory(path: string, text: string): Buffer {
  const bytes = Buffer.from(text, "utf8");
  const { fileLimitBytes } = MEMORY_STORE_DEFAULTS;
  if (bytes.length <= fileLimitBytes) return bytes;
  throw new StoreError("STORE_FAILED", {
    message: `${path} was not stored: it would have ${bytes.length} bytes, and may have ${fileLimitBytes}.`,
    hint: "Shorten it, or make several memories of it; nothing was changed.",
  });
}

/** To the letter, a byte order mark included; `undefined` for what is no UTF-8. */
export function decodeMemory(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Another encoding, or no text at all: the caller says which file it is.
    return undefined;
  }
}

/** Of what the file holds: text that cannot be encoded as it is has the version of what is stored. */
export function memoryVersion(text: string, hasher: Hasher): string {
  return hasher.sha256(text);
}
