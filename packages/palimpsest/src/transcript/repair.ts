/**
 * Finds the repairs that a window needs before it may be sent.
 *
 * Histories arrive damaged: a process died between a call and its result, an import lost a line, a
 * host delivered a result twice. Each repair is an edit: appended, reported, undoable, and the same
 * on every later call. Nothing is thrown away: a result without its call is shown as text.
 *
 * The scan goes over the window once and remembers how far it came, so a call costs only what is
 * new. After an edit it starts again.
 */
import {
  type ContentBlock,
  isServerToolResult,
  isServerToolUse,
  type ToolUseBlock,
  toolResultText,
} from "./blocks.ts";
import type { BlockForm, EditEffect, Repair, RepairEdit, RepairReason } from "./edits.ts";
import { hasCallBetween } from "./request.ts";
import type { VisibleBlock, VisibleMessage } from "./window.ts";

/** Replaces a result that never came. */
export const INTERRUPTED_RESULT_TEXT =
  "[No result: this call was interrupted before it answered. Its effects are unknown; check before repeating it.]";
/** Stands before an answer whose question is not in the window. */
export const LEADING_USER_TEXT = "[The conversation goes on from an earlier point.]";
/** Stands where the assistant is to speak again with no new message for it. */
export const TRAILING_USER_TEXT = "[Continue.]";

interface PlannedRepair extends Repair {
  readonly effect: EditEffect;
}

type Place = Pick<BlockForm, "seq" | "insertedBy" | "block">;

interface OpenCall {
  /** The id it goes by in requests: its own, or another one where that was taken. */
  readonly id: string;
  readonly call: ToolUseBlock;
  readonly place: Place;
  answer?: Place;
}

interface OpenResponse {
  readonly seq: number;
  lastSeq: number;
  readonly responseId: string | undefined;
  readonly calls: Map<string, OpenCall>;
  readonly serverUses: Map<string, Place>;
}

export class RepairScan {
  /** Ids that are taken, with how many further calls asked for the same one. */
  readonly #callIds = new Map<string, number>();
  #open: OpenResponse | undefined;
  #scanned = 0;
  #hasStarted = false;
  #firstSystemSeq: number | undefined;
  #repairs: PlannedRepair[] = [];

  /**
   * Scans what follows the part scanned before and returns the repairs a request needs.
   * `callSeqs`: the calls on the line. Applying the repairs leaves nothing to repair. `isLeaving`: the request is
   * about to leave. Until then no one has to speak last: the user may be about to.
   */
  scan(
    visible: readonly VisibleMessage[],
    callSeqs: readonly number[],
    { isLeaving = true }: { readonly isLeaving?: boolean } = {},
  ): RepairEdit | undefined {
    this.#repairs = [];
    for (; this.#scanned < visible.length; this.#scanned++) this.#message(visible[this.#scanned]!, callSeqs);
    if (this.#firstSystemSeq !== undefined && !this.#hasStarted) this.#start();
    // A call that the provider is still working on itself is continued by sending the answer back as it is.
    const isLast = endsWithAssistant(visible);
    if (isLast && (this.#open?.serverUses.size ?? 0) > 0) return toEdit(this.#repairs);
    const isAnswered = this.#open === undefined || this.#answerOpenCalls(this.#open);
    if (isLeaving && isAnswered && isLast) {
      const last = visible.findLast((message) => message.blocks.length > 0)!;
      this.#insert(last.seq, "missing-last-user", "end", { type: "text", text: TRAILING_USER_TEXT });
    }
    return toEdit(this.#repairs);
  }

  #message(message: VisibleMessage, callSeqs: readonly number[]): void {
    if (message.blocks.length === 0) return;
    if (!this.#hasStarted) this.#first(message, callSeqs);
    const isSent = this.#open !== undefined && hasCallBetween(callSeqs, this.#open.seq, message.seq);
    if (message.role === "assistant") this.#assistant(message, isSent);
    else for (const block of message.blocks) this.#result(message, block, isSent);
  }

  /** A request starts with the user. Words that follow an unsent `system` message go before it by themselves. */
  #first(message: VisibleMessage, callSeqs: readonly number[]): void {
    if (message.role === "system") {
      this.#firstSystemSeq ??= message.seq;
      return;
    }
    const isAfterSentSystem =
      this.#firstSystemSeq !== undefined && hasCallBetween(callSeqs, this.#firstSystemSeq, message.seq);
    // What only another provider understands is not sent, so it does not stand before the summary.
    const isSummarised =
      message.blocks.find(({ block }) => block.type !== "opaque")?.block.type === "compaction";
    if (message.role === "user" ? isAfterSentSystem : !isSummarised) this.#start();
    this.#hasStarted = true;
  }

  #start(): void {
    this.#hasStarted = true;
    this.#insert(0, "missing-first-user", "start", { type: "text", text: LEADING_USER_TEXT });
  }

  #assistant(message: VisibleMessage, isSent: boolean): void {
    const continues =
      !isSent && message.responseId !== undefined && this.#open?.responseId === message.responseId;
    if (!continues) {
      this.#close(message.seq);
      const { seq, responseId } = message;
      this.#open = { seq, lastSeq: seq, responseId, calls: new Map(), serverUses: new Map() };
    }
    const open = this.#open!;
    open.lastSeq = message.seq;
    for (const block of message.blocks) this.#assistantBlock(message, block, open);
  }

  #assistantBlock(message: VisibleMessage, { block, index }: VisibleBlock, open: OpenResponse): void {
    const place = placeOf(message, index);
    if (isServerToolUse(block)) this.#serverUse(block.id, place, open);
    else if (isServerToolResult(block)) {
      if (!open.serverUses.delete(block.tool_use_id))
        this.#form("unpaired-server-tool", block.tool_use_id, [place]);
    } else if (block.type === "tool_use") {
      const isTaken = this.#callIds.has(block.id);
      const id = isTaken ? this.#freeId(block.id) : block.id;
      this.#callIds.set(id, 1);
      if (isTaken && open.calls.has(block.id)) {
        this.#form("duplicate-call-id", block.id, [place]);
        return;
      }
      if (isTaken) this.#form("duplicate-call-id", block.id, [{ ...place, shown: { ...block, id } }]);
      const call = { id, call: block, place };
      open.calls.set(block.id, call).set(id, call);
    }
  }

  /** An id that is taken has no separate pair: neither half is sent. */
  #serverUse(id: string, place: Place, open: OpenResponse): void {
    if (this.#callIds.has(id)) {
      this.#form("duplicate-call-id", id, [place]);
      return;
    }
    this.#callIds.set(id, 1);
    open.serverUses.set(id, place);
  }

