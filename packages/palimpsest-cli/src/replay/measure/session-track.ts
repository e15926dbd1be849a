/**
 * Watches a session while it is driven, call by call: sizes, edits, repairs, what the wire oracle
 * says, and what is needed afterwards to check that nothing was lost.
 */
import type { Message, PreparedCall, SessionEvent, SessionObserver } from "palimpsest";
import type { LayerEdit, LayerName } from "palimpsest/transcript";
import type { LayerFigures } from "./replay-json.ts";
import { hashWindow } from "./window-hash.ts";
import type { BrokenRule, WireJudge } from "./wire-judge.ts";

/** What a layer did before a call, by the letter under its column. */
export type ChartMark = "o" | "m" | "c" | "x";

export interface TrackedCall {
  /** Names the call in the log. */
  readonly seq: number;
  readonly tokens: number;
  readonly prepareMs: number;
  readonly windowHash: string;
  readonly marks: readonly ChartMark[];
}

/** A broken rule and the call that broke it, counted from 1. */
export interface FoundViolation extends BrokenRule {
  readonly call: number;
}

export interface TrackedRepair {
  readonly reason: string;
  readonly subject: string;
}

const NO_EDITS: LayerFigures = { edits: 0, freedTokens: 0, reasons: {} };
const MARKS: Readonly<Record<LayerName, ChartMark>> = {
  offload: "o",
  peel: "o",
  microcompact: "m",
  collapse: "c",
  extractive: "x",
  full: "x",
  "session-memory": "x",
  reactive: "x",
};

export class SessionTrack implements SessionObserver {
  readonly calls: TrackedCall[] = [];
  readonly repairs: TrackedRepair[] = [];
  readonly violations: FoundViolation[] = [];
  /** What was said, by the number of its entry. */
  readonly originals = new Map<number, Message>();
  readonly #judge: WireJudge;
  readonly #layers = new Map<LayerName, LayerFigures>();
  #marks: ChartMark[] = [];
  #checkedRequests = 0;
  #brokenRequests = 0;

  constructor(judge: WireJudge) {
    this.#judge = judge;
  }

  onEvent(event: SessionEvent): void {
    if (event.type === "layer") this.#countLayer(event.layer, event.edit);
    else if (event.type === "offloaded")
      this.#countLayer("offload", { reason: "arrival", freedTokens: event.freedTokens });
    else if (event.type === "repair") this.repairs.push({ reason: event.reason, subject: event.subject });
  }

  /** Messages were appended as these entries. */
  keep(seqs: readonly number[], messages: readonly Message[]): void {
    seqs.forEach((seq, index) => {
      const message = messages[index];
      if (message !== undefined) this.originals.set(seq, message);
    });
  }

  /** A call was prepared. */
  take(call: PreparedCall, prepareMs: number): void {
    this.calls.push({
      seq: call.callSeq,
      tokens: call.tokens.total,
      prepareMs,
      windowHash: hashWindow(call.messages),
      marks: this.#marks,
    });
    this.#marks = [];
    const broken = this.#judge.judge(call);
    this.#checkedRequests += 2;
    this.#brokenRequests += new Set(broken.map(({ vendor }) => vendor)).size;
    for (const rule of broken) this.violations.push({ ...rule, call: this.calls.length });
  }

  get invariants(): { readonly checked: number; readonly broken: number } {
    return { checked: this.#checkedRequests, broken: this.#brokenRequests };
  }

  get peakTokens(): number {
    return this.calls.reduce((peak, { tokens }) => Math.max(peak, tokens), 0);
  }

  get layers(): Readonly<Record<LayerName, LayerFigures>> {
    const of = (layer: LayerName): LayerFigures => this.#layers.get(layer) ?? NO_EDITS;
    return {
      offload: of("offload"),
      microcompact: of("microcompact"),
      collapse: of("collapse"),
      extractive: of("extractive"),
      full: of("full"),
      "session-memory": of("session-memory"),
      reactive: of("reactive"),
      peel: of("peel"),
    };
  }

  #countLayer(layer: LayerName, { reason, freedTokens }: Pick<LayerEdit, "reason" | "freedTokens">): void {
    const before = this.#layers.get(layer) ?? NO_EDITS;
    this.#layers.set(layer, {
      edits: before.edits + 1,
      freedTokens: before.freedTokens + freedTokens,
      reasons: { ...before.reasons, [reason]: (before.reasons[reason] ?? 0) + 1 },
    });
    this.#marks.push(MARKS[layer]);
  }
}
