/** All lines of a file, for tests of what is read. */
import type { ImportRepair, NotRead } from "#importers/shared/imported-session.ts";
import type { SourceLine } from "#importers/shared/read-records.ts";
import { eachInputLine, type ReadInputOptions } from "#runtime/input-files/input-file.ts";

interface ReadLines {
  readonly name: string;
  readonly lines: readonly SourceLine[];
  readonly repairs: readonly ImportRepair[];
  readonly notRead: NotRead;
}

export async function readLines(path: string, options: ReadInputOptions = {}): Promise<ReadLines> {
  const lines: SourceLine[] = [];
  const report = await eachInputLine(path, options, (line) => lines.push(line));
  return { name: path, lines, ...report };
}
