/**
 * The window that a baseline keeps: pieces that are shown whole, in a shorter form, or told by a
 * summary that a model would have written.
 */
import { EVALUATION_DEFAULTS as D } from "../base/defaults/evaluation.ts";
import { DEFAULTS } from "../base/defaults.ts";
import type { Arena, Lookup, RunSetting } from "./contestant.ts";
import { findMetricStrings } from "./metric-strings.ts";
import { type Summarised, summaryStrings } from "./summary-model.ts";
import type { SpokenBy, TrajectoryMessage } from "./trajectory.ts";
import { nextUnitId, VisibleStrings, type WindowUnit } from "./window-unit.ts";

/** What a piece shows: a message whole, cut at arrival, cleared, restored; or a summary. */
export type PieceForm = "whole" | "cleared" | "restored" | "summary";

export interface Piece extends WindowUnit {
  readonly spokenBy: SpokenBy;
  readonly tool?: string;
  readonly form: PieceForm;
  readonly message?: TrajectoryMessage;
}

/** How a summary replaces the oldest pieces. */
export interface SummaryPlan {
  /** How many of the oldest pieces it replaces. */
  readonly count: number;
  readonly mode: "fork" | "fresh";
  /** What a fresh call reads; all that is replaced, by default. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Calls that it takes; the later ones read what the first cached. */
  readonly calls?: number;
  /** What the summariser is shown of it; all, by default. */
  readonly shown?: (replaced: readonly Piece[]) => readonly Piece[];
  /** Read files that are put back behind it, newest first, at the most. */
  readonly restoredCount?: number;
  /** Whether the summary says where the whole can be read. */
  readonly hasPointer?: boolean;
}

const NOTHING: ReadonlySet<string> = new Set();
const READ_TOOLS = /read|view|open|cat|obs|bash|exec|shell/i;
/** Claude Code's own rule: files in all, and each, in the reference window. */
const RESTORED_TOKENS = 50_000;
const RESTORED_FILE_TOKENS = 5_000;
const RESTORED_LEAST_TOKENS = 150;

export class BaselineWindow {
  readonly setting: RunSetting;
  /** The window as a share of the reference window: every absolute number shrinks with it. */
  readonly scale: number;
  readonly #arena: Arena;
  readonly #visible = new VisibleStrings();
  readonly #pointedTo = new Set<number>();
  #pieces: Piece[] = [];
  #tokens = 0;

