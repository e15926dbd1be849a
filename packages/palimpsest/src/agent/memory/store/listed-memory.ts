/** Memories and indexes in the form in which callers get them. */

import { MemoryError } from "../../../base/errors.ts";
import { checkText } from "../../../base/options/check-options.ts";
import type { HitReason } from "../../../base/search/memory-search.ts";
import { showIndex } from "../../../memory/files/fit-index.ts";
import { parseIndex } from "../../../memory/files/index-entries.ts";
import { doesFade, type KnownMemory, type Memory } from "../../../memory/files/memory.ts";
import { INDEX_NAME, isOwnIndex } from "../../../memory/files/memory-index.ts";
import { isRecallable } from "../../../memory/recall/recall-plan.ts";
import { cleanMemoryText } from "../../../memory/trust/clean-memory.ts";
import type { DecisionSituation } from "../../../memory/write/plan-decision.ts";
import type { MemorySnapshot } from "./memory-cache.ts";
import { mountOf, TEAM_FOLDER } from "./mounted-store.ts";

/** One memory, and whether a model may be shown it. */
export interface ListedMemory extends Memory {
  /** False for what does not lose worth with age: preferences of a user do not, whatever their file says. */
  readonly decays: boolean;
  /** `active`: it is recalled. `superseded`: another one took its place. `quarantined`: only a tool or the web said so. */
  readonly state: "active" | "superseded" | "quarantined";
}

/** One memory with its file. */
export interface ShownMemoryFile extends ListedMemory {
  /** The file as it is. */
  readonly text: string;
}

/** A memory that a search found, and why. */
export interface FoundMemory extends ListedMemory {
  readonly score: number;
  readonly why: HitReason;
}

export function withState(memory: Memory): ListedMemory {
  const state = isRecallable(memory) ? "active" : memory.isQuarantined ? "quarantined" : "superseded";
  return { ...memory, decays: doesFade(memory), state };
}

/** @throws `MEMORY_NOT_FOUND` */
export function getKnown(view: MemorySnapshot, path: string): KnownMemory {
  checkText("memory", "path", path);
  const known = view.memories.get(path);
  if (known !== undefined) return known;
  const what = isOwnIndex(path) ? `${path} is the index, not a memory.` : `There is no memory ${path}.`;
  throw new MemoryError("MEMORY_NOT_FOUND", {
    message: what,
    hint: "List the memories; a path is written as the list gives it.",
  });
}

/** The index as a session is shown it. */
export interface MemoryIndexText {
  /** Empty where there is none. */
  readonly text: string;
  /** Sentences about an index that was too large, with what was left out of it. */
  readonly warnings: readonly string[];
}

/** The project's first. */
export function showIndexes(indexes: MemorySnapshot["indexes"]): MemoryIndexText {
  const shown = ["", TEAM_FOLDER].flatMap((mount) => {
    const file = indexes.get(mount + INDEX_NAME);
    if (file === undefined || file.text.trim() === "") return [];
    // Cut first: the warning describes the file as it is.
    const { text, warning } = showIndex(file.text);
    return [{ text: cleanMemoryText(mounted(text, mount), "body").text, warning }];
  });
  return {
    text: shown.map(({ text }) => text.trimEnd()).join("\n\n"),
    warnings: shown.flatMap(({ warning }) => warning ?? []),
  };
}

/** Adjusts paths to the mount point: a team's index names files in its own folder. */
function mounted(text: string, mount: string): string {
  if (mount === "") return text;
  const { lines, entries } = parseIndex(text);
  const targets = new Map(entries.map(({ fromLine, targetAt }) => [fromLine, targetAt]));
  return lines
    .map(({ text: line, ending }, at) => {
      const from = targets.get(at);
      if (from === undefined) return line + ending;
      const target = line.slice(from).replace(/^\s*(?:\.\/)*/, "");
      return `${line.slice(0, from)}${mount}${target}${ending}`;
    })
    .join("");
}

/** A memory, and those of its directory that a decision about it concerns. @throws `MEMORY_NOT_FOUND` */
export function decisionAbout(view: MemorySnapshot, path: string): DecisionSituation {
  const decided = getKnown(view, path);
  const { supersedes, supersededBy } = decided.memory;
  const named = new Set([...supersedes, supersededBy]);
  const near = view.where(
    (one) => (named.has(one.path) || one.supersededBy === path) && mountOf(one.path) === mountOf(path),
  );
  return { decided, known: new Map(near.map((one) => [one.memory.path, one])) };
}
