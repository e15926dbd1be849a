/**
 * Records in the log how far extraction got: after a crash a session goes on there, so that a request is kept once,
 * whenever the process died.
 *
 * DESIGN. The mark is metadata of the library, carried on by checkpoints. A new session's log begins with one. A log
 * without a mark, from earlier versions, counts as extracted up to its end. The mark is written after the memories: a
 * crash in between repeats the extraction, which does not keep known facts twice.
 */
import { errorMessage } from "../../../base/errors.ts";
import { asNumber, isObject } from "../../../base/json/json.ts";
import { formatPointer } from "../../../compaction/shared/pointer.ts";
import type { ConversationMessage } from "../../../memory/trust/attributed-text.ts";
import { carry, MEMORY_MARK } from "../../../session/append/carried-marks.ts";
import { shownOf } from "../../../session/history/hydrate.ts";
import { internalsOf, type Session } from "../../../session/session.ts";
import type { Origin } from "../../../transcript/blocks.ts";
import { hasEffect } from "../../../transcript/edits.ts";

/** A message that was said and not looked at before its session was opened again. */
interface MissedMessage extends ConversationMessage {
  readonly statedAtMs: number;
}

export class MemoryMark {
  readonly #session: Session;
  /** The last entry that was looked at; `undefined` where the log does not say. */
  readonly throughSeq: number | undefined;

  constructor(session: Session) {
    this.#session = session;
    const { carried, writer } = internalsOf(session);
    const value = carried.get(MEMORY_MARK);
    const seq = isObject(value) ? asNumber(value["throughSeq"]) : undefined;
    const isPlace = seq !== undefined && Number.isInteger(seq) && seq >= 0 && seq < writer.nextSeq;
    this.throughSeq = isPlace ? seq : undefined;
  }

  /** The log is new: it begins with a mark. */
  begin(): void {
    const { carried, writer } = internalsOf(this.#session);
    writer.beginAlso({ type: "metadata", key: MEMORY_MARK, value: { throughSeq: 0 } });
    carried.set(MEMORY_MARK, { throughSeq: 0 });
  }

  /** Moves the mark with the next checkpoint; at once where a crash would cost something. @throws `StoreError` */
  async move(throughSeq: number, { isUrgent }: { readonly isUrgent: boolean }): Promise<void> {
    await carry(internalsOf(this.#session), MEMORY_MARK, { throughSeq }, isUrgent);
  }

  /** Nothing that is said while extraction is off is looked at later. @throws `StoreError` */
  async remove(): Promise<void> {
    if (this.throughSeq !== undefined) await carry(internalsOf(this.#session), MEMORY_MARK, null, true);
  }

  /** True if something may have been said behind the mark: in view, or hidden since. */
  get mayHaveMissed(): boolean {
    const { visible } = this.#session;
    const { writer } = internalsOf(this.#session);
    const { throughSeq } = this;
    if (throughSeq === undefined) return false;
    return (
      visible.some(({ seq, insertedBy }) => insertedBy === undefined && seq > throughSeq) ||
      writer.projection.activeEdits.some(
        ({ edit }) => hasEffect(edit) && (edit.effect.hide ?? []).some(({ to }) => to > throughSeq),
      )
    );
  }

  /** The messages behind the mark and up to an entry that are still part of the conversation. @throws `StoreError` */
  async missed(toSeq: number): Promise<readonly MissedMessage[]> {
    const { log, isHostVisible } = internalsOf(this.#session);
    const missed: MissedMessage[] = [];
    if (this.throughSeq === undefined || this.throughSeq >= toSeq) return missed;
    for await (const { entries } of log.readAll())
      for (const { entry } of entries) {
        if (entry.type !== "message" || entry.seq <= this.throughSeq || entry.seq > toSeq) continue;
        if (!isHostVisible(entry.seq)) continue;
        const { role, origin, at, saidAt = at } = entry;
        missed.push({
          id: formatPointer({ seq: entry.seq, block: 0 }),
          message: { role, origin: speakerIn(this.#session, origin), content: entry.content.map(shownOf) },
          statedAtMs: saidAt,
        });
      }
    return missed;
  }
}

/**
 * Tells who said a message, as far as memories are concerned: an agent that works as a task is spoken to by another agent,
 * whose word is not the user's.
 */
export function speakerIn(session: Session, origin: Origin): Origin {
  if (origin !== "user") return origin;
  const parent = internalsOf(session).writer.metadata.values["parent"];
  return isObject(parent) && typeof parent["task"] === "string" ? "assistant" : origin;
}

/** Nothing of memory fails a turn: its errors go to the observer. */
export function memoryFailed(session: Session, error: unknown): void {
  internalsOf(session).emit({ type: "memory-failed", reason: errorMessage(error) });
}
