/**
 * The simulated window of a baseline (a policy of another agent). Its pieces are shown whole, shortened, or replaced by
 * a summary that a model would have written.
 */

import { DEFAULTS } from "palimpsest/internal";
import { estimateText, tokenizerRatio } from "palimpsest/tokens";
import type { Author, TrajectoryMessage } from "palimpsest-testing/internal";
import { nextUnitId, VisibleStrings, type WindowUnit } from "palimpsest-testing/internal";
import { EVALUATION_DEFAULTS as D } from "../defaults/evaluation.ts";
import { referencesOf, type SessionReferences } from "../references/references.ts";
import type { Arena, Lookup, RunSetting } from "../simulator/contestant.ts";
import { newestFiles } from "../simulator/session-files.ts";
import { type Summarised, summaryKeys } from "../simulator/summary-model.ts";

/** The form of a piece: a whole message, a shortened one, one restored by a compaction; or a summary. */
type PieceForm = "whole" | "cleared" | "restored" | "summary";

export interface Piece extends WindowUnit {
  readonly author: Author;
  readonly tool?: string;
  readonly form: PieceForm;
  readonly message?: TrajectoryMessage;
}

/** A summary in place of the oldest pieces. */
interface SummaryPlan {
  /** The number of the oldest pieces it replaces. */
  readonly count: number;
  readonly mode: "fork" | "fresh";
  /** Tokens that a fresh call reads. @defaultValue all replaced tokens */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Calls that it takes; the later ones read what the first cached. */
  readonly calls?: number;
  /** The pieces that the summarizer sees. @defaultValue all of them */
  readonly shown?: (replaced: readonly Piece[]) => readonly Piece[];
  /** Read files that are put back behind it, newest first, at the most. */
  readonly restoredCount?: number;
  /** True if the summary names the place of the full text. */
  readonly hasPointer?: boolean;
}

const NOTHING: ReadonlySet<string> = new Set();
const READ_TOOLS = /read|view|open|cat|obs|bash|exec|shell/i;
/** Claude Code's limits of restored files in the reference window: tokens of all, and of each. */
const RESTORED_TOKENS = 50_000;
const RESTORED_FILE_TOKENS = 5_000;
const RESTORED_LEAST_TOKENS = 150;

/** Holds the pieces, and reports side calls and edits to the simulator. */
export class BaselineWindow {
  readonly setting: RunSetting;
  /** The window as a share of the reference window: every absolute number shrinks with it. */
  readonly scale: number;
  readonly #arena: Arena;
  readonly #references: SessionReferences;
  readonly #visible = new VisibleStrings();
  readonly #pointedTo = new Set<number>();
  #pieces: Piece[] = [];
  #tokens = 0;
  /** Index of the message that comes next. */
  #nextSource = 0;

  constructor(setting: RunSetting, arena: Arena) {
    this.setting = setting;
    this.scale = setting.windowTokens / DEFAULTS.referenceWindowTokens;
    this.#arena = arena;
    this.#references = referencesOf(setting.trajectory);
  }

  get pieces(): readonly Piece[] {
    return this.#pieces;
  }

  get totalTokens(): number {
    return this.setting.trajectory.fixedTokens + this.#tokens;
  }

  get visible(): VisibleStrings {
    return this.#visible;
  }

  isPointedTo(source: number): boolean {
    return this.#pointedTo.has(source);
  }

