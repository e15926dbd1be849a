/**
 * A whole session as lines of text: what `formats/export/session-lines.ts` says of one line, done to a log.
 * `import-session-lines.ts` is the way back. No more is held than a batch of the log and one blob.
 */
import { isObject, type JsonValue, parseJson } from "../base/json.ts";
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
        const written = isRedacted ? redactedText(text) : text;
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

/**
 * A text that lies beside the log without its secrets. It is mostly JSON, in which a key over several lines
 * has another shape than it had when it was said.
 */
function redactedText(text: string): string {
  const parsed = parseJson(text);
  if (!parsed.ok) return redactSecrets(text).text;
  const whole = JSON.stringify(parsed.value);
  const redacted = JSON.stringify(JSON.parse(whole, (_, value: JsonValue) => withoutSecrets(value)));
  return redacted === whole ? text : redacted;
}

/** A string without secrets, or an object whose names have none. What is in it was seen to before. */
function withoutSecrets(value: JsonValue): JsonValue {
  if (typeof value === "string") return redactSecrets(value).text;
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [redactSecrets(name).text, inner as JsonValue]),
  );
}

/** Every string of the entry without its secrets; what lies beside the log goes by its new name. */
function redactedLine(
  line: string,
  renamed: ReadonlyMap<string, { readonly hash: string; readonly bytes: number }>,
): string {
  return JSON.stringify(
    JSON.parse(line, (_, value: JsonValue) => {
      const safe = withoutSecrets(value);
      if (!isObject(safe) || typeof safe["hash"] !== "string" || typeof safe["bytes"] !== "number")
        return safe;
      const now = renamed.get(safe["hash"]);
      return now === undefined || now.hash === safe["hash"] ? safe : { ...safe, ...now };
    }),
  );
}
