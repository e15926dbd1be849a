/**
 * Assembles the messages of a request from the visible messages of the window.
 *
 * The log holds chunks in the order in which they arrived: a response in several pieces, results one by one, a reminder
 * between a call and its result. Providers require turns: the chunks of one response in one message, and every result at
 * the beginning of the message right after its call. The assembler joins chunks as they arrive, so each request costs
 * only what is new.
 *
 * No block is moved across a request that was already sent: what was sent keeps its place, and later blocks follow it.
 */
import { addAll, firstIndex } from "../base/lists.ts";
import type { ContentBlock } from "./blocks.ts";
import type { RequestMessage, VisibleMessage } from "./window.ts";

/** The newest assistant message, which further chunks may continue and whose calls may still be answered. */
interface OpenResponse {
  /** Index of its message in the request. */
  readonly index: number;
  /** Entry of its first chunk. */
  readonly seq: number;
  readonly responseId: string | undefined;
  readonly callIds: Set<string>;
}

/** Assembles a request step by step: push each visible message once, and read `messages` for every request. */
export class RequestAssembler {
  readonly #messages: RequestMessage[] = [];
  /** Number of results at the beginning of the message after the open response. */
  #leadingResults = 0;
  #open: OpenResponse | undefined;
  /** The entry that began the newest `system` message. */
  #systemSeq = 0;

  /** Messages made since `messages` was last read, with their content: only these may be changed in place. */
  readonly #own = new Map<RequestMessage, ContentBlock[]>();

  /** The request so far, as a new array. Its messages never change afterwards. */
  get messages(): readonly RequestMessage[] {
    this.#own.clear();
    return this.#messages.slice();
  }

  /** Adds the next visible message. `callSeqs` are the numbers of the sent requests on the line, oldest first. */
  push(message: VisibleMessage, callSeqs: readonly number[]): void {
    if (message.blocks.length === 0) return;
    // True if a request left between the open response and this message: then nothing may be inserted before it.
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
      addAll(this.#contentOf(open.index), blocks);
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
    // A `system` message has to come right before the answer, so later user content is put before an unsent one.
    const goesBeforeSystem = this.#messages.at(-1)?.role === "system" && !isSystemSent;
    this.#append(this.#messages.length - (goesBeforeSystem ? 1 : 0), "user", others);
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

  /** Inserts blocks before the message at `index`, or adds them to the message before if it has the same role. */
  #append(index: number, role: "user" | "system", blocks: readonly ContentBlock[]): void {
    if (this.#messages[index - 1]?.role === role) addAll(this.#contentOf(index - 1), blocks);
    else this.#messages.splice(index, 0, { role, content: blocks });
  }

  /** Returns the content of a message as an array to change. A message that `messages` returned is copied first, once. */
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

/** Assembles the request of a whole window at once. The result is that of a `RequestAssembler` that saw every message. */
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
  const next = callSeqs[firstIndex(callSeqs.length, (index) => callSeqs[index]! > from)];
  return next !== undefined && next < to;
}

function blocksOf(message: VisibleMessage): readonly ContentBlock[] {
  return message.blocks.map((visible) => visible.block);
}

function addCallIds(ids: Set<string>, blocks: readonly ContentBlock[]): Set<string> {
  for (const block of blocks) if (block.type === "tool_use") ids.add(block.id);
  return ids;
}
