/**
 * Chooses the places of a request's cache marks, at providers that keep entries at marks and nowhere else.
 *
 * Marks are put at up to three places, in this order if there are too few:
 *
 * 1. The *end*, so that the next request reads all of this one.
 * 2. The latest mark of an *earlier request* with an unchanged prefix, if the end is too far from it for the provider's
 *    look-back. It saves cost in this request.
 * 3. The *stable boundary*, before which no rewrite is expected soon: after the next rewrite the request still reads up to
 *    there. It saves cost later.
 *
 * Marks move only when messages are added, and only forward: each move writes a new cache entry.
 */
import { assert } from "../../base/assert.ts";
import type { ContentBlock, Role } from "../../transcript/blocks.ts";
import type { CacheMark, RequestMessage } from "../../transcript/window.ts";
import type { Tariff } from "../price/tariff.ts";
import { countSameBlocks, numberOfBlock, placeOfBlock } from "./block-chain.ts";
import type { SentPrompt } from "./prompt-cache-monitor.ts";
import { findPromptChange } from "./prompt-fingerprint.ts";

/** Most marks of earlier requests that are remembered. Our choice: a rewind or an edit seldom reaches further back than this many calls. */
const EARLIER_MARKS_COUNT = 64;

/** Input for the marks of a request. */
interface BreakpointInput {
  readonly messages: readonly RequestMessage[];
  /** Index of the last message that no rewrite is expected to change; absent or below 0 where there is none. */
  readonly stableThrough?: number | undefined;
  /** Marks that the host sets itself, on system prompt and tools. @defaultValue 0 */
  readonly reservedMarks?: number | undefined;
  /** Marks of earlier requests with an unchanged prefix, in order. */
  readonly earlierMarks?: readonly CacheMark[] | undefined;
  /** Size of the whole request, if known: below the provider's minimum a mark has no effect. */
  readonly promptTokens?: number | undefined;
}

/** Plans the marks of a request, in order; none at a provider that matches common beginnings automatically. */
export function planBreakpoints(
  { messages, stableThrough = -1, reservedMarks = 0, earlierMarks = [], promptTokens }: BreakpointInput,
  { matching, maxMarks, lookBackBlocks, minimumCacheTokens }: Tariff,
): readonly CacheMark[] {
  const freeMarks = Math.floor(maxMarks - Math.max(0, reservedMarks));
  const isTooSmall = promptTokens !== undefined && promptTokens < minimumCacheTokens;
  if (matching === "prefix" || isTooSmall || !(freeMarks >= 1)) return [];
  const end = findMark(messages, messages.length - 1);
  if (end === undefined) return [];

  const marks = [end];
  const stable = findMark(messages, Math.min(stableThrough, end.message));
  const earlier = earlierMarks.findLast((mark) => isMarkable(messages, mark) && !isBefore(end, mark));
  const isOutOfSight = (mark: CacheMark): boolean =>
    !marks.some((one) => isWithin(messages, { from: mark, to: one, blocks: lookBackBlocks }));
  const hasFreeMark = (): boolean => marks.length < freeMarks;

  const isStableUseful = stable !== undefined && isBefore(stable, end);
  if (earlier !== undefined && hasFreeMark() && isOutOfSight(earlier)) {
    // Where the stable boundary lies within sight of the earlier mark, one mark serves as both.
    const reaches =
      isStableUseful && isWithin(messages, { from: earlier, to: stable, blocks: lookBackBlocks });
    marks.push(reaches ? stable : earlier);
  }
  if (isStableUseful && hasFreeMark() && !marks.some((mark) => isSame(mark, stable))) marks.push(stable);
  marks.sort((one, other) => (isBefore(one, other) ? -1 : 1));
  assert(marks.length <= freeMarks, "a request has no more marks than the provider takes");
  return marks;
}

/** True if `one` is before `other`. @internal */
export function isBefore(one: CacheMark, other: CacheMark): boolean {
  return one.message < other.message || (one.message === other.message && one.block < other.block);
}

function isSame(one: CacheMark, other: CacheMark): boolean {
  return one.message === other.message && one.block === other.block;
}

