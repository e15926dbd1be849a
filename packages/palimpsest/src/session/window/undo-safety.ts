/**
 * Whether an edit may be taken back where a model binds its thinking to the history that it saw.
 *
 * Taking back one edit shows again what it hid, as the other edits leave it. Thinking among that must stand behind
 * exactly what stood before it when it was said; a provider refuses it otherwise.
 */
import { SessionError } from "../../base/errors.ts";
import { isSealedReasoning } from "../../tokens/models/edit-safety.ts";
import type { EffectEdit } from "../../transcript/edits.ts";
import type { Projection } from "../../transcript/projection.ts";
import type { VisibleMessage } from "../../transcript/window.ts";

/**
 * What was answered after the edit was thought in the history that the edit left; a call that was only prepared
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
 * @throws `UNDO_REFUSED` where thinking would come back behind something that another edit has changed since
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
    // Where it stood nobody knows any more: perhaps before everything.
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

/** Whether an edit changes what stands before the entry of this number. `placesOf`: where an edit inserted messages. */
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

function holdsThinking({ blocks }: VisibleMessage): boolean {
  return blocks.some(({ block }) => isSealedReasoning(block));
}
