/**
 * Plans the repairs that a window needs before providers accept it, such as a result for every call.
 *
 * Histories can be damaged: a process died between a call and its result, an import lost a line, a host delivered a
 * result twice. The repairs are one edit: appended to the log, reported, undoable, and the same on every later call.
 * Nothing is thrown away: a result without its call is shown as text.
 *
 * The scan visits each message once and remembers how far it got, so each request costs only what is new. After an edit
 * of the window a new scan starts.
 */
import {
  type ContentBlock,
  isCompaction,
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
/** Inserted at the beginning of a window that does not begin with the user. */
export const LEADING_USER_TEXT = "[The conversation goes on from an earlier point.]";
/** Inserted at the end if the request would end with the assistant. */
export const TRAILING_USER_TEXT = "[Continue.]";

interface PlannedRepair extends Repair {
  readonly effect: EditEffect;
}

/** The place of a block in the window. */
type Place = Pick<BlockForm, "seq" | "insertedBy" | "block">;

interface OpenCall {
  /** Its id in requests: its own, or a new one if another call has the same id. */
  readonly id: string;
  readonly call: ToolUseBlock;
  readonly place: Place;
  answer?: Place;
}

/** The newest response, whose calls may still be answered. */
interface OpenResponse {
  /** Entry of its first chunk. */
  readonly seq: number;
  /** Entry of its latest chunk. */
  lastSeq: number;
  readonly responseId: string | undefined;
  /** By their own id and by their id in requests. */
  readonly calls: Map<string, OpenCall>;
  /** Calls that the provider answers itself and has not answered yet, by id. */
  readonly serverUses: Map<string, Place>;
}

/** Scans a growing window for what has to be repaired. */
export class RepairScan {
  /** Ids of calls that are in use, each with the highest number appended to it for a duplicate. */
  readonly #callIds = new Map<string, number>();
  #open: OpenResponse | undefined;
  #scanned = 0;
  #hasStarted = false;
  #firstSystemSeq: number | undefined;
  #repairs: PlannedRepair[] = [];

  /**
   * Scans the messages after those scanned before and returns the repairs that a request needs. After they are applied,
   * another scan finds nothing. `callSeqs` are the numbers of the sent requests on the line. `isLeaving` is true if the
   * request is about to leave; before that, the user may still add a last message.
   */
  scan(
    visible: readonly VisibleMessage[],
    callSeqs: readonly number[],
    { isLeaving = true }: { readonly isLeaving?: boolean } = {},
  ): RepairEdit | undefined {
    this.#repairs = [];
    for (; this.#scanned < visible.length; this.#scanned++)
      this.#scanMessage(visible[this.#scanned]!, callSeqs);
    if (this.#firstSystemSeq !== undefined && !this.#hasStarted) this.#insertFirstUser();
    const endsWithAnswer = endsWithAssistant(visible);
    // A server tool's call at the end is not answered yet: sending the answer back unchanged continues it. That is not
    // possible beside a call that the host answers, because the request then ends with the host's result.
    const isPaused =
      this.#open !== undefined && this.#open.serverUses.size > 0 && this.#open.calls.size === 0;
    if (endsWithAnswer && isPaused) return toEdit(this.#repairs);
    const wasAnswered = this.#open === undefined || this.#answerOpenCalls(this.#open);
    if (isLeaving && wasAnswered && endsWithAnswer) {
      const last = visible.findLast((message) => message.blocks.length > 0)!;
      this.#insertUserMessage(last.seq, "missing-last-user", "end", {
        type: "text",
        text: TRAILING_USER_TEXT,
      });
    }
    return toEdit(this.#repairs);
  }

  #scanMessage(message: VisibleMessage, callSeqs: readonly number[]): void {
    if (message.blocks.length === 0) return;
    if (!this.#hasStarted) this.#checkStart(message, callSeqs);
    const wasSentSince = this.#open !== undefined && hasCallBetween(callSeqs, this.#open.seq, message.seq);
    if (message.role === "assistant") this.#scanAssistant(message, wasSentSince);
    else for (const block of message.blocks) this.#scanResult(message, block, wasSentSince);
  }

  /**
   * Makes the request begin with the user. A user message after an unsent `system` message needs no repair, because the
   * request assembler puts it first.
   */
  #checkStart(message: VisibleMessage, callSeqs: readonly number[]): void {
    if (message.role === "system") {
      this.#firstSystemSeq ??= message.seq;
      return;
    }
    const isAfterSentSystem =
      this.#firstSystemSeq !== undefined && hasCallBetween(callSeqs, this.#firstSystemSeq, message.seq);
    // A provider's own summary may come first. Opaque blocks before it are of other providers and not sent.
    const first = message.blocks.find(({ block }) => block.type !== "opaque" || isCompaction(block))?.block;
    const beginsWithSummary = first !== undefined && (first.type === "compaction" || isCompaction(first));
    if (message.role === "user" ? isAfterSentSystem : !beginsWithSummary) this.#insertFirstUser();
    this.#hasStarted = true;
  }

  #insertFirstUser(): void {
    this.#hasStarted = true;
    this.#insertUserMessage(0, "missing-first-user", "start", { type: "text", text: LEADING_USER_TEXT });
  }

  #scanAssistant(message: VisibleMessage, wasSentSince: boolean): void {
    const continues =
      !wasSentSince && message.responseId !== undefined && this.#open?.responseId === message.responseId;
    if (!continues) {
      this.#closeResponse(message.seq);
      const { seq, responseId } = message;
      this.#open = { seq, lastSeq: seq, responseId, calls: new Map(), serverUses: new Map() };
    }
    const open = this.#open!;
    open.lastSeq = message.seq;
    for (const block of message.blocks) this.#scanAssistantBlock(message, block, open);
  }

  #scanAssistantBlock(message: VisibleMessage, { block, index }: VisibleBlock, open: OpenResponse): void {
    const place = placeOf(message, index);
    if (isServerToolUse(block)) this.#scanServerUse(block.id, place, open);
    else if (isServerToolResult(block)) {
      if (!open.serverUses.delete(block.tool_use_id))
        this.#replaceBlocks("unpaired-server-tool", block.tool_use_id, [place]);
    } else if (block.type === "tool_use") {
      const isTaken = this.#callIds.has(block.id);
      const id = isTaken ? this.#freeId(block.id) : block.id;
      this.#callIds.set(id, 1);
      if (isTaken && open.calls.has(block.id)) {
        this.#replaceBlocks("duplicate-call-id", block.id, [place]);
        return;
      }
      if (isTaken)
        this.#replaceBlocks("duplicate-call-id", block.id, [{ ...place, shown: { ...block, id } }]);
      const call = { id, call: block, place };
      open.calls.set(block.id, call).set(id, call);
    }
  }

  /** Hides a server tool's call whose id is in use; its result then has no call and is hidden, too. */
  #scanServerUse(id: string, place: Place, open: OpenResponse): void {
    if (this.#callIds.has(id)) {
      this.#replaceBlocks("duplicate-call-id", id, [place]);
      return;
    }
    this.#callIds.set(id, 1);
    open.serverUses.set(id, place);
  }

  #scanResult(message: VisibleMessage, { block, index }: VisibleBlock, wasSentSince: boolean): void {
    if (block.type !== "tool_result") return;
    const id = block.tool_use_id;
    const place = placeOf(message, index);
    const call = wasSentSince ? undefined : this.#open?.calls.get(id);
    if (call === undefined) {
      const reason = this.#callIds.has(id) ? "late-result" : "orphan-result";
      this.#replaceBlocks(reason, id, [{ ...place, shown: resultAsText(block, reason) }]);
      return;
    }
    if (call.answer !== undefined) this.#replaceBlocks("duplicate-result", id, [call.answer]);
    call.answer = place;
    if (call.id !== id)
      this.#replaceBlocks("duplicate-call-id", id, [{ ...place, shown: { ...block, tool_use_id: call.id } }]);
  }

  #closeResponse(nextSeq: number): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    // Messages that an edit inserted share the number of the entry before them, so no result can be inserted between.
    // The calls become text instead.
    if (nextSeq === open.lastSeq) this.#showOpenCallsAsText(open);
    this.#answerOpenCalls(open);
  }

  #showOpenCallsAsText(open: OpenResponse): void {
    for (const call of new Set(open.calls.values())) {
      if (call.answer !== undefined) continue;
      const shown = callAsText(call.call);
      this.#replaceBlocks("unanswered-call", call.id, [{ ...call.place, shown }]);
      call.answer = call.place;
    }
  }

  /** Inserts a result for every call without one. Returns true if every call had one already. */
  #answerOpenCalls(open: OpenResponse): boolean {
    for (const [id, place] of open.serverUses) this.#replaceBlocks("unpaired-server-tool", id, [place]);
    open.serverUses.clear();
    const unanswered = [...new Set(open.calls.values())].filter((call) => call.answer === undefined);
    if (unanswered.length === 0) return true;
    const ids = unanswered.map((call) => call.id);
    this.#insertUserMessage(open.lastSeq, "unanswered-call", ids.join(", "), ...ids.map(interruptedResult));
    return false;
  }

  /** Returns an id that is not in use: `id_2`, `id_3` … */
  #freeId(id: string): string {
    let copy = this.#callIds.get(id) ?? 1;
    do copy++;
    while (this.#callIds.has(`${id}_${copy}`));
    this.#callIds.set(id, copy);
    return `${id}_${copy}`;
  }

  #replaceBlocks(reason: RepairReason, subject: string, forms: readonly BlockForm[]): void {
    this.#addRepair(reason, subject, { forms });
  }

  #insertUserMessage(
    afterSeq: number,
    reason: RepairReason,
    subject: string,
    ...content: readonly ContentBlock[]
  ): void {
    const message = { role: "user", content, origin: "engine" } as const;
    this.#addRepair(reason, subject, { insert: [{ afterSeq, messages: [message] }] });
  }

  #addRepair(reason: RepairReason, subject: string, effect: EditEffect): void {
    this.#repairs.push({ reason, subject, effect });
  }
}

/** Plans the repairs of a whole window that is about to be sent. */
export function planRepair(
  visible: readonly VisibleMessage[],
  callSeqs: readonly number[] = [],
): RepairEdit | undefined {
  return new RepairScan().scan(visible, callSeqs);
}

/** True if the last message that is neither empty nor a `system` message is the assistant's. */
function endsWithAssistant(visible: readonly VisibleMessage[]): boolean {
  return (
    visible.findLast((message) => message.blocks.length > 0 && message.role !== "system")?.role ===
    "assistant"
  );
}

/** Combines all repairs into one edit, so that the window is rewritten once. */
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
