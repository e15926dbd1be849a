/**
 * The projection: the log folded into the window.
 *
 * DESIGN. The fold is the only way from entries to a window. It takes entries in the order of the
 * log, one at a time, and costs what the entry brings: a message is one push, an edit touches what
 * it names. Whatever is hidden stays known here (until `forgetHidden`), because leaving an edit
 * out, by undo, or a stretch of the line, by rewind, is done by folding what is known once more
 * without it. So there is one definition of what a window is: messages of the line, then the
 * effects of the active edits in their order.
 *
 * A log opened from a checkpoint starts with the entries that the checkpoint names. What lies
 * before is not known then; `canApply` says whether an undo or a rewind needs it, and its caller
 * folds the whole log again in that case.
 */
import { assert } from "../base/assert.ts";
import { type ActiveEdit, withEffect, withoutTexts } from "./edit-effect.ts";
import { type BlockForm, type EffectEdit, hasEffect, type SeqRange } from "./edits.ts";
import type { CheckpointEntry, EditEntry, Entry, MessageEntry } from "./entries.ts";
import { isWithin, Line } from "./line.ts";
import { visibleMessage } from "./shown-block.ts";
import type { VisibleMessage } from "./window.ts";

/**
 * The window of a log, kept up entry by entry: `apply` every entry in order and read `visible`.
 * `project` folds a whole log at once.
 */
export class Projection {
  #line: Line;
  #visible: VisibleMessage[] = [];
  /** Known entries of the log, on the line or not: a rewind can go back to what another one left. */
  readonly #messages = new Map<number, MessageEntry>();
  #editEntries: EditEntry[] = [];
  /** Edits whose texts were let go of. */
  readonly #bareEdits = new Set<number>();
  readonly #calls: number[] = [];
  /** The edits in force on the line. */
  #edits: ActiveEdit[] = [];
  #undone = new Set<number>();
  #pins = new Map<string, SeqPin>();
  #callSeqs: number[] = [];
  /** The edits in force at the checkpoint from which the log was opened. */
  readonly #carriedUndone: readonly number[];
  readonly #carriedPins: readonly SeqPin[];
  #revision = 0;
  /** Message entries from this one on are all known, visible or not. */
  #knownFromSeq: number;

  /** An empty window, or the start of one whose log is opened from `checkpoint`. */
  constructor(checkpoint?: CheckpointEntry) {
    this.#line = checkpoint === undefined ? new Line() : new Line({ ranges: checkpoint.line });
    this.#knownFromSeq = checkpoint === undefined ? 0 : checkpoint.seq;
    this.#carriedUndone = checkpoint?.undone ?? [];
    this.#carriedPins = checkpoint?.pins ?? [];
    this.#settle();
  }

  /** The messages that the model sees, in order. The array is replaced, never changed, when something but a push happens. */
  get visible(): readonly VisibleMessage[] {
    return this.#visible;
  }

  get headSeq(): number {
    return this.#line.headSeq;
  }

  /** Counts every change that was not a push: values derived from the earlier window are void. */
  get revision(): number {
    return this.#revision;
  }

  /** Sequence numbers of the calls on the line, oldest first: what stands before one was sent. */
  get callSeqs(): readonly number[] {
    return this.#callSeqs;
  }

  /** Edits in force, oldest first, with their sequence numbers. */
  get activeEdits(): readonly { readonly seq: number; readonly edit: EffectEdit }[] {
    return this.#edits;
  }

  get lineRanges(): readonly SeqRange[] {
    return this.#line.ranges();
  }

