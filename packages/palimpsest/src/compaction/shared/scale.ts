/**
 * Token numbers for a window of any size: one continuous rule.
 *
 * A number scales with the window down to its floor, the least that is still useful. The floor
 * itself holds down to a small window and scales below it: an absolute floor would one day be the
 * whole window.
 */
import { COMPACTION_DEFAULTS } from "../../base/defaults/compaction/compaction.ts";
import { DEFAULTS } from "../../base/defaults/compaction/window.ts";

/** A number of tokens in the reference window, and the least it shrinks to in small ones. */
export interface ScaledTokens {
  readonly tokens: number;
  readonly floor: number;
}

/** The number for a window of `windowTokens`: never above `tokens`, growing with the window. */
export function scaleTokens({ tokens, floor }: ScaledTokens, windowTokens: number): number {
  const { floorWindowTokens } = COMPACTION_DEFAULTS;
  const scaled = tokens * Math.min(1, windowTokens / DEFAULTS.referenceWindowTokens);
  const scaledFloor = floor * Math.min(1, windowTokens / floorWindowTokens);
  return Math.max(1, Math.round(Math.max(scaled, scaledFloor)));
}
