/**
 * A session's log that reports the damage that any reader meets: opening, search, history, verification in the background.
 *
 * Every read passes through here, so no reader has to remember to report. A stretch is reported once in
 * the life of the session, however often it is met.
 */
import type { Timer } from "../../ports/runtime.ts";
import type {
  DerivedFiles,
  LogContents,
  LogDamage,
  LogReading,
  NotesFile,
  PlainCopies,
  SessionLog,
  StoredEntry,
} from "../../ports/session-store.ts";
import type { TaskFiles } from "../../ports/tasks.ts";
import type { Entry } from "../../transcript/entries.ts";
import { notify, type SessionEvent, type SessionObserver } from "../events/events.ts";

/** Pause between two pieces that the background verification of an opened log reads, in milliseconds. Our choice: a piece of `readChunkBytes` takes about 2 ms, so it is idle most of the time, and reads 50 MB a second. */
const VERIFY_INTERVAL_MS = 20;

/** Lines that were never acknowledged, or that another line already holds: nothing of the session is lost with them. */
const LOSING_NOTHING: ReadonlySet<LogDamage["reason"]> = new Set([
  "torn-tail",
  "duplicate-seq",
  "wrong-end",
  "forked",
  "wrong-checkpoint",
]);

/** The damage of one session, as far as it is known. */
export class KnownDamage {
  readonly #emit: (event: SessionEvent) => void;
  /** Bytes of the reported stretches, by position and reason. */
  readonly #reported = new Map<string, number>();
  #lossCount = 0;

  constructor(emit: (event: SessionEvent) => void) {
    this.#emit = emit;
  }

  /** Stretches that held entries of the session that cannot be read any longer. */
  get lossCount(): number {
    return this.#lossCount;
  }

  report(damage: LogDamage): void {
    const key = `${damage.position} ${damage.reason}`;
    const known = this.#reported.get(key);
    if (known !== undefined && known >= damage.bytes) return;
    this.#reported.set(key, damage.bytes);
    if (known === undefined && !LOSING_NOTHING.has(damage.reason)) this.#lossCount++;
    this.#emit({ type: "damage", damage });
  }
}

/** Watches a log for a reader other than its session: reports damage, with the session, to the observer. */
export function watchReads(log: SessionLog, observer: SessionObserver | undefined): SessionLog {
  if (observer === undefined) return log;
  const { sessionId } = log;
  const emit = (event: SessionEvent): void =>
    notify(observer, event.type === "damage" ? { ...event, sessionId } : event);
  return new WatchedLog(log, new KnownDamage(emit));
}

/** Passes everything on to `log`, and reports the damage in what is read. */
export class WatchedLog implements SessionLog {
  readonly sessionId: string;
  readonly notes?: NotesFile;
  readonly tasks?: TaskFiles;
  readonly derived?: DerivedFiles;
  readonly plainCopies?: (folder?: string) => PlainCopies;
  readonly find?: (seq: number) => Promise<StoredEntry | undefined>;
  readonly putBlobInParts?: (hash: string, parts: readonly string[]) => Promise<void>;
  readonly damage: KnownDamage;
  readonly #log: SessionLog;
  #stopVerifying: (() => void) | undefined;

  constructor(log: SessionLog, damage: KnownDamage) {
    this.sessionId = log.sessionId;
    if (log.notes !== undefined) this.notes = log.notes;
    if (log.tasks !== undefined) this.tasks = log.tasks;
    if (log.derived !== undefined) this.derived = log.derived;
    if (log.find !== undefined) this.find = (seq) => log.find!(seq);
    if (log.putBlobInParts !== undefined)
      this.putBlobInParts = (hash, parts) => log.putBlobInParts!(hash, parts);
    if (log.plainCopies !== undefined) this.plainCopies = (folder) => log.plainCopies!(folder);
    this.damage = damage;
    this.#log = log;
  }

  async readTail(throughSeq?: number): Promise<LogContents> {
    return this.#reported(await this.#log.readTail(throughSeq));
  }

  async readFrom(position: number, toSeq: number): Promise<LogContents> {
    return this.#reported(await this.#log.readFrom(position, toSeq));
  }

  async *readAll(reading?: LogReading): AsyncGenerator<LogContents> {
    for await (const contents of this.#log.readAll(reading)) yield this.#reported(contents);
  }

  /**
   * Verifies the whole log in the background, a piece of bounded size a tick, because opening reads only its end.
   * It ends when everything is verified, when the log is closed, and when it cannot be read: the next reader
   * throws what is wrong.
   */
  verify(timer: Timer): void {
    const pieces = this.readAll({ damageOnly: true });
    let isReading = false;
    const stop = timer.every(VERIFY_INTERVAL_MS, () => {
      if (isReading) return;
      isReading = true;
      pieces.next().then(
        ({ done }) => {
          isReading = false;
          if (done === true) stop();
        },
        () => stop(),
      );
    });
    this.#stopVerifying = stop;
  }

  #reported(contents: LogContents): LogContents {
    for (const one of contents.damage) this.damage.report(one);
    return contents;
  }

  acquire(): Promise<void> {
    return this.#log.acquire();
  }

  append(entries: readonly Entry[]): Promise<readonly number[]> {
    return this.#log.append(entries);
  }

  sync(): Promise<void> {
    return this.#log.sync();
  }

  putBlob(hash: string, text: string): Promise<void> {
    return this.#log.putBlob(hash, text);
  }

  getBlob(hash: string): Promise<string | undefined> {
    return this.#log.getBlob(hash);
  }

  bytesWritten(): number {
    return this.#log.bytesWritten();
  }

  close(): Promise<void> {
    this.#stopVerifying?.();
    return this.#log.close();
  }
}
