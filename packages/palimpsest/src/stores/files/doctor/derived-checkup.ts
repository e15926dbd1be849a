/**
 * Checks what was derived from a session's log, for the doctor. All of it can be made again from the log, so damaged
 * and outdated files are removed, without a copy.
 */
import { join } from "node:path";
import type { FileSystem } from "../../../ports/file-system.ts";
import { DERIVED_NAME_PATTERN, unpackDerived } from "../blobs/derived-bytes.ts";
import { arePartsWhole } from "../blobs/derived-parts.ts";
import { readBytes, withFile } from "../replace/whole-file.ts";
import { type DoctorOptions, finding, type SessionFinding } from "./session-findings.ts";

const DAMAGED = "Damaged, or of an earlier version: removed, and made again from the log.";
const STALE = "Made from entries that the log does not have: removed.";

/** Finds damaged and outdated files among `names` of the folder. Changes nothing. */
export function checkDerived(
  { fs }: DoctorOptions,
  folder: string,
  { names, lastSeq }: { readonly names: readonly string[]; readonly lastSeq: number },
): readonly SessionFinding[] {
  return names.flatMap((name) => {
    const [, seq] = DERIVED_NAME_PATTERN.exec(name) ?? [];
    const path = join(folder, name);
    const stat = fs.stat(path);
    // Files with foreign names, folders and links are not ours.
    if (seq === undefined || stat === undefined || stat.isDirectory || stat.isLink) return [];
    const advice = Number(seq) > lastSeq ? STALE : isWhole(fs, path) ? undefined : DAMAGED;
    return advice === undefined ? [] : [finding("derived-outdated", path, stat.size, advice)];
  });
}

function isWhole(fs: FileSystem, path: string): boolean {
  return withFile(fs, path, "read", arePartsWhole) || unpackDerived(readBytes(fs, path)) !== undefined;
}
