/**
 * The files of the clean-up of old sessions in a folder: a record of earlier runs in `<root>/.clean-up.json`, which is
 * replaced whole, and a lease in `<root>/.clean-up` during a run.
 */
import { join } from "node:path";
import { errorCode } from "../../../base/errors.ts";
import { type JsonValue, parseJson } from "../../../base/json/json.ts";
import type { FileSystem } from "../../../ports/file-system.ts";
import type { IdSource } from "../../../ports/runtime.ts";
import type { CleanUpLedger } from "../../../ports/session-store.ts";
import { storeFailure } from "../../shared/store-failure.ts";
import { readText, replaceFile } from "../replace/whole-file.ts";
import { hasFile } from "./trash-places.ts";

const LIMIT_BYTES = 1_048_576;
const NAME = ".clean-up.json";
const TEMPORARY_PATTERN = /^\.clean-up\.json\.[0-9A-Za-z-]+\.tmp$/;

interface CleanUpFilesOptions {
  readonly folder: string;
  readonly fs: FileSystem;
  /** Names of temporary files. */
  readonly ids: IdSource;
  /** Locks a folder against other processes; throws `SESSION_IN_USE`. Absent if the store keeps no leases. */
  readonly hold?: ((folder: string) => { release(): void }) | undefined;
  /** Finishes interrupted work of earlier runs. */
  readonly settle: () => Promise<void>;
}

export class CleanUpFiles implements CleanUpLedger {
  readonly #options: CleanUpFilesOptions;
  readonly #path: string;

  constructor(options: CleanUpFilesOptions) {
    this.#options = options;
    this.#path = join(options.folder, NAME);
  }

  async read(): Promise<JsonValue | undefined> {
    const { fs } = this.#options;
    try {
      if (!hasFile(fs, this.#path)) return undefined;
      const parsed = parseJson(readText(fs, this.#path, LIMIT_BYTES));
      return parsed.ok ? (parsed.value as JsonValue) : undefined;
    } catch {
      // Without a record, as before the first run, fewer sessions are deleted.
      return undefined;
    }
  }

  async write(value: JsonValue): Promise<void> {
    const { fs, ids } = this.#options;
    const temporaryPath = `${this.#path}.${ids.entryId()}.tmp`;
    try {
      await replaceFile(fs, { path: this.#path, temporaryPath, content: `${JSON.stringify(value)}\n` });
    } catch (error) {
      throw storeFailure(`The record of the clean-up could not be written to ${this.#path}`, error);
    }
  }

  async begin(): Promise<(() => Promise<void>) | undefined> {
    const { folder, hold, settle } = this.#options;
    try {
      const lease = hold?.(join(folder, ".clean-up"));
      try {
        this.#tidy();
        await settle();
      } catch (error) {
        lease?.release();
        throw error;
      }
      return async () => lease?.release();
    } catch (error) {
      if (errorCode(error) === "SESSION_IN_USE") return undefined;
      throw storeFailure(`The clean-up of ${folder} could not begin`, error);
    }
  }

  /** Removes temporary files of a run that was killed while it wrote its record. */
  #tidy(): void {
    const { folder, fs } = this.#options;
    if (fs.stat(folder) === undefined) return;
    for (const name of fs.list(folder)) if (TEMPORARY_PATTERN.test(name)) fs.remove(join(folder, name));
  }
}
