/**
 * The files of a recorded session as they lay on the disk at a compaction, as far as the recording shows them: the
 * lines that the log held, and those that were read later before the file changed. Other lines are filled in with text
 * of the usual length, so that a whole file costs what it would have cost. For a host that reads files again.
 */
import { type FileContent, type FileUse, foldContent } from "palimpsest/internal";

export function recordedDisk(logged: FileContent, usesAfter: readonly FileUse[]): FileContent {
  if (logged.isWhole && logged.missingEdits === 0) return logged;
  const changedAt = usesAfter.findIndex(({ how }) => how !== "read");
  const later = foldContent(usesAfter.slice(0, changedAt === -1 ? usesAfter.length : changedAt));
  const lines = new Map<number, string>();
  // The lines of the log come first: they are what a session without a reader of files would show.
  for (const { first, lines: own } of [...logged.parts, ...later.parts])
    own.forEach((line, index) => {
      if (!lines.has(first + index)) lines.set(first + index, line);
    });
  if (lines.size === 0) return logged;
  const characters = [...lines.values()].reduce((sum, { length }) => sum + length, 0);
  const unknown = "~ ".repeat(Math.round(characters / lines.size / 2));
  const last = Math.max(...lines.keys());
  const whole = Array.from({ length: last }, (_, index) => lines.get(index + 1) ?? unknown);
  return {
    parts: [{ first: 1, lines: whole }],
    isWhole: true,
    inUse: logged.inUse,
    loose: [],
    missingEdits: 0,
  };
}
