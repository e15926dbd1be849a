/**
 * A whole session as lines of text: what `formats/export/session-lines.ts` says of one line, done to a log.
 * `import-session-lines.ts` is the way back. No more is held than a batch of the log and one blob.
 */
import { isObject, type JsonValue } from "../base/json.ts";
import { redactSecrets } from "../base/secret-patterns.ts";
import {
  blobsNamedBy,
  formatBlobLine,
  formatEndLine,
  formatEntryLine,
  formatOpeningLine,
} from "../formats/export/session-lines.ts";
import type { Hasher } from "../ports/hasher.ts";
import type { SessionLog } from "../ports/session-store.ts";
import { stopIfAborted } from "./stop-if-aborted.ts";

/** How a session is written out. */
export interface ExportLinesOptions {
  /** Takes secrets out of every text; what comes back is then no longer the same session. */
  readonly isRedacted: boolean;
  /** Names texts that redaction changed. */
  readonly hasher: Hasher;
  readonly signal?: AbortSignal;
  /** Told how far the log was read, as a position of its store. */
  readonly onProgress?: (position: number) => void;
  /** Told of a text beside the log that is gone or damaged: it is not in the file. */
  readonly onMissing?: (hash: string) => void;
}

/** The lines of a session, without line breaks, as the file has them. Reading takes no lease. */
export async function* exportLines(log: SessionLog, options: ExportLinesOptions): AsyncGenerator<string> {
  const { isRedacted, signal, onProgress } = options;
  const renamed = new Map<string, { readonly hash: string; readonly bytes: number }>();
  let entriesCount = 0;
  let blobsCount = 0;
  yield formatOpeningLine({ sessionId: log.sessionId, isRedacted });
  for await (const { entries } of log.readAll()) {
    for (const { entry, position } of entries) {
      stopIfAborted(signal, "The export");
      onProgress?.(position);
      for (const { hash } of blobsNamedBy(entry)) {
        if (renamed.has(hash)) continue;
        const text = await readText(log, hash);
        renamed.set(hash, { hash, bytes: 0 });
        if (text === undefined) {
          options.onMissing?.(hash);
          continue;
        }
        const written = isRedacted ? redactSecrets(text).text : text;
        const name = written === text ? hash : options.hasher.sha256(written);
        renamed.set(hash, { hash: name, bytes: new TextEncoder().encode(written).length });
        yield formatBlobLine(name, written);
        blobsCount++;
      }
      const line = formatEntryLine(entry);
      yield isRedacted ? redactedLine(line, renamed) : line;
      entriesCount++;
    }
  }
  yield formatEndLine({ entries: entriesCount, blobs: blobsCount });
}

async function readText(log: SessionLog, hash: string): Promise<string | undefined> {
  try {
    return await log.getBlob(hash);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== "BLOB_MISSING") throw error;
    return undefined;
  }
}

/** Every string of the entry without its secrets; what lies beside the log goes by its new name. */
function redactedLine(
  line: string,
  renamed: ReadonlyMap<string, { readonly hash: string; readonly bytes: number }>,
): string {
  return JSON.stringify(
    JSON.parse(line, (_, value: JsonValue) => {
      if (typeof value === "string") return redactSecrets(value).text;
      if (!isObject(value) || typeof value["hash"] !== "string" || typeof value["bytes"] !== "number")
        return value;
      const now = renamed.get(value["hash"]);
      return now === undefined || now.hash === value["hash"] ? value : { ...value, ...now };
    }),
  );
}
