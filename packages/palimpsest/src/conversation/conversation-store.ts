/**
 * One session of `MemoryManager`: its log in the store, and a copy of it in memory (the mirror), which readers see.
 *
 * DESIGN. An added entry is written to the store first, then to the mirror. Clearing and importing do not wait: they
 * replace the mirror at once, and the store is written before the next operation. The content between two such
 * replacements is a *generation*. Every operation belongs to the generation in which it was called. Its states:
 *
 * ```text
 * unread     the mirror is empty; the store is read before the first use
 * unwritten  replaced in the mirror, not yet in the store; a failed write is tried again
 * settled    mirror and store have the same content
 * ```
 */

import { StoreError } from "../base/errors.ts";
import type { NewEntry } from "../session/append/entry-writer.ts";
import { Queue } from "../session/append/queue.ts";
import { internalsOf, type Session } from "../session/session.ts";
import type { CompressionPlan } from "./compression/plan-compression.ts";
import type { ConversationEntry, MemorySummary } from "./entries/conversation-entry.ts";
import { MemoryMirror, type MirroredState } from "./entries/conversation-mirror.ts";
import type { FoldedMemory } from "./log/conversation-log.ts";
import { compressionToLogParts, stateToLogParts, toLogParts } from "./log/entries-to-append.ts";
import {
  openForMemory,
  readForMemory,
  readMemory,
  type StoredConversationOptions,
} from "./stored-conversation.ts";

/** The content of a session from one replacement to the next. */
export class Generation {
  readonly order: number;
  readonly mirror: MemoryMirror;
  /** Numbers in the log: of entries by their ids, and below of edits by the ids of their summaries. */
  seqs: Map<string, number> = new Map();
  editSeqs: Map<string, number> = new Map();
  state: "unread" | "unwritten" | "settled";
  /** Number of eligible entries when no summary was smaller than them. More must come before the next attempt. */
  refusedAtCount = 0;

  constructor(order: number, state: "unread" | "unwritten", mirrored?: MirroredState) {
    this.order = order;
    this.state = state;
    this.mirror = new MemoryMirror(mirrored);
  }
}

const HEADER_SEQ = 1;

/** Reads and writes one session, one operation after another. */
export class ConversationStore {
  readonly #sessionId: string;
  readonly #options: StoredConversationOptions;
  readonly #queue = new Queue();
  readonly #compressions = new Queue();
  #current = new Generation(0, "unread");
  #unwritten: readonly Generation[] = [];
  #session: Session | undefined;
  #compressing = 0;
  #running = 0;

  constructor(sessionId: string, options: StoredConversationOptions) {
    this.#sessionId = sessionId;
    this.#options = options;
  }

  get current(): Generation {
    return this.#current;
  }

  get isCompressing(): boolean {
    return this.#compressing > 0;
  }

  /** True if the session is closed and no operation is waiting. */
  get isIdle(): boolean {
    return this.#session === undefined && this.#running === 0 && !this.isCompressing;
  }

  /** Runs `operation` in its turn, with the session open and its generation settled. */
  run<Result>(
    operation: (session: Session, generation: Generation) => Promise<Result> | Result,
    generation = this.#current,
  ): Promise<Result> {
    return this.#enqueue(async () => {
      try {
        return await operation(await this.#settled(generation), generation);
      } catch (error) {
        if (!isTaken(error)) throw error;
        // Another writer appended meanwhile, so nothing was stored. Read its entries, then try again.
        this.#forget(generation);
        return operation(await this.#settled(generation), generation);
      }
    });
  }