  constructor(setting: RunSetting, arena: Arena) {
    this.setting = setting;
    this.scale = setting.windowTokens / DEFAULTS.referenceWindowTokens;
    this.#arena = arena;
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
    const calls = message.message.content.filter(({ type }) => type === "tool_use").length;
    this.#push({
      id: nextUnitId(),
      source,
      tokens: message.tokens,
      blocks: 1 + calls,
      strings: message.strings,
      spokenBy: message.spokenBy,
      ...(message.tool === undefined ? {} : { tool: message.tool }),
      form: "whole",
      message,
    });
  }

  lookedUp({ source, message, strings, tokens }: Lookup): void {
    this.#push({
      id: nextUnitId(),
      source,
      tokens,
      blocks: 2,
      strings,
      spokenBy: "tool",
      tool: message.tool ?? "read",
      form: "whole",
      message: { ...message, strings, tokens },
    });
  }

  /** Shows these pieces as a placeholder. `isFree`: the provider does it without a rewrite. */
  clear(pieces: readonly Piece[], placeholderText = "", tokens: number = D.placeholderTokens): void {
    if (pieces.length === 0) return;
    const cleared = new Set(pieces);
    const strings = placeholderText === "" ? NOTHING : findMetricStrings(placeholderText);
    this.#pieces = this.#pieces.map((piece) =>
      cleared.has(piece) ? this.#shrunk(piece, tokens, strings) : piece,
    );
    this.#arena.edited("clear", 0);
  }

  /** Shows each piece by what `shown` leaves of it. */
  clearTo(pieces: readonly Piece[], tokens: number, shown: (text: string) => string): void {
    for (const piece of pieces)
      this.#replace(piece, this.#shrunk(piece, tokens, findMetricStrings(shown(piece.message?.text ?? ""))));
    if (pieces.length > 0) this.#arena.edited("clear", 0);
  }

  /** Drops the oldest pieces without a word. */
  drop(count: number): void {
    for (const piece of this.#pieces.slice(0, count)) this.#leave(piece);
    this.#pieces = this.#pieces.slice(count);
    if (count > 0) this.#arena.edited("clear", 0);
  }

  /** Tells the oldest pieces by a summary. */
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
    const strings = summaryStrings(seen.map(seenBy), { tokens, carried: [...new Set(carried)] });
    this.replaceOldest(count, this.#summaryOf(tokens, strings), hasPointer);
    this.#restore(replaced, plan.restoredCount ?? 0);
  }

  /** Puts a text of `tokens` that holds `strings` in the place of the oldest pieces. */
  replaceOldest(count: number, summary: Piece, hasPointer: boolean): void {
    const replaced = this.#pieces.slice(0, count);
    for (const piece of replaced) {
      this.#leave(piece);
      if (hasPointer && piece.source !== undefined) this.#pointedTo.add(piece.source);
    }
    this.#pieces = this.#pieces.slice(count);
    this.#insertFirst([summary]);
    this.#arena.edited("summary", 0);
  }

  /** Length of a model's summary in this window. */
  summaryTokens(): number {
    return Math.max(D.summaryFloorTokens, Math.round(D.summaryTokens * Math.sqrt(this.scale)));
  }

  notes(tokens: number, seen: readonly Summarised[]): Piece {
    return this.#summaryOf(tokens, summaryStrings(seen, { tokens }));
  }

  sideCall(outputTokens: number, addedTokens: number): void {
    this.#arena.sideCall({ mode: "fork", inputTokens: 0, outputTokens, addedTokens });
  }

  /** Index from which on at most `tokens` and at least `leastCount` pieces stay; no result loses its call. */
  tailStart(tokens: number, leastCount = 0): number {
    let kept = 0;
    let index = this.#pieces.length;
    while (index > 0) {
      const next = this.#pieces[index - 1]!;
      if (kept + next.tokens > tokens && this.#pieces.length - index >= leastCount) break;
      kept += next.tokens;
      index--;
    }
    while (index > 0 && this.#pieces[index]?.spokenBy === "tool") index--;
    return index;
  }

  #restore(replaced: readonly Piece[], most: number): void {
    const restored: Piece[] = [];
    let left = RESTORED_TOKENS * this.scale;
    for (const piece of replaced.toReversed()) {
      if (restored.length >= most) break;
      const message = piece.message;
      if (piece.spokenBy !== "tool" || message === undefined || !READ_TOOLS.test(piece.tool ?? "")) continue;
      const whole = message.tokens;
      if (whole > RESTORED_FILE_TOKENS * this.scale * 2 || whole < RESTORED_LEAST_TOKENS) continue;
      const tokens = Math.min(whole, RESTORED_FILE_TOKENS * this.scale);
      if (tokens > left) break;
      left -= tokens;
      const { strings } = message;
      restored.push({ ...piece, id: nextUnitId(), tokens, blocks: 1, strings, form: "restored" });
    }
    const [summary, ...others] = this.#pieces;
    this.#pieces = [summary!, ...restored, ...others];
    for (const piece of restored) this.#enter(piece);
  }

  #summaryOf(tokens: number, strings: ReadonlySet<string>): Piece {
    return { id: nextUnitId(), tokens, blocks: 1, strings, spokenBy: "user", form: "summary" };
  }

  #shrunk(piece: Piece, tokens: number, strings: ReadonlySet<string>): Piece {
    this.#leave(piece);
    const shrunk: Piece = { ...piece, id: nextUnitId(), tokens, strings, form: "cleared" };
    this.#enter(shrunk);
    return shrunk;
  }

  #replace(piece: Piece, other: Piece): void {
    this.#pieces[this.#pieces.indexOf(piece)] = other;
  }

  #push(piece: Piece): void {
    this.#pieces.push(piece);
    this.#enter(piece);
  }

  #insertFirst(pieces: readonly Piece[]): void {
    this.#pieces.unshift(...pieces);
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

/** A cleared or shortened piece shows only what is left of it. */
function seenBy({ spokenBy, strings }: Piece): Summarised {
  return { spokenBy, strings };
}
