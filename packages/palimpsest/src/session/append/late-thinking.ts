/**
 * Thinking that comes too late: the window was edited while the model was answering, by a compaction by hand,
 * an undo, a rewind or by the host, so that the answer stands behind another history than the one that it was thought in.
 *
 * Models that bind their thinking to what stands before it would refuse it, or lose it. It stays in the log
 * and is not shown; what was said and called is.
 */
import { type EditSafety, isSealedReasoning } from "../../tokens/models/edit-safety.ts";
import type { Message } from "../../transcript/blocks.ts";
import type { LogWriter, NewEntry } from "./entry-writer.ts";

/**
 * The edit that hides the reasoning of an answer which is appended right before it, in one go, so that it is
 * never shown; none where it may stay.
 */
export function planHideThinking(
  messages: readonly Message[],
  {
    callSeq,
    writer,
    budgets,
  }: { callSeq: number | undefined; writer: LogWriter; budgets: { editSafety: EditSafety } },
): readonly NewEntry[] {
  const { projection, nextSeq } = writer;
  if (callSeq === undefined || !projection.isRewrittenSince(callSeq) || budgets.editSafety === "permissive")
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
