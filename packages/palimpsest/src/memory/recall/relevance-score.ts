/**
 * What a memory is worth: as much as its file says, less with age, more where it was of use.
 *
 * Only the relation of two worths is of use: for ranking, for what goes when the index is full, and for what a
 * dream takes out.
 */
import { MEMORY_RECALL_DEFAULTS } from "../../base/defaults/memory/recall.ts";
import { DAY_MS, daysSince } from "../../base/durations.ts";
import { doesFade, type Memory } from "../files/memory.ts";

/** Whole days since it was last written; `undefined` where the file does not say. */
export function ageDays(
  { createdAtMs, updatedAtMs }: Pick<Memory, "createdAtMs" | "updatedAtMs">,
  nowMs: number,
): number | undefined {
  const writtenMs = updatedAtMs ?? createdAtMs;
  return writtenMs === undefined ? undefined : daysSince(writtenMs, nowMs);
}

type Valued = Pick<
  Memory,
  "relevance" | "decays" | "type" | "source" | "isConfirmed" | "createdAtMs" | "updatedAtMs" | "keptAtMs"
>;

/**
 * Its age counts from when a person last said it or confirmed it. A memory without a creation date has no known age.
 * @param usedCount - in how many sessions it was recalled and used
 */
export function relevanceScoreOf(memory: Omit<Valued, "keptAtMs">, nowMs: number, usedCount = 0): number {
  return scoreSince(memory, memory.updatedAtMs ?? 0, { nowMs, usedCount });
}

/**
 * The worth by which it is decided whether a memory goes to the archive: its age counts from when it was last kept on
 * purpose, too. An import, or the winner of a contradiction, has a full life here before it fades.
 */
export function standingOf(memory: Valued, nowMs: number, usedCount = 0): number {
  const { updatedAtMs = 0, keptAtMs = 0 } = memory;
  return scoreSince(memory, Math.max(updatedAtMs, keptAtMs), { nowMs, usedCount });
}

function scoreSince(
  memory: Omit<Valued, "keptAtMs">,
  sinceMs: number,
  { nowMs, usedCount }: { readonly nowMs: number; readonly usedCount: number },
): number {
  const { halfLifeDays, usedBonus } = MEMORY_RECALL_DEFAULTS;
  const relevance = memory.relevance + Math.min(usedBonus.most, usedBonus.each * usedCount);
  if (!doesFade(memory) || memory.createdAtMs === undefined) return relevance;
  const days = Math.max(0, nowMs - Math.max(memory.createdAtMs, sinceMs)) / DAY_MS;
  return relevance * 0.5 ** (days / halfLifeDays);
}
