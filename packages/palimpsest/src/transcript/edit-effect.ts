/** The effect of one edit on the messages that are shown. */
import { insertAll } from "../base/lists.ts";
import type { BlockForm, EffectEdit, Insertion, LayerEdit, SeqRange } from "./edits.ts";
import { isWithin } from "./line.ts";
import { insertedMessage, shownBlock } from "./shown-block.ts";
import type { VisibleBlock, VisibleMessage } from "./window.ts";

/** An edit in force: its place in the log, and its time. */
export interface ActiveEdit {
  readonly seq: number;
  readonly at: number;
  readonly edit: EffectEdit;
}

/** The messages as they are shown with the edit. */
export function withEffect(visible: readonly VisibleMessage[], active: ActiveEdit): VisibleMessage[] {
  const { hide = [], hideInserted = [], forms = [], insert = [] } = active.edit.effect;
  let next = withoutHidden(visible, normalRanges(hide), new Set(hideInserted));
  if (forms.length > 0) next = withForms(next, forms);
  for (const insertion of insert) insertAfter(next, insertion, active);
  return next;
}

function withoutHidden(
  visible: readonly VisibleMessage[],
  hide: readonly SeqRange[],
  hideInserted: ReadonlySet<number>,
): VisibleMessage[] {
  if (hide.length === 0 && hideInserted.size === 0) return [...visible];
  return visible.filter(({ seq, insertedBy }) =>
    insertedBy === undefined ? !isWithin(hide, seq) : !hideInserted.has(insertedBy),
  );
}

/** Ascending and apart from each other: what comes from a stored edit may be neither. */
function normalRanges(ranges: readonly SeqRange[]): readonly SeqRange[] {
  if (ranges.length < 2) return ranges;
  const normal: SeqRange[] = [];
  for (const range of ranges.toSorted((one, other) => one.from - other.from)) {
    const last = normal.at(-1);
    if (last === undefined || range.from > last.to + 1) normal.push(range);
    else normal[normal.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
  }
  return normal;
}

function withForms(visible: readonly VisibleMessage[], forms: readonly BlockForm[]): VisibleMessage[] {
  const byMessage = new Map<string | number, BlockForm[]>();
  for (const form of forms) {
    const known = byMessage.get(messageKey(form));
    if (known === undefined) byMessage.set(messageKey(form), [form]);
    else known.push(form);
  }
  return visible.map((message) => {
    const changed = byMessage.get(messageKey(message));
    return changed === undefined ? message : { ...message, blocks: withBlockForms(message, changed) };
  });
}

/** A message of the window: an entry, or what an edit inserted. */
function messageKey(target: { readonly seq: number; readonly insertedBy?: number }): string | number {
  return target.insertedBy === undefined ? target.seq : `${target.seq}+${target.insertedBy}`;
}

function withBlockForms(
  { blocks, role }: VisibleMessage,
  forms: readonly BlockForm[],
): readonly VisibleBlock[] {
  // Of several forms of one block the last counts.
  const byBlock = new Map(forms.map((form) => [form.block, form]));
  const next: VisibleBlock[] = [];
  for (const block of blocks) {
    const form = byBlock.get(block.index);
    if (form === undefined) next.push(block);
    if (form?.shown === undefined) continue;
    const shown = shownBlock(form.shown, { role, isInterrupted: false });
    if (shown === undefined) continue;
    const blob = form.blob ?? block.blob;
    next.push({
      index: block.index,
      block: shown,
      form: "edited",
      ...(blob === undefined ? {} : { blob }),
    });
  }
  return next;
}

/** Behind everything that stands at or before `afterSeq`, earlier insertions at the same place included. */
function insertAfter(visible: VisibleMessage[], insertion: Insertion, active: ActiveEdit): void {
  const index = visible.findLastIndex((message) => message.seq <= insertion.afterSeq) + 1;
  const messages = insertion.messages.map((message) =>
    insertedMessage(message, insertion.afterSeq, active.seq, active.at),
  );
  insertAll(visible, index, messages);
}

/** The edit as far as it decides what is hidden, and where it changed something. */
export function withoutTexts(edit: EffectEdit): EffectEdit {
  const { forms, insert, ...effect } = edit.effect;
  const { loss: _, ...bare } = edit as LayerEdit;
  return {
    ...bare,
    effect: {
      ...effect,
      ...(forms && { forms: forms.map(({ shown: _shown, ...form }) => form) }),
      ...(insert && { insert: insert.map(({ afterSeq }) => ({ afterSeq, messages: [] })) }),
    },
  } as EffectEdit;
}
