/**
 * How far a log was durable, kept beside it: a log that was cut at the end of a line, or emptied, looks whole.
 *
 * FORMAT. Lines of `<root>/.log-ends/<session>`, of which the last whole one counts: the CRC-32 of what follows in
 * small hex digits, and a JSON object with the number of the last entry, the size of the log, and the id of its first
 * entry. Now and then the file is begun anew.
 *
 * DESIGN. A line is written after each sync of the log, and is not synced itself: whatever of it survives a power loss
 * is half a line, which says nothing, or tells of bytes that are on the disk already. So the record may be behind the
 * log, as after a crash or where an earlier version went on with it, and never ahead. It is evidence of a loss and
 * nothing else: what the log holds is read without it, and where it is missing or damaged, nothing is reported.
 */
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import { asNumber, asString, isObject, parseJson } from "../../../base/json/json.ts";
import type { FileSystem, OpenFile } from "../../../ports/file-system.ts";
import type { LogDamage } from "../../../ports/session-store.ts";
import { readText, writeWhole } from "../replace/whole-file.ts";
import { parseLine } from "./log-line.ts";
import type { KnownEnd } from "./log-writer.ts";
import { scanAtOnce } from "./ordered-log.ts";
import { readRawLines } from "./raw-lines.ts";

const LINE_PATTERN = /^(?<crc>[0-9a-f]{1,8}) (?<json>\{.*\})$/;
/** From here on the file is begun anew: to empty it each time would make some file systems write it out at once. */
const FULL_BYTES = 4_096;
/** More than a full file and another line. */
const READ_LIMIT_BYTES = 2 * FULL_BYTES;

interface RecordedEnd {
  readonly seq: number;
  readonly bytes: number;
  /** Tells the log from another one of the same name; absent where the first line could not be read. */
  readonly first: string | undefined;
}

/** Records that the log is durable up to here. What goes wrong costs the record, never the sync. */
export function recordEnd(
  fs: FileSystem,
  path: string,
  { file, end }: { readonly file: OpenFile; readonly end: KnownEnd },
): void {
  try {
    const record: RecordedEnd = { seq: end.last.seq, bytes: end.size, first: firstId(file, end.size) };
    const json = JSON.stringify(record);
    if (isLinked(fs, path)) return;
    if (fs.stat(dirname(path)) === undefined) fs.makeDirectory(dirname(path));
    const target = fs.open(path, "append");
    try {
      if (target.size() >= FULL_BYTES) target.truncate(0);
      writeWhole(target, Buffer.from(`${crc32(json).toString(16)} ${json}\n`, "utf8"));
    } finally {
      target.close();
    }
  } catch {
    // A record that is missing, half written or behind accuses no log.
  }
}

/** What a link leads to is somebody else's: nothing is written or removed there. */
function isLinked(fs: FileSystem, path: string): boolean {
  return fs.stat(dirname(path))?.isLink === true || fs.stat(path)?.isLink === true;
}

/** Removes the record of a log that is not there any more. Throws the file system's error. */
export function forgetEnd(fs: FileSystem, path: string): void {
  if (fs.stat(path)?.isDirectory === false && !isLinked(fs, path)) fs.remove(path);
}

/** The damage of a log that ends earlier than it was durable once; throws the file system's error for the log only. */
export function missingTail(fs: FileSystem, path: string, file: OpenFile): LogDamage | undefined {
  const recorded = readEnd(fs, path);
  if (recorded === undefined) return undefined;
  // Asked after the record was read: a log that somebody is writing only grows.
  const size = file.size();
  if (size >= recorded.bytes) return undefined;
  const first = firstId(file, size);
  const isAnother = first !== undefined && recorded.first !== undefined && first !== recorded.first;
  // Bytes that told nothing may be gone, such as a last line break.
  if (isAnother || (scanAtOnce(file, size).last?.seq ?? 0) >= recorded.seq) return undefined;
  return { position: size, bytes: 0, reason: "missing-tail" };
}

function readEnd(fs: FileSystem, path: string): RecordedEnd | undefined {
  try {
    for (const line of readText(fs, path, READ_LIMIT_BYTES).split("\n").reverse()) {
      const end = parseEnd(line);
      if (end !== undefined) return end;
    }
  } catch {
    // There is none, or it cannot be read: nothing is known.
  }
  return undefined;
}

function parseEnd(line: string): RecordedEnd | undefined {
  const { crc, json = "" } = LINE_PATTERN.exec(line)?.groups ?? {};
  const parsed = crc === crc32(json).toString(16) ? parseJson(json) : undefined;
  if (parsed?.ok !== true || !isObject(parsed.value)) return undefined;
  const { first } = parsed.value;
  const [seq, bytes] = [asNumber(parsed.value["seq"]), asNumber(parsed.value["bytes"])];
  if (seq === undefined || bytes === undefined) return undefined;
  return { seq, bytes, first: asString(first) };
}

/** The id of the entry in the first line; `undefined` where it cannot be read. */
function firstId(file: OpenFile, size: number): string | undefined {
  const firstChunkBytes = STORE_DEFAULTS.lineProbeBytes;
  for (const { bytes } of readRawLines(file, { from: 0, to: size, firstChunkBytes })) {
    const parsed = bytes === undefined ? undefined : parseLine(bytes);
    return parsed?.ok === true ? parsed.entry.id : undefined;
  }
  return undefined;
}
