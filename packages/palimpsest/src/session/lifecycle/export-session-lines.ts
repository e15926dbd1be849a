/**
 * A whole session as lines of text: what `exporters/session-lines.ts` says of one line, done to a log.
 * `import-session-lines.ts` is the way back. No more is held than a batch of the log and one blob.
 */
import { isObject, type JsonValue, parseJson } from "../../base/json/json.ts";
import { KnownSecrets } from "../../base/redaction/known-secrets.ts";
import { stopIfAborted } from "../../base/stop-if-aborted.ts";
import {
  blobsNamedBy,
  formatBlobLine,
  formatEndLine,
  formatOpeningLine,
} from "../../exporters/session-lines.ts";
import type { Hasher } from "../../ports/runtime.ts";
import type { SessionLog } from "../../ports/session-store.ts";
import { formatEntry } from "../../transcript/entry-line.ts";
import { redactJson } from "../../transcript/without-secrets.ts";
import type { SessionObserver } from "../events/events.ts";
import { watchReads } from "../history/watched-log.ts";

/** Options of an export. */
interface ExportLinesOptions {
  /** Removes secrets from every text; an import of the file is then not the same session. */
  readonly isRedacted: boolean;
  /** Names texts that redaction changed. */
  readonly hasher: Hasher;
  readonly signal?: AbortSignal;
  /** Called with the position in the store up to which the log was read. */
  readonly onProgress?: (position: number) => void;
  /** Called for each missing or damaged blob, which is not in the file. */
  readonly onMissing?: (hash: string) => void;
  /** Receives damage found while reading. */
  readonly observer?: SessionObserver;
}

/** The lines of a session, without line breaks, as the file has them. Reading takes no lease. */
export async function* exportLines(stored: SessionLog, options: ExportLinesOptions): AsyncGenerator<string> {
  const log = watchReads(stored, options.observer);
  const { isRedacted, signal, onProgress } = options;
  const renamed = new Map<string, { readonly hash: string; readonly bytes: number }>();
  let entriesCount = 0;
  let blobsCount = 0;
  const secrets = isRedacted ? await learnAll(log, signal) : new KnownSecrets();
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
        const written = isRedacted ? redactedText(text, secrets) : text;
        const name = written === text ? hash : options.hasher.sha256(written);
        renamed.set(hash, { hash: name, bytes: new TextEncoder().encode(written).length });
        yield formatBlobLine(name, written);
        blobsCount++;
      }
      const line = formatEntry(entry);
      yield isRedacted ? redactedLine(line, renamed, secrets) : line;
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

/** Every secret of the session: pieces of one may stand before it, in what was made of an earlier session. */
async function learnAll(log: SessionLog, signal: AbortSignal | undefined): Promise<KnownSecrets> {
  const secrets = new KnownSecrets();
  const read = new Set<string>();
  for await (const { entries } of log.readAll())
    for (const { entry } of entries) {
      stopIfAborted(signal, "The export");
      redactJson(entry, (text) => secrets.redact(text).text);
      for (const { hash } of blobsNamedBy(entry)) {
        if (read.has(hash)) continue;
        read.add(hash);
        const text = await readText(log, hash);
        if (text !== undefined) redactedText(text, secrets);
      }
    }
  return secrets;
}

/**
 * A text that lies beside the log without its secrets. It is mostly JSON, in which a key over several lines
 * has another shape than it had when it was said.
 */
function redactedText(text: string, secrets: KnownSecrets): string {
  const parsed = parseJson(text);
  if (!parsed.ok) return secrets.redact(text).text;
  const redacted = redactJson(parsed.value, (value) => secrets.redact(value).text);
  return redacted === parsed.value ? text : JSON.stringify(redacted);
}

/** Every string of the entry without its secrets; what lies beside the log goes by its new name. */
function redactedLine(
  line: string,
  renamed: ReadonlyMap<string, { readonly hash: string; readonly bytes: number }>,
  secrets: KnownSecrets,
): string {
  const safe: JsonValue = redactJson(JSON.parse(line) as JsonValue, (value) => secrets.redact(value).text);
  return JSON.stringify(safe, (_, value: JsonValue) => {
    if (!isObject(value) || typeof value["hash"] !== "string" || typeof value["bytes"] !== "number")
      return value;
    const now = renamed.get(value["hash"]);
    return now === undefined || now.hash === value["hash"] ? value : { ...value, ...now };
  });
}
