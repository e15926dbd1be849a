/**
 * Collects what a page shows while a session is replayed: each call's request as it was sent, and the
 * edits before it.
 */

import type { ContentBlock, RequestMessage, SessionEvent } from "palimpsest";
import type { Digest } from "palimpsest/experimental";
import type { PreparedCall, SessionObserver } from "palimpsest/internal";
import {
  extractNotes,
  factsOfDigest,
  formatNotes,
  isEmptyTemplate,
  NOTES_TEMPLATE,
  notesLimits,
  parseNotes,
  sizeOfNotes,
  withoutMark,
} from "palimpsest/internal";
import type { VisibleMessage } from "palimpsest/transcript";
import {
  PAGE_CATEGORIES,
  type PageCall,
  type PageEdit,
  type PageFixed,
  type PageNotes,
  type RecordedPage,
} from "./page-data.ts";
import { PageDictionary, pageText } from "./page-dictionary.ts";
import { pageEdit } from "./page-edits.ts";

export class PageRecorder implements SessionObserver {
  readonly #dictionary = new PageDictionary();
  readonly #edits: PageEdit[] = [];
  readonly #calls: PageCall[] = [];
  #fixed: PageFixed | undefined;
  #notes: PageNotes | undefined;
  /** Pieces of the window, by block object: a request consists of the same objects. */
  #pieces = new Map<ContentBlock, number>();
  #visible: readonly VisibleMessage[] = [];
  #seenCount = 0;
  #before: readonly number[] = [];

  onEvent(event: SessionEvent): void {
    const edit = pageEdit(event, this.#calls.length);
    if (edit !== undefined) this.#edits.push(edit);
    if (event.type !== "layer") return;
    for (const form of event.edit.effect.forms ?? []) this.#dictionary.reshaped(form, event.layer);
  }

  /** A call was prepared; `visible` is the window that it was made of. */
  take(visible: readonly VisibleMessage[], call: PreparedCall): void {
    this.#follow(visible);
    this.#fixed ??= fixedOf(call);
    const pieces = call.messages.flatMap((message) => this.#piecesOf(message));
    const { total, fixed } = call.tokens;
    this.#calls.push({
      seq: call.callSeq,
      tokens: total,
      ...this.#sizes(pieces, { total, fixed }),
      pieces: encodePieces(this.#before, pieces),
    });
    this.#before = pieces;
  }

  /** Called at the end of the session: makes notes from its log, without a model. */
  noted(digest: Digest, windowTokens: number): void {
    const blank = parseNotes(NOTES_TEMPLATE.text);
    const { document } = extractNotes(blank, factsOfDigest(digest), { limits: notesLimits(windowTokens) });
    if (isEmptyTemplate(document)) return;
    // The marks are for the next update, not for readers.
    const lines = formatNotes(document).split("\n").map(withoutMark);
    this.#notes = { text: lines.join("\n"), tokens: sizeOfNotes(document) };
  }

  finish(): RecordedPage {
    const { sources, pieces } = this.#dictionary;
    const fixed = this.#fixed ?? {};
    const notes = this.#notes === undefined ? {} : { notes: this.#notes };
    return { fixed, sources, pieces, edits: this.#edits, calls: this.#calls, ...notes };
  }

  /** Gives every block of the window its piece. While the window grows, only new messages are processed. */
  #follow(visible: readonly VisibleMessage[]): void {
    if (visible !== this.#visible) {
      this.#pieces = new Map();
      this.#seenCount = 0;
    }
    for (const message of visible.slice(this.#seenCount))
      for (const shown of message.blocks)
        this.#pieces.set(shown.block, this.#dictionary.pieceOf(message, shown));
    this.#visible = visible;
    this.#seenCount = visible.length;
  }

  #piecesOf({ content }: RequestMessage): readonly number[] {
    return content.flatMap((block) => this.#pieces.get(block) ?? []);
  }

  #sizes(
    pieces: readonly number[],
    { total, fixed }: { readonly total: number; readonly fixed: number },
  ): Pick<PageCall, "byCategory" | "ratio"> {
    const reference = new Array<number>(PAGE_CATEGORIES.length).fill(0);
    let sum = 0;
    for (const piece of pieces) {
      const tokens = this.#dictionary.tokens[piece]!;
      reference[this.#dictionary.pieces[piece]!.category]! += tokens;
      sum += tokens;
    }
    // What messages cost beside their blocks is shared among them.
    const ratio = sum === 0 ? 1 : Math.max(0, total - fixed) / sum;
    const byCategory = reference.map((tokens) => Math.round(tokens * ratio));
    byCategory[PAGE_CATEGORIES.indexOf("fixed")] = Math.min(fixed, total);
    return { byCategory, ratio: Math.round(ratio * 1e4) / 1e4 };
  }
}

function fixedOf({ system, tools }: PreparedCall): PageFixed {
  return {
    ...(system === undefined ? {} : { system: pageText(system) }),
    ...(tools === undefined ? {} : { tools: pageText(JSON.stringify(tools) ?? "") }),
  };
}

/** Encodes the difference between a request and the one before: see `PageCall.pieces`. */
export function encodePieces(before: readonly number[], now: readonly number[]): readonly number[] {
  const shorter = Math.min(before.length, now.length);
  let head = 0;
  while (head < shorter && before[head] === now[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before[before.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const encoded = [head, tail];
  for (let at = head; at < now.length - tail; ) {
    const from = at;
    while (at < now.length - tail && now[at] === now[from]! + (at - from)) at++;
    encoded.push(now[from]!, at - from);
  }
  return encoded;
}
