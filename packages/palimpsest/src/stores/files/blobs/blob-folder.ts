/**
 * Stores the blobs of one session: long texts in separate files, named by their hash.
 *
 * DESIGN. A blob is written to a temporary file, synced, and renamed. So a file named by a hash is always whole, even
 * after a power loss; only its name may be unsynced, and the log's `sync` does that. A crash leaves at most a temporary
 * file, which the next writer removes. The file holds the text, plain or packed (`packed-blob.ts`). Limits apply to the
 * text, the quota to files.
 */
import { join } from "node:path";
import { assert } from "../../../base/assert.ts";
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import { errorMessage, StoreError } from "../../../base/errors.ts";
import type { FileSystem } from "../../../ports/file-system.ts";
import type { Hasher, IdSource } from "../../../ports/runtime.ts";
import { encodeParts } from "../../shared/encode-parts.ts";
import { storeFailure } from "../../shared/store-failure.ts";
import type { DurableFolders } from "../replace/durable-folders.ts";
import { isAbsence } from "../replace/file-steps.ts";
import { discard, readBytes, writeDurably } from "../replace/whole-file.ts";
import { packBlob, unpackBlob } from "./packed-blob.ts";

/** The name of a blob's file. */
export const BLOB_NAME_PATTERN = /^[0-9a-f]{64}$/;
/** Ends the name of a file that is being written. */
export const TEMPORARY_ENDING = ".tmp";

interface BlobFolderOptions {
  readonly folder: string;
  readonly fs: FileSystem;
  readonly hasher: Hasher;
  readonly ids: IdSource;
  readonly folders: DurableFolders;
  /** Bytes of all blobs of the session. */
  readonly quotaBytes: number;
}

/** Puts and gets the blobs of one session. */
export class BlobFolder {
  readonly #options: BlobFolderOptions;
  readonly #running = new Map<string, Promise<number>>();
  /** Bytes of stored blobs and of those being written; measured when first needed. */
  #usedBytes: number | undefined;
  #isTidy = false;
  /** Blobs of which a temporary file may lie in the folder. */
  #writtenNow = 0;

  constructor(options: BlobFolderOptions) {
    this.#options = options;
  }

  /** Stores the text, given in parts, unless it is there; returns the bytes written. Two calls for one text write it once. */
  async put(hash: string, parts: readonly string[]): Promise<number> {
    assert(BLOB_NAME_PATTERN.test(hash), "a blob is named by a SHA-256 in small hex digits");
    const running = this.#running.get(hash);
    if (running !== undefined) return running.then(() => 0);

    const put = this.#put(hash, parts).finally(() => this.#running.delete(hash));
    this.#running.set(hash, put);
    return put;
  }

