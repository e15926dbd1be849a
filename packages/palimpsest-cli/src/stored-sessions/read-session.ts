/**
 * Reads a stored session without becoming its writer: once from beginning to end, or as a resume would.
 */

import type { SessionEvent, SessionLog } from "palimpsest";
import { SessionError, StoreError } from "palimpsest";
import type { FoundSession } from "palimpsest/internal";
import {
  EventLoopYielder,
  type FoldedLog,
  foldStoredLog,
  isConversation,
  isWithin,
  KnownDamage,
  WatchedLog,
} from "palimpsest/internal";
import type { CallEntry, LogContents, LogDamage } from "palimpsest/transcript";
import { formatEntry } from "palimpsest/transcript";
import { Progress } from "../terminal/progress.ts";
import type { CliContext } from "../terminal/terminal.ts";
import type { SessionPlace } from "./session-place.ts";
import { nameOf } from "./session-words.ts";
import { Survey } from "./survey-log.ts";

/** A session that is being read. */
export interface OpenedLog extends FoundSession {
  readonly log: SessionLog;
}

/** Opens the log of the session that `which` names, or of the latest one, for reading, and closes it, however that ends. */
export async function withLog<Result>(
  place: SessionPlace,
  which: string | undefined,
  work: (opened: OpenedLog) => Promise<Result>,
): Promise<Result> {
  const found = await place.find(which ?? (await latestOf(place)));
  const log = await place.storeOf(found.project).open(found.info.sessionId);
  try {
    return await work({ ...found, log });
  } finally {
    await log.close();
  }
}

/** The id of the latest session of the project that people or agents talk in. @throws `SESSION_NOT_FOUND` */
async function latestOf(place: SessionPlace): Promise<string> {
  for (let after: string | undefined; ; ) {
    const { sessions, next } = await place.list(after === undefined ? {} : { after });
    const latest = sessions.find(isConversation);
    if (latest !== undefined) return latest.sessionId;
    if (next === undefined) break;
    after = next;
  }
  throw new StoreError("SESSION_NOT_FOUND", {
    message: "There are no sessions in this project.",
    hint: "Run your program in this folder first, or name a session of another project: its id, the beginning of one, or its exact title. `palimpsest sessions list --all` lists them.",
  });
}

/** Every batch of a log, with progress where someone watches, and an end as soon as one is asked for. */
export async function* readThrough(
  { log, info }: OpenedLog,
  context: CliContext,
  detail: string,
): AsyncGenerator<LogContents> {
  const yielder = new EventLoopYielder(context.signal);
  const progress = progressOf(context);
  const label = nameOf(info) ?? info.sessionId;
  try {
    for await (const batch of log.readAll()) {
      await yielder.take();
      const position = batch.entries.at(-1)?.position ?? 0;
      progress.show({ label, share: position / Math.max(1, info.bytes), detail });
      yield batch;
    }
  } finally {
    progress.clear();
  }
}

export function progressOf({ err }: CliContext): Progress {
  return new Progress({ terminal: err, isQuiet: false, nowMs: () => performance.now() });
}

/** Gathers the figures that an export shows above the conversation. */
export async function surveyOf(opened: OpenedLog, context: CliContext): Promise<Survey> {
  const survey = new Survey({ isEstimating: false });
  for await (const batch of readThrough(opened, context, "reading")) survey.add(batch);
  return survey;
}

/** The window as a resume would find it, and what that read. */
export interface ResumedWindow extends FoldedLog {
  readonly checkpoint: { readonly seq: number; readonly position: number } | undefined;
  readonly readEntries: number;
  readonly readBytes: number;
  readonly damage: readonly LogDamage[];
}

/** Folds the window as opening the session would. */
export async function foldWindow({ log }: Pick<OpenedLog, "log">): Promise<ResumedWindow> {
  const counted = new CountedReads(log);
  const damage: LogDamage[] = [];
  const emit = (event: SessionEvent): void => {
    if (event.type === "damage") damage.push(event.damage);
  };
  const folded = await foldStoredLog(new WatchedLog(counted.log, new KnownDamage(emit)), emit);
  const { checkpoint, entries, bytes } = counted;
  return { ...folded, checkpoint, readEntries: entries, readBytes: bytes, damage };
}

/** The last call on the line of a session; `undefined` if it made none. A checkpoint may not name it. */
export async function findLastCall(
  { log }: Pick<OpenedLog, "log">,
  { lineRanges }: ResumedWindow["projection"],
): Promise<CallEntry | undefined> {
  const lastIn = ({ entries }: LogContents): CallEntry | undefined =>
    entries.findLast(({ entry: { type, seq } }) => type === "call" && isWithin(lineRanges, seq))?.entry as
      | CallEntry
      | undefined;
  let last = lastIn(await log.readTail());
  if (last === undefined) for await (const batch of log.readAll()) last = lastIn(batch) ?? last;
  return last;
}

/** The window that the last call to `model` was made to fit, where the log says so. */
export function windowOf(call: CallEntry | undefined, model: string | undefined): number | undefined {
  const windowTokens = call?.model === model ? call?.windowTokens : undefined;
  return Number.isSafeInteger(windowTokens) && windowTokens! > 0 ? windowTokens : undefined;
}

/** The call of this number, near the end of the log first. */
export async function findCall(log: OpenedLog["log"], seq: number): Promise<CallEntry | undefined> {
  const find = ({ entries }: LogContents): CallEntry | undefined =>
    entries.find(({ entry }) => entry.type === "call" && entry.seq === seq)?.entry as CallEntry | undefined;
  const found = find(await log.readTail());
  if (found !== undefined) return found;
  for await (const batch of log.readAll()) {
    const earlier = find(batch);
    if (earlier !== undefined) return earlier;
  }
  return undefined;
}

/** A log that remembers how much of it was read. */
class CountedReads {
  readonly log: SessionLog;
  checkpoint: { readonly seq: number; readonly position: number } | undefined;
  bytes = 0;
  readonly #positions = new Set<number>();

  constructor(log: SessionLog) {
    const count = (contents: LogContents): LogContents => {
      this.#count(contents);
      return contents;
    };
    this.log = Object.create(log, {
      readTail: {
        value: async () => {
          const tail = await log.readTail();
          const first = tail.entries[0];
          if (first?.entry.type === "checkpoint")
            this.checkpoint = { seq: first.entry.seq, position: first.position };
          return count(tail);
        },
      },
      readFrom: {
        value: async (position: number, toSeq: number) => count(await log.readFrom(position, toSeq)),
      },
      readAll: {
        value: async function* (...reading: Parameters<SessionLog["readAll"]>) {
          for await (const batch of log.readAll(...reading)) yield count(batch);
        },
      },
      getBlob: { value: (hash: string) => log.getBlob(hash) },
    }) as SessionLog;
  }

  /** Each once, also where the checkpoint was of no use and it was read again. */
  get entries(): number {
    return this.#positions.size;
  }

  #count({ entries }: LogContents): void {
    const [first, last] = [entries[0], entries.at(-1)];
    if (first === undefined || last === undefined) return;
    for (const { position } of entries) this.#positions.add(position);
    this.bytes += last.position - first.position + formatEntry(last.entry).length;
  }
}

/** @throws `ABORTED` once the user has stopped the command. */
export function stopIfAsked({ signal }: CliContext): void {
  if (!signal.aborted) return;
  throw new SessionError("ABORTED", {
    message: "Stopped before it was finished.",
    hint: "Nothing was changed halfway; run it again.",
  });
}
