/** The indexes of a project and its team, as a session is shown them. */

import { showIndex } from "../../../memory/files/fit-index.ts";
import { parseIndex } from "../../../memory/files/index-entries.ts";
import { INDEX_NAME } from "../../../memory/files/memory-index.ts";
import { cleanMemoryText } from "../../../memory/trust/clean-memory.ts";
import type { MemorySnapshot } from "../store/memory-cache.ts";
import { TEAM_FOLDER } from "../store/mounted-store.ts";

/** The index as a session is shown it. */
export interface MemoryIndexText {
  /** Empty where there is none. */
  readonly text: string;
  /** That it was too large, and what was left out. */
  readonly warnings: readonly string[];
}

/** The project's first. */
export function showIndexes(indexes: MemorySnapshot["indexes"]): MemoryIndexText {
  const shown = ["", TEAM_FOLDER].flatMap((mount) => {
    const file = indexes.get(mount + INDEX_NAME);
    if (file === undefined || file.text.trim() === "") return [];
    // Cut first: the warning tells of the file as it is.
    const { text, warning } = showIndex(file.text);
    return [{ text: cleanMemoryText(mounted(text, mount), "body").text, warning }];
  });
  return {
    text: shown.map(({ text }) => text.trimEnd()).join("\n\n"),
    warnings: shown.flatMap(({ warning }) => warning ?? []),
  };
}

/** With the paths that the files have for whoever reads this: a team's index names them as from its own folder. */
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
