/**
 * Reads a file that someone recorded somewhere, line by line: plain or gzip, UTF-8 or UTF-16,
 * intact or damaged.
 *
 * DESIGN. Bytes flow one way: disk → gunzip (told by the first bytes) → UTF-8 (UTF-16 is converted
 * on the way) → lines. Nothing but the line being read is held, a line over its
 * limit is dropped while it is read, and reading stops at a limit of decompressed bytes, so neither a
 * huge line nor a bomb costs more memory than the limits in `defaults/formats.ts` say.
 */

import { FORMATS_DEFAULTS } from "../../base/defaults/formats.ts";
import { InputError, SessionError } from "../../base/errors.ts";
import {
  checkOptions,
  closed,
  func,
  number,
  type OptionRules,
  signal,
} from "../../base/options/check-options.ts";
import { type ImportResult, ImportRun } from "../../importers/registry.ts";
import type { ImportRepair, NotRead } from "../../importers/shared/imported-session.ts";
import type { SourceLine } from "../../importers/shared/read-records.ts";
import { RepairLog } from "../../importers/shared/repair-log.ts";
import { GunzipStream } from "./gunzip-stream.ts";
import { type InputBytes, openInput } from "./input-bytes.ts";
import { LineSplitter } from "./line-splitter.ts";
import { toUtf8 } from "./text-encoding.ts";

/** Progress in bytes of the file, before decompression. */
interface ReadProgress {
  readonly bytesRead: number;
  /** 0 for a pipe, whose size is unknown. */
  readonly totalBytes: number;
}

/** Watching, stopping and limiting {@link importFile}; everything may be left out. */
export interface ReadInputOptions {
  /** Called after each piece that was read from the disk. */
  readonly onProgress?: (progress: ReadProgress) => void;
  /** Stops the reading with `ABORTED`. */
  readonly signal?: AbortSignal;
  /** Limits to use instead of the defaults. */
  readonly limits?: Partial<InputLimits>;
}

/**
 * Limits of {@link importFile}, in bytes after decompression: a longer line is dropped and
 * reported as a repair, a longer file is `INPUT_TOO_LARGE`.
 * @defaultValue `FORMATS_DEFAULTS`, member by member
 */
interface InputLimits {
  readonly maxLineBytes: number;
  readonly maxDecodedBytes: number;
}

const RULES: OptionRules<ReadInputOptions> = {
  onProgress: func,
  signal,
  limits: closed({ maxLineBytes: number, maxDecodedBytes: number } satisfies OptionRules<InputLimits>),
};

/** The problems of a file that are in none of its lines. */
interface FileReport {
  readonly repairs: readonly ImportRepair[];
  /** Lines that were too long, and whether the compressed data ended early. */
  readonly notRead: NotRead;
}

/**
 * Imports all sessions of a file or a pipe; `-` is the standard input. It is read line by line: its text is never held
 * as a whole, only what belongs to a conversation. Of a single JSON document, the text is held.
 *
 * @throws InputError `INPUT_NOT_FOUND`, `INPUT_EMPTY`, `INPUT_UNREADABLE` (a folder, binary data, no permission, gzip
 * that is damaged from the start), `INPUT_TOO_LARGE`, `FORMAT_UNKNOWN` or `NO_MESSAGES`; SessionError `ABORTED`.
 */
export async function importFile(path: string, options: ReadInputOptions = {}): Promise<ImportResult> {
  checkOptions("importFile", options, RULES);
  const run = new ImportRun(path);
  return run.finish(await eachInputLine(path, options, (line) => run.take(line)));
}

/** Hands on every line of a file. @internal */
export async function eachInputLine(
  path: string,
  options: ReadInputOptions,
  onLine: (line: SourceLine) => void,
): Promise<FileReport> {
  const limits: InputLimits = { ...FORMATS_DEFAULTS, ...options.limits };
  const repairs = new RepairLog();
  const input = await openedInput(path, options.signal);
  const splitter = new LineSplitter({ maxLineBytes: limits.maxLineBytes, repairs, onLine });
  let decodedBytes = 0;
  const decode = toUtf8({ name: path, repairs });
  const onDecompressed = (bytes: Buffer): void => {
    decodedBytes += bytes.length;
    if (decodedBytes > limits.maxDecodedBytes) throw tooLarge(path, limits.maxDecodedBytes);
    splitter.push(decode(bytes));
  };

  await readBytes({ path, input, options, repairs, onDecompressed });
  if (decodedBytes === 0) throw empty(path);
  splitter.push(decode(Buffer.alloc(0)));
  splitter.end();
  return { repairs: repairs.list(), notRead: repairs.notRead };
}