  /**
   * Fills the mirror from the store; resolves with true if the store has the session. Others may write a session that
   * is only read: its first use as a writer reads it again.
   */
  load(): Promise<boolean> {
    const generation = this.#current;
    return this.#enqueue(async () => {
      if (this.#session !== undefined || generation.state !== "unread")
        return !internalsOf(await this.#settled(generation)).writer.isEmpty;
      const found = await readForMemory(this.#sessionId, this.#options);
      if (found !== undefined) fill(generation, found);
      return found !== undefined;
    });
  }

  /** Runs compressions one after another, in a separate queue: other operations do not wait for a model. */
  runCompression<Result>(operation: () => Promise<Result>): Promise<Result> {
    this.#compressing++;
    return this.#compressions.run(operation).finally(() => {
      this.#compressing--;
    });
  }

  /** Appends the entry that `complete` makes. It is called when the entries before it are in the mirror. */
  add(complete: (mirror: MemoryMirror) => ConversationEntry): Promise<{
    readonly entry: ConversationEntry;
    readonly generation: Generation;
  }> {
    return this.run(async (session, generation) => {
      const entry = complete(generation.mirror);
      const { messages, notes } = toLogParts(entry, generation.mirror.active);
      const { seqs } = await internalsOf(session).appendWith(messages, { before: notes });
      generation.seqs.set(entry.id, seqs[0]!);
      generation.mirror.push(entry);
      return { entry, generation };
    });
  }

  /** Resolves with false if the summary was not applied, because its entries changed meanwhile. */
  compress(
    plan: CompressionPlan,
    summary: MemorySummary,
    { generation, reason }: { readonly generation: Generation; readonly reason: string },
  ): Promise<boolean> {
    return this.run(async (session) => {
      const { mirror, editSeqs } = generation;
      if (generation !== this.#current || !isStillValid(plan, mirror)) return false;
      const ids = new Set(plan.entries.map(({ id }) => id));
      const active = mirror.active.filter(({ id }) => !ids.has(id));
      const edit = compressionToLogParts(
        summary,
        { entries: plan.entries, summaries: plan.folded, active },
        generation,
        reason,
      );
      const { firstSeq } = await internalsOf(session).appendWith([], { after: [{ type: "edit", edit }] });
      editSeqs.set(summary.id, firstSeq);
      mirror.compress(summary, new Set(plan.folded.map(({ id }) => id)));
      return true;
    }, generation);
  }

  /** Replaces all content, in the mirror at once and then in the store. Resolves once it is stored. */
  replace(state: MirroredState): Promise<void> {
    this.#current = new Generation(this.#current.order + 1, "unwritten", state);
    this.#unwritten = [...this.#unwritten, this.#current];
    return this.run(() => undefined);
  }

  /** Resolves once everything so far is durable. A session that was only read has nothing to write. */
  flush(): Promise<void> {
    return this.#enqueue(async () => {
      if (this.#session === undefined && this.#unwritten.length === 0) return;
      await internalsOf(await this.#settled(this.#current)).log.sync();
    });
  }

  /** Writes everything and closes the session. Its next use opens it again. */
  async close(): Promise<void> {
    await this.#compressions.run(async () => undefined);
    return this.#queue.run(async () => {
      if (this.#unwritten.length > 0) await this.#settled(this.#current);
      await this.#session?.close();
      this.#session = undefined;
      this.#current.state = "unread";
    });
  }

  #enqueue<Result>(operation: () => Promise<Result>): Promise<Result> {
    this.#running++;
    return this.#queue.run(operation).finally(() => {
      this.#running--;
    });
  }

  /** Opens the session, writes replacements up to `generation`, and reads the log if that was not done yet. */
  async #settled(generation: Generation): Promise<Session> {
    this.#session ??= await openForMemory(this.#sessionId, this.#options);
    const session = this.#session;
    for (const pending of this.#unwritten.filter(({ order }) => order <= generation.order)) {
      await writeState(session, pending);
      this.#unwritten = this.#unwritten.filter((one) => one !== pending);
    }
    if (generation.state === "unread") await readState(session, generation);
    return session;
  }

  /** Drops the open session, because its log has changed. The next use opens and reads it again. */
  #forget(generation: Generation): void {
    const session = this.#session;
    this.#session = undefined;
    for (const one of new Set([generation, this.#current])) if (one.state === "settled") one.state = "unread";
    session?.close().catch(() => undefined);
  }
}

/** True if a write was refused because the log is not as its writer expects. Nothing of it is stored then. */
function isTaken(error: unknown): boolean {
  return error instanceof StoreError && (error.code === "SESSION_TAKEN" || error.code === "SESSION_EXISTS");
}

function isStillValid({ entries, folded }: CompressionPlan, mirror: MemoryMirror): boolean {
  const active = new Set(mirror.active.map(({ id }) => id));
  const summaries = new Set(mirror.summaries.map(({ id }) => id));
  return entries.every(({ id }) => active.has(id)) && folded.every(({ id }) => summaries.has(id));
}

async function readState(session: Session, generation: Generation): Promise<void> {
  // A new session has nothing to read.
  if (!internalsOf(session).writer.isEmpty) fill(generation, await readMemory(internalsOf(session)));
  generation.state = "settled";
}

function fill(generation: Generation, { entries, summaries, seqs, editSeqs }: FoldedMemory): void {
  generation.mirror.replace({ entries, summaries });
  generation.seqs = new Map(seqs);
  generation.editSeqs = new Map(editSeqs);
}

/** Writes the content in one append, so that a crash leaves either the old content or all of the new. */
async function writeState(session: Session, generation: Generation): Promise<void> {
  const { writer } = internalsOf(session);
  const { entries, summaries } = generation.mirror;
  const { messages, notes, edits } = stateToLogParts({ entries, summaries });
  const isStoreEmpty = writer.isEmpty || writer.projection.visible.length === 0;
  if (!isStoreEmpty || messages.length > 0 || summaries.length > 0) {
    const rewind: NewEntry = { type: "edit", edit: { kind: "rewind", toSeq: HEADER_SEQ } };
    const before = writer.isEmpty ? notes : [rewind, ...notes];
    const firstMessageSeq = writer.nextSeq + before.length;
    const firstEditSeq = firstMessageSeq + messages.length;
    const seqs = new Map(entries.map(({ id }, index) => [id, firstMessageSeq + index]));
    const after = edits(seqs).map((edit) => ({ type: "edit", edit }) as const);
    await internalsOf(session).appendWith(messages, { before, after });
    generation.seqs = seqs;
    generation.editSeqs = new Map(summaries.map(({ id }, index) => [id, firstEditSeq + index]));
  }
  generation.state = "settled";
}
