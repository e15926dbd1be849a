/**
 * An index as a dream leaves it: lines that lead nowhere go, and what has none gets one as long as there is room.
 */
import { firstLine } from "../../base/text/text.ts";
import { fitIndex } from "../files/fit-index.ts";
import { parseIndex } from "../files/index-entries.ts";
import type { Memory } from "../files/memory.ts";
import { removeIndexLine, setIndexLine } from "../files/memory-index.ts";
import { cleanMemoryText } from "../trust/clean-memory.ts";

interface RepairedIndex {
  readonly text: string;
  /** Describes the change. */
  readonly why: string;
  /** Memories that found no room. */
  readonly unlistedCount: number;
}

interface IndexRepairOptions {
  /** The folder that it is the index of: empty, or with a `/` at its end. */
  readonly folder: string;
  /** Paths of what is there and no memory: lines that name it lead somewhere. */
  readonly others: readonly string[];
  readonly scoreOf: (memory: Memory) => number;
}

export function repairIndex(
  before: string,
  memories: readonly Memory[],
  { folder, others, scoreOf }: IndexRepairOptions,
): RepairedIndex {
  let text = before;
  const listed = new Set(parseIndex(text).entries.map(({ file }) => file));
  const byFile = new Map(memories.map((memory) => [memory.path.slice(folder.length), memory]));
  const there = new Set(others.map((path) => path.slice(folder.length)));
  const gone = [...listed].filter((file) => !byFile.has(file) && !there.has(file));
  for (const file of gone) text = removeIndexLine(text, file);
  const missing = [...byFile]
    .filter(([file]) => !listed.has(file))
    .sort(([, one], [, other]) => scoreOf(other) - scoreOf(one) || (one.path < other.path ? -1 : 1));
  let addedCount = 0;
  for (const [file, { name, description, body, type }] of missing) {
    const hook = cleanMemoryText(description === "" ? firstLine(body) : description, "hook").text;
    const longer = setIndexLine(text, { file, title: name, hook, type });
    if (fitIndex(longer, () => 0).evicted.length > 0) break;
    text = longer;
    addedCount++;
  }
  const fitted = fitIndex(text, ({ file }) => {
    const memory = byFile.get(file);
    return memory === undefined ? Number(there.has(file)) : scoreOf(memory);
  });
  return {
    text: fitted.text,
    why: `${addedCount} lines came, ${gone.length} led nowhere, ${fitted.evicted.length} had to go for room.`,
    unlistedCount: missing.length - addedCount,
  };
}