  #result(message: VisibleMessage, { block, index }: VisibleBlock, isSent: boolean): void {
    if (block.type !== "tool_result") return;
    const id = block.tool_use_id;
    const place = placeOf(message, index);
    const call = isSent ? undefined : this.#open?.calls.get(id);
    if (call === undefined) {
      const reason = this.#callIds.has(id) ? "late-result" : "orphan-result";
      this.#form(reason, id, [{ ...place, shown: resultAsText(block, reason) }]);
      return;
    }
    if (call.answer !== undefined) this.#form("duplicate-result", id, [call.answer]);
    call.answer = place;
    if (call.id !== id)
      this.#form("duplicate-call-id", id, [{ ...place, shown: { ...block, tool_use_id: call.id } }]);
  }

  #close(nextSeq: number): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    // Nothing can be put between a message and what an edit put behind it, so the calls are retold as text.
    if (nextSeq === open.lastSeq) this.#reportOpenCalls(open);
    this.#answerOpenCalls(open);
  }

  #reportOpenCalls(open: OpenResponse): void {
    for (const call of new Set(open.calls.values())) {
      if (call.answer !== undefined) continue;
      const shown = callAsText(call.call);
      this.#form("unanswered-call", call.id, [{ ...call.place, shown }]);
      call.answer = call.place;
    }
  }

  /** Puts a result in for every call that has none; whether there was none to put in. */
  #answerOpenCalls(open: OpenResponse): boolean {
    for (const [id, place] of open.serverUses) this.#form("unpaired-server-tool", id, [place]);
    open.serverUses.clear();
    const unanswered = [...new Set(open.calls.values())].filter((call) => call.answer === undefined);
    if (unanswered.length === 0) return true;
    const ids = unanswered.map((call) => call.id);
    this.#insert(open.lastSeq, "unanswered-call", ids.join(", "), ...ids.map(interruptedResult));
    return false;
  }

  #freeId(id: string): string {
    let copy = this.#callIds.get(id) ?? 1;
    do copy++;
    while (this.#callIds.has(`${id}_${copy}`));
    this.#callIds.set(id, copy);
    return `${id}_${copy}`;
  }

  #form(reason: RepairReason, subject: string, forms: readonly BlockForm[]): void {
    this.#repair(reason, subject, { forms });
  }

  #insert(
    afterSeq: number,
    reason: RepairReason,
    subject: string,
    ...content: readonly ContentBlock[]
  ): void {
    const message = { role: "user", content, origin: "engine" } as const;
    this.#repair(reason, subject, { insert: [{ afterSeq, messages: [message] }] });
  }

  #repair(reason: RepairReason, subject: string, effect: EditEffect): void {
    this.#repairs.push({ reason, subject, effect });
  }
}

/** The repairs a whole window needs before it is sent. */
export function planRepair(
  visible: readonly VisibleMessage[],
  callSeqs: readonly number[] = [],
): RepairEdit | undefined {
  return new RepairScan().scan(visible, callSeqs);
}

/** True if the assistant spoke last, reminders of the host aside. */
function endsWithAssistant(visible: readonly VisibleMessage[]): boolean {
  return (
    visible.findLast((message) => message.blocks.length > 0 && message.role !== "system")?.role ===
    "assistant"
  );
}

/** All of them as one edit: the window is rewritten once. */
function toEdit(planned: readonly PlannedRepair[]): RepairEdit | undefined {
  const first = planned[0];
  if (first === undefined) return undefined;
  return {
    kind: "repair",
    reason: first.reason,
    repairs: planned.map(({ reason, subject }) => ({ reason, subject })),
    effect: {
      forms: planned.flatMap(({ effect }) => effect.forms ?? []),
      insert: planned.flatMap(({ effect }) => effect.insert ?? []),
    },
  };
}

function placeOf({ seq, insertedBy }: VisibleMessage, block: number): Place {
  return insertedBy === undefined ? { seq, block } : { seq, insertedBy, block };
}

function interruptedResult(callId: string): ContentBlock {
  return { type: "tool_result", tool_use_id: callId, content: INTERRUPTED_RESULT_TEXT, is_error: true };
}

function callAsText({ name, input }: ToolUseBlock): ContentBlock {
  return {
    type: "text",
    text: `[Tool call that was never answered:]\n${name} ${JSON.stringify(input)}`,
  };
}

function resultAsText(
  block: ContentBlock & { readonly type: "tool_result" },
  reason: RepairReason,
): ContentBlock {
  const why =
    reason === "late-result"
      ? "arrived after the conversation had gone on"
      : "has no call in this conversation";
  return {
    type: "text",
    text: `[Result of tool call ${block.tool_use_id}, which ${why}:]\n${toolResultText(block)}`,
  };
}
