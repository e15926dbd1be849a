/**
 * Records the durable end of a log in a file beside it. Without the record, a log that lost its last lines or all of
 * them looks whole.
 *
 * FORMAT. Lines of `<root>/.log-ends/<session>`; the last whole one counts. A line is the CRC-32 of the rest in small hex
 * digits, and a JSON object with the number of the last entry, the size of the log, and the id of its first entry. A
 * full file is emptied.
 *
 * DESIGN. A line is written after each sync of the log and is not synced itself. After a power loss it is half a line,
 * which has no effect, or describes bytes that are on the disk already. So the record may be behind the log, as after a
 * crash or an earlier version of this library, but never ahead. It is only evidence of a loss: reading the log does not
 * use it, and without it nothing is reported.
 */
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import { asNumber, asString, isObject, parseJson } from "../../../base/json/json.ts";
import type { FileSystem, OpenFile } from "../../../ports/file-system.ts";
import type { LogDamage } from "../../../ports/session-store.ts";
import { readText, withFile, writeWhole } from "../replace/whole-file.ts";
import { parseLine } from "./log-line.ts";
import type { KnownEnd } from "./log-writer.ts";
import { scanAtOnce } from "./ordered-log.ts";
import { readRawLines } from "./raw-lines.ts";

const LINE_PATTERN = /^(?<crc>[0-9a-f]{1,8}) (?<json>\{.*\})$/;
/** Size at which the file is emptied: emptying it each time would make some file systems write it out at once. */
const FULL_BYTES = 4_096;
/** Longer than a full file and another line. */
const READ_LIMIT_BYTES = 2 * FULL_BYTES;

interface RecordedEnd {
  readonly seq: number;
  readonly bytes: number;
  /** Id of the first entry, which tells logs of one name apart; absent if the first line is damaged. */
  readonly first: string | undefined;
}

/** Records that the log is durable up to here. A failure costs the record, never the sync. */
export function recordEnd(
  fs: FileSystem,
  path: string,
  { file, end }: { readonly file: OpenFile; readonly end: KnownEnd },
): void {
  try {
    const record: RecordedEnd = { seq: end.last.seq, bytes: end.size, first: firstIdOf(file, end.size) };
    const json = JSON.stringify(record);
    const folder = fs.stat(dirname(path));
    if (folder?.isLink === true || fs.stat(path)?.isLink === true) return;
    if (folder === undefined) fs.makeDirectory(dirname(path));
    withFile(fs, path, "append", (target) => {
      if (target.size() >= FULL_BYTES) target.truncate(0);
      writeWhole(target, Buffer.from(`${crc32(json).toString(16)} ${json}\n`, "utf8"));
    });
  } catch {
    // A missing, torn or old record never accuses a log.
  }
}

/** True for a link: its target is not ours, so nothing is written or removed there. */
function isLinked(fs: FileSystem, path: string): boolean {
  return fs.stat(dirname(path))?.isLink === true || fs.stat(path)?.isLink === true;
}

/** Removes the record of a log that is gone. Throws the file system's error. */
export function forgetEnd(fs: FileSystem, path: string): void {
  if (fs.stat(path)?.isDirectory === false && !isLinked(fs, path)) fs.remove(path);
}

/** Returns the damage if a log ends before its recorded end. Throws the file system's error for the log only. */
export function missingTail(fs: FileSystem, path: string, file: OpenFile): LogDamage | undefined {
  const recorded = readEnd(fs, path);
  if (recorded === undefined) return undefined;
  // Read after the record: a log that is being written only grows.
  const size = file.size();
  if (size >= recorded.bytes) return undefined;
  const first = firstId(file, size);
  const isAnother = first !== undefined && recorded.first !== undefined && first !== recorded.first;
  // Only bytes without meaning may be missing, such as a last line break.
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
    // There is no record, or it cannot be read.
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

/** Ids of first entries, which stay the same for as long as a log is written. */
const firstIds = new WeakMap<OpenFile, string>();

function firstIdOf(file: OpenFile, size: number): string | undefined {
  const known = firstIds.get(file);
  if (known !== undefined) return known;
  const id = firstId(file, size);
  if (id !== undefined) firstIds.set(file, id);
  return id;
}

/** The id of the entry in the first line; `undefined` if it cannot be read. */
function firstId(file: OpenFile, size: number): string | undefined {
  const firstChunkBytes = STORE_DEFAULTS.lineProbeBytes;
  for (const { bytes } of readRawLines(file, { from: 0, to: size, firstChunkBytes })) {
    const parsed = bytes === undefined ? undefined : parseLine(bytes);
    return parsed?.ok === true ? parsed.entry.id : undefined;
  }
  return undefined;
}
