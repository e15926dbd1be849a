/**
 * Imports a session from the lines that `export-session-lines.ts` wrote.
 *
 * DESIGN. An import is a copy like a fork: numbers and ids stay, checkpoints get new positions, and entries that the
 * original had lost are marked. The header is written first, so that a failed import can be found and removed through the
 * port.
 */
import { InputError } from "../../base/errors.ts";
import { checkNewSessionId, whyNoNewId } from "../../base/session-id.ts";
import { stopIfAborted } from "../../base/stop-if-aborted.ts";
import { parseSessionLine, type SessionLine } from "../../exporters/session-lines.ts";
import type { Clock, Hasher, IdSource } from "../../ports/runtime.ts";
import type { SessionLog, SessionStore } from "../../ports/session-store.ts";
import { ENTRY_VERSION, type Entry, type HeaderEntry } from "../../transcript/entries.ts";
import { ForkCopy } from "./fork-copy.ts";
import { CREATED_BY } from "./open-session.ts";

/** Target and options of an import. */
export interface ImportLinesOptions {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly hasher: Hasher;
  /** Id of the imported session. @defaultValue its original id */
  readonly sessionId?: string;
  /** Names the file in errors. */
  readonly name: string;
  readonly signal?: AbortSignal;
}

/** The result of an import. */
interface ImportedLines {
  readonly sessionId: string;
  /** The id that it had where it was exported. */
  readonly originalId: string;
  readonly entries: number;
  readonly blobs: number;
  readonly messages: number;
  /** Problems of the file, in words; empty if it is whole. */
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
  checkNewSessionId(options.sessionId);
  // A session of an older version may have an id that new ones no longer get.
  const isUsable = whyNoNewId(originalId) === undefined;
  const sessionId = options.sessionId ?? (isUsable ? originalId : options.ids.sessionId());
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
      source: { format: "palimpsest", sessionId: originalId, ...recordedTimes(known?.source) },
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

/** An import that is exported and imported again stays as old as its recording. */
function recordedTimes(
  source: HeaderEntry["source"],
): Pick<NonNullable<typeof source>, "firstAt" | "lastAt"> {
  const { firstAt, lastAt } = source ?? {};
  return { firstAt, lastAt };
}

async function discard(log: SessionLog, { store, clock }: ImportLinesOptions): Promise<void> {
  // The session is given up, so a failed close does not matter.
  await log.close().catch(() => {});
  try {
    await store.trash(log.sessionId, { at: clock.nowMs(), reason: "an import that was not finished" });
    await store.purge(log.sessionId);
  } catch {
    // Nothing was stored yet, or it cannot be removed now. The caller gets the first error, which matters more.
  }
}