/** Returns the last block up to the end of message `through` that may carry a mark. */
function findMark(messages: readonly RequestMessage[], through: number): CacheMark | undefined {
  for (let message = Math.floor(through); message >= 0; message--) {
    const { role, content } = messages[message]!;
    const block = content.findLastIndex((one) => takesMark(one, role));
    if (block >= 0) return { message, block };
  }
  return undefined;
}

function isMarkable(messages: readonly RequestMessage[], { message, block }: CacheMark): boolean {
  const found = messages[message];
  const one = found?.content[block];
  return found !== undefined && one !== undefined && takesMark(one, found.role);
}

/**
 * True if a block may carry a mark. The provider refuses marks on thinking and empty text; its own blocks are sent back
 * unchanged; media in an answer are left out of the request, and a mark on them would be lost.
 */
function takesMark(block: ContentBlock, role: Role): boolean {
  switch (block.type) {
    case "text":
      return block.text.trim() !== "";
    case "image":
    case "document":
      return role === "user";
    case "tool_use":
    case "tool_result":
      return true;
    default:
      return false;
  }
}

/**
 * True if `from` is at most `blocks` - 1 blocks before `to`. Whether the provider counts
 * the marked block itself is not documented, so we do.
 */
function isWithin(
  messages: readonly RequestMessage[],
  { from, to, blocks }: { readonly from: CacheMark; readonly to: CacheMark; readonly blocks: number },
): boolean {
  if (isBefore(to, from)) return false;
  let distance = to.block - from.block;
  for (let message = from.message; message < to.message && distance < blocks; message++)
    distance += messages[message]!.content.length;
  return distance < blocks;
}

interface RememberedMark {
  /** Number of the marked block in the last request. */
  readonly index: number;
  /** When a request with this mark was sent last; the lifetime of its cache entry began then. */
  readonly atMs: number;
}

/** Remembers the marks of sent requests, to find those whose cache entries the next request can read. */
export class MarkMemory {
  #last: SentPrompt | undefined;
  #marks: readonly RememberedMark[] = [];
  /** The valid marks of a request that leaves: asked before and after it. */
  #judged: { readonly sent: SentPrompt; readonly valid: readonly RememberedMark[] } | undefined;

  /** Returns the remembered marks that are valid for a request that is about to leave, in order. */
  earlierMarks(sent: SentPrompt): readonly CacheMark[] {
    return this.#validMarks(sent)
      .map(({ index }) => index)
      .sort((one, other) => one - other)
      .map((index) => placeOfBlock(sent.fingerprint.blocks, index));
  }

  /** Records that the request was sent with these marks. */
  left(sent: SentPrompt, marks: readonly CacheMark[]): void {
    const { blocks } = sent.fingerprint;
    const { atMs } = sent;
    const used = marks.map((mark) => ({ index: numberOfBlock(blocks, mark), atMs }));
    const indexes = new Set(used.map(({ index }) => index));
    const others = this.#validMarks(sent).filter(({ index }) => !indexes.has(index));
    // The marks used last are at the end; the others are forgotten first.
    this.#marks = [...others, ...used].slice(-EARLIER_MARKS_COUNT);
    this.#last = sent;
    this.#judged = undefined;
  }

  /** The marks whose entries have not expired and whose prefix `sent` shares. */
  #validMarks(sent: SentPrompt): readonly RememberedMark[] {
    if (this.#judged?.sent !== sent) this.#judged = { sent, valid: this.#judge(sent) };
    return this.#judged.valid;
  }

  #judge(sent: SentPrompt): readonly RememberedMark[] {
    const last = this.#last;
    if (last === undefined || last.fingerprint.model !== sent.fingerprint.model) return [];
    const change = findPromptChange(last.fingerprint, sent.fingerprint);
    // Tools, system prompt and parameters precede all messages, so a change there invalidates every mark.
    if (change !== undefined && change.part !== "message") return [];
    const sameCount = countSameBlocks(last.fingerprint.blocks, sent.fingerprint.blocks);
    const sinceMs = sent.atMs - last.tariff.cacheLifetimeMs;
    return this.#marks.filter(({ index, atMs }) => index < sameCount && atMs >= sinceMs);
  }
}
