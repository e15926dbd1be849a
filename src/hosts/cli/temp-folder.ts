/**
 * A folder for the length of one command. It goes when the command ends, however it ends: by
 * itself, by an error, or by a signal that leaves no time for anything that waits.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const left = new Set<string>();

/** Runs `work` with a new, private folder below the system's own for such things (`TMPDIR`). */
export async function withTempFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-run-"));
  left.add(folder);
  try {
    return await work(folder);
  } finally {
    remove(folder);
  }
}

/** Removes what is still there; for the moment before the process ends. */
export function removeTempFolders(): void {
  for (const folder of left) remove(folder);
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 2 });
  left.delete(folder);
}
