/**
 * The fingerprints of a conversation's blocks, in order: enough to find the first block in which two requests differ.
 *
 * A request usually begins with the one before. So requests share one growing list of fingerprints, and each has a view of
 * a part of it. A new list begins only if an earlier block changed. A block is hashed only once for each role.
 */
import { fingerprint } from "../../base/fingerprint.ts";
import type { ContentBlock, Role } from "../../transcript/blocks.ts";
import type { CacheMark, RequestMessage } from "../../transcript/window.ts";

interface SharedList {
  /** Fingerprints of all blocks. */
  readonly blocks: number[];
  /** Index in `blocks` at which each message begins. */
  readonly starts: number[];
}

/** The blocks of one request. */
export interface BlockView {
  readonly list: SharedList;
  readonly blockCount: number;
  readonly messageCount: number;
}

const SEEDS: Readonly<Record<Role, number>> = { user: 1, assistant: 2, system: 3 };

/** Makes the views of requests that follow one another. */
export class BlockChain {
  #list: SharedList = { blocks: [], starts: [] };
  #messages: readonly RequestMessage[] = [];
  /** By role, because a host may use the same block object in messages of different roles. */
  readonly #hashes: Readonly<Record<Role, WeakMap<ContentBlock, number>>> = {
    user: new WeakMap(),
    assistant: new WeakMap(),
    system: new WeakMap(),
  };

  /** Returns the view of a request. Messages that are the same objects as in the last request are not read again. */
  view(messages: readonly RequestMessage[]): BlockView {
    const known = this.#messages;
    let same = 0;
    while (same < known.length && same < messages.length && known[same] === messages[same]) same++;
    if (same < known.length || same < messages.length) this.#replaceFrom(same, messages);
    this.#messages = messages;
    const { blocks } = this.#list;
    return { list: this.#list, blockCount: blocks.length, messageCount: messages.length };
  }

  #replaceFrom(same: number, messages: readonly RequestMessage[]): void {
    const { blocks, starts } = this.#list;
    const from = starts[same] ?? blocks.length;
    const added: number[] = [];
    const addedStarts: number[] = [];
    for (const { role, content } of messages.slice(same)) {
      addedStarts.push(from + added.length);
      for (const block of content) added.push(this.#hash(block, role));
    }
    const isGrown = beginsWith(added, blocks.slice(from)) && beginsWith(addedStarts, starts.slice(same));
    if (!isGrown) this.#list = { blocks: blocks.slice(0, from), starts: starts.slice(0, same) };
    const list = this.#list;
    for (const hash of added.slice(list.blocks.length - from)) list.blocks.push(hash);
    for (const start of addedStarts.slice(list.starts.length - same)) list.starts.push(start);
  }

  #hash(block: ContentBlock, role: Role): number {
    const hashes = this.#hashes[role];
    const known = hashes.get(block);
    if (known !== undefined) return known;
    const hash = hashOf(block, SEEDS[role]);
    hashes.set(block, hash);
    return hash;
  }
}

/** Hashes a block. Long texts are hashed directly: writing them as JSON first would double the cost. */
function hashOf(block: ContentBlock, seed: number): number {
  if (block.type === "text") {
    const { text, ...rest } = block;
    return fingerprint(text, fingerprint(jsonOf(rest), seed));
  }
  if (block.type === "tool_result" && typeof block.content === "string") {
    const { content, ...rest } = block;
    return fingerprint(content, fingerprint(jsonOf(rest), seed));
  }
  return fingerprint(jsonOf(block), seed);
}

function jsonOf(block: { readonly type: string }): string {
  try {
    return JSON.stringify(block);
  } catch {
    // Nested too deeply for JSON.stringify, in a log from elsewhere: only its type is hashed.
    return block.type;
  }
}

function beginsWith(list: readonly number[], start: readonly number[]): boolean {
  return list.length >= start.length && start.every((value, index) => list[index] === value);
}

/** Number of first blocks that `after` shares with `before`. */
export function countSameBlocks(before: BlockView, after: BlockView): number {
  const mostCount = Math.min(before.blockCount, after.blockCount);
  if (before.list === after.list) return mostCount;
  let same = 0;
  while (same < mostCount && before.list.blocks[same] === after.list.blocks[same]) same++;
  return same;
}

/** The place of the block with this number, counted through the whole request. */
export function placeOfBlock({ list, messageCount }: BlockView, index: number): CacheMark {
  let low = 0;
  let high = messageCount;
  // The last message that begins at or before it.
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (list.starts[middle]! <= index) low = middle;
    else high = middle;
  }
  return { message: low, block: index - (list.starts[low] ?? 0) };
}

/** The number of the block at a place. */
export function numberOfBlock({ list }: BlockView, { message, block }: CacheMark): number {
  return (list.starts[message] ?? 0) + block;
}