  get undoneEdits(): readonly number[] {
    return [...this.#undone];
  }

  get pins(): readonly SeqPin[] {
    return [...this.#pins.values()];
  }

  /** True if every message of the line is known here, so that any undo or rewind can be folded. */
  get isComplete(): boolean {
    return this.#knownFromSeq <= 1;
  }

  /** True if `entry` can be folded from what is known; if not, fold the whole log again. */
  canApply(entry: Entry): boolean {
    if (entry.type !== "edit" || this.isComplete) return true;
    if (entry.edit.kind === "rewind")
      return (
        !isPossibleRewind(entry) ||
        (entry.edit.toSeq >= this.#knownFromSeq && this.#line.canRewind(entry.edit.toSeq))
      );
    if (entry.edit.kind === "undo") return this.#knowsAllOf(entry.edit.editSeq);
    return true;
  }

  /** Folds the next entry of the log. */
  apply(entry: Entry): void {
    assert(this.canApply(entry), "an undo or rewind beyond the known entries folds the whole log again");
    // A rewind to nowhere, of a damaged log, moves nothing.
    if (entry.type === "edit" && entry.edit.kind === "rewind" && isPossibleRewind(entry)) {
      this.#rewind(entry.edit.toSeq, entry.seq);
      return;
    }
    this.#line.extend(entry.seq);
    if (entry.type === "message") this.#push(entry);
    else if (entry.type === "call") this.#call(entry.seq);
    else if (entry.type === "edit") this.#edit(entry);
  }

  /**
   * Takes an entry that a checkpoint names: it is on the line already, which the checkpoint gave.
   * @internal
   */
  restore(entry: Entry): void {
    if (entry.type === "message") this.#messages.set(entry.seq, entry);
    else if (entry.type === "call") this.#calls.push(entry.seq);
    else if (entry.type === "edit" && hasEffect(entry.edit)) this.#editEntries.push(entry);
  }

  /** Ends a run of {@link restore}. @internal */
  finishRestore(): void {
    this.#settle();
    this.#refold();
  }

  /** The window as it would be with one more edit left out. */
  visibleWithout(editSeq: number): readonly VisibleMessage[] {
    return this.#folded(this.#edits.filter((active) => active.seq !== editSeq));
  }

  /** True if an answer of the line follows entry `seq`, as far as messages are known: see {@link isComplete}. */
  isAnsweredSince(seq: number): boolean {
    const ranges = this.#line.ranges();
    return [...this.#messages.values()].some(
      (entry) => entry.role === "assistant" && entry.seq > seq && isWithin(ranges, entry.seq),
    );
  }

  /** True if the answer to call `callSeq` would follow another window than the call held. */
  isRewrittenSince(callSeq: number): boolean {
    const ranges = this.#line.ranges();
    return (
      (callSeq < this.headSeq && !isWithin(ranges, callSeq)) ||
      this.#edits.some(({ seq }) => seq > callSeq) ||
      this.#editEntries.some(
        ({ seq, edit }) =>
          edit.kind === "undo" && seq > callSeq && edit.editSeq < callSeq && isWithin(ranges, seq),
      )
    );
  }

  /** Lets go of messages and of texts of edits that are not shown; undoing what hides them folds the whole log then. */
  forgetHidden(): void {
    const shown = new Set(
      this.#visible.filter((message) => message.insertedBy === undefined).map((message) => message.seq),
    );
    for (const seq of this.#messages.keys()) if (!shown.has(seq)) this.#messages.delete(seq);
    this.#knownFromSeq = this.headSeq + 1;
    this.#forgetTextsOfEdits(shown);
  }

  /** Summaries and restored files of all earlier compactions would be the most that a long session keeps. */
  #forgetTextsOfEdits(shown: ReadonlySet<number>): void {
    const inserting = new Set(this.#visible.flatMap((message) => message.insertedBy ?? []));
    this.#editEntries = this.#editEntries.map((entry) => {
      const { seq, edit } = entry;
      if (!hasEffect(edit) || this.#bareEdits.has(seq) || inserting.has(seq)) return entry;
      const isShown = (form: BlockForm): boolean =>
        form.insertedBy === undefined ? shown.has(form.seq) : inserting.has(form.insertedBy);
      if (edit.effect.forms?.some(isShown) === true) return entry;
      this.#bareEdits.add(seq);
      return { ...entry, edit: withoutTexts(edit) };
    });
    const known = new Map(this.#editEntries.map(({ seq, edit }) => [seq, edit]));
    this.#edits = this.#edits.map((active) => ({ ...active, edit: known.get(active.seq) as EffectEdit }));
  }

  #push(entry: MessageEntry): void {
    this.#messages.set(entry.seq, entry);
    const message = visibleMessage(entry);
    const place = placeOf(this.#visible, message);
    if (place === this.#visible.length) {
      this.#visible.push(message);
      return;
    }
    this.#visible = this.#visible.toSpliced(place, 0, message);
    this.#revision++;
  }

  #call(seq: number): void {
    this.#calls.push(seq);
    this.#callSeqs.push(seq);
  }

  #edit(entry: EditEntry): void {
    this.#editEntries.push(entry);
    this.#takeForce(entry);
    if (entry.edit.kind === "undo") {
      this.#refold();
    } else if (hasEffect(entry.edit)) {
      this.#visible = withEffect(this.#visible, this.#edits.at(-1)!);
      this.#revision++;
    }
  }

  /** Puts an edit of the line in force, after all that stand before it. */
  #takeForce({ seq, at, edit }: EditEntry): void {
    if (edit.kind === "undo") {
      this.#undone.add(edit.editSeq);
      this.#edits = this.#edits.filter((active) => active.seq !== edit.editSeq);
    } else if (edit.kind === "pin" || edit.kind === "unpin") {
      const pin = edit.block === undefined ? { seq: edit.seq } : { seq: edit.seq, block: edit.block };
      if (edit.kind === "unpin") this.#pins.delete(pinKey(pin));
      else this.#pins.set(pinKey(pin), pin);
    } else if (hasEffect(edit) && !this.#undone.has(seq)) {
      this.#edits.push({ seq, at, edit });
    }
  }

