/**
 * Plans what a person's decision about a memory changes: confirming or forgetting it.
 *
 * Superseded memories depend on their successor. A quarantined memory supersedes nothing until a person confirms it;
 * if a correction is forgotten, the memory it corrected is current again. Nothing is written here, and each plan
 * lists its side effects.
 */
import type { MemoryChange } from "../../ports/memory-store.ts";
import { doesFade, type KnownMemory } from "../files/memory.ts";
import { updateMemoryFile } from "../files/memory-file.ts";
import { claimedBy, lineFor, markSuperseded, type PlannedLine } from "./plan-remember.ts";

export interface DecisionPlan {
  readonly status: "confirmed" | "archived" | "rejected";
  readonly reason: string;
  readonly changes: readonly MemoryChange[];
  readonly lines: readonly PlannedLine[];
  /** Memories whose line of the index is to go. */
  readonly unlisted: readonly string[];
  readonly superseded: readonly string[];
}

/** The memory, and those in its directory that it depends on or that depend on it. */
export interface DecisionSituation {
  readonly decided: KnownMemory;
  readonly known: ReadonlyMap<string, KnownMemory>;
}

/** A person confirms it. A superseded memory stays history, and the receipt says so. */
export function planConfirm({ decided, known }: DecisionSituation, nowMs: number): DecisionPlan {
  const { memory, text, version } = decided;
  const { path, supersededBy } = memory;
  const successor = supersededBy === undefined ? undefined : known.get(supersededBy)?.memory;
  if (successor !== undefined && !successor.isQuarantined) return leaveAsHistory(successor.path);
  const updated = updateMemoryFile(text, {
    isConfirmed: true,
    isQuarantined: false,
    updatedAtMs: nowMs,
    // Its successor is missing, or is not shown to models.
    ...(supersededBy === undefined ? {} : { supersededBy: undefined }),
  });
  const old = memory.isQuarantined ? claimedBy(memory, known) : [];
  const superseded = old.map((one) => one.memory.path);
  return {
    status: "confirmed",
    reason: `A person stands by it.${superseded.length > 0 ? ` It takes the place of ${superseded.join(", ")}.` : ""}`,
    changes: [{ path, base: version, text: updated }, ...markSuperseded(old, path, nowMs)],
    lines: [lineFor(memory, path)],
    unlisted: superseded,
    superseded,
  };
}

function leaveAsHistory(successor: string): DecisionPlan {
  const reason = `${successor} took its place, so it is history, and nothing was changed. Forget ${successor}, and it is recalled again.`;
  return { status: "rejected", reason, changes: [], lines: [], unlisted: [], superseded: [] };
}

/** Moves it to the archive. Memories that it superseded are current again, or follow its own successor. */
export function planForget({ decided, known }: DecisionSituation, nowMs: number): DecisionPlan {
  const { path, supersededBy } = decided.memory;
  const older = [...known.values()].filter(({ memory }) => memory.supersededBy === path);
  const heir = supersededBy !== undefined && known.has(supersededBy) ? supersededBy : undefined;
  const back = heir === undefined ? older.filter(({ memory }) => !memory.isQuarantined) : [];
  const paths = back.map(({ memory }) => memory.path).join(", ");
  return {
    status: "archived",
    reason: `It is in the archive, and no longer recalled.${paths === "" ? "" : ` What it took the place of is recalled again: ${paths}.`}`,
    changes: [
      { path, base: decided.version, text: undefined },
      ...older.map(({ memory, text, version }) => ({
        path: memory.path,
        base: version,
        text: updateMemoryFile(text, {
          supersededBy: heir,
          // A dream does not archive at once what a decision of today brings back.
          ...(heir === undefined && doesFade(memory) ? { keptAtMs: nowMs } : {}),
        }),
      })),
    ],
    lines: back.map(({ memory }) => lineFor(memory, memory.path)),
    unlisted: [path],
    superseded: [],
  };
}
