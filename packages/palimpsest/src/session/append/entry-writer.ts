/**
 * The one place where a session's log grows.
 *
 * It numbers entries, appends them, and folds them into the window once the store has them: the
 * window never shows what the log does not hold. It also writes checkpoints, after each boundary
 * and after every `checkpointBytes`, so that opening reads the tail only. What an entry would only say again
 * is left out here.
 */
import { assert } from "../../base/assert.ts";
import { ENGINE_DEFAULTS } from "../../base/defaults/engine.ts";
import type { Clock, IdSource } from "../../ports/runtime.ts";
import type { SessionLog } from "../../ports/session-store.ts";
import { planCheckpoint } from "../../transcript/checkpoint.ts";
import {
  type CallEntry,
  type CheckpointEntry,
  ENTRY_VERSION,
  type Entry,
  type StoredBlock,
} from "../../transcript/entries.ts";
import { type Projection, project } from "../../transcript/projection.ts";
import { hydrate } from "../history/hydrate.ts";
import type { EntryPositions } from "../history/message-reader.ts";
import { SessionMetadata } from "./session-metadata.ts";

type Unnumbered<T extends Entry> = T extends Entry ? Omit<T, "seq" | "id" | "parentId" | "v" | "at"> : never;
/** An entry before it has its place in the log. */
export type NewEntry = Unnumbered<Entry>;

interface LogWriterOptions {
  readonly log: SessionLog;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly projection: Projection;
  readonly lastEntry?: Entry;
  readonly positions: EntryPositions;
  /** As it was read; written again behind each checkpoint. @defaultValue none */
  readonly metadata?: SessionMetadata;
  /** The data that a checkpoint stores beside the window. */
  readonly carry: () => Pick<CheckpointEntry, "usageAnchor" | "carried">;
  /** Told every entry that was stored, before a checkpoint behind it is made. */
  readonly onStored?: (entry: Entry) => void;
  /** Stores what the next checkpoint refers to. */
  readonly beforeCheckpoint?: () => Promise<void>;
  /** Called if a checkpoint could not be written. Only the speed of opening depends on checkpoints. */
  readonly onCheckpointFailed: (error: unknown) => void;
}

export class LogWriter {
  readonly #log: SessionLog;
  readonly #clock: Clock;
  readonly #ids: IdSource;
  #projection: Projection;
  readonly #positions: EntryPositions;
  readonly metadata: SessionMetadata;
  readonly #carry: LogWriterOptions["carry"];
  readonly #onStored: LogWriterOptions["onStored"];
  readonly #beforeCheckpoint: LogWriterOptions["beforeCheckpoint"];
  readonly #onCheckpointFailed: LogWriterOptions["onCheckpointFailed"];
  #beginning: readonly NewEntry[] = [];
  /** The last call that says which system prompt and tools left with it. */
  #fixedCall: CallEntry | undefined;
  #lastSeq: number;
  #lastId: string | undefined;
  #bytesAtCheckpoint: number;
  /** The bytes of the last checkpoint, with everything stored for it. */
  #checkpointBytes = 0;
  #isSettled = true;

  constructor(options: LogWriterOptions) {
    this.#log = options.log;
    this.#clock = options.clock;
    this.#ids = options.ids;
    this.#projection = options.projection;
    this.#positions = options.positions;
    this.metadata = options.metadata ?? new SessionMetadata();
    this.#carry = options.carry;
    this.#onStored = options.onStored;
    this.#beforeCheckpoint = options.beforeCheckpoint;
    this.#onCheckpointFailed = options.onCheckpointFailed;
    this.#lastSeq = options.lastEntry?.seq ?? 0;
    this.#lastId = options.lastEntry?.id;
    this.#bytesAtCheckpoint = options.log.bytesWritten();
  }

  get projection(): Projection {
    return this.#projection;
  }

  /** True if nothing was ever appended. */
  get isEmpty(): boolean {
    return this.#lastSeq === 0;
  }

  /** The number that the next entry will have. */
  get nextSeq(): number {
    return this.#lastSeq + 1 + this.#beginning.length;
  }

  /** Header and metadata of a new log. They are written with the first entry, so that an unused session leaves nothing. */
  begin(beginning: readonly NewEntry[]): void {
    this.#beginning = beginning;
  }

  /** One more entry of the beginning. Only before anything was appended. */
  beginAlso(newEntry: NewEntry): void {
    assert(this.isEmpty, "a log that has begun gets no other beginning");
    this.#beginning = [...this.#beginning, newEntry];
  }