  /** The edits in force on the line, from the known entries. */
  #settle(): void {
    this.#edits = [];
    this.#undone = new Set(this.#carriedUndone);
    this.#pins = new Map(this.#carriedPins.map((pin) => [pinKey(pin), pin]));
    const ranges = this.#line.ranges();
    for (const entry of this.#editEntries) if (isWithin(ranges, entry.seq)) this.#takeForce(entry);
    this.#callSeqs = this.#calls.filter((call) => isWithin(ranges, call));
  }

  #rewind(toSeq: number, seq: number): void {
    this.#line.rewind(toSeq, seq);
    this.#settle();
    this.#refold();
  }

  #refold(): void {
    this.#visible = this.#folded(this.#edits);
    this.#revision++;
  }

  #folded(edits: readonly ActiveEdit[]): VisibleMessage[] {
    const ranges = this.#line.ranges();
    const onLine = [...this.#messages.values()].filter((entry) => isWithin(ranges, entry.seq));
    let visible: VisibleMessage[] = [];
    for (const entry of onLine.sort((one, other) => one.seq - other.seq)) {
      const message = visibleMessage(entry);
      visible.splice(placeOf(visible, message), 0, message);
    }
    for (const active of edits) visible = withEffect(visible, active);
    return visible;
  }

  #knowsAllOf(editSeq: number): boolean {
    const found = this.#edits.find((active) => active.seq === editSeq);
    if (found === undefined) return this.#undone.has(editSeq);
    const { hide = [], hideInserted = [] } = found.edit.effect;
    // What it hid of an earlier edit is shown again: that edit has to be known, too.
    return (
      hide.every((range) => range.from >= this.#knownFromSeq) &&
      hideInserted.every(
        (seq) => !this.#bareEdits.has(seq) && this.#editEntries.some((entry) => entry.seq === seq),
      )
    );
  }
}

/** A message, or one block of it, that every layer leaves alone. */
export interface SeqPin {
  readonly seq: number;
  readonly block?: number;
}

/** A window as it would be after `edit`, appended as entry `seq`: what planners look at before it is. */
export function previewEdit(
  visible: readonly VisibleMessage[],
  edit: EffectEdit,
  { seq, at }: { readonly seq: number; readonly at: number },
): readonly VisibleMessage[] {
  return withEffect(visible, { seq, at, edit });
}

/** The window at the end of `entries`, folded from nothing: the definition that `Projection` keeps up incrementally. */
export function project(entries: Iterable<Entry>): Projection {
  const projection = new Projection();
  for (const entry of entries) projection.apply(entry);
  return projection;
}

/** True if there is an entry to go back to. */
export function isPossibleRewind({ seq, edit }: EditEntry): boolean {
  return edit.kind === "rewind" && edit.toSeq >= 1 && edit.toSeq < seq;
}

const pinKey = (pin: SeqPin): string => `${pin.seq}.${pin.block ?? "*"}`;

/**
 * Index of a message among `visible`: an answer right behind what its call sent, before whatever
 * was appended while the model was answering; everything else at the end.
 */
function placeOf(visible: readonly VisibleMessage[], { answerTo }: VisibleMessage): number {
  if (answerTo === undefined) return visible.length;
  let index = visible.length;
  while (index > 0 && isAppendedMeanwhile(visible[index - 1]!, answerTo)) index--;
  return index;
}

function isAppendedMeanwhile(message: VisibleMessage, answerTo: number): boolean {
  return message.insertedBy === undefined && message.seq > answerTo && message.answerTo !== answerTo;
}
