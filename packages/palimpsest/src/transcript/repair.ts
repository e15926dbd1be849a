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
import {
  type CallPlace,
  formsWithout,
  type MadeByProgram,
  programFor,
  type ServerUse,
  waitingUses,
  withoutCaller,
} from "./server-uses.ts";
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

interface OpenCall {
  /** Its id in requests: its own, or a new one if another call has the same id. */
  readonly id: string;
  readonly call: ToolUseBlock;
  readonly place: CallPlace;
  /** If a program made it: the same block. */
  readonly made: MadeByProgram | undefined;
  answer?: CallPlace;
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
  /** By id. Beside calls that the host answers, the provider answers in the next response. */
  readonly serverUses: Map<string, ServerUse>;
  /** Server tools' calls that this response answers. */
  readonly serverAnswers: Set<string>;
  /** True if anything but results follows. */
  hasMoreThanResults: boolean;
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
    const open = this.#open;
    // A server tool's call at the end is not answered yet: sending the answer back unchanged continues it. That is not
    // possible beside a call that the host answers, because the request then ends with the host's result.
    const isPaused =
      open?.calls.size === 0 && [...open.serverUses.values()].some(({ isCarried }) => !isCarried);
    if (endsWithAnswer && isPaused) {
      this.#hideServerUses(open, ({ isCarried }) => isCarried);
      return toEdit(this.#repairs);
    }
    const wasAnswered = open === undefined || this.#answerNewest(open, isLeaving);
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
      const serverUses = this.#closeResponse(message.seq);
      const { seq, responseId } = message;
      this.#open = {
        seq,
        lastSeq: seq,
        responseId,
        calls: new Map(),
        serverUses,
        serverAnswers: new Set(),
        hasMoreThanResults: false,
      };
    }
    const open = this.#open!;
    open.lastSeq = message.seq;
    for (const block of message.blocks) this.#scanAssistantBlock(message, block, open);
  }

  #scanAssistantBlock(message: VisibleMessage, { block, index }: VisibleBlock, open: OpenResponse): void {
    const place = placeOf(message, index);
    if (block.type === "tool_use") {
      this.#scanCall(block, place, open);
      return;
    }
    if (isServerToolUse(block) && this.#callIds.has(block.id)) {
      // The result of a call whose id is in use has no call, and is hidden, too.
      this.#replaceBlocks("duplicate-call-id", block.id, [place]);
      return;
    }
    if (isServerToolResult(block) && !open.serverUses.has(block.tool_use_id)) {
      this.#replaceBlocks("unpaired-server-tool", block.tool_use_id, [place]);
      return;
    }
    const { made, program } = programFor(block, place, open);
    if (program !== undefined && made === undefined)
      this.#replaceBlocks("unpaired-server-tool", program, [{ ...place, shown: withoutCaller(block) }]);
    if (isServerToolUse(block)) {
      this.#callIds.set(block.id, 1);
      open.serverUses.set(block.id, { place, made: [], isCarried: false });
    } else if (isServerToolResult(block)) {
      open.serverUses.delete(block.tool_use_id);
      open.serverAnswers.add(block.tool_use_id);
    }
  }

  /** Gives a call a new id if another has the same one, and takes its `caller` away if that names no call. */
  #scanCall(block: ToolUseBlock, place: CallPlace, open: OpenResponse): void {
    const isTaken = this.#callIds.has(block.id);
    const id = isTaken ? this.#freeId(block.id) : block.id;
    this.#callIds.set(id, 1);
    if (isTaken && open.calls.has(block.id)) {
      this.#replaceBlocks("duplicate-call-id", block.id, [place]);
      return;
    }
    const renamed = isTaken ? { ...block, id } : block;
    const { made, program } = programFor(renamed, place, open);
    const shown = program !== undefined && made === undefined ? withoutCaller(renamed) : renamed;
    if (isTaken) this.#replaceBlocks("duplicate-call-id", block.id, [{ ...place, shown }]);
    else if (program !== undefined && made === undefined)
      this.#replaceBlocks("unpaired-server-tool", program, [{ ...place, shown }]);
    const call = { id, call: block, place, made };
    open.calls.set(block.id, call).set(id, call);
  }

  #scanResult(message: VisibleMessage, { block, index }: VisibleBlock, wasSentSince: boolean): void {
    if (block.type !== "tool_result") {
      if (this.#open !== undefined) this.#open.hasMoreThanResults = true;
      return;
    }
    const id = block.tool_use_id;
    const place = placeOf(message, index);
    const call = wasSentSince ? undefined : this.#open?.calls.get(id);
    if (call === undefined) {
      if (this.#open !== undefined) this.#open.hasMoreThanResults = true;
      const reason = this.#callIds.has(id) ? "late-result" : "orphan-result";
      this.#replaceBlocks(reason, id, [{ ...place, shown: resultAsText(block, reason) }]);
      return;
    }
    if (call.answer !== undefined) this.#replaceBlocks("duplicate-result", id, [call.answer]);
    call.answer = place;
    if (call.id !== id)
      this.#replaceBlocks("duplicate-call-id", id, [{ ...place, shown: { ...block, tool_use_id: call.id } }]);
  }

  /** Ends the newest response and returns the server tools' calls that the next one may answer. */
  #closeResponse(nextSeq: number): Map<string, ServerUse> {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return new Map();
    const waiting = waitingUses(open, [...open.calls.values()]);
    this.#hideServerUses(open, (use) => !waiting.has(use));
    // Messages that an edit inserted share the number of the entry before them, so no result can be inserted between.
    // The calls become text instead.
    if (nextSeq === open.lastSeq) this.#showOpenCallsAsText(open);
    this.#answerOpenCalls(open);
    for (const use of open.serverUses.values()) use.isCarried = true;
    return open.serverUses;
  }

  #showOpenCallsAsText(open: OpenResponse): void {
    for (const call of unansweredIn(open)) {
      const shown = callAsText(call.call);
      this.#replaceBlocks("unanswered-call", call.id, [{ ...call.place, shown }]);
      call.answer = call.place;
      if (call.made !== undefined) call.made.shown = shown;
    }
  }

  /**
   * Repairs the newest response before the next request. A server tool's call waits beside the host's calls only as long
   * as all of these are answered and nothing else follows: then the provider goes on with it.
   */
  #answerNewest(open: OpenResponse, isLeaving: boolean): boolean {
    const goesOn = unansweredIn(open).length === 0 && !(open.hasMoreThanResults && isLeaving);
    const waiting = goesOn ? waitingUses(open, [...open.calls.values()]) : new Set<ServerUse>();
    this.#hideServerUses(open, (use) => !waiting.has(use));
    return this.#answerOpenCalls(open);
  }

  /** Inserts a result for every call without one. Returns true if every call had one already. */
  #answerOpenCalls(open: OpenResponse): boolean {
    const unanswered = unansweredIn(open);
    if (unanswered.length === 0) return true;
    const ids = unanswered.map((call) => call.id);
    this.#insertUserMessage(open.lastSeq, "unanswered-call", ids.join(", "), ...ids.map(interruptedResult));
    return false;
  }

  /** Hides server tools' calls that nothing answers. The calls that their programs made no longer name them. */
  #hideServerUses(open: OpenResponse, isLost: (use: ServerUse) => boolean): void {
    for (const [id, use] of open.serverUses) {
      if (!isLost(use)) continue;
      open.serverUses.delete(id);
      this.#replaceBlocks("unpaired-server-tool", id, formsWithout(use));
    }
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

function placeOf({ seq, insertedBy }: VisibleMessage, block: number): CallPlace {
  return insertedBy === undefined ? { seq, block } : { seq, insertedBy, block };
}

function unansweredIn({ calls }: OpenResponse): readonly OpenCall[] {
  return [...new Set(calls.values())].filter((call) => call.answer === undefined);
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
