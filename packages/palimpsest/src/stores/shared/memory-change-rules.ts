/** Rules for changes of memories that every store checks before it reads its files. */
import { assert } from "../../base/assert.ts";
import { MemoryError } from "../../base/errors.ts";
import type { MemoryChange } from "../../ports/memory-store.ts";
import type { Hasher } from "../../ports/runtime.ts";
import { checkMemoryPath, memoryNameKey, memoryPathRefused } from "./memory-path.ts";
import { encodeMemory, memoryVersion } from "./text-bytes.ts";

/** A change whose path and text were looked at. */
export interface CheckedChange {
  readonly path: string;
  readonly names: readonly string[];
  readonly base: string | undefined;
  /** The new content; `undefined` if the memory goes into the archive. */
  readonly next: { readonly bytes: Buffer; readonly version: string } | undefined;
}

const RECORD_PATTERN = /^[a-z0-9][a-z0-9.-]*(?:\/[a-z0-9][a-z0-9.-]*)?$/;
const RECORD_LIMIT_CHARS = 128;

/** @throws `MEMORY_PATH_REFUSED`, `STORE_FAILED` for a text that is too large */
export function checkMemoryChanges(
  changes: readonly MemoryChange[],
  hasher: Hasher,
): readonly CheckedChange[] {
  const keys = new Set<string>();
  return changes.map(({ path, base, text }) => {
    const names = checkMemoryPath(path);
    assert(base !== undefined || text !== undefined, "a change has a file to begin with or to end with");
    const key = memoryNameKey(path);
    if (keys.has(key)) throw memoryPathRefused(path, "it is changed twice at once, or differs in case only");
    keys.add(key);
    if (text === undefined) return { path, names, base, next: undefined };
    const bytes = encodeMemory(path, text);
    return { path, names, base, next: { bytes, version: memoryVersion(text, hasher) } };
  });
}

/** The error for a new file or folder whose name differs from an existing one only in case or normal form. */
export function memoryTwin(path: string, twin: string): MemoryError {
  return new MemoryError("MEMORY_PATH_REFUSED", {
    message: `${path} was not made: some systems take it for ${twin}, which is there.`,
    hint: `Change ${twin}, or use a name that differs in more than case.`,
  });
}

/** @throws `MEMORY_PATH_REFUSED` for what cannot be the name of a record */
export function checkRecordName(name: string): void {
  if (RECORD_PATTERN.test(name) && name.length <= RECORD_LIMIT_CHARS && memoryNameParts(name)) return;
  throw new MemoryError("MEMORY_PATH_REFUSED", {
    message: `${JSON.stringify(name.slice(0, RECORD_LIMIT_CHARS))} cannot be the name of a record.`,
    hint: "Use up to 128 of a-z, 0-9, - and ., and at most one /; a part begins with a letter or a digit.",
  });
}

/** Dots at the end of a part, or several in a row, are read otherwise somewhere. */
function memoryNameParts(name: string): boolean {
  return !/\.\.|\.(?:\/|$)/.test(name);
}

/** One line of a record, or several with a line break in between, with its end. */
export function recordLine(line: string): Buffer {
  assert(!/\r|\n\n|^\n|\n$/.test(line), "lines of a record are not empty, and have one kind of line break");
  return Buffer.from(`${line}\n`, "utf8");
}
