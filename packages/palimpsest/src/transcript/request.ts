/**
 * From the window to the messages of a request.
 *
 * The log holds chunks as they came: a response in several pieces, results one by one, a reminder
 * between a call and its result. Providers want turns: chunks of one response together, every
 * result in the message right after its call and leading it. The assembler joins them as they
 * arrive, so a call costs only what is new.
 *
 * Nothing is moved across a request that was already sent: its content goes out again in
 * the same place, and later blocks only follow.
 */
import type { ContentBlock } from "./blocks.ts";
import type { RequestMessage, VisibleMessage } from "./window.ts";

interface OpenResponse {
  readonly index: number;
  readonly seq: number;
  readonly responseId: string | undefined;
  readonly callIds: Set<string>;
}

export class RequestAssembler {
  readonly #messages: RequestMessage[] = [];
  /** Number of results that lead the message after the open response. */
  #leadingResults = 0;
  #open: OpenResponse | undefined;
  /** The entry that began the newest `system` message. */
  #systemSeq = 0;

  /** Messages that were made since the request was last handed out: only these may still be added to. */
  readonly #own = new Map<RequestMessage, ContentBlock[]>();

  /** The request so far. A new array each time; its messages are never changed afterwards. */
  get messages(): readonly RequestMessage[] {
    this.#own.clear();
    return this.#messages.slice();
  }

  /** Adds the next visible message. `callSeqs`: the calls on the line, oldest first. */
  push(message: VisibleMessage, callSeqs: readonly number[]): void {
    if (message.blocks.length === 0) return;
    const isSentBetween = this.#open !== undefined && hasCallBetween(callSeqs, this.#open.seq, message.seq);
    if (message.role === "assistant") this.#pushAssistant(message, isSentBetween);
    else if (message.role === "system") this.#pushSystem(message);
    else this.#pushUser(message, isSentBetween, hasCallBetween(callSeqs, this.#systemSeq, message.seq));
  }

  #pushAssistant(message: VisibleMessage, isSentBetween: boolean): void {
    const blocks = blocksOf(message);
    const open = this.#open;
    const continuesOpen =
      open !== undefined &&
      !isSentBetween &&
      message.responseId !== undefined &&
      open.responseId === message.responseId;
    if (continuesOpen) {
      this.#contentOf(open.index).push(...blocks);
      addCallIds(open.callIds, blocks);
      return;
    }
    const { responseId } = message;
    this.#messages.push({
      role: "assistant",
      content: blocks,
      ...(responseId === undefined ? {} : { responseId }),
    });
    this.#open = {
      index: this.#messages.length - 1,
      seq: message.seq,
      responseId,
      callIds: addCallIds(new Set(), blocks),
    };
    this.#leadingResults = 0;
  }

  #pushSystem(message: VisibleMessage): void {
    if (this.#messages.at(-1)?.role !== "system") this.#systemSeq = message.seq;
    this.#append(this.#messages.length, "system", blocksOf(message));
  }

  #pushUser(message: VisibleMessage, isSentBetween: boolean, isSystemSent: boolean): void {
    const others: ContentBlock[] = [];
    for (const { block } of message.blocks) {
      const answersOpen =
        !isSentBetween && block.type === "tool_result" && this.#open?.callIds.has(block.tool_use_id) === true;
      if (answersOpen) this.#placeResult(this.#open!.index + 1, block);
      else others.push(block);
    }
    if (others.length === 0) return;
    // A `system` message stands between the user's words and the answer to them, so it waits behind both.
    const waits = this.#messages.at(-1)?.role === "system" && !isSystemSent;
    this.#append(this.#messages.length - (waits ? 1 : 0), "user", others);
  }

  #placeResult(index: number, result: ContentBlock): void {
    if (this.#messages[index]?.role !== "user") {
      this.#messages.splice(index, 0, { role: "user", content: [result] });
      this.#leadingResults = 1;
      return;
    }
    this.#contentOf(index).splice(this.#leadingResults, 0, result);
    this.#leadingResults++;
  }

  /** Puts blocks before the message at `index`, joined to a neighbour of the same role. */
  #append(index: number, role: "user" | "system", blocks: readonly ContentBlock[]): void {
    if (this.#messages[index - 1]?.role === role) this.#contentOf(index - 1).push(...blocks);
    else this.#messages.splice(index, 0, { role, content: blocks });
  }

  /** The content of a message, to add to. Content that was handed out is copied once, not with each block. */
  #contentOf(index: number): ContentBlock[] {
    const message = this.#messages[index]!;
    const own = this.#own.get(message);
    if (own !== undefined) return own;
    const content = [...message.content];
    const copy = { ...message, content };
    this.#messages[index] = copy;
    this.#own.set(copy, content);
    return content;
  }
}

/** The request that a window makes, from nothing: what the assembler keeps up incrementally. */
export function assembleRequest(
  visible: readonly VisibleMessage[],
  callSeqs: readonly number[] = [],
): readonly RequestMessage[] {
  const assembler = new RequestAssembler();
  for (const message of visible) assembler.push(message, callSeqs);
  return assembler.messages;
}

/** True if a request left after entry `from` and before entry `to`. */
export function hasCallBetween(callSeqs: readonly number[], from: number, to: number): boolean {
  let low = 0;
  let high = callSeqs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (callSeqs[middle]! <= from) low = middle + 1;
    else high = middle;
  }
  return low < callSeqs.length && callSeqs[low]! < to;
}

function blocksOf(message: VisibleMessage): readonly ContentBlock[] {
  return message.blocks.map((visible) => visible.block);
}

function addCallIds(ids: Set<string>, blocks: readonly ContentBlock[]): Set<string> {
  for (const block of blocks) if (block.type === "tool_use") ids.add(block.id);
  return ids;
}
