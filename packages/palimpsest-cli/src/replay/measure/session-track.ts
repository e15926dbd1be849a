/**
 * Watches a session while it is replayed, call by call: sizes, edits, repairs, verdicts of the wire oracle,
 * and the original messages, for the check that nothing was lost.
 */
import { type Message, nodeHasher, type RequestMessage, type SessionEvent } from "palimpsest";
import { findLayer, LAYERS, type PreparedCall, type SessionObserver } from "palimpsest/internal";
import type { LayerEdit, LayerName } from "palimpsest/transcript";
import type { LayerFigures } from "./replay-json.ts";
import type { BrokenRule, WireJudge } from "./wire-judge.ts";

export interface TrackedCall {
  /** Names the call in the log. */
  readonly seq: number;
  readonly tokens: number;
  readonly prepareMs: number;
  readonly windowHash: string;
  /** The letters of the layers that acted before the call. */
  readonly marks: readonly string[];
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

export class SessionTrack implements SessionObserver {
  readonly calls: TrackedCall[] = [];
  readonly repairs: TrackedRepair[] = [];
  readonly violations: FoundViolation[] = [];
  /** Original messages, by entry number. */
  readonly originals = new Map<number, Message>();
  readonly #judge: WireJudge;
  readonly #layers = new Map<LayerName, LayerFigures>();
  #marks: string[] = [];
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
    const figures = LAYERS.map(({ name }) => [name, this.#layers.get(name) ?? NO_EDITS]);
    return Object.fromEntries(figures) as Record<LayerName, LayerFigures>;
  }

  #countLayer(layer: LayerName, { reason, freedTokens }: Pick<LayerEdit, "reason" | "freedTokens">): void {
    const before = this.#layers.get(layer) ?? NO_EDITS;
    this.#layers.set(layer, {
      edits: before.edits + 1,
      freedTokens: before.freedTokens + freedTokens,
      reasons: { ...before.reasons, [reason]: (before.reasons[reason] ?? 0) + 1 },
    });
    const mark = findLayer(layer)?.mark;
    if (mark !== undefined) this.#marks.push(mark.letter);
  }
}

const known = new WeakMap<RequestMessage, string>();

/** Messages that were in an earlier window are not hashed again. */
export function hashWindow(messages: readonly RequestMessage[]): string {
  return nodeHasher.sha256(messages.map(hashMessage).join());
}

function hashMessage(message: RequestMessage): string {
  const hash = known.get(message) ?? nodeHasher.sha256(JSON.stringify(message));
  known.set(message, hash);
  return hash;
}
