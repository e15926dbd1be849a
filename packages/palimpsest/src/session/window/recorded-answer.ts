/**
 * Records an answer: its messages, its usage, and what the provider did to the context on the way, all or none.
 */
import { explainEdit } from "../../compaction/shared/edit-reason.ts";
import { isCompaction, type Message, type Usage } from "../../transcript/blocks.ts";
import type { LayerEdit } from "../../transcript/edits.ts";
import type { NewEntry } from "../append/entry-writer.ts";
import type { CallAnswer } from "../options/prepared-call.ts";
import { planHideThinking } from "./bound-thinking.ts";
import type { CacheWatch } from "./prompt-cache-watch.ts";
import type { ProviderEditing } from "./provider-edits.ts";
import type { WindowParts } from "./session-parts.ts";
import { messagesOf } from "./window-tracker.ts";

interface RecordingParts extends WindowParts {
  readonly provider: ProviderEditing;
  readonly cache: Pick<CacheWatch, "rewritten">;
  readonly budgets: {
    readonly editSafety: "strict" | "permissive";
    readonly budget: { readonly windowTokens: number };
  };
  readonly builder: { usageReported(callSeq: number, usage: Usage): void };
}

interface Around {
  readonly after: readonly NewEntry[];
  readonly answerTo?: number;
  readonly author?: string | undefined;
}

type Append = (messages: readonly Message[], around: Around) => Promise<readonly number[]>;

/** Appends the answer to a call, the newest one unless it names another. Resolves with the messages' numbers. */
export async function recordAnswer(
  answer: CallAnswer & { readonly messages: readonly Message[] },
  parts: RecordingParts,
  append: Append,
): Promise<readonly number[]> {
  const { calls, tracker, writer, provider } = parts;
  const { messages, usage, providerEdits: applied } = answer;
  const stopReason = answer.stopReason ?? undefined;
  const callSeq = answer.callSeq ?? calls.newest;
  const sent = callSeq === undefined ? undefined : calls.find(callSeq);
  const late = planHideThinking(messages, { callSeq, writer, window: parts.budgets });
  if (callSeq === undefined || sent === undefined) return append(messages, { after: late });
  const { model } = tracker.ledger;
  const edits = await provider.recorded({ callSeq, messages, applied, model }, writer.nextSeq);
  const entry: NewEntry = { type: "answer", callSeq, usage, stopReason };
  const isNewest = callSeq === calls.newest;
  const around = {
    after: [...late, entry, ...edits.map((edit): NewEntry => ({ type: "edit", edit }))],
    ...(isNewest ? { answerTo: callSeq } : {}),
    author: calls.modelOf(callSeq),
  };
  const seqs = await append(messages, around);
  calls.answered(callSeq);
  parts.emit({ type: "answer", seq: callSeq, usage, stopReason });
  tellEdits(edits, parts);
  const isCompacted = edits.some((edit) => edit.isBoundary === true);
  if (isCompacted) {
    parts.cache.rewritten();
    await writer.checkpoint();
    writer.forgetHidden();
  }
  const reply = messagesOf(writer.projection.visible, seqs);
  // Where the provider gives one figure for the summary and the answer, it says nothing of the window.
  if (usage === undefined || (isCompacted && applied?.compactionUsage === undefined)) {
    provider.begin();
    return seqs;
  }
  const { windowTokens } = parts.budgets.budget;
  const report = isCompacted
    ? tracker.reportedAlone({ reply: reply.map(withoutSummary), usage, windowTokens }, writer.projection)
    : tracker.reported({ sent, usage, reply, windowTokens });
  if (report !== undefined) parts.emit(report);
  provider.begin();
  parts.builder.usageReported(callSeq, usage);
  return seqs;
}

function tellEdits(edits: readonly LayerEdit[], { emit, writer, tracker }: RecordingParts): void {
  const occasion = { usedTokens: 0, messagesTokens: 0, budget: NO_GATES };
  edits.forEach((edit, index) => {
    const seq = writer.nextSeq - edits.length + index;
    emit({ type: "layer", seq, layer: edit.kind, edit, why: explainEdit(edit, occasion) });
    const { model = tracker.ledger.model, usage } = edit.writtenBy ?? {};
    if (usage !== undefined)
      emit({
        type: "summary-call",
        trigger: "auto",
        model,
        form: "provider",
        attempt: 0,
        outcome: "written",
        tookMs: 0,
        usage,
      });
  });
}

const NO_GATES = { offloadGateTokens: 0, microcompactGateTokens: 0, autoCompactGateTokens: 0 };

/** The usage of the answer covers the summary as a part of the prompt. */
function withoutSummary<
  Shown extends { readonly blocks: readonly { readonly block: Message["content"][number] }[] },
>(message: Shown): Shown {
  return { ...message, blocks: message.blocks.filter(({ block }) => !isCompaction(block)) };
}
