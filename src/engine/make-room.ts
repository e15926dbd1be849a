/**
 * Making room: from the size of a request to the edits that bring it under its limits.
 *
 * The window's size decides first, so a call far below the gates costs nothing here. After a pass
 * that found nothing, the next one waits until the window has grown by as much as a pass must free.
 */
import { COMPACTION_DEFAULTS } from "../base/defaults/compaction.ts";
import { ENGINE_DEFAULTS } from "../base/defaults/engine.ts";
import type { Digest } from "../compaction/digest.ts";
import { planOldBlocks } from "../compaction/escalation.ts";
import { planExtractiveCompact } from "../compaction/extractive-compact.ts";
import { type Measure, measureMessages } from "../compaction/measure.ts";
import { planPeel } from "../compaction/peel.ts";
import type { PinnedText } from "../compaction/pins.ts";
import { extractivePolicy, type WindowSituation } from "../compaction/policies.ts";
import type { ContextBudget } from "../tokens/budget.ts";
import type { LayerEdit } from "../transcript/edits.ts";
import { previewEdit, type SeqPin } from "../transcript/projection.ts";
import type { VisibleMessage } from "../transcript/window.ts";

export interface Room {
  readonly visible: readonly VisibleMessage[];
  /** The whole request, padded, in tokens. */
  readonly usedTokens: number;
  /** System prompt and tools within it, padded. */
  readonly fixedTokens: number;
  readonly budget: ContextBudget;
  readonly editSafety: "strict" | "permissive";
  readonly measure: Measure;
  readonly padding: number;
  readonly disabledLayers: ReadonlySet<string>;
  readonly keptTools: readonly string[];
  /** The last call before this one: what stands after it was never sent. */
  readonly lastCallSeq: number;
  /** What every layer leaves alone. */
  readonly pins: readonly SeqPin[];
  readonly seq: number;
  readonly at: number;
}

export interface RoomMade {
  readonly edits: readonly LayerEdit[];
  /** The request with these edits, padded, in tokens. */
  readonly usedTokens: number;
}

export class RoomMaker {
  readonly #digest: () => Promise<Digest>;
  readonly #pinned: () => Promise<readonly PinnedText[]>;
  /** Below this size the layers found nothing the last time. */
  #quietUntilTokens = 0;

  constructor(digest: () => Promise<Digest>, pinned: () => Promise<readonly PinnedText[]>) {
    this.#digest = digest;
    this.#pinned = pinned;
  }

  /** Whether a request of this size, padded, is to be looked at by the layers. */
  isNeeded(usedTokens: number, budget: ContextBudget): boolean {
    if (usedTokens >= budget.autoCompactGateTokens) return true;
    return usedTokens >= budget.offloadGateTokens && usedTokens >= this.#quietUntilTokens;
  }

  async make(room: Room): Promise<RoomMade> {
    const { budget } = room;
    const situation = situationOf(room);
    const gates = {
      offloadTokens: budget.offloadGateTokens,
      microcompactTokens: budget.microcompactGateTokens,
    };
    const old = planOldBlocks({ ...room, gates, situation });
    this.#quietUntilTokens =
      old.usedTokens + Math.ceil(budget.effectiveTokens * COMPACTION_DEFAULTS.minFreedShare);
    if (old.usedTokens < budget.autoCompactGateTokens) return old;

    this.#quietUntilTokens = 0;
    const compacted = room.disabledLayers.has("extractive")
      ? undefined
      : await this.#compact(room, situation);
    return this.#peel(room, compacted ?? old);
  }

  async #compact(room: Room, situation: WindowSituation): Promise<RoomMade | undefined> {
    const edit = planExtractiveCompact({
      visible: room.visible,
      digest: await this.#digest(),
      measure: room.measure,
      policy: extractivePolicy(situation),
      pendingCallIds: situation.pendingCallIds,
      reason: "threshold",
      pinned: await this.#pinned(),
    });
    if (edit === undefined) return undefined;
    return { edits: [edit], usedTokens: sizeAfter(room, [edit]) };
  }

  /** The end stop: what is still too large is shown in part, whatever it is. */
  #peel(room: Room, made: RoomMade): RoomMade {
    const { blockingTokens } = room.budget;
    if (made.usedTokens < blockingTokens) return made;
    const visible = visibleAfter(room, made.edits);
    const maxTokens = Math.floor(
      (blockingTokens * ENGINE_DEFAULTS.peelShare - room.fixedTokens) / room.padding,
    );
    const mayShorten = (message: VisibleMessage): boolean =>
      room.editSafety === "permissive" || message.seq > room.lastCallSeq;
    const leftAlone = measureMessages(
      visible.filter((message) => !mayShorten(message)),
      room.measure,
    );
    const edit = planPeel(visible.filter(mayShorten), maxTokens - leftAlone, room.measure, room.pins);
    if (edit === undefined) return made;
    const edits = [...made.edits, edit];
    return { edits, usedTokens: sizeAfter(room, edits) };
  }
}

function situationOf(room: Room): WindowSituation {
  const { budget, fixedTokens, padding, editSafety, pins } = room;
  return {
    windowTokens: budget.windowTokens,
    // Planners measure unpadded and without the fixed part, so they get the room that is left for that.
    effectiveTokens: Math.floor((budget.effectiveTokens - fixedTokens) / padding),
    editSafety,
    pendingCallIds: [],
    pins,
  };
}

function visibleAfter(room: Room, edits: readonly LayerEdit[]): readonly VisibleMessage[] {
  const { seq, at } = room;
  return edits.reduce(
    (visible, edit, index) => previewEdit(visible, edit, { seq: seq + index, at }),
    room.visible,
  );
}

function sizeAfter(room: Room, edits: readonly LayerEdit[]): number {
  const tokens = measureMessages(visibleAfter(room, edits), room.measure);
  return Math.ceil(tokens * room.padding + room.fixedTokens);
}