async function openedInput(path: string, signal: AbortSignal | undefined): Promise<InputBytes> {
  try {
    return await openInput(path, signal);
  } catch (error) {
    if (signal?.aborted === true) throw aborted(path);
    throw inputError(path, error);
  }
}

async function readBytes(run: {
  readonly path: string;
  readonly input: InputBytes;
  readonly options: ReadInputOptions;
  readonly repairs: RepairLog;
  readonly onDecompressed: (bytes: Buffer) => void;
}): Promise<void> {
  const { path, input, options, repairs, onDecompressed } = run;
  const { chunks, totalBytes } = input;
  const stop = (): unknown => chunks.destroy();
  options.signal?.addEventListener("abort", stop, { once: true });
  let bytesRead = 0;
  let gunzip: GunzipStream | undefined;
  try {
    // The signal may have fired while the file was being opened, before the stream listens to it.
    if (isStopped(options)) throw aborted(path);
    for await (const chunk of chunks as AsyncIterable<Buffer>) {
      if (isStopped(options)) throw aborted(path);
      if (bytesRead === 0 && isGzip(chunk)) gunzip = new GunzipStream(onDecompressed);
      bytesRead += chunk.length;
      if (gunzip === undefined) onDecompressed(chunk);
      else if (!(await gunzip.write(chunk))) break;
      options.onProgress?.({ bytesRead, totalBytes });
    }
    if (isStopped(options)) throw aborted(path);
    const damage = await gunzip?.end();
    if (damage !== undefined) reportDamage(path, damage, repairs);
  } catch (error) {
    throw isStopped(options) ? aborted(path) : inputError(path, error);
  } finally {
    options.signal?.removeEventListener("abort", stop);
    chunks.destroy();
    gunzip?.close();
  }
}

/** As a call, so that each look is a new one. */
function isStopped({ signal }: ReadInputOptions): boolean {
  return signal?.aborted === true;
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function reportDamage(
  path: string,
  damage: { readonly reason: string; readonly decodedBytes: number },
  repairs: RepairLog,
): void {
  if (damage.decodedBytes === 0) {
    throw new InputError("INPUT_UNREADABLE", {
      message: `${path} begins like a gzip file, but nothing in it can be decompressed: ${damage.reason}.`,
      hint: "Copy or export the file again.",
    });
  }
  repairs.cutOff();
  repairs.add(
    "truncated-file",
    `the gzip data are cut off or damaged (${damage.reason}); the first ${damage.decodedBytes} bytes of text were read`,
  );
}

function tooLarge(path: string, limitBytes: number): InputError {
  return new InputError("INPUT_TOO_LARGE", {
    message: `${path} holds more than ${binarySize(limitBytes)} of text, which is the most that is read.`,
    hint: "Split the file, or leave out sessions that are not needed.",
  });
}

/** A limit as it was meant: 1 GiB, 32 MiB. */
function binarySize(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB"] as const;
  let unit = 0;
  let size = bytes;
  while (unit < units.length - 1 && size >= 1_024 && size % 1_024 === 0) {
    size /= 1_024;
    unit++;
  }
  return `${size} ${units[unit]!}`;
}

function empty(path: string): InputError {
  return new InputError("INPUT_EMPTY", {
    message: `${path} is empty.`,
    hint: "Give a recorded session; an empty file has nothing to replay.",
  });
}

function aborted(path: string): SessionError {
  return new SessionError("ABORTED", {
    message: `Reading ${path} was stopped.`,
    hint: "Start it again to read the whole file.",
  });
}

/** Errors of the file system as ours; ours as they are, and bugs as bugs. */
function inputError(path: string, error: unknown): unknown {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (error instanceof InputError || error instanceof SessionError || code === undefined) return error;
  if (code === "ENOENT" || code === "ENOTDIR") {
    return new InputError("INPUT_NOT_FOUND", {
      message: `There is no file ${path}.`,
      hint: "Check the path; patterns are expanded by the shell.",
      cause: error,
    });
  }
  return new InputError("INPUT_UNREADABLE", {
    message: `${path} cannot be read (${code}).`,
    hint: "Check that it is a file and that you may read it.",
    cause: error,
  });
}
