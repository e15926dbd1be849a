/**
 * A whole session as lines of text, and back: what `formats/export/session-lines.ts` says of one line,
 * done to a log.
 *
 * DESIGN. Coming back is a copy like a fork's: numbers and ids stay, checkpoints are told where entries
 * lie now, what the original had lost is marked. The header goes first, so that what fails half-way can
 * be found and taken away by the means of the port. No more is held than a batch and one blob.
 */
import { InputError, SessionError } from "../base/errors.ts";
import { isObject, type JsonValue } from "../base/json.ts";
import { redactSecrets } from "../base/secret-patterns.ts";
import {
  blobsNamedBy,
  formatBlobLine,
  formatEndLine,
  formatEntryLine,
  formatOpeningLine,
  parseSessionLine,
  type SessionLine,
} from "../formats/export/session-lines.ts";
import type { Clock } from "../ports/clock.ts";
import type { Hasher } from "../ports/hasher.ts";
import type { IdSource } from "../ports/id-source.ts";
import type { SessionLog, SessionStore } from "../ports/session-store.ts";
import { ENTRY_VERSION, type Entry, type HeaderEntry } from "../transcript/entries.ts";
import { ForkCopy } from "./fork-copy.ts";
import { CREATED_BY } from "./open-session.ts";

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

/** Where an exported session goes. */
export interface ImportLinesOptions {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly hasher: Hasher;
  /** Of the session here. @defaultValue the id that it had */
  readonly sessionId?: string;
  /** Names the file in errors. */
  readonly name: string;
  readonly signal?: AbortSignal;
}

/** What came back. */
export interface ImportedLines {
  readonly sessionId: string;
  /** The id that it had where it was exported. */
  readonly originalId: string;
  readonly entries: number;
  readonly blobs: number;
  readonly messages: number;
  /** What was wrong with the file, in words; empty where it is whole. */
  readonly problems: readonly string[];
}

/**
 * Makes a session from its lines. All of it is durable when this resolves; where it throws, nothing is left.
 * @throws `InputError` `FORMAT_UNKNOWN` or `NO_MESSAGES`; `StoreError` `SESSION_EXISTS`, `STORE_FAILED`;
 * `SessionError` `ABORTED`.
 */
export async function importLines(
  lines: AsyncIterable<string>,
  options: ImportLinesOptions,
): Promise<ImportedLines> {
  const reader = new LineReader(lines, options);
  const originalId = await reader.open();
  const sessionId = options.sessionId ?? originalId;
  const log = await options.store.create(sessionId);
  try {
    const result = await reader.copyTo(log, originalId);
    await log.sync();
    await log.close();
    return { sessionId, originalId, ...result };
  } catch (error) {
    await discard(log, options);
    throw error;
  }
}

/** Entries that are copied at once. */
const BATCH = 256;

class LineReader {
  readonly #lines: AsyncIterator<string>;
  readonly #options: ImportLinesOptions;
  readonly #problems: string[] = [];
  readonly #blobs = new Set<string>();
  #unreadable = 0;
  #entries = 0;
  #messages = 0;
  #end: (SessionLine & { readonly type: "end" }) | undefined;

  constructor(lines: AsyncIterable<string>, options: ImportLinesOptions) {
    this.#lines = lines[Symbol.asyncIterator]();
    this.#options = options;
  }

  async open(): Promise<string> {
    const first = await this.#lines.next();
    const line = first.done === true ? undefined : parseSessionLine(first.value);
    if (line?.type === "opening") {
      if (line.isRedacted) this.#problems.push("secrets were taken out when it was exported");
      return line.sessionId;
    }
    throw new InputError("FORMAT_UNKNOWN", {
      message: `${this.#options.name} is not an exported session: ${line?.type === "unreadable" ? line.reason : "its first line is missing"}.`,
      hint: "Give a file that `palimpsest sessions export` wrote with this or an earlier version.",
    });
  }