  /**
   * Appends entries in order and folds them into the window. `shown` has, by number, the content of
   * messages with blocks that lie outside the log and are shown whole.
   */
  async append(
    newEntries: readonly NewEntry[],
    shown?: ReadonlyMap<number, readonly StoredBlock[]>,
  ): Promise<readonly Entry[]> {
    const entries = await this.#store(newEntries, shown);
    // Of a window that is large to write down, checkpoints are at most as much as everything between them.
    const stepBytes = Math.max(ENGINE_DEFAULTS.checkpointBytes, this.#checkpointBytes);
    if (this.#log.bytesWritten() - this.#bytesAtCheckpoint >= stepBytes) await this.checkpoint();
    return entries;
  }

  async #store(
    newEntries: readonly NewEntry[],
    shown?: ReadonlyMap<number, readonly StoredBlock[]>,
  ): Promise<readonly Entry[]> {
    if (newEntries.length === 0) return [];
    const beginning = this.#beginning;
    const entries = this.#numbered([...beginning, ...newEntries]);
    // Whatever has to be read for it is read first, so that the window always has what the log has.
    if (!entries.every((entry) => this.#projection.canApply(entry)))
      this.#projection = await this.readProjection(this.#lastSeq);
    const positions = await this.#log.append(entries);
    this.#beginning = [];
    this.#isSettled = false;
    for (const [index, entry] of entries.entries()) {
      this.#lastSeq = entry.seq;
      this.#lastId = entry.id;
      this.#positions.set(entry.seq, positions[index]!);
      if (entry.type === "call") this.#fixedCall = fixedCallAfter(entry, this.#fixedCall);
      this.metadata.apply(entry);
      this.#onStored?.(entry);
      const content = shown?.get(entry.seq);
      this.#projection.apply(
        content === undefined || entry.type !== "message" ? entry : { ...entry, content },
      );
    }
    return entries.slice(beginning.length);
  }

  /** Appends one entry; its number is that of {@link nextSeq} before. */
  async appendOne(newEntry: NewEntry): Promise<Entry> {
    const [entry] = await this.append([newEntry]);
    return entry!;
  }

  /** Writes a checkpoint if anything was appended since the last one, or since the log was opened. */
  async settle(): Promise<void> {
    if (!this.#isSettled) await this.checkpoint();
  }

  /** Writes down where the window is, so that opening needs nothing before, and the metadata behind it. */
  async checkpoint(): Promise<void> {
    const index = planCheckpoint(this.#projection, (seq) => this.#positions.get(seq));
    if (index === undefined) return;
    const bytesBefore = this.#log.bytesWritten();
    try {
      await this.#beforeCheckpoint?.();
      await this.#store([{ type: "checkpoint", ...index, ...this.#carry() }]);
      // Apart from it: what cannot be read of one is not to cost the other.
      await this.#store(this.metadata.newEntries());
      this.#isSettled = true;
    } catch (error) {
      this.#onCheckpointFailed(error);
    }
    this.#bytesAtCheckpoint = this.#log.bytesWritten();
    this.#checkpointBytes = this.#bytesAtCheckpoint - bytesBefore;
  }

  /** Lets go of messages that are hidden: undoing what hid them reads the log again. */
  forgetHidden(): void {
    this.#projection.forgetHidden();
  }

  /** The window as it was after entry `throughSeq`, folded from the stored log. */
  async readProjection(throughSeq: number): Promise<Projection> {
    const entries: Entry[] = [];
    for await (const batch of this.#log.readAll()) {
      for (const { entry, position } of batch.entries) {
        if (entry.seq > throughSeq) continue;
        this.#positions.set(entry.seq, position);
        entries.push(await hydrate(entry, this.#log));
      }
    }
    return project(entries);
  }

  #numbered(newEntries: readonly NewEntry[]): readonly Entry[] {
    const at = this.#clock.nowMs();
    let parentId = this.#lastId;
    return newEntries.map((newEntry, index) => {
      const { type, ...fields } = withoutRepetition(newEntry, { at, fixedCall: this.#fixedCall });
      const id = this.#ids.entryId();
      const place = { seq: this.#lastSeq + 1 + index, id, ...(parentId === undefined ? {} : { parentId }) };
      parentId = id;
      return { type, ...place, v: ENTRY_VERSION, at, ...fields } as Entry;
    });
  }
}

/** Without what the entry's own time says already, and what the call before says. */
function withoutRepetition(
  newEntry: NewEntry,
  { at, fixedCall }: { readonly at: number; readonly fixedCall: CallEntry | undefined },
): NewEntry {
  if (newEntry.type === "message" && newEntry.saidAt === at) {
    const { saidAt: _, ...message } = newEntry;
    return message;
  }
  if (newEntry.type !== "call" || fixedCall === undefined || !hasSameFixedPart(newEntry, fixedCall))
    return newEntry;
  const { system: _, tools: __, fixedTokens: ___, ...call } = newEntry;
  return { ...call, fixedAs: fixedCall.seq };
}

type FixedFields = Pick<CallEntry, "system" | "tools" | "fixedTokens">;

/** The call that the next one may refer to: that before it, or the one that says what left with that, too. */
function fixedCallAfter(call: CallEntry, before: CallEntry | undefined): CallEntry | undefined {
  if (call.fixedAs !== undefined) return before;
  return call.system === undefined && call.tools === undefined ? undefined : call;
}

function hasSameFixedPart(one: FixedFields, other: FixedFields): boolean {
  return (
    one.system?.hash === other.system?.hash &&
    one.tools?.hash === other.tools?.hash &&
    one.fixedTokens === other.fixedTokens
  );
}
