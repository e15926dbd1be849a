/**
 * Finds a starting point for folding a long log without a checkpoint.
 *
 * One pass over the outline of the log folds edits, rewinds and pins without the content of messages. Every few megabytes
 * it plans a checkpoint of the window. The real folding begins at the last of them before the end, as if it were in the
 * log. So a gigabyte is not parsed into objects to find the few thousand messages that are still visible.
 */
import type { JsonObject } from "../../base/json/json.ts";
import type { SessionLog, StoredEntry } from "../../ports/session-store.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import { planCheckpoint } from "../../transcript/checkpoint.ts";
import { type EffectEdit, hasEffect } from "../../transcript/edits.ts";
import { type CheckpointEntry, ENTRY_VERSION, type Entry, MetadataFold } from "../../transcript/entries.ts";
import { Projection } from "../../transcript/projection.ts";
import { carryMarks } from "../append/carried-marks.ts";

/** A checkpoint that was never written, and where what follows it begins. */
interface OutlineStart {
  readonly checkpoint: CheckpointEntry;
  readonly position: number;
}

type OutlineLimits = typeof OUTLINE_LIMITS;

const OUTLINE_LIMITS = {
  /** Entries up to which a log without a checkpoint is folded whole, so that anything in it can be undone. Our choice: about 20 MB of an agent's log, half a second. */
  foldedWholeEntries: 20_000,
  /** Entries between two checkpoints that are planned while a longer log is gone through. Our choice: about 5 MB; up to twice that is folded for real at its end. */
  outlineStepEntries: 5_000,
};

/** `undefined` where the log is short, or cannot be begun anywhere but at its start. */
export async function findOutlineStart(
  log: Pick<SessionLog, "readAll">,
  limits: OutlineLimits = OUTLINE_LIMITS,
): Promise<OutlineStart | undefined> {
  const outline = new Outline(limits);
  for await (const { entries } of log.readAll({ outline: true }))
    if (!entries.every((stored) => outline.add(stored))) return undefined;
  return outline.start;
}

class Outline {
  readonly #limits: OutlineLimits;
  readonly #projection = new Projection();
  readonly #metadata = new MetadataFold();
  #carried: JsonObject = {};
  /** Positions by number. */
  #positions = new Float64Array(1_000);
  #count = 0;
  #last: OutlineStart | undefined;
  #beforeLast: OutlineStart | undefined;

  constructor(limits: OutlineLimits) {
    this.#limits = limits;
  }

  /** Never the newest checkpoint: the entries after it have the reported sizes. */
  get start(): OutlineStart | undefined {
    return this.#count < this.#limits.foldedWholeEntries ? undefined : this.#beforeLast;
  }

  /** False where an undo or a rewind goes back to what was let go of. */
  add({ entry, position }: StoredEntry): boolean {
    if (this.#count > 0 && this.#count % this.#limits.outlineStepEntries === 0) this.#plan(position);
    this.#count++;
    // A number far beyond its place, of a damaged log: it is folded whole instead.
    if (entry.seq > FARTHEST_FACTOR * (this.#count + this.#positions.length)) return false;
    this.#remember(entry.seq, position);
    const bare = withoutTexts(entry);
    if (!this.#projection.canApply(bare)) return false;
    this.#projection.apply(bare);
    this.#metadata.apply(bare);
    this.#carried = carryMarks(this.#carried, bare);
    return true;
  }

  #plan(position: number): void {
    const index = planCheckpoint(this.#projection, (seq) => this.#positions[seq]);
    this.#beforeLast = this.#last;
    // A short log is folded whole if something goes far back in it; a long one only then.
    if (this.#count >= this.#limits.foldedWholeEntries) this.#projection.forgetHidden();
    if (index === undefined) return;
    const seq = this.#projection.headSeq;
    const made = { type: "checkpoint", seq, id: "outline", v: ENTRY_VERSION, at: 0 } as const;
    const checkpoint = { ...made, ...index, carried: { metadata: this.#metadata.values, ...this.#carried } };
    this.#last = { checkpoint, position };
  }

  #remember(seq: number, position: number): void {
    if (seq >= this.#positions.length) {
      const larger = new Float64Array(Math.max(seq + 1, this.#positions.length * 2));
      larger.set(this.#positions);
      this.#positions = larger;
    }
    this.#positions[seq] = position;
  }
}

/** Limit for numbers ahead of places: beyond it, the numbers are wrong rather than a gap. */
const FARTHEST_FACTOR = 8;

const NO_TEXT: ContentBlock = { type: "text", text: "" };

/** The entry as far as it decides what is visible: everything else would be kept for nothing. */
function withoutTexts(entry: Entry): Entry {
  if (entry.type === "message" && entry.content.length > 0) return { ...entry, content: [] };
  if (entry.type !== "edit" || !hasEffect(entry.edit)) return entry;
  const { kind, effect, reason } = entry.edit;
  const forms = effect.forms?.map(({ shown, ...form }) =>
    shown === undefined ? form : { ...form, shown: NO_TEXT },
  );
  const insert = effect.insert?.map(({ afterSeq, messages }) => ({
    afterSeq,
    messages: messages.map(({ role }) => ({ role, content: [NO_TEXT] })),
  }));
  const bare = {
    ...effect,
    ...(forms === undefined ? {} : { forms }),
    ...(insert === undefined ? {} : { insert }),
  };
  return { ...entry, edit: { kind, effect: bare, reason } as EffectEdit };
}