  append(message: TrajectoryMessage, source: number): void {
    this.#nextSource = source + 1;
    this.#push({
      id: nextUnitId(),
      source,
      tokens: message.tokens,
      blocks: Math.max(1, message.message.content.length),
      strings: this.#references.keysOf(source),
      author: message.author,
      tool: message.tool,
      form: "whole",
      message,
    });
  }

  lookedUp({ source, message, strings, text, tokens }: Lookup): void {
    this.#push({
      id: nextUnitId(),
      source,
      tokens,
      blocks: 2,
      strings,
      author: "tool",
      tool: message.tool ?? "read",
      form: "whole",
      message: { ...message, text, strings, tokens },
    });
  }

  /** Replaces each of these pieces by a placeholder without content. */
  clear(pieces: readonly Piece[]): void {
    this.#shorten(pieces, D.placeholderTokens, () => NOTHING);
  }

  /** Replaces each piece by the part of its text that `shown` returns, with a pointer to the whole. */
  mask(pieces: readonly Piece[], tokens: number, shown: (text: string) => string): void {
    this.#shorten(pieces, tokens, ({ message }) => this.#references.keysInText(shown(message?.text ?? "")));
    for (const { source } of pieces) if (source !== undefined) this.#pointedTo.add(source);
  }

  /** Drops the oldest pieces and leaves nothing in their place. */
  drop(count: number): void {
    const dropped = this.#pieces.splice(0, count);
    for (const piece of dropped) this.#leave(piece);
    if (dropped.length > 0) this.#arena.edited("clear", sum(dropped));
  }

  /** Replaces the oldest pieces by a summary, and charges the call that writes it. */
  summarise(plan: SummaryPlan): void {
    const { count, mode, calls = 1, hasPointer = false } = plan;
    const replaced = this.#pieces.slice(0, count);
    if (replaced.length === 0) return;
    const tokens = plan.outputTokens ?? this.summaryTokens();
    const inputTokens = plan.inputTokens ?? sum(replaced);
    for (let call = 0; call < calls; call++)
      this.#arena.sideCall({
        mode,
        inputTokens: call === 0 ? inputTokens : inputTokens * this.setting.tariff.read,
        outputTokens: tokens,
      });
    const seen = (plan.shown?.(replaced) ?? replaced).filter(({ message }) => message !== undefined);
    const carried = replaced.flatMap((piece) => (piece.form === "summary" ? [...piece.strings] : []));
    const strings = summaryKeys(seen.map(seenBy), { tokens, carried: [...new Set(carried)] });
    this.replaceOldest(count, this.#summaryOf(tokens, strings), hasPointer);
    this.#restore(replaced, plan.restoredCount ?? 0);
  }

  /** Replaces the oldest `count` pieces by a summary. */
  replaceOldest(count: number, summary: Piece, hasPointer: boolean): void {
    const replaced = this.#pieces.splice(0, count);
    for (const piece of replaced) {
      this.#leave(piece);
      if (hasPointer && piece.source !== undefined) this.#pointedTo.add(piece.source);
    }
    this.#insert(0, [summary]);
    this.#arena.edited("summary", Math.max(0, sum(replaced) - summary.tokens));
  }

  /** Length of a model's summary in this window. */
  summaryTokens(): number {
    return Math.max(D.summaryFloorTokens, Math.round(D.summaryTokens * Math.sqrt(this.scale)));
  }

  notes(tokens: number, seen: readonly Summarised[]): Piece {
    return this.#summaryOf(Math.round(tokens), summaryKeys(seen, { tokens }));
  }

  sideCall(outputTokens: number, addedTokens: number): void {
    this.#arena.sideCall({ mode: "fork", inputTokens: 0, outputTokens, addedTokens });
  }

  /** Index of the first piece to keep: at most `tokens`, but at least `leastCount` pieces. No result loses its call. */
  tailStart(tokens: number, leastCount = 0): number {
    let kept = 0;
    let index = this.#pieces.length;
    while (index > 0) {
      const next = this.#pieces[index - 1]!;
      if (kept + next.tokens > tokens && this.#pieces.length - index >= leastCount) break;
      kept += next.tokens;
      index--;
    }
    while (index > 0 && isResult(this.#pieces[index])) index--;
    return index;
  }

  /** Restores the files that were used last, at most `mostCount`, as they are on the disk now. */
  #restore(replaced: readonly Piece[], mostCount: number): void {
    if (mostCount === 0) return;
    const { trajectory } = this.setting;
    const texts = newestFiles(trajectory, this.#nextSource, {
      filesCount: mostCount,
      fileTokens: RESTORED_FILE_TOKENS * this.scale,
      filesTokens: RESTORED_TOKENS * this.scale,
    });
    if (texts === undefined) {
      this.#restoreResults(replaced, mostCount);
      return;
    }
    const ratio = tokenizerRatio(trajectory.model);
    const restored = texts.map((text): Piece => {
      const tokens = Math.round(estimateText(text) * ratio);
      const strings = this.#references.keysInText(text);
      return { id: nextUnitId(), tokens, blocks: 1, strings, author: "note", form: "restored" };
    });
    this.#insert(1, restored);
  }

  /** In a recording whose calls show no files: the newest replaced results of reading tools. */
  #restoreResults(replaced: readonly Piece[], mostCount: number): void {
    const restored: Piece[] = [];
    let left = RESTORED_TOKENS * this.scale;
    for (const piece of replaced.toReversed()) {
      if (restored.length >= mostCount) break;
      const message = piece.message;
      if (piece.author !== "tool" || message === undefined || !READ_TOOLS.test(piece.tool ?? "")) continue;
      const whole = message.tokens;
      if (whole > RESTORED_FILE_TOKENS * this.scale * 2 || whole < RESTORED_LEAST_TOKENS) continue;
      const tokens = Math.min(whole, Math.round(RESTORED_FILE_TOKENS * this.scale));
      if (tokens > left) break;
      left -= tokens;
      const text = message.text.slice(0, Math.ceil((message.text.length * tokens) / whole));
      const strings = this.#references.keysInText(text);
      restored.push({ ...piece, id: nextUnitId(), tokens, blocks: 1, strings, form: "restored" });
    }
    this.#insert(1, restored);
  }

  #summaryOf(tokens: number, strings: ReadonlySet<string>): Piece {
    return { id: nextUnitId(), tokens, blocks: 1, strings, author: "user", form: "summary" };
  }

  #shorten(pieces: readonly Piece[], tokens: number, left: (piece: Piece) => ReadonlySet<string>): void {
    if (pieces.length === 0) return;
    const chosen = new Set(pieces);
    this.#pieces = this.#pieces.map((piece): Piece => {
      if (!chosen.has(piece)) return piece;
      this.#leave(piece);
      const short: Piece = { ...piece, id: nextUnitId(), tokens, strings: left(piece), form: "cleared" };
      this.#enter(short);
      return short;
    });
    this.#arena.edited("clear", sum(pieces) - pieces.length * tokens);
  }

  #push(piece: Piece): void {
    this.#pieces.push(piece);
    this.#enter(piece);
  }

  #insert(index: number, pieces: readonly Piece[]): void {
    this.#pieces.splice(index, 0, ...pieces);
    for (const piece of pieces) this.#enter(piece);
  }

  #enter({ strings, tokens }: Piece): void {
    this.#visible.add(strings);
    this.#tokens += tokens;
  }

  #leave({ strings, tokens }: Piece): void {
    this.#visible.remove(strings);
    this.#tokens -= tokens;
  }
}

function sum(pieces: readonly Piece[]): number {
  return pieces.reduce((tokens, piece) => tokens + piece.tokens, 0);
}

/** A restored file is a separate message, not an answer to a call. */
function isResult(piece: Piece | undefined): boolean {
  return piece?.author === "tool" && piece.form !== "restored";
}

/** A cleared or shortened piece shows only what is left of it. */
function seenBy({ author, strings }: Piece): Summarised {
  return { author, strings };
}
