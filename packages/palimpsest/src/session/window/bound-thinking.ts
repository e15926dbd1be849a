/**
 * Thinking that a model binds to the history that it saw: what may be edited, taken back, or shown late.
 *
 * Such a model refuses thinking whose history was edited, or drops it. So a session that holds some may not edit what
 * was sent (strict edit safety), and an undo must not show thinking again behind another history. An answer that comes
 * after an edit loses its thinking, which stays in the log; its text and calls are shown.
 */
import { SessionError } from "../../base/errors.ts";
import {
  bindsReasoning,
  type EditSafety,
  editSafety,
  holdsBoundReasoning,
  isSealedReasoning,
} from "../../tokens/models/edit-safety.ts";
import type { Message } from "../../transcript/blocks.ts";
import type { BlockForm, EffectEdit, RepairEdit } from "../../transcript/edits.ts";
import type { Projection } from "../../transcript/projection.ts";
import type { VisibleMessage } from "../../transcript/window.ts";
import type { LogWriter, NewEntry } from "../append/entry-writer.ts";

/**
 * An answer after the edit was thought in the history that the edit left; a call that was only prepared
 * bound nothing.
 * @throws `UNDO_REFUSED` if something was answered since
 */
export function checkUndoIsUnanswered(editSeq: number, projection: Projection): void {
  if (!projection.isAnsweredSince(editSeq)) return;
  throw new SessionError("UNDO_REFUSED", {
    message: `Something was answered after edit ${editSeq}, and this model binds its thinking to the history it saw.`,
    hint: `Read what you need with the history tools, or go back to before the edit with \`rewind(${editSeq - 1})\`.`,
  });
}

/**
 * @param after - what would be shown without the edit
 * @throws `UNDO_REFUSED` where thinking would be shown again after something that another edit has changed since
 */
export function checkUndoBinds(
  editSeq: number,
  { projection, after }: { readonly projection: Projection; readonly after: readonly VisibleMessage[] },
): void {
  const shown = new Set(projection.visible.filter(holdsThinking).map(({ seq }) => seq));
  const back = after.filter((message) => holdsThinking(message) && !shown.has(message.seq));
  const others = projection.activeEdits.filter(({ seq }) => seq !== editSeq);
  const placesOf = (seq: number): readonly number[] => {
    const edit = projection.activeEdits.find((active) => active.seq === seq)?.edit;
    // Its place is no longer known: perhaps before everything.
    return edit?.effect.insert?.map(({ afterSeq }) => afterSeq) ?? [0];
  };
  const isBroken = back.some(({ seq: answerSeq }) =>
    others.some(({ seq, edit }) => seq > answerSeq && changesBefore(answerSeq, edit, placesOf)),
  );
  if (!isBroken) return;
  throw new SessionError("UNDO_REFUSED", {
    message: `Without edit ${editSeq} thinking would be shown again behind a history that other edits changed, and this model binds it to what it saw.`,
    hint: `Take back the later edits first, read what you need with the history tools, or go back to before the edit with \`rewind(${editSeq - 1})\`.`,
  });
}

/** True if an edit changes something before the entry of this number. `placesOf`: the places where an edit inserted messages. */
function changesBefore(
  answerSeq: number,
  { effect }: EffectEdit,
  placesOf: (editSeq: number) => readonly number[],
): boolean {
  const { hide = [], hideInserted = [], forms = [], insert = [] } = effect;
  const places = [
    ...hide.map(({ from }) => from),
    ...forms.map(({ seq }) => seq),
    ...insert.map(({ afterSeq }) => afterSeq),
    ...hideInserted.flatMap(placesOf),
  ];
  return places.some((place) => place < answerSeq);
}

/**
 * Messages whose bound reasoning has an author: the model that was called last, where the host names none. Another model
 * may be asked later, and must not be taken for it.
 */
