/**
 * What a memory is worth: as much as its file says, less with age, more where it was of use.
 *
 * Only the relation of two worths is of use: for ranking, for what goes when the index is full, and for what a
 * dream takes out.
 */
import { MEMORY_RECALL_DEFAULTS } from "../base/defaults/memory-recall.ts";
import { DAY_MS } from "../base/durations.ts";
import type { Memory } from "./memory.ts";

/** Whole days since then. A clock that was set back makes nothing younger than new. */
export function daysSince(atMs: number, nowMs: number): number {
  return Math.floor(Math.max(0, nowMs - atMs) / DAY_MS);
}

/** Whole days since it was last written; `undefined` where the file does not say. */
export function ageDays(
  { createdAtMs, updatedAtMs }: Pick<Memory, "createdAtMs" | "updatedAtMs">,
  nowMs: number,
): number | undefined {
  const writtenMs = updatedAtMs ?? createdAtMs;
  return writtenMs === undefined ? undefined : daysSince(writtenMs, nowMs);
}

/**
 * Its age counts from when somebody last stood by it: said it, said it again, or confirmed it. Of unknown age is what
 * does not say when it was made.
 * @param usedCount - in how many sessions it was recalled and used
 */
export function worthOf(
  memory: Pick<Memory, "relevance" | "decays" | "createdAtMs" | "updatedAtMs">,
  nowMs: number,
  usedCount = 0,
): number {
  const { halfLifeDays, usedWorth } = MEMORY_RECALL_DEFAULTS;
  const relevance = memory.relevance + Math.min(usedWorth.most, usedWorth.each * usedCount);
  if (!memory.decays || memory.createdAtMs === undefined) return relevance;
  const stoodByMs = Math.max(memory.createdAtMs, memory.updatedAtMs ?? memory.createdAtMs);
  const days = Math.max(0, nowMs - stoodByMs) / DAY_MS;
  return relevance * 0.5 ** (days / halfLifeDays);
}