  async copyTo(
    log: SessionLog,
    originalId: string,
  ): Promise<Pick<ImportedLines, "entries" | "blobs" | "messages" | "problems">> {
    const { ids } = this.#options;
    const copy = new ForkCopy({ from: { getBlob: async () => undefined }, to: log, ids });
    let waiting: Entry[] = [];
    const flush = async (): Promise<void> => {
      if (waiting.length > 0 && copy.lastSeq === 0)
        await copy.begin(this.#header(waiting[0]!, log, originalId));
      await copy.add(waiting, () => stopIfAborted(this.#options.signal, "The import"));
      waiting = [];
    };
    for (let next = await this.#lines.next(); next.done !== true; next = await this.#lines.next()) {
      stopIfAborted(this.#options.signal, "The import");
      const line = parseSessionLine(next.value);
      if (line.type === "entry") waiting.push(line.entry);
      else if (line.type === "blob") await this.#keep(line, log);
      else if (line.type === "end") this.#end = line;
      else if (next.value.trim() !== "") this.#unreadable++;
      this.#count(line);
      if (waiting.length >= BATCH) await flush();
    }
    await flush();
    this.#checkEnd();
    const { size: blobs } = this.#blobs;
    return { entries: this.#entries, blobs, messages: this.#messages, problems: this.#problems };
  }

  #count(line: SessionLine): void {
    if (line.type !== "entry") return;
    this.#entries++;
    if (line.entry.type === "message") this.#messages++;
  }

  /** A text under another name than its own would never be read back. */
  async #keep({ hash, text }: SessionLine & { readonly type: "blob" }, log: SessionLog): Promise<void> {
    if (this.#options.hasher.sha256(text) !== hash) {
      this.#unreadable++;
      return;
    }
    this.#blobs.add(hash);
    await log.putBlob(hash, text);
  }

  /** The same where the session keeps its id; else it says what it was. */
  #header(first: Entry, log: SessionLog, originalId: string): HeaderEntry {
    const known = first.type === "header" ? first : undefined;
    if (known !== undefined && known.sessionId === log.sessionId) return known;
    return {
      ...known,
      type: "header",
      seq: 1,
      id: known?.id ?? this.#options.ids.entryId(),
      v: ENTRY_VERSION,
      at: known?.at ?? this.#options.clock.nowMs(),
      sessionId: log.sessionId,
      createdBy: known?.createdBy ?? CREATED_BY,
      source: { format: "palimpsest", sessionId: originalId },
    };
  }

  #checkEnd(): void {
    if (this.#messages === 0) {
      throw new InputError("NO_MESSAGES", {
        message: `${this.#options.name} is an exported session in which nothing is said.`,
        hint: "Export it again; the file may have been cut off.",
      });
    }
    if (this.#unreadable > 0) this.#problems.push(`lines that could not be read: ${this.#unreadable}`);
    if (this.#end === undefined) this.#problems.push("the file was cut off: its last line is missing");
    else if (this.#end.entries !== this.#entries || this.#end.blobs !== this.#blobs.size)
      this.#problems.push(
        `of ${this.#end.entries} entries ${this.#entries} are there, of ${this.#end.blobs} large texts ${this.#blobs.size}`,
      );
  }
}

async function discard(log: SessionLog, { store, clock }: ImportLinesOptions): Promise<void> {
  try {
    await log.close();
    await store.trash(log.sessionId, { at: clock.nowMs(), reason: "an import that was not finished" });
    await store.purge(log.sessionId);
  } catch {
    // Nothing was stored yet, or it cannot be taken away now: why there is no session is worth more.
  }
}

function stopIfAborted(signal: AbortSignal | undefined, what: string): void {
  if (signal?.aborted !== true) return;
  throw new SessionError("ABORTED", {
    message: `${what} was stopped before it was finished.`,
    hint: "Nothing is left of it; run it again.",
    cause: signal.reason,
  });
}