  async #put(hash: string, parts: readonly string[]): Promise<number> {
    const text = await encodeParts(parts);
    const { folder, folders } = this.#options;
    const path = join(folder, hash);
    try {
      const isThere = this.#isThere(path, text);
      let writtenBytes = 0;
      if (!isThere) {
        assertNotTooLarge(text.length);
        folders.ensure(folder);
        this.tidy();
        const bytes = await packBlob(text);
        await this.#write(path, bytes);
        writtenBytes = bytes.length;
      }
      // Not earlier: a sync in between would consider the folder done. Also for an existing blob, whose name another
      // process may have left unsynced.
      folders.markChanged(folder);
      return writtenBytes;
    } catch (error) {
      throw storeFailure(`A blob of ${text.length} bytes could not be stored in ${folder}`, error);
    }
  }

  /** Writes the blob if the quota allows it; blobs being written count. */
  async #write(path: string, bytes: Buffer): Promise<void> {
    const used = this.#usedBytes ?? this.#measure();
    this.#assertSpace(bytes.length, used);
    this.#usedBytes = used + bytes.length;
    this.#writtenNow += 1;
    try {
      this.#options.fs.rename(await this.#writeTemporary(path, bytes), path);
    } catch (error) {
      this.#usedBytes -= bytes.length;
      throw error;
    } finally {
      this.#writtenNow -= 1;
    }
  }

  #measure(): number {
    const { folder, fs } = this.#options;
    return fs.list(folder).reduce((sum, name) => sum + (fs.stat(join(folder, name))?.size ?? 0), 0);
  }

  #assertSpace(bytes: number, used: number): void {
    const { quotaBytes } = this.#options;
    if (used + bytes <= quotaBytes) return;
    throw new StoreError("STORE_FAILED", {
      message: `A block of ${bytes} bytes was not stored: the session has ${used} bytes of blobs, and may have ${quotaBytes}.`,
      hint: "Go on in a new session, or raise `blobQuotaBytes` of the store.",
    });
  }

  /** Compares the whole text: a damaged blob is replaced by the sound one. */
  #isThere(path: string, text: Buffer): boolean {
    const { fs } = this.#options;
    const size = fs.stat(path)?.size;
    // A packed text is never larger.
    if (size === undefined || size > text.length) return false;
    const bytes = readBytes(fs, path);
    return size === text.length ? bytes.equals(text) : holds(bytes, text);
  }

  async #writeTemporary(path: string, bytes: Buffer): Promise<string> {
    const { fs, ids } = this.#options;
    const temporaryPath = `${path}.${ids.entryId()}${TEMPORARY_ENDING}`;
    try {
      await writeDurably(fs, temporaryPath, "create", bytes);
      return temporaryPath;
    } catch (error) {
      discard(fs, temporaryPath);
      // The next blob tries again, if it is still there.
      this.#isTidy = false;
      throw error;
    }
  }

  /**
   * Removes temporary files of a crash, once, while no blob is being written. Only the session's writer may call it: it
   * has no rival that needs these files.
   */
  tidy(): void {
    if (this.#isTidy || this.#writtenNow > 0) return;
    const { folder, fs } = this.#options;
    if (fs.stat(folder) !== undefined)
      for (const name of fs.list(folder)) if (name.endsWith(TEMPORARY_ENDING)) fs.remove(join(folder, name));
    this.#isTidy = true;
  }

  /** @throws `BLOB_MISSING` if the file is damaged. */
  get(hash: string): string | undefined {
    if (!BLOB_NAME_PATTERN.test(hash)) return undefined;
    const path = join(this.#options.folder, hash);
    const bytes = this.#read(path);
    if (bytes === undefined) return undefined;
    const text = readBlobText(bytes, hash, this.#options.hasher);
    if (text !== undefined) return text;
    throw new StoreError("BLOB_MISSING", {
      message: `${path} holds ${bytes.length} bytes that are not what was stored: their hash differs from its name.`,
      hint: "Restore the file from a backup, or store the same text again; everything else in the session is readable.",
    });
  }

  #read(path: string): Buffer | undefined {
    try {
      return readBytes(this.#options.fs, path);
    } catch (error) {
      if (isAbsence(error)) return undefined;
      throw new StoreError("BLOB_MISSING", {
        message: `${path} cannot be read: ${errorMessage(error)}`,
        hint: "Check that the process may read the file and that the disk is sound.",
        cause: error,
      });
    }
  }
}

/** Returns the text of a blob's file; `undefined` if it has another hash. */
export function readBlobText(bytes: Buffer, hash: string, hasher: Hasher): string | undefined {
  try {
    const text = unpackBlob(bytes).toString("utf8");
    return hasher.sha256(text) === hash ? text : undefined;
  } catch {
    // It cannot be unpacked: the caller reports the damage.
    return undefined;
  }
}

function holds(bytes: Buffer, text: Buffer): boolean {
  try {
    return unpackBlob(bytes).equals(text);
  } catch {
    // Damaged: it is written again.
    return false;
  }
}

function assertNotTooLarge(bytes: number): void {
  const { blobLimitBytes } = STORE_DEFAULTS;
  if (bytes <= blobLimitBytes) return;
  throw new StoreError("STORE_FAILED", {
    message: `A block of ${bytes} bytes was not stored: one may have ${blobLimitBytes}.`,
    hint: "Shorten the block before it is appended: keep the whole of it in a file, and say where.",
  });
}
