/**
 * `sessions.json` in a folder of kept sessions: lists the file and window of each stored session. Their metadata
 * says the same; the list is easier to search.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, parseJson } from "palimpsest/internal";
import type { Replayed } from "./replay-session.ts";

const NAME = "sessions.json";

export class KeptIndex {
  readonly #path: string;

  constructor(folder: string) {
    this.#path = join(folder, NAME);
  }

  /** Adds a session to those that are listed already. */
  add({ storedAs, result, imported }: Replayed): void {
    const entry = {
      session: storedAs,
      file: result.file,
      windowTokens: result.window.tokens,
      format: imported.format,
      recordedSession: imported.sessionId,
    };
    const text = `${JSON.stringify({ version: 1, sessions: [...this.#listed(), entry] }, undefined, 2)}\n`;
    // Written beside and moved, so that an interrupted run leaves the old one.
    writeFileSync(`${this.#path}.new`, text, { mode: 0o600 });
    renameSync(`${this.#path}.new`, this.#path);
  }

  /** Entries of earlier runs; empty if there is no readable list. */
  #listed(): readonly unknown[] {
    try {
      const parsed = parseJson(readFileSync(this.#path, "utf8"));
      const sessions = parsed.ok && isObject(parsed.value) ? parsed.value["sessions"] : undefined;
      return Array.isArray(sessions) ? sessions : [];
    } catch {
      // There is none yet.
      return [];
    }
  }
}