export function withAuthors(messages: readonly Message[], model: string): readonly Message[] {
  if (!bindsReasoning(model)) return messages;
  return messages.map((message) =>
    message.role === "assistant" && message.model === undefined && message.content.some(isSealedReasoning)
      ? { ...message, model }
      : message,
  );
}

/**
 * The edit that hides bound reasoning which saw a block whole that this session shows in part: a host that brings a
 * conversation from elsewhere, or hands over again what a rewind took back, has an answer and a large block before it that
 * were never in one request of this session.
 * @param model - the author where a message names none
 */
export function planHideAdopted(
  { visible, callSeqs }: Pick<Projection, "visible" | "callSeqs">,
  model: string,
): RepairEdit | undefined {
  // Earlier messages were looked at when that call left.
  const lastCallSeq = callSeqs.at(-1) ?? 0;
  const forms: BlockForm[] = [];
  let isCut = false;
  for (const message of visible.slice(visible.findLastIndex(({ seq }) => seq <= lastCallSeq) + 1)) {
    const isAdopted = isCut && message.role === "assistant" && message.answerTo === undefined;
    if (isAdopted && bindsReasoning(message.model ?? model))
      for (const { block, index } of message.blocks)
        if (isSealedReasoning(block)) forms.push({ seq: message.seq, block: index });
    isCut ||= message.insertedBy === undefined && message.blocks.some(({ form }) => form === "preview");
  }
  if (forms.length === 0) return undefined;
  const reason = "adopted-thinking";
  const seqs = [...new Set(forms.map(({ seq }) => seq))];
  return {
    kind: "repair",
    reason,
    repairs: seqs.map((seq) => ({ reason, subject: `m${seq}` })),
    effect: { forms },
  };
}

function holdsThinking({ blocks }: VisibleMessage): boolean {
  return blocks.some(({ block }) => isSealedReasoning(block));
}

export class SessionSafety {
  readonly #asked: EditSafety | undefined;
  #projection: Projection | undefined;
  #model = "";
  #revision = -1;
  #seen = 0;
  #isBound = false;

  /** `asked`: what the host wants, whatever the session holds. */
  constructor(asked: EditSafety | undefined) {
    this.#asked = asked;
  }

  of(projection: Projection, model: string): EditSafety {
    if (this.#asked !== undefined) return this.#asked;
    const isSame =
      projection === this.#projection && projection.revision === this.#revision && model === this.#model;
    if (!isSame) {
      this.#projection = projection;
      this.#revision = projection.revision;
      this.#model = model;
      this.#seen = 0;
      this.#isBound = false;
    }
    const { visible } = projection;
    for (; !this.#isBound && this.#seen < visible.length; this.#seen++) {
      const message = visible[this.#seen]!;
      const content = message.blocks.map(({ block }) => block);
      this.#isBound = holdsBoundReasoning({ content, model: message.model }, model);
    }
    return editSafety({ model, holdsBoundReasoning: this.#isBound });
  }
}

/**
 * The edit that hides the reasoning of an answer which is appended right before it, in one go, so that it is
 * never shown; none where it may stay.
 */
export function planHideThinking(
  messages: readonly Message[],
  {
    callSeq,
    writer,
    window,
  }: { callSeq: number | undefined; writer: LogWriter; window: { editSafety: EditSafety } },
): readonly NewEntry[] {
  const { projection, nextSeq } = writer;
  if (callSeq === undefined || !projection.isRewrittenSince(callSeq) || window.editSafety === "permissive")
    return [];
  const forms = messages.flatMap(({ content }, index) =>
    content.flatMap((block, place) =>
      isSealedReasoning(block) ? [{ seq: nextSeq + index, block: place }] : [],
    ),
  );
  if (forms.length === 0) return [];
  const reason = "late-thinking";
  const repairs = [{ reason, subject: `m${nextSeq}` }] as const;
  return [{ type: "edit", edit: { kind: "repair", reason, repairs, effect: { forms } } }];
}
