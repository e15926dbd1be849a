/**
 * Outputs of ended tasks in the trash: `<trash>/.outputs/<session>.<task>.<time>.log`. A clean-up deletes them after
 * the same time as sessions.
 */
import { join } from "node:path";
import type { FileSystem } from "../../../ports/file-system.ts";
import { ifThere } from "../replace/file-steps.ts";

const NAME = /\.t\d+\.([1-9]\d*)\.log$/;

/** Where outputs lie. */
export function outputsIn(trashFolder: string): string {
  return join(trashFolder, ".outputs");
}

/** Deletes outputs that went to the trash before this time. */
export function purgeOutputs(fs: FileSystem, trashFolder: string, beforeMs: number): void {
  const folder = outputsIn(trashFolder);
  for (const name of ifThere(() => fs.list(folder)) ?? [])
    if (Number(NAME.exec(name)?.[1] ?? Number.NaN) < beforeMs) fs.remove(join(folder, name));
}
